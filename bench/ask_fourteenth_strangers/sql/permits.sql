-- A city's permits and inspections: 14 tables, every key declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('permits-14:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table neighborhood (nbhd_id int primary key, name text not null, district text not null, population int, is_historic boolean not null, council_member text);
insert into neighborhood select i, n, (array['North','Harbor','Central','East','South Hills'])[1+draw(i,1,5)], case when i%11<>4 then 900+draw(i,2,17000) end, i in (2,5,6,11,19,23,28),
 (array['A. Brill','J. Castellano','M. Odom','R. Thackeray','S. Yoon'])[1+draw(i,1,5)]
from unnest(array['Alder Flats','Old Brewery','Cannery Row','Dunmore','Eastgate','Foundry Hill','Garnet Park','Hollins','Inlet Point','Juniper Heights','King''s Wharf','Larkspur','Mill Pond','Northfield','Oakhurst',
 'Pinecrest','Quarry Side','Ridgeway','St. Anne''s','Tannery','Upper Basin','Vinegar Hill','Westlake','Yardley','Zephyr Cove','Briar Glen','Copper Bend','Deacon Street','Elm Terrace','Fairhaven']) with ordinality as u(n,k), lateral (select k::int as i) x;

create table owner (owner_id int primary key, owner_name text not null, kind_cd char(1) not null, mail_city text, phone text);
comment on column owner.kind_cd is 'P = private person, C = company, T = family trust, G = government body';
insert into owner select i, case k
  when 'P' then (array['Agnes','Bram','Colette','Darius','Edda','Fergus','Gwen','Hollis','Imani','Jasper','Kaia','Lorne'])[1+draw(i,3,12)]||' '||(array['Abbott','Bellweather','Crane','Dupree','Eastman','Fonseca','Gallagher','Hsu','Ibarra','Jessop','Kowalski'])[1+draw(i,4,11)]
  when 'C' then (array['Blue Heron','Cornerstone','Driftwood','Evergreen','Fulcrum','Granite','Highline'])[1+draw(i,5,7)]||' '||(array['Holdings','Properties','Development','Realty'])[1+draw(i,6,4)]||' '||(array['LLC','Inc.','Partners'])[1+i%3]
  when 'T' then (array['Abbott','Marchetti','Novak','Oyelaran','Pruitt','Quintero'])[1+draw(i,7,6)]||' Family Trust '||i
  else (array['City of Marrow Bay','Port Authority','County School District','State Parks Agency'])[1+i%4] end, k,
 case when i%13=6 then null else (array['Marrow Bay','Marrow Bay','Marrow Bay','Fairbrook','Sable Point','Ottery'])[1+draw(i,8,6)] end,
 case when i%4<>1 then '555-'||lpad(draw(i,9,10000)::text,4,'0') end
from (select i, case when i<=4 then 'G' when draw(i,10,10)<5 then 'P' when draw(i,10,10)<8 then 'C' else 'T' end as k from generate_series(1,190) i) x;

create table parcel (parcel_id int primary key, apn text not null unique, nbhd_id int not null references neighborhood, owner_id int not null references owner, street_addr text not null, zone_cd text not null,
 lot_sqft int not null, yr_built int, assessed_val numeric(12,2) not null);
comment on table parcel is 'plots of land within the city limits';
comment on column parcel.apn is 'assessor''s parcel number';
comment on column parcel.zone_cd is 'R1 = single family, R2 = multi family, C1 = neighborhood commercial, C2 = downtown commercial, M1 = light industrial, OS = open space';
comment on column parcel.yr_built is 'year the main building was completed; empty for vacant lots';
insert into parcel select i, lpad((100+draw(i,11,900))::text,3,'0')||'-'||lpad(i::text,4,'0'), 1+draw(i,12,30), 1+draw(i,13,170), (10+draw(i,14,980))||' '||(array['Alder St','Bay Ave','Cutler Rd','Dock St','Elm St','Ferry Ln','Grove Ave','High St','Ivy Ct'])[1+draw(i,15,9)], z,
 case z when 'OS' then 20000 when 'M1' then 9000 else 2400 end+draw(i,16,14000), case when draw(i,17,8)>0 and z<>'OS' then 1891+draw(i,18,132) end, round((power(draw(i,19,1000)/1000.0,2)*1400000+case z when 'C2' then 450000 else 85000 end)::numeric,-2)
from (select i, (array['R1','R1','R1','R1','R2','R2','C1','C2','M1','OS'])[1+draw(i,20,10)] as z from generate_series(1,380) i) x;

create table staff (staff_id int primary key, first_name text not null, last_name text not null, job_title text not null, division text not null, hire_dt date not null, left_dt date, supervisor_id int references staff, annual_salary numeric(9,2) not null);
insert into staff select i, (array['Amara','Benedict','Celia','Dominic','Esme','Franklin','Gloria','Hector','Ingrid','Joaquin','Keisha','Leopold','Marisol','Nikhil','Opal'])[1+(i*7)%15], (array['Vega','Tran','Sorensen','Reyes','Quigley','Pappas','Okafor','Nyberg','Mbeki','Lindgren','Kapoor'])[1+(i*5)%11],
 case when i=1 then 'Director' when i<=5 then 'Manager' else (array['Plan Reviewer','Building Inspector','Code Officer','Permit Technician','Building Inspector'])[1+i%5] end, case when i in (1,38,43) then 'Administration' else (array['Plan Review','Inspections','Code Enforcement','Permit Counter','Inspections'])[1+i%5] end,
 h, case when i>8 and draw(i,22,5)=0 and h<'2024-01-01' then h+300+draw(i,23,(date '2026-06-30'-h)-300) end, case when i=1 then null when i<=5 then 1 when i>35 and i%4=1 then 6+i%5 else (array[5,4,2,3,4])[1+i%5] end,
 case when i=1 then 148000 when i<=5 then 98000+draw(i,24,220)*50 else 46000+draw(i,25,720)*50 end
from (select i, date '2005-03-01'+draw(i,21,6900) as h from generate_series(1,44) i union all select 45, '2026-09-14') x(i,h);

create table staff_cert (staff_id int not null references staff, cert_name text not null, earned_on date not null, expires_on date, primary key (staff_id, cert_name));
insert into staff_cert select s, c, d, case when draw(s*10+k,27,6)>0 then d+1095 end from (select s, k, (array['Residential Building','Commercial Building','Electrical','Plumbing','Mechanical','Fire Safety','Accessibility'])[k] as c, date '2017-02-01'+draw(s*10+k,28,3300) as d from generate_series(4,44) s, generate_series(1,7) k where draw(s*10+k,26,10)<3) x;

create table permit_type (ptype_cd text primary key, descr text not null, base_fee numeric(8,2) not null, needs_plan_review boolean not null, validity_days int not null);
insert into permit_type select split_part(t,':',1), split_part(t,':',2), split_part(t,':',3)::numeric, split_part(t,':',4)='y', (array[180,365,365,540])[1+k::int%4] from unnest(array['NSF:New single family home:1850:y','NMF:New apartment building:4200:y','NCM:New commercial building:5100:y','ADD:Home addition:640:y',
 'KIT:Kitchen remodel:310:n','BTH:Bathroom remodel:240:n','ROF:Roof replacement:185:n','SOL:Rooftop solar:150:n','POO:Swimming pool:420:y','DCK:Deck or porch:160:n','FNC:Fence:75:n','GAR:Detached garage:390:y','ELE:Electrical service upgrade:130:n','PLB:Plumbing repair:110:n','MEC:Furnace or air conditioner:125:n','WTR:Water heater:65:n',
 'SGN:Business sign:140:n','TIM:Tenant improvement:980:y','DEM:Demolition:350:n','GRD:Grading:560:y','RET:Retaining wall:280:y','FIR:Fire sprinkler system:410:y','ELV:Elevator:890:y','CEL:Cell tower:1500:y','ADU:Accessory dwelling unit:1100:y','SWR:Sewer connection:230:n','EVC:Electric car charger:95:n','SDW:Sidewalk and driveway:120:n','TNT:Temporary tent:50:n','MOV:House moving:700:y']) with ordinality as u(t,k);

create table permit (permit_no text primary key, parcel_id int not null references parcel, ptype_cd text not null references permit_type, status_cd text not null, applied_on date not null, issued_on date, expires_on date, finaled_on date, est_cost numeric(11,2),
 reviewed_by int references staff, approved_by int references staff, filed_online boolean not null, applicant text not null);
comment on column permit.status_cd is 'AP = applied, RV = under review, IS = issued, FN = finaled, EX = expired, DN = denied, WD = withdrawn';
comment on column permit.est_cost is 'value of the work in dollars as the applicant estimates it';
insert into permit select 'B'||to_char(a,'YY')||'-'||lpad((1000+i)::text,5,'0'), 1+draw(i,30,340), pt, st, a, iss, case when iss is not null then iss+(select validity_days from permit_type where ptype_cd=pt) end, case when st='FN' then iss+20+draw(i,32,270) end,
 case when i%17<>3 then round((400+power(draw(i,33,1000)/1000.0,3)*(case when pt in ('NSF','NMF','NCM','TIM') then 900000 when pt in ('ADD','POO','ADU','GAR','KIT') then 190000 else 42000 end))::numeric,-2) end,
 case when st<>'AP' then 5*(1+draw(i,34,8)) end, case when iss is not null then case when draw(i,35,4)=0 then 5 else 5*(1+draw(i,36,8)) end end, draw(i,37,10)<(case when a<'2023-01-01' then 3 else 7 end),
 (array['Abbott','Bellweather','Crane','Dupree','Eastman','Fonseca','Gallagher','Hsu','Ibarra','Jessop','Kowalski','Lamb','Moss'])[1+draw(i,38,13)]||', '||(array['Ruth','Simon','Tessa','Ugo','Vera','Walt'])[1+draw(i,39,6)]
from (select *, case when st in ('IS','FN','EX') then a+2+draw(i,31,75) end as iss from (select i, date '2021-01-04'+(i*237/100)+draw(i,40,4) as a, (array['NSF','NMF','NCM','ADD','ADD','KIT','KIT','KIT','BTH','BTH','ROF','ROF','ROF','ROF','SOL','SOL','SOL','POO','DCK','DCK','FNC','GAR','ELE','ELE','PLB','MEC','WTR','SGN','TIM','TIM','DEM','GRD','RET','FIR','ADU','ADU','SWR','EVC','EVC','SDW'])[1+draw(i,41,40)] as pt,
 case when i>=860 then (array['AP','RV','RV','AP','WD','DN'])[1+draw(i,42,6)] when i>=740 then (array['IS','IS','IS','RV','DN','IS','WD','IS'])[1+draw(i,42,8)] else (array['FN','FN','FN','FN','FN','IS','EX','DN','WD','FN','EX'])[1+draw(i,42,11)] end as st from generate_series(1,900) i) x) y;

create table contractor (contractor_id int primary key, company text not null, trade text not null, license_no text not null, license_exp date not null, city text not null, insured boolean not null, rating numeric(2,1));
insert into contractor select i, (array['Anchor','Beacon','Crestline','Delta','Ember','Falcon','Gable','Harbor'])[1+(i*3)%8]||' '||(array['Builders','Bros','& Sons','Works','Contracting','Services','Co-op','Group'])[1+(i/8)%8], (array['general','electrical','plumbing','roofing','general','heating','masonry'])[1+draw(i,50,7)],
 'CL'||(20000+i*137), date '2024-03-31'+draw(i,51,1500), (array['Marrow Bay','Marrow Bay','Fairbrook','Sable Point','Ottery'])[1+draw(i,52,5)], draw(i,53,6)>0, case when i%7<>2 then 2.1+draw(i,54,29)/10.0 end from generate_series(1,64) i;

create table permit_contractor (permit_no text not null references permit, contractor_id int not null references contractor, role_cd char(1) not null, primary key (permit_no, contractor_id));
comment on column permit_contractor.role_cd is 'G = general contractor, S = subcontractor';
insert into permit_contractor select distinct on (p, c) p, c, case when k=1 then 'G' else 'S' end from (select permit_no as p, k, 1+least(draw(n*10+k,56,61),draw(n*10+k,57,61)) as c, n from (select permit_no, row_number() over (order by permit_no)::int as n from permit) q, generate_series(1,4) k where k<=draw(n,55,5)-1) x order by p, c, k;

create table inspection (insp_id int primary key, permit_no text not null references permit, insp_type text not null, sched_at timestamp not null, done_at timestamp, inspector_id int not null references staff, result_cd char(1), duration_min int, is_reinsp boolean not null);
comment on column inspection.result_cd is 'P = passed, F = failed, C = passed with conditions, X = called off; empty while pending';
insert into inspection select row_number() over (order by t, p), p, (array['footing','framing','electrical','plumbing','final'])[least(k,5)], t, case when t<'2026-11-14' and rc<>'X' then t+draw(n*10+k,61,80)*interval '1 minute' end,
 case when draw(n*10+k,62,3)=0 then 4+5*draw(n*10+k,63,8) else 6+5*least(draw(n*10+k,64,7),draw(n*10+k,65,7)) end, case when t<'2026-11-14' then rc end, case when t<'2026-11-14' and rc<>'X' then 15+draw(n*10+k,66,110) end, k>1 and draw(n*10+k,67,5)=0
from (select permit_no as p, n, k, issued_on+(k*19+draw(n*10+k,68,17))*interval '1 day'+interval '8 hour'+draw(n*10+k,69,32)*interval '15 minute' as t, (array['P','P','P','P','F','P','C','X','F','P','P'])[1+draw(n*10+k,70,11)] as rc
 from (select permit_no, issued_on, row_number() over (order by permit_no)::int as n from permit where issued_on is not null) q, generate_series(1,5) k where k<=draw(n,71,6)) x;

create table fee (fee_id int primary key, permit_no text not null references permit, fee_kind text not null, amount numeric(9,2) not null, billed_on date not null, paid_on date, pay_method text, is_waived boolean not null);
insert into fee select row_number() over (order by b, p, k), p, fk, amt, b, case when not w and draw(n*10+k,82,9)>0 and b<'2026-10-20' then b+draw(n*10+k,83,30) end, case when not w and draw(n*10+k,82,9)>0 and b<'2026-10-20' then (array['card','card','check','cash','transfer'])[1+draw(n*10+k,84,5)] end, w
from (select permit_no as p, n, k, (array['plan check','permit','impact','late'])[k] as fk, round((case k when 1 then base_fee*0.65 when 2 then base_fee+coalesce(est_cost,0)*0.004 when 3 then 1200+draw(n,85,60)*50 else 35+draw(n,86,4)*20 end)::numeric,2) as amt, case when k=1 then applied_on else issued_on end as b, draw(n*10+k,87,24)=0 as w
 from (select p.*, t.base_fee, t.needs_plan_review, row_number() over (order by permit_no)::int as n from permit p join permit_type t using (ptype_cd)) q, generate_series(1,4) k
 where (k=1 and needs_plan_review) or (k=2 and issued_on is not null) or (k=3 and issued_on is not null and ptype_cd in ('NSF','NMF','NCM','ADU')) or (k=4 and issued_on is not null and draw(n,88,9)=0)) x;

create table complaint (complaint_id int primary key, parcel_id int not null references parcel, filed_on date not null, category text not null, reporter text, received_by int not null references staff, assigned_to int references staff, priority int not null, closed_on date);
comment on column complaint.reporter is 'who complained; empty when anonymous';
comment on column complaint.priority is '1 is most urgent';
insert into complaint select i, 1+draw(i,90,376), f, (array['work without permit','noise','overgrown lot','abandoned vehicle','unsafe structure','illegal dumping','short-term rental'])[1+draw(i,91,7)], case when draw(i,92,3)>0 then (array['Abbott','Crane','Hsu','Jessop','Lamb','Moss','Novak','Pruitt','Stone'])[1+draw(i,93,9)] end, 3+5*draw(i,94,7),
 case when i%14<>9 then case when draw(i,95,6)=0 then 3+5*draw(i,96,7) else 2+5*draw(i,97,8) end end, 1+draw(i,98,4), case when f<'2026-09-01' and draw(i,99,8)>0 and i%14<>9 then f+1+draw(i,100,75) end
from (select i, date '2021-02-01'+(i*63/10)+draw(i,101,9) as f from generate_series(1,335) i) x;

create table violation (viol_id int primary key, parcel_id int not null references parcel, complaint_id int references complaint, code_section text not null, cited_on date not null, cited_by int not null references staff, status_cd char(2) not null, comply_by date not null, fine_amt numeric(8,2), fine_paid numeric(8,2) not null);
comment on table violation is 'citations written by code officers';
comment on column violation.status_cd is 'OP = open, CO = corrected, AP = appealed, DI = dismissed';
insert into violation select row_number() over (order by d, pid, cid), pid, cid, (array['8.04.110','8.04.230','15.12.020','15.20.400','17.44.010'])[1+draw(n,110,5)], d, 2+5*draw(n,111,7), st, d+14+draw(n,112,4)*15, fa, case when fa is null or st='DI' then 0 when draw(n,113,3)=0 then fa when draw(n,113,3)=1 then round(fa/4,2) else 0 end
from (select complaint_id as n, parcel_id as pid, complaint_id as cid, filed_on+3+draw(complaint_id,114,20) as d, (array['CO','CO','CO','OP','AP','DI'])[1+draw(complaint_id,115,6)] as st, case when draw(complaint_id,116,6)>0 then 150+draw(complaint_id,117,40)*50 end as fa from complaint where draw(complaint_id,118,5)<3 and filed_on<'2026-10-15'
 union all select 2000+i, 1+draw(i,119,380), null, date '2021-06-01'+draw(i,120,1950), (array['CO','OP','OP','DI'])[1+draw(i,121,4)], case when i%5>0 then 100+draw(i,122,30)*50 end from generate_series(1,62) i) x;

create table hearing (hearing_id int primary key, viol_id int not null references violation, held_on date not null, officer_id int not null references staff, outcome text, reduced_to numeric(8,2));
insert into hearing select row_number() over (order by d, viol_id), viol_id, d, (array[1,38,43])[1+draw(viol_id,130,3)], case when d<'2026-11-10' then o end, case when d<'2026-11-10' and o='reduced' then round(coalesce(fine_amt,400)*0.4,2) end
from (select viol_id, fine_amt, cited_on+30+draw(viol_id,131,90) as d, (array['upheld','reduced','reduced','dismissed'])[1+draw(viol_id,132,4)] as o from violation where status_cd in ('AP','DI') or draw(viol_id,133,12)=0) x;
drop function draw(int,int,int);
