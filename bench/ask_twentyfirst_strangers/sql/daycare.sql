-- A chain of nurseries: 10 tables with declared keys. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('daycare-21:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table nurseries (nursery_id int primary key, name text not null, street text not null, town text not null, opened date not null, capacity int not null, has_garden boolean not null);
insert into nurseries values (1,'Little Acorns','4 Mill Lane','Ludlow','1998-09-01',64,true),(2,'Ladybird House','17 High Street','Hereford','2006-01-09',48,true),(3,'The Beehive','2 Station Road','Leominster','2013-04-22',36,false),(4,'Puddle Ducks','88 Castle Street','Ludlow','2019-09-02',52,true),(5,'Tiny Steps','5 Quay Walk','Bewdley','2024-01-08',24,false);

create table rooms (room_id int primary key, nursery_id int not null references nurseries, label text not null, min_age_months int not null, max_age_months int not null, places int not null);
insert into rooms select (n-1)*4+r, n, (array['Babies','Toddlers','Explorers','Preschool'])[r], (array[3,15,25,37])[r], (array[15,26,38,60])[r], (array[8,10,14,18])[r] from generate_series(1,5) n, generate_series(1,4) r where not (n=5 and r=4);

create table carers (carer_id int primary key, given_name text not null, surname text not null, nursery_id int not null references nurseries, qualification text not null, hourly_rate numeric(5,2) not null, started date not null, finished date, first_aider boolean not null);
insert into carers select i, (array['Beth','Priya','Gareth','Molly','Nadia','Tom','Ffion','Grace'])[1+draw(i,1,8)], (array['Preece','Watkins','Bufton','Lloyd','Khan','Probert','Yapp'])[1+draw(i,2,7)], 1+draw(i,3,5), (array['none','level 2','level 3','level 3','early years degree'])[1+draw(i,4,5)], 11.5+draw(i,5,40)*0.25, date '2009-01-05'+draw(i,6,5900), case when draw(i,7,5)=0 then date '2025-01-10'+draw(i,8,300) end, draw(i,9,3)=0 from generate_series(1,44) i;

create table parents (parent_id int primary key, full_name text not null, phone text, email text, employer text);
insert into parents select i, (array['Sian','Mark','Aisha','Daniel','Chloe','Huw','Renata','Paul'])[1+draw(i,11,8)]||' '||(array['Morgan','Eckley','Tranter','Begum','Nowak','Pugh','Hodges','Oakley','Vaughan'])[1+draw(i,12,9)], case when draw(i,13,9)>0 then '07700 '||(900000+i) end, case when draw(i,14,6)>0 then 'p'||i||'@post.example' end, case when draw(i,15,4)>0 then (array['County Council','Bulmers','Wye Valley Trust','self-employed','Kerry Foods'])[1+draw(i,16,5)] end from generate_series(1,210) i;

create table children (child_id int primary key, first_name text not null, last_name text not null, date_of_birth date not null, sex text not null, parent_id int not null references parents, dietary_need text, joined_on date not null, left_on date);
insert into children select i, (array['Ava','Leo','Isla','Noah','Freya','Arlo','Maya','Dylan','Poppy','Rhys'])[1+draw(i,21,10)], split_part(p.full_name,' ',2), date '2020-03-01'+draw(i,22,1700), (array['girl','boy'])[1+draw(i,23,2)], p.parent_id, (array['vegetarian','halal','dairy-free','nut allergy'])[1+draw(i,24,14)], date '2022-01-04'+draw(i,25,1300), case when draw(i,26,6)=0 then date '2025-08-29'+draw(i,27,60) end from generate_series(1,260) i join parents p on p.parent_id=1+draw(i,28,205);

create table bookings (booking_id int primary key, child_id int not null references children, room_id int not null references rooms, weekday text not null, session text not null, starts_on date not null, ends_on date);
insert into bookings select i, 1+draw(i,31,252), 1+draw(i,32,19), (array['Monday','Tuesday','Wednesday','Thursday','Friday'])[1+draw(i,33,5)], (array['morning','afternoon','full day','full day'])[1+draw(i,34,4)], date '2023-01-02'+draw(i,35,1000), case when draw(i,36,3)=0 then date '2025-10-06'+draw(i,37,60) end from generate_series(1,700) i;

create table attendance (child_id int not null references children, day date not null, arrived time, collected time, absence_reason text, primary key (child_id, day));
insert into attendance select c, d::date, case when draw(k,41,8)>0 then time '07:30'+draw(k,42,90)*interval '1 minute' end, case when draw(k,41,8)>0 then time '12:00'+draw(k,43,380)*interval '1 minute' end, case when draw(k,41,8)=0 then (array['ill','ill','holiday','unknown'])[1+draw(k,44,4)] end from generate_series(1,60) c, generate_series(date '2025-09-01', date '2025-10-31', interval '1 day') d, lateral (select c*1000+(d::date-date '2025-08-01') k) x where extract(isodow from d)<6 and draw(k,45,3)>0;

create table invoices (invoice_no int primary key, parent_id int not null references parents, month date not null, total numeric(8,2) not null, funded_hours int not null, paid_date date);
insert into invoices select 5000+i, 1+draw(i,51,200), date '2024-01-01'+make_interval(months => draw(i,52,22)), 120+draw(i,53,900), (array[0,0,15,30])[1+draw(i,54,4)], case when draw(i,55,5)>0 then (date '2024-01-01'+make_interval(months => draw(i,52,22)))::date+20+draw(i,56,35) end from generate_series(1,900) i;

create table incidents (incident_id int primary key, child_id int not null references children, carer_id int not null references carers, happened_at timestamp not null, kind text not null, body_part text, parent_informed boolean not null);
insert into incidents select i, 1+draw(i,61,250), 1+draw(i,62,41), timestamp '2024-01-03 08:00'+draw(i,63,650)*interval '1 day'+draw(i,64,540)*interval '1 minute', (array['bump','bite','graze','fall','allergic reaction'])[1+draw(i,65,5)], (array['head','arm','knee','hand'])[1+draw(i,66,5)], draw(i,67,12)>0 from generate_series(1,310) i;

create table inspections (inspection_id int primary key, nursery_id int not null references nurseries, inspected_on date not null, grade text not null, inspector text not null);
insert into inspections values (1,1,'2016-05-11','good','R. Fenn'),(2,1,'2021-11-03','outstanding','L. Amos'),(3,2,'2017-02-20','requires improvement','R. Fenn'),(4,2,'2018-03-14','good','R. Fenn'),(5,2,'2023-06-28','good','T. Okoye'),(6,3,'2018-10-09','good','L. Amos'),(7,3,'2024-02-13','inadequate','T. Okoye'),(8,3,'2024-09-17','good','T. Okoye'),(9,4,'2022-07-05','outstanding','L. Amos');
drop function draw;
