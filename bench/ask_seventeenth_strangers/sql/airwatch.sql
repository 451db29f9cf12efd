-- Air quality in a few towns: 7 tables, keys not declared but one. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('airwatch-17:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table stations (id int primary key, code text not null, name text not null, town text not null, setting text not null, lat numeric(7,4), lon numeric(7,4), altitude_m int, opened_on date not null, closed_on date);
insert into stations values (1,'BRN1','Bernweg','Halden','roadside',47.1,8.2,410,'2012-04-01',null),(2,'HAL2','Halden Park','Halden','background',47.12,8.21,415,'2015-09-15',null),(3,'HAL3','Halden Station Square','Halden','roadside',47.11,8.19,408,'2018-01-10',null),(4,'MUR1','Muri Mill','Muri','industrial',47.3,8.4,460,'2010-06-01','2024-03-31'),(5,'MUR2','Muri School','Muri','background',47.31,8.41,465,'2024-04-01',null),(6,'ZEL1','Zell Harbour','Zell','industrial',47.5,8.1,395,'2016-02-20',null),(7,'ZEL2','Zell Hill','Zell','background',47.52,8.12,640,'2019-11-05',null),(8,'KAP1','Kappel Road','Kappel','roadside',47.2,8.7,505,'2021-07-01',null),(9,'KAP2','Kappel Station Road','Kappel','roadside',47.21,8.71,500,'2022-05-01',null);

create table pollutants (code text primary key, full_name text not null, unit text not null, daily_limit numeric(6,1));
insert into pollutants values ('NO2','nitrogen dioxide','ug/m3',80),('PM10','coarse particles','ug/m3',50),('PM25','fine particles','ug/m3',25),('O3','ozone','ug/m3',120),('SO2','sulphur dioxide','ug/m3',100),('CO','carbon monoxide','mg/m3',8);

create table sensors (sensor_id int primary key, station_id int not null, pollutant_code text not null, manufacturer text not null, serial_no text not null, installed_on date not null, price numeric(8,2) not null);
insert into sensors select i, 1+(i-1)/3, (array['NO2','PM10','O3','PM25','SO2'])[1+(i*2+draw(i,1,2))%5], (array['Airsens','Norvak','Teledyn'])[1+draw(i,2,3)], (array['AS','NV','TD','AX'])[1+draw(i,3,4)]||'-'||(1000+draw(i,4,9000)), date '2017-01-01'+draw(i,5,2900), 1200+draw(i,6,60)*50 from generate_series(1,27) i;

create table readings (reading_id int primary key, sensor_id int not null, measured_at timestamp not null, value numeric(7,2), valid boolean not null);
insert into readings select i, 1+draw(i,11,25), timestamp '2023-01-01'+make_interval(hours=>draw(i,12,33000)), case when draw(i,13,40)>0 then 3+draw(i,14,1300)/10.0 end, draw(i,15,12)>0 from generate_series(1,1500) i;

create table technicians (tech_id int primary key, name text not null, employer text not null, hired date not null, day_rate numeric(7,2) not null);
insert into technicians values (1,'Anja Brugger','city','2014-02-01',410),(2,'Beat Cavelti','contractor','2019-08-15',520),(3,'Corsin Derungs','city','2020-01-07',395),(4,'Doris Egli','contractor','2022-05-30',560),(5,'Emil Frei','city','2023-03-01',380),(6,'Flurina Gasser','contractor','2024-10-01',505);

create table visits (visit_id int primary key, station_id int not null, tech_id int not null, visited_on date not null, kind text not null, minutes int not null, parts_cost numeric(8,2) not null);
insert into visits select i, 1+draw(i,21,8), 1+draw(i,22,5), date '2022-01-03'+draw(i,23,1780), (array['calibration','calibration','repair','filter change','inspection'])[1+draw(i,24,5)], 20+draw(i,25,30)*10, case when draw(i,26,3)>0 then draw(i,27,80)*5 else 0 end from generate_series(1,220) i;

create table complaints (complaint_id int primary key, station_id int, received_on date not null, channel text not null, about text not null, answered_on date);
insert into complaints select i, case when i%5>0 then 1+draw(i,31,9) end, date '2023-02-01'+draw(i,32,1380), (array['phone','email','web form'])[1+draw(i,33,3)], (array['Smoke from the harbour','Strong smell near the mill','Dust on cars','Traffic fumes at night','Smell of burnt rubber','Smoke over the school'])[1+draw(i,34,6)], case when draw(i,35,4)>0 then date '2023-02-01'+draw(i,32,1380)+1+draw(i,36,40) end from generate_series(1,130) i;
drop function draw;
