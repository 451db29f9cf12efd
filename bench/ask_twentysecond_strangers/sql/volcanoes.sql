-- A survey of volcanoes: 7 tables with declared keys. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('volcanoes-22:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table region (region_id int primary key, region_name text not null, continent text not null);
insert into region values (1,'Iceland','Europe'),(2,'Southern Italy','Europe'),(3,'Kamchatka','Asia'),(4,'Java','Asia'),(5,'Andes','South America'),(6,'East African Rift','Africa'),(7,'Aleutians','North America'),(8,'Hokkaido','Asia');

create table volcano (volcano_id int primary key, name text not null, region_id int not null references region, type text not null, elevation_m int not null, latitude numeric(7,3) not null, longitude numeric(7,3) not null, dormant boolean not null, nearest_town text);
insert into volcano select i, (array['Askal','Berun','Cintar','Dolgor','Esvik','Fumara','Gravel','Holkan','Isumi','Jorak'])[1+(i-1)%10]||case (i-1)/10 when 0 then '' when 1 then ' Minor' when 2 then ' Norte' else ' East' end, 1+draw(i,2,7), (array['stratovolcano','stratovolcano','shield','caldera','cinder cone'])[1+draw(i,3,5)], 240+draw(i,4,5600), (draw(i,5,120000)-60000)/1000.0, (draw(i,6,340000)-170000)/1000.0, draw(i,7,3)=0, case when draw(i,8,4)>0 then (array['Vik','Selo','Tarma','Arusha','Ogawa','Catane'])[1+draw(i,9,6)] end from generate_series(1,38) i;

create table eruption (eruption_id int primary key, volcano_id int not null references volcano, start_date date not null, end_date date, vei int not null, deaths int, tephra_km3 numeric(8,3));
insert into eruption select i, 1+draw(i,11,35), date '1950-01-01'+draw(i,12,27000), case when draw(i,13,8)>0 then date '1950-01-01'+draw(i,12,27000)+1+draw(i,14,300) end, draw(i,15,6), case when draw(i,16,3)>0 then case when draw(i,17,3)=0 then draw(i,18,400) else 0 end end, case when draw(i,19,2)=0 then draw(i,20,4000)/1000.0 end from generate_series(1,190) i;

create table station (station_code text primary key, volcano_id int not null references volcano, installed_on date not null, altitude_m int not null, status text not null, operator text not null);
insert into station select 'ST'||lpad(i::text,3,'0'), 1+draw(i,21,33), date '1995-01-01'+draw(i,22,10500), 100+draw(i,23,3000), (array['active','active','active','broken','retired'])[1+draw(i,24,5)], (array['IMO','INGV','USGS','PVMBG'])[1+draw(i,25,4)] from generate_series(1,64) i;

create table reading (reading_id int primary key, station_code text not null references station, taken_at timestamp not null, so2_ppm numeric(7,2), ground_temp_c numeric(5,1) not null, tremor_level int not null);
insert into reading select i, 'ST'||lpad((1+draw(i,31,60))::text,3,'0'), timestamp '2023-01-01'+draw(i,32,900)*interval '1 day'+draw(i,33,24)*interval '1 hour', case when draw(i,34,9)>0 then draw(i,35,9000)/100.0 end, 5+draw(i,36,800)/10.0, draw(i,37,11) from generate_series(1,1500) i;

create table scientist (scientist_id int primary key, first_name text not null, last_name text not null, institute text not null, field text not null);
insert into scientist select i, (array['Anika','Bjorn','Carla','Daichi','Emre','Flora'])[1+draw(i,41,6)], (array['Jonsson','Ricci','Sato','Petrov','Wirawan','Vargas','Kimani'])[1+draw(i,42,7)], (array['IMO','INGV','University of Hokkaido','USGS'])[1+draw(i,43,4)], (array['seismology','geochemistry','petrology'])[1+draw(i,44,3)] from generate_series(1,30) i;

create table expedition (expedition_id int primary key, volcano_id int not null references volcano, leader_id int not null references scientist, departed date not null, returned date not null, cost_usd numeric(10,2) not null, samples_collected int not null, purpose text not null);
insert into expedition select i, 1+draw(i,51,30), 1+draw(i,52,26), date '2015-01-01'+draw(i,53,3900), date '2015-01-01'+draw(i,53,3900)+2+draw(i,54,25), 2000+draw(i,55,300)*100, draw(i,56,70), (array['gas sampling','mapping','rock sampling','instrument repair'])[1+draw(i,57,4)] from generate_series(1,85) i;
drop function draw;
