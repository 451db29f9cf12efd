-- A research council: 9 tables, keys declared, two ways from people to proposals. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('grants-16:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table institution (institution_id int primary key, name text not null, country text not null, sector text not null, founded int);
insert into institution values (1,'Aldmoor University','Ireland','university',1845),(2,'Brannock Institute','Scotland','institute',1962),(3,'Calder College','Wales','university',1920),(4,'Dunholm Hospital','Scotland','hospital',1901),(5,'Ennis Observatory','Ireland','institute',null),(6,'Fenwick University','England','university',1909),(7,'Garrow Museum','England','museum',1888),(8,'Harlech Labs','Wales','company',2014);

create table researcher (researcher_id int primary key, name text not null, institution_id int not null references institution, career_stage text not null, h_index int not null, orcid text, phd_year int);
insert into researcher select i, n, 1+draw(i,1,7), (array['ECR','MCR','EST'])[1+draw(i,2,3)], draw(i,3,70), case when draw(i,4,5)>0 then '0000-0001-'||(1000+draw(i,5,9000)) end, 1975+draw(i,6,48)
from unnest(array['Aoife Brennan','Bram Castle','Cerys Dyer','Declan Eames','Elspeth Fyfe','Fergus Grant','Gwen Hughes','Hamish Innes','Iona Jardine','Jack Keogh','Kirsty Laird','Liam Moran','Mairi Nairn','Niall Orr','Olwen Pugh','Padraig Quinn','Rhona Sim','Sian Tudor','Tomas Ure','Una Vaughan','Wynn York','Zara Ames','Colm Byrne','Dilys Cole','Euan Dow','Fiona Esk','Gareth Flint','Hilda Gower','Ivan Hart','Joan Imrie']) with ordinality as u(n,k), lateral (select k::int as i) x;
comment on column researcher.career_stage is 'ECR = early career, MCR = mid career, EST = established';

create table scheme (scheme_code text primary key, title text not null, max_award numeric(12,2) not null, max_months int not null, discontinued_on date);
insert into scheme values ('SEED','Seed Fund',25000,12,null),('FELL','Fellowship',300000,60,null),('EQUIP','Equipment Call',800000,24,'2023-12-31'),('PROG','Programme Grant',2500000,72,null),('NETW','Networking Award',60000,36,null),('OUTR','Outreach Prize',10000,6,'2022-06-30');

create table panel (panel_id int primary key, panel_name text not null, field text not null, chair_id int not null references researcher);
insert into panel values (1,'Panel A','physics',5),(2,'Panel B','biology',12),(3,'Panel C','history',20),(4,'Panel D','medicine',8),(5,'Panel E','chemistry',17);

create table proposal (proposal_id int primary key, ref text not null unique, title text not null, lead_id int not null references researcher, scheme_code text not null references scheme, panel_id int references panel, submitted_on date not null, amount_requested numeric(12,2) not null, matched_funding numeric(12,2) not null, duration_months int not null, outcome text);
comment on column proposal.outcome is 'F = funded, R = rejected, W = withdrawn; empty while it is considered';
insert into proposal select i, 'RC/'||(2019+draw(i,11,6))||'/'||lpad(i::text,3,'0'), initcap((array['dark','slow','ancient','wet','quantum','rural'])[1+draw(i,12,6)])||' '||(array['soils','galaxies','proteins','archives','glaciers','voices','membranes'])[1+draw(i,13,7)]||' '||i, 1+draw(i,14,24), (array['SEED','SEED','FELL','EQUIP','PROG','NETW'])[1+draw(i,15,6)], case when draw(i,16,12)>0 then 1+draw(i,17,5) end, date '2019-02-01'+draw(i,18,2100), 1000*(5+draw(i,19,600)), 500*draw(i,20,80), 6*(1+draw(i,21,10)), (array['F','R','R','R','W',null,'F'])[1+draw(i,22,7)] from generate_series(1,180) i;

create table co_investigator (proposal_id int not null references proposal, researcher_id int not null references researcher, share_pct int not null, primary key (proposal_id, researcher_id));
insert into co_investigator select distinct on (p,r) p, r, s from (select i as p, 1+draw(i*5+j,31,29) as r, 5*(1+draw(i*5+j,32,8)) as s from generate_series(1,180) i, generate_series(0,2) j where draw(i*5+j,33,3)>0) q where r<>(select lead_id from proposal where proposal_id=p) order by p,r,s;

create table review (review_id int primary key, proposal_id int not null references proposal, reviewer_id int not null references researcher, score int not null, confidence int not null, received_on date, declined boolean not null);
comment on column review.score is 'from 1 to 6, six is best';
insert into review select i, 1+draw(i,41,170), 1+draw(i,42,27), 1+draw(i,43,6), 1+draw(i,44,5), case when not d then date '2019-04-01'+draw(i,46,2100) end, d from generate_series(1,420) i, lateral (select draw(i,45,9)=0 d) x;

create table award (award_id int primary key, proposal_id int not null unique references proposal, amount_awarded numeric(12,2) not null, starts_on date not null, ends_on date not null, status text not null);
insert into award select row_number() over (order by proposal_id), proposal_id, round(amount_requested*(60+draw(proposal_id,51,41))/100,2), submitted_on+180, (submitted_on+180+make_interval(months=>duration_months))::date, (array['active','active','completed','suspended'])[1+draw(proposal_id,52,4)] from proposal where outcome='F';

create table payment (payment_id int primary key, award_id int not null references award, paid_on date not null, amount numeric(12,2) not null, purpose text not null);
insert into payment select row_number() over (), award_id, starts_on+90*j+draw(award_id*9+j,62,20), round(amount_awarded*(5+draw(award_id*9+j,61,16))/100,2), (array['staff','equipment','travel','consumables'])[1+draw(award_id*9+j,63,4)] from award, generate_series(0,4) j where draw(award_id*9+j,64,4)>0;
