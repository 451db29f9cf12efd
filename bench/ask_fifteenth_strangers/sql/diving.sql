-- A diving centre: 9 tables, no foreign key declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('diving-15:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table site (id int primary key, name text not null, kind text not null, max_depth_m int not null, protected boolean not null, minutes_by_boat int);
insert into site select i, n, (array['reef','wreck','wall','cave','reef'])[1+draw(i,1,5)], 9+draw(i,2,44), i%5=2, case when i%7<>3 then 5+draw(i,3,80) end
from unnest(array['Amber Ledge','Blue Chimney','Coral Garden','Dragon''s Mouth','Eel Point','Fan Wall','Giant Stairs','Hidden Arch','SS Ilmarinen','Jetty South','Karin B','Lantern Cave','Manta Pass','North Pinnacle','Ostra','Pilot Rock','Quarantine Bay','Red Anchor','Seal Rocks','The Tugboat','Umbra Cave','Vega Reef']) with ordinality as u(n,k), lateral (select k::int as i) x;

create table boat (id int primary key, name text not null, seats int not null, built int not null, sold_on date);
insert into boat values (1,'Albatross',12,1998,'2023-11-02'),(2,'Borealis',18,2009,null),(3,'Calypso II',24,2015,null),(4,'Dorado',10,2004,null),(5,'Esperanza',30,2020,null),(6,'Fulmar',8,2001,'2024-06-15');

create table diver (id int primary key, first_name text not null, last_name text not null, country text, born date not null, email text, joined date not null, level text not null);
comment on column diver.level is 'the highest certificate the diver holds';
insert into diver select i, (array['Anneli','Bogdan','Chiara','Diego','Elif','Frode','Greta','Hiro','Ines','Jonas','Katya','Liam','Mirela','Noor','Owen'])[1+draw(i,4,15)], (array['Aalto','Bianchi','Costa','Demir','Eriksen','Fischer','Garcia','Horvat','Ivanova','Jansen','Kaya','Lopez','Murphy'])[1+draw(i,5,13)],
 case when i%17<>4 then (array['Germany','Germany','Italy','Turkey','Norway','Spain','Netherlands','Ireland','Croatia'])[1+draw(i,6,9)] end, date '1958-01-01'+draw(i,7,17500), case when i%6<>1 then 'd'||i||'@example.org' end, date '2019-03-01'+draw(i,8,2300),
 (array['Open Water','Open Water','Advanced','Advanced','Rescue','Divemaster'])[1+draw(i,9,6)] from generate_series(1,260) i;

create table guide (id int primary key, name text not null, hired date not null, left_on date, daily_rate numeric(7,2) not null, mentor_id int, languages text);
comment on column guide.mentor_id is 'the senior guide who looks after this one';
insert into guide select i, n, date '2014-02-01'+draw(i,10,3600), case when i in (4,9,13) then date '2025-01-31'+i end, 90+draw(i,11,25)*5, case when i>3 then 1+i%3 end, (array['English','English, German','English, Italian','English, Spanish','English, Turkish'])[1+draw(i,12,5)]
from unnest(array['Astrid Moen','Baris Yildiz','Carla Mendes','Dieter Voss','Emma Quinn','Fatih Arslan','Goran Babic','Hilde Berg','Ivo Petrov','Julia Roth','Kemal Oz','Laura Conti','Marek Novy','Nina Falk']) with ordinality as u(n,k), lateral (select k::int as i) x;

create table trip (id int primary key, site_id int not null, boat_id int not null, guide_id int not null, departs timestamp not null, price numeric(7,2) not null, status text not null, water_temp_c numeric(4,1), visibility_m int);
insert into trip select i, 1+draw(i,13,20), 1+draw(i,14,5), 1+draw(i,15,13), timestamp '2022-04-02 07:30'+draw(i,16,1300)*interval '1 day'+draw(i,17,3)*interval '3 hours', 45+draw(i,18,12)*5, s, case when s='done' then 14+draw(i,20,140)/10.0 end, case when s='done' then 3+draw(i,21,33) end
from (select i, (array['done','done','done','done','done','done','cancelled','called off for weather'])[1+draw(i,19,8)] as s from generate_series(1,420) i) x;

create table booking (id int primary key, trip_id int not null, diver_id int not null, booked_on date not null, paid numeric(7,2), channel text not null, no_show boolean not null);
insert into booking select i, t, 1+draw(i,23,250), departs::date-1-draw(i,24,40), case when draw(i,25,9)>0 then price*(array[1,1,1,0.9,0.5])[1+draw(i,26,5)] end, (array['web','web','phone','hotel desk','walk-in'])[1+draw(i,27,5)], draw(i,28,14)=0
from (select i, 1+draw(i,22,420) as t from generate_series(1,2600) i) x join trip on trip.id=t;

create table course (code text primary key, title text not null, days int not null, fee numeric(7,2) not null, min_age int not null);
insert into course values ('OWD','Open Water Diver',4,420,10),('AOW','Advanced Open Water',2,310,12),('RES','Rescue Diver',3,360,15),('NIT','Nitrox',1,140,12),('NAV','Underwater Navigation',1,120,12),('WRK','Wreck Diving',2,230,15),('DRY','Dry Suit',1,160,12),('DM','Divemaster',20,980,18);

create table enrolment (course_code text not null, diver_id int not null, guide_id int not null, started date not null, finished date, passed boolean, score int, primary key (course_code, diver_id));
insert into enrolment select (array['OWD','OWD','AOW','AOW','RES','NIT','WRK','DRY'])[1+draw(i,30,8)], 1+draw(i,31,260), 1+draw(i,32,14), d, case when draw(i,34,9)>0 then d+2+draw(i,35,9) end, case when draw(i,34,9)>0 then draw(i,36,7)>0 end, case when draw(i,34,9)>0 then 48+draw(i,37,53) end
from (select i, date '2021-05-01'+draw(i,33,1700) as d from generate_series(1,480) i) x on conflict do nothing;

create table rental (id int primary key, booking_id int not null, item text not null, size text, fee numeric(6,2) not null, returned_late boolean not null);
insert into rental select i, 1+draw(i,40,2600), it, case when it in ('wetsuit','fins','BCD') then (array['S','M','M','L','XL'])[1+draw(i,42,5)] end, case it when 'regulator' then 14 when 'BCD' then 12 when 'wetsuit' then 10 when 'dive computer' then 18 when 'torch' then 6 else 4 end, draw(i,43,12)=0
from (select i, (array['wetsuit','wetsuit','fins','mask','BCD','regulator','dive computer','torch'])[1+draw(i,41,8)] as it from generate_series(1,1900) i) x;
