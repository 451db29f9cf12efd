-- A parliament: 9 tables, keys declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('parliament-18:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table parties (party_id int primary key, party_name text not null, short_name text not null, founded_year int not null, in_government boolean not null);
insert into parties values (1,'Progress Union','PU',1921,true),(2,'Rural League','RL',1948,true),(3,'Civic Left','CL',1979,false),(4,'Green Alliance','GA',1986,false),(5,'Liberty Forum','LF',2003,false),(6,'Pirate List','PL',2012,false);

create table constituencies (constituency_id int primary key, constituency_name text not null, province text not null, voters int not null, area_km2 numeric(8,1) not null);
insert into constituencies select i, n, (array['North','North','Coast','Coast','Uplands','Capital'])[1+draw(i,1,6)], 21000+draw(i,2,70)*1000, 60+draw(i,3,900)
from unnest(array['Aldgate','Brackwater','Cold Ash','Dunmore','Eastmere','Fairhaven','Gorse Hill','Harrow Bay','Inchfield','Jarrow Sands','Kingsford','Lower Tarn','Marsh End','Northgate','Oakley','Port Ellis']) with ordinality as u(n,k), lateral (select k::int as i) x;

create table members (member_id int primary key, first_name text not null, last_name text not null, party_id int not null references parties, constituency_id int not null references constituencies, birth_date date not null, elected_on date not null, left_on date, email text);
insert into members select i, (array['Agnes','Bram','Celia','Dario','Edda','Felix','Gwen','Hugo','Ilse','Joris'])[1+draw(i,11,10)], (array['Adler','Boyd','Castell','Draper','Engel','Finch','Garner','Holt','Ives','Jansson','Keller','Lowell'])[1+draw(i,12,12)], 1+draw(i,13,5), 1+draw(i,14,14), date '1948-03-01'+draw(i,15,17000), date '2012-05-10'+365*draw(i,16,12)+draw(i,17,9), case when draw(i,18,4)=0 then date '2025-01-15'+draw(i,19,600) end, case when draw(i,20,6)>0 then 'm'||i||(array['@parliament.example','@house.example'])[1+draw(i,21,2)] end from generate_series(1,60) i;

create table committees (committee_id int primary key, title text not null, chair_id int references members, created_on date not null, budget numeric(10,2) not null);
insert into committees values (1,'Finance',12,'2012-06-01',250000),(2,'Health',7,'2012-06-01',180000),(3,'Fisheries',31,'2014-02-11',90000),(4,'Transport and Energy',44,'2016-09-20',140000),(5,'Justice',null,'2012-06-01',160000),(6,'Digital Affairs',55,'2021-01-18',75000),(7,'Petitions',12,'2019-03-04',30000);

create table committee_seats (member_id int not null references members, committee_id int not null references committees, since date not null, primary key (member_id, committee_id));
insert into committee_seats select distinct on (m,c) m, c, date '2016-01-01'+draw(i,33,3500) from generate_series(1,130) i, lateral (select 1+draw(i,31,55) as m, 1+draw(i,32,6) as c) x order by m, c, i;

create table bills (bill_id int primary key, bill_title text not null, topic text not null, sponsor_id int not null references members, committee_id int references committees, introduced_on date not null, decided_on date, outcome text not null, pages int not null);
insert into bills select i, (array['Harbour','School','Railway','Hospital','Forest','Privacy','Pension','Broadband','Dairy','Court'])[1+draw(i,41,10)]||' '||(array['Reform Act','Fees Act','Safety Bill','Funding Bill','(Amendment) Act'])[1+draw(i,42,5)], (array['economy','health','justice','environment','education','technology'])[1+draw(i,43,6)], 1+draw(i,44,52), case when draw(i,45,9)>0 then 1+draw(i,46,6) end, x.d, case when x.o<>'pending' then x.d+20+draw(i,49,300) end, x.o, 3+draw(i,50,140)
from generate_series(1,140) i, lateral (select date '2022-01-10'+draw(i,47,1700) as d, (array['passed','passed','rejected','withdrawn','pending'])[1+draw(i,48,5)] as o) x;

create table sittings (sitting_id int primary key, held_on date not null, started_at time not null, ended_at time not null, public boolean not null);
insert into sittings select i, date '2024-01-09'+7*i, time '09:00'+make_interval(mins=>15*draw(i,61,20)), time '15:00'+make_interval(mins=>15*draw(i,62,24)), draw(i,63,6)>0 from generate_series(1,110) i;

create table speeches (speech_id int primary key, sitting_id int not null references sittings, member_id int not null references members, bill_id int references bills, minutes int not null, interruptions int not null);
insert into speeches select i, 1+draw(i,71,106), 1+draw(i,72,54), case when draw(i,73,4)>0 then 1+draw(i,74,130) end, 1+draw(i,75,25), draw(i,76,7) from generate_series(1,800) i;

create table votes (bill_id int not null references bills, member_id int not null references members, choice text not null, cast_on date not null, primary key (bill_id, member_id));
insert into votes select b.bill_id, m, (array['yes','yes','yes','no','no','abstain'])[1+draw(b.bill_id*100+m,81,6)], decided_on from bills b, generate_series(1,56) m where decided_on is not null and draw(b.bill_id*100+m,82,3)=0;
drop function draw;
