-- A ski resort: 9 tables, no key references declared, short names for some columns. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('skiresort-20:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table sector (sector_id int primary key, name text not null, top_m int not null, base_m int not null);
insert into sector values (1,'Glacier',3260,2400),(2,'Sunnyside',2450,1680),(3,'North Bowl',2710,1820),(4,'Village',1760,1410);

create table run (run_id int primary key, name text not null, sector_id int not null, difficulty text not null, length_m int not null, drop_m int not null, snowmaking boolean not null, lit boolean not null);
insert into run select i, (array['Marmot','Edelweiss','Old Mill','Chamois','Larch','Hermit','Cascade','Eagle','Bear','Gentian'])[1+(i-1)%10]||(array['',' II',' Wall',' Trail'])[1+(i-1)/10], 1+draw(i,1,4), (array['green','blue','blue','red','red','black'])[1+draw(i,2,6)], 600+draw(i,3,52)*80, 90+draw(i,4,60)*10, draw(i,5,2)=0, draw(i,6,7)=0 from generate_series(1,38) i;

create table chairlift (lift_id int primary key, name text not null, sector_id int not null, kind text not null, seats int, capacity_ph int not null, built_yr int not null, vendor text not null);
insert into chairlift values (1,'Panorama',1,'gondola',8,2800,2016,'Alpbau'),(2,'Ice Express',1,'chair',6,3000,2019,'Alpbau'),(3,'Sunny I',2,'chair',4,2200,1998,'Seilwerk'),(4,'Sunny II',2,'chair',4,2200,2003,'Seilwerk'),(5,'Bowl Six',3,'chair',6,2900,2011,'Ropetec'),(6,'Cornice',3,'drag',null,900,1987,'Seilwerk'),(7,'Rookie',4,'magic carpet',null,1100,2014,'Ropetec'),(8,'Church',4,'drag',null,800,1979,'Seilwerk'),(9,'Village Link',4,'gondola',10,2600,2021,'Alpbau');

create table lift_day (lift_id int not null, day date not null, rides int not null, downtime_min int not null, closed_reason text, primary key (lift_id, day));
insert into lift_day select l, d::date, case when draw(k,11,15)=0 then 0 else 200+draw(k,12,5200) end, case when draw(k,13,4)=0 then 5+draw(k,14,180) else 0 end, case when draw(k,11,15)=0 then (array['wind','wind','avalanche danger','repair'])[1+draw(k,15,4)] end from generate_series(1,9) l, generate_series(date '2024-12-07', date '2025-04-20', interval '1 day') d, lateral (select l*1000+(d::date-date '2024-12-01') k) x;

create table snow_report (sector_id int not null, day date not null, base_cm int not null, fresh_cm int not null, temp_c numeric(4,1) not null, wind_kmh int not null, primary key (sector_id, day));
insert into snow_report select s, d::date, 40+draw(k,21,180), case when draw(k,22,3)=0 then draw(k,23,45) else 0 end, -18+draw(k,24,260)/10.0, draw(k,25,90) from generate_series(1,4) s, generate_series(date '2024-12-07', date '2025-04-20', interval '1 day') d, lateral (select s*1000+(d::date-date '2024-12-01') k) x;

create table guest (guest_id int primary key, name text not null, born date not null, country text not null, mail text, newsletter boolean not null);
insert into guest select i, (array['Lea','Noah','Mia','Jonas','Zoe','Luca','Emma','Finn','Nina','Tim'])[1+draw(i,31,10)]||' '||(array['Brunner','Keller','Rossi','Dubois','Smith','Jensen','Kowalski','Baker'])[1+draw(i,32,8)]||' '||i, date '1950-01-01'+draw(i,33,24500), (array['Switzerland','Switzerland','Germany','Italy','France','United Kingdom','Denmark','Poland'])[1+draw(i,34,8)], case when draw(i,35,5)>0 then 'guest'||i||'@mail.example' end, draw(i,36,3)=0 from generate_series(1,400) i;

create table ski_pass (pass_no int primary key, guest_id int not null, product text not null, valid_from date not null, valid_to date not null, price numeric(7,2) not null, sold_via text not null);
insert into ski_pass select 9000+i, 1+draw(i,41,385), p.t, v.d, v.d+p.n-1, round(p.n*(case when draw(i,44,4)=0 then 31 else 52 end)*(case when p.n>3 then 0.85 else 1 end),2), (array['till','till','online','online','hotel'])[1+draw(i,45,5)] from generate_series(1,950) i, lateral (select (array['day pass','day pass','3-day pass','week pass','season pass'])[1+draw(i,42,5)] t, (array[1,1,3,7,120])[1+draw(i,42,5)] n) p, lateral (select date '2024-12-07'+draw(i,43,120) d) v;

create table instructor (instr_id int primary key, name text not null, discipline text not null, level int not null, langs text not null, fee_ph numeric(6,2) not null);
insert into instructor values (1,'Reto Caduff','ski',4,'German, English',95),(2,'Claire Moret','snowboard',3,'French, English',80),(3,'Gianni Bossi','ski',4,'Italian, French',98),(4,'Heidi Zuber','ski',2,'German',62),(5,'Ola Nygaard','cross-country',3,'English, Danish',75),(6,'Pia Lutz','snowboard',2,'German, English',64),(7,'Marc Favre','ski',3,'French',82),(8,'Kasia Wrona','ski',1,'Polish, English',55);

create table lesson (lesson_id int primary key, instr_id int not null, guest_id int not null, starts timestamp not null, hrs numeric(3,1) not null, grp boolean not null, paid numeric(7,2));
insert into lesson select i, 1+draw(i,51,7), 1+draw(i,52,390), date '2024-12-07'+draw(i,53,130)+interval '9 hours'+draw(i,54,14)*interval '30 minutes', 1+draw(i,55,7)*0.5, draw(i,56,3)=0, case when draw(i,57,8)>0 then 40+draw(i,58,60)*5 end from generate_series(1,620) i;

create table accident (acc_id int primary key, run_id int not null, guest_id int, at timestamp not null, injury text not null, heli boolean not null, patrol_min int not null);
insert into accident select i, 1+draw(i,61,36), case when draw(i,62,3)>0 then 1+draw(i,63,398) end, date '2024-12-07'+draw(i,64,134)+interval '8 hours 30 minutes'+draw(i,65,480)*interval '1 minute', (array['knee','wrist','shoulder','head','bruise'])[1+draw(i,66,5)], draw(i,67,9)=0, 3+draw(i,68,25) from generate_series(1,190) i;
drop function draw;
