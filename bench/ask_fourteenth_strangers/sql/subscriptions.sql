-- A software company's billing and support: 13 tables, names cut short, few keys declared, days and months as text in places. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('subs-14:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table emp (emp_id int primary key, full_nm text not null, team_cd text not null, office text not null, start_dt date not null, mgr_id int, quota_usd numeric(10,2));
comment on table emp is 'people on our payroll';
comment on column emp.team_cd is 'SAL = sales, CSM = customer success, SUP = support, FIN = finance, ENG = engineering';
comment on column emp.quota_usd is 'yearly sales target';
insert into emp select i, (array['Ines','Rafael','Mei','Oskar','Tamsin','Yusuf','Bianca','Callum','Dagny','Emeka','Freya','Gideon'])[1+(i*5)%12]||' '||(array['Duarte','Holm','Iversen','Jindal','Keller','Lowe','Moreau'])[1+(i*3)%7],
 t, (array['Berlin','Austin','Dublin','Austin','Remote'])[1+draw(i,1,5)], date '2014-05-01'+draw(i,2,4300), case when i>5 then case when i%5=0 then 5 else i%5 end when i>1 then 1 end, case when t='SAL' and i%8 not in (3,5) then 250000+draw(i,3,15)*25000 end
from (select i, (array['SAL','CSM','SUP','FIN','ENG'])[1+i%5] as t from generate_series(1,46) i) x;

create table acct (acct_id int primary key, acct_nm text not null, ind_cd text, ctry_cd char(2) not null, empl_cnt int, created_dt text not null, sales_rep int, csm int, parent_id int, act_yn char(1) not null);
comment on table acct is 'customers';
comment on column acct.ind_cd is 'HLT = healthcare, EDU = education, RET = retail, FIN = financial services, MFG = manufacturing, GOV = government';
comment on column acct.created_dt is 'day the customer signed up, YYYY-MM-DD';
comment on column acct.csm is 'customer success manager';
insert into acct select i, (array['Aldgate','Brightwater','Cobalt','Dovetail','Emberly','Foxglove','Gullwing','Hearthstone','Ironbark','Jetty','Kestrel','Lumen','Marlowe','Nightingale','Orchid','Pallas','Quill','Rookery','Saffron','Thistle'])[1+i%20]||' '||(array['Clinics','Logistics','Foods','Capital','Schools','Textiles','Robotics','Media','Insurance','Outfitters','Labs','Council'])[1+(i/20)%12],
 case when i%16<>5 then (array['HLT','EDU','RET','FIN','MFG','GOV','RET','FIN'])[1+draw(i,10,8)] end, (array['US','US','US','DE','GB','FR','CA','IE','NL'])[1+draw(i,11,9)], case when i%9<>4 then 5+(power(draw(i,12,1000)/100.0,3))::int*6 end, to_char(date '2016-02-01'+(i*16)+draw(i,13,30)-(case when i%6=0 then draw(i,14,900) else 0 end)*least(i/60,1),'YYYY-MM-DD'),
 5*(1+draw(i,15,8)), case when draw(i,16,12)=0 then null when draw(i,16,12)=1 then 5*(1+draw(i,15,8)) else 1+5*draw(i,17,9) end, case when i>60 and draw(i,18,7)=0 then 1+draw(i,19,6) end, case when draw(i,20,7)=0 then 'N' else 'Y' end from generate_series(1,236) i;

create table cntct (cntct_id int primary key, acct_id int not null references acct, first_nm text not null, last_nm text not null, email text, job_ttl text, admin_flg boolean not null, last_login_ts timestamp);
insert into cntct select i, a, f, l, case when i%15<>7 then lower(f)||'.'||lower(l)||i||'@example.com' end, case when i%10<>3 then (array['IT Manager','Office Manager','CFO','Head of Support','Operations Lead','Analyst','Owner'])[1+draw(i,24,7)] end, draw(i,25,4)=0, case when draw(i,26,9)>0 then timestamp '2022-03-01 06:00'+(1720-least(draw(i,27,1720),draw(i,28,1720)))*interval '1 day'+draw(i,29,900)*interval '1 minute' end
from (select i, 1+draw(i,21,236) as a, (array['Anton','Beth','Chidi','Dalia','Erik','Fatima','Greg','Hilde','Ivan','Joy'])[1+draw(i,22,10)] as f, (array['Ashby','Bose','Corr','Dietz','Ewing','Fry','Gomez','Hart','Ito'])[1+draw(i,23,9)] as l from generate_series(1,610) i) x;

create table plan (plan_cd text primary key, prod text not null, tier text not null, mo_price numeric(8,2) not null, yr_price numeric(9,2) not null, seat_lim int, retired_dt date);
comment on column plan.mo_price is 'list price per seat and month, USD';
comment on column plan.yr_price is 'list price per seat and year, USD';
comment on column plan.seat_lim is 'largest number of seats; empty means no limit';
insert into plan select upper(left(p,3))||'-'||upper(left(t,2))||case when v=1 then '' else '-OLD' end, p, t, m, m*10, case t when 'Starter' then 10 when 'Team' then 40 when 'Business' then 150 end, case when v=2 then date '2022-01-31'+draw(pk*10+tk,31,900) end
from (select p, pk::int, t, tk::int, v, (array[9,19,34,59])[tk]+pk*2-(v-1)*4.5 as m from unnest(array['Inbox','Desk','Insights','Vault','Relay']) with ordinality a(p,pk), unnest(array['Starter','Team','Business','Enterprise']) with ordinality b(t,tk), generate_series(1,2) v where v=1 or tk<4) x where not (p='Relay' and v=2 and t='Team');

create table sub (sub_id int primary key, acct_id int not null, plan_cd text not null references plan, strt_dt date not null, end_dt date, bill_cyc char(1) not null, seats int not null, disc_pct numeric(4,1), auto_rnw boolean not null, canc_rsn text, sold_by int);
comment on table sub is 'subscriptions; those without an end are running';
comment on column sub.bill_cyc is 'H = half-yearly, A = annual';
insert into sub select i, a, p, s, e, case when draw(i,40,5)<3 then 'H' else 'A' end, 2+(power(draw(i,41,1000)/100.0,2.1))::int, case when draw(i,42,3)=0 then (array[5,10,12.5,15,20,30])[1+draw(i,43,6)] end, draw(i,44,10)<7, case when e is not null and i%11<>6 then (array['price','missing feature','competitor','no longer needed','went out of business','price'])[1+draw(i,45,6)] end, case when draw(i,46,6)>0 then 5*(1+least(draw(i,47,9),draw(i,48,10))) end
from (select *, case when draw(i,50,10)<4 and s+60<date '2026-10-31' then s+60+draw(i,51,least((date '2026-10-31'-s)-60,1100)) end as e from (select i, 1+least(draw(i,52,228),draw(i,53,240)) as a, (array(select plan_cd from plan where plan_cd not in ('REL-EN','VAU-ST-OLD') order by plan_cd collate "C"))[1+draw(i,54,32)] as p, date '2019-01-10'+(i*6)+draw(i,55,200) as s from generate_series(1,400) i) x) y;

create table inv (inv_no text primary key, acct_id int not null, sub_id int, inv_dt date not null, due_dt date not null, amt_usd numeric(10,2) not null, tax_usd numeric(9,2) not null, stat_cd char(1) not null);
comment on table inv is 'invoices';
comment on column inv.stat_cd is 'O = open, P = paid, V = void, W = written off';
insert into inv select 'INV-'||lpad((10000+row_number() over (order by d, sub_id, k))::text,6,'0'), acct_id, case when draw(n,60,25)>0 then sub_id end, d, d+(array[14,30,30,45])[1+draw(acct_id,61,4)], amt, round(amt*(case when draw(acct_id,62,3)=0 then 0 else 0.0825 end),2), case when d>'2026-09-10' then (array['O','O','P','P'])[1+draw(n,63,4)] when draw(n,64,40)=0 then 'V' when draw(n,64,40)=1 then 'W' when draw(n,64,40)<4 then 'O' else 'P' end
from (select sub_id, acct_id, k, sub_id*20+k as n, (strt_dt+k*(case bill_cyc when 'A' then interval '1 year' else interval '6 month' end))::date as d, round(seats*(case bill_cyc when 'A' then yr_price else mo_price*6 end)*(1-coalesce(disc_pct,0)/100),2) as amt, end_dt from sub join plan using (plan_cd), generate_series(0,9) k) x where d<=least(coalesce(end_dt,'2026-11-15'),'2026-11-15');

create table pmt (pmt_id int primary key, inv_no text, pmt_ts timestamp not null, amt_usd numeric(10,2) not null, meth_cd text not null, fail_cd text);
comment on table pmt is 'attempts to collect money for invoices, those that failed too';
comment on column pmt.meth_cd is 'CC = credit card, ACH = bank transfer, CHK = check, PPL = PayPal';
comment on column pmt.fail_cd is 'empty when the payment went through; NSF = insufficient funds, EXP = expired card, DCL = declined';
insert into pmt select row_number() over (order by t, inv_no), inv_no, t, a, m, f from (
 select inv_no, inv_dt+draw(n,70,50)*interval '1 day'+(8*60+draw(n,71,700))*interval '1 minute' as t, amt_usd+tax_usd as a, (array['CC','CC','CC','ACH','ACH','CHK','PPL'])[1+draw(n,72,7)] as m, null as f from (select *, right(inv_no,6)::int as n from inv where stat_cd='P') p
 union all select inv_no, inv_dt+draw(n,73,20)*interval '1 day'+(7*60+draw(n,74,800))*interval '1 minute', amt_usd+tax_usd, (array['CC','CC','ACH','PPL'])[1+draw(n,75,4)], (array['NSF','EXP','DCL','DCL'])[1+draw(n,76,4)] from (select *, right(inv_no,6)::int as n from inv where stat_cd in ('P','O','W')) q where draw(n,77,9)=0) x;

create table tkt (tkt_id int primary key, acct_id int not null, opened_by int, asgn_to int, escal_to int, prod text, prio_cd char(2) not null, chan text not null, subj text not null, opened_ts timestamp not null, frst_resp_ts timestamp, closed_ts timestamp, csat int);
comment on table tkt is 'support tickets';
comment on column tkt.prio_cd is 'P1 = urgent, P2 = high, P3 = normal, P4 = low';
comment on column tkt.csat is 'customer''s mark from 1 (poor) to 5 (great); empty when not given';
insert into tkt select i, c.acct_id, c.cntct_id, case when draw(i,81,20)>0 then 2+5*draw(i,82,8) end, case when draw(i,83,8)=0 then case when i%2=0 then 4+5*draw(i,84,8) else 1+5*draw(i,84,9) end end, case when draw(i,85,20)>0 then (array['Inbox','Desk','Desk','Insights','Vault','Relay'])[1+draw(i,86,6)] end, pr, (array['email','email','chat','phone','web form'])[1+draw(i,87,5)],
 (array['Cannot log in','Invoice is wrong','Import fails','Report shows no rows','App is slow','How do I add a seat','Data export','Webhook not firing'])[1+draw(i,88,8)], t, case when draw(i,89,15)>0 then t+(5+power(draw(i,90,100)/10.0,2)*(case pr when 'P1' then 2 when 'P2' then 6 when 'P3' then 14 else 25 end))::int*interval '1 minute' end, case when draw(i,89,15)>0 and draw(i,91,10)>0 then t+(2700+draw(i,92,9000))*interval '1 minute'-(case when pr in ('P1','P2') and draw(i,93,3)=0 then 2000 else 0 end)*interval '1 minute' end, case when draw(i,89,15)>0 and draw(i,91,10)>0 and draw(i,94,2)=0 then 5-least(draw(i,95,5),draw(i,96,5)) end
from (select i, timestamp '2023-01-03 00:00'+(i*31)*interval '1 hour'*1.08+draw(i,97,1440)*interval '1 minute' as t, (array['P1','P2','P2','P3','P3','P3','P4'])[1+draw(i,98,7)] as pr, 1+least(draw(i,99,610),draw(i,100,640)) as cid from generate_series(1,1010) i) x join cntct c on c.cntct_id=cid;

create table tag (tag_id int primary key, tag_nm text not null unique);
insert into tag select k, t from unnest(array['billing','refund','login','outage','feature request','bug','training','export','import','api','mobile','sso','security','gdpr','slow','webhook','report','seat change','downgrade','upgrade','migration','spam','duplicate','vip','contract','tax','invoice','browser','data loss','translation','beta']) with ordinality as u(t,k);

create table tkt_tag (tkt_id int not null references tkt, tag_id int not null references tag, primary key (tkt_id, tag_id));
insert into tkt_tag select distinct tkt_id, 1+least(draw(tkt_id*10+k,111,29),draw(tkt_id*10+k,112,29)) from tkt, generate_series(1,3) k where k<=draw(tkt_id,110,4);

create table usage_mo (acct_id int, mon text, api_calls bigint, act_usrs int, stor_gb numeric(8,1));
comment on table usage_mo is 'use of the service by customer and month';
comment on column usage_mo.mon is 'YYYY-MM';
insert into usage_mo select a, to_char(date '2024-06-01'+m*interval '1 month','YYYY-MM'), 200+draw(a,121,900)*draw(a*40+m,122,60), case when draw(a*40+m,123,14)>0 then 1+draw(a,124,80)+draw(a*40+m,125,15) end, 1+draw(a,126,400)/4.0+m*draw(a,127,9)/2.0 from generate_series(1,72) a, generate_series(0,27) m where draw(a*40+m,128,30)>0;

create table crd_note (crd_id int primary key, inv_no text not null, req_by int not null, appr_by int, amt_usd numeric(9,2) not null, rsn text, req_dt text not null, appr_dt date);
comment on table crd_note is 'credit notes: money given back on invoices';
comment on column crd_note.req_by is 'employee who asked for the credit';
comment on column crd_note.appr_by is 'employee who approved it; empty while waiting';
comment on column crd_note.req_dt is 'MM/DD/YYYY';
insert into crd_note select row_number() over (order by d, inv_no), inv_no, case when draw(n,131,2)=0 then 2+5*draw(n,132,6) else 1+5*draw(n,132,6) end, case when d<'2026-08-01' and draw(n,133,9)>0 then 3+5*draw(n,134,5) end, round((inv_amt*(5+draw(n,135,95))/100)::numeric,2), case when n%8<>0 then (array['outage','billing error','goodwill','downgrade'])[1+draw(n,136,4)] end, to_char(d,'MM/DD/YYYY'), case when d<'2026-08-01' and draw(n,133,9)>0 then d+draw(n,137,15) end
from (select inv_no, amt_usd as inv_amt, right(inv_no,6)::int as n, inv_dt+4+draw(right(inv_no,6)::int,138,40) as d from inv where stat_cd in ('P','O') and draw(right(inv_no,6)::int,139,11)=0) x where d<'2026-11-15';

create table incid (incid_id int primary key, prod text not null, sev int not null, strt_ts timestamp not null, end_ts timestamp, lead_id int, pub_flg boolean not null);
comment on table incid is 'outages and other incidents of the service';
comment on column incid.sev is '1 is worst';
comment on column incid.pub_flg is 'was told on the status page';
insert into incid select i, (array['Inbox','Desk','Insights','Vault','Relay'])[1+draw(i,140,5)], 1+draw(i,141,4), t, case when i<70 then t+(7+power(draw(i,142,100)/10.0,2)*7)::int*interval '1 minute' end, case when i%9<>2 then 4+5*draw(i,143,8) end, draw(i,144,3)>0 from (select i, timestamp '2022-02-10 03:00'+i*24.6*interval '1 day'+draw(i,145,1300)*interval '1 minute' as t from generate_series(1,71) i) x;
drop function draw(int,int,int);
