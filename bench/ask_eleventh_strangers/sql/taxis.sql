create table zones (zone_cd text primary key, zone_nm text not null, borough text not null, is_airport boolean not null);
insert into zones values
('HBR','Harbour','East',false),('OLD','Old Town','Centre',false),('UNI','University','Centre',false),('AIR','Airport North','North',true),('STN','Main Station','Centre',false),
('MDW','Meadowside','West',false),('PRK','Parklands','West',false),('IND','Industrial Quarter','East',false),('HIL','Hillcrest','North',false),('LAK','Lakeshore','South',false),('AP2','Airfield South','South',true);
create table drv (drv_id int primary key, drv_nm text not null, lic_no text not null, hired_dt date not null, left_dt date, home_zone_cd text not null, rating_avg numeric(3,2), lang text);
insert into drv values
(1,'Milo Brandt','TX-1001','2015-03-02',null,'HBR',4.82,'German'),(2,'Sana Iqbal','TX-1002','2016-07-11',null,'OLD',4.91,'Urdu'),(3,'Tove Lind','TX-1003','2016-09-19','2023-04-30','HIL',4.40,'Swedish'),
(4,'Ivo Petkov','TX-1004','2017-01-05',null,'UNI',4.15,'Bulgarian'),(5,'Rhea Dunn','TX-1005','2018-05-21',null,'MDW',null,'English'),(6,'Amos Kiplagat','TX-1006','2018-11-02','2022-12-15','PRK',3.95,'Swahili'),
(7,'Lucia Ferri','TX-1007','2019-02-18',null,'OLD',4.77,'Italian'),(8,'Dean Walsh','TX-1008','2019-10-10',null,'LAK',4.02,'English'),(9,'Noor Haddad','TX-1009','2021-06-01',null,'STN',4.66,'Arabic'),
(10,'Petra Novak','TX-1010','2021-08-16',null,'HBR',4.58,'Czech'),(11,'Gus Olsen','TX-1011','2022-03-07','2024-01-31','HIL',4.21,'Norwegian'),(12,'Wen Zhao','TX-1012','2023-09-01',null,'UNI',null,'Mandarin');
create table cab (cab_no int primary key, plate text not null, make text not null, model text not null, fuel_typ text not null, seats int not null, bought_dt date not null, price_eur numeric(9,2) not null, odo_km int, whlchr boolean not null);
comment on column cab.fuel_typ is 'P = petrol, D = diesel, E = electric, H = hybrid';
comment on column cab.whlchr is 'takes wheelchairs';
insert into cab select i, 'KX '||(100+i*7)||' T', (array['Toyota','Skoda','Tesla','Mercedes','Toyota'])[1+i%5], (array['Prius','Octavia','Model 3','E 220','Corolla'])[1+i%5], (array['H','D','E','D','P'])[1+i%5],
 case when i%4=0 then 7 else 4 end, date '2017-01-15'+(i*149)%2400, 21000+(abs(hashint4(i+4))%3000000)/100.0, case when i%9=5 then null else 20000+abs(hashint4(i+9))%240000 end, i%4=0 from generate_series(1,18) i;
create table passenger (pax_id int primary key, pax_nm text not null, email text, signup_ts timestamp not null, vip boolean not null, ref_by int);
insert into passenger select i, (array['Ada','Ben','Cleo','Dora','Emil','Fay','Gil','Hana','Ike','Jana'])[1+i%10]||' '||(array['Marsh','Stone','Rivers','Castle'])[1+(i/10)%4], case when i%6=2 then null else 'p'||i||'@mail.example' end,
 timestamp '2021-01-03 08:15'+(i*17)%900*interval '1 day'+(i*37)%600*interval '1 minute', i%5=0, case when i>6 and i%3=0 then 1+(i*5)%6 end from generate_series(0,39) i;
create table ride (ride_id int primary key, drv_id int not null, cab_no int not null, pax_id int not null, pu_zone text not null, do_zone text not null, req_ts timestamp not null, pu_ts timestamp, do_ts timestamp, dist_km numeric(5,1), fare_eur numeric(7,2), tip_eur numeric(6,2), st_cd text not null, pay_cd text);
comment on column ride.pu_zone is 'zone where the passenger is picked up';
comment on column ride.do_zone is 'zone where the passenger is dropped off';
comment on column ride.st_cd is 'CMP = completed, CXL = cancelled, NSH = no-show';
comment on column ride.pay_cd is 'CSH = cash, CRD = card, INV = invoice';
insert into ride select i, 1+abs(hashint4(i+3))%11, 1+abs(hashint4(i+70))%17, abs(hashint4(i+21))%38,
 (array['HBR','OLD','UNI','AIR','STN','MDW','PRK','IND','HIL','LAK'])[1+abs(hashint4(i+5))%10], (array['HBR','OLD','UNI','AIR','STN','MDW','PRK','AP2','HIL','LAK'])[1+abs(hashint4(i+90))%10],
 t, case when st<>'CXL' and st<>'NSH' then t+(2+abs(hashint4(i+8))%14)*interval '1 minute' end, case when st<>'CXL' and st<>'NSH' then t+(12+abs(hashint4(i+8))%50)*interval '1 minute'+interval '5 minute' end,
 case when st='CMP' then 1.2+(abs(hashint4(i+33))%280)/10.0 end, case when st='CMP' then 4.5+(abs(hashint4(i+34))%6200)/100.0 end, case when st='CMP' and i%3=0 then (abs(hashint4(i+35))%900)/100.0 end, st, case when st='CMP' then (array['CSH','CRD','CRD','INV'])[1+abs(hashint4(i+36))%4] end
 from (select i, timestamp '2022-06-01 00:20'+(i*41)%640*interval '1 day'+(i*53)%1400*interval '1 minute' as t, case when i%11=4 then 'CXL' when i%17=6 then 'NSH' else 'CMP' end as st from generate_series(1,420) i) x;
create table shift (shift_id int primary key, drv_id int not null, cab_no int not null, start_ts timestamp not null, end_ts timestamp, shift_typ text not null);
comment on column shift.shift_typ is 'D = day, N = night';
insert into shift select i, 1+abs(hashint4(i+44))%11, 1+abs(hashint4(i+45))%17, t, case when i%25=0 then null else t+(5+abs(hashint4(i+46))%6)*interval '1 hour'+(i%4)*interval '15 minute' end, case when extract(hour from t)>=18 then 'N' else 'D' end
 from (select i, timestamp '2023-01-01 06:00'+(i*7)%400*interval '1 day'+case when i%3=1 then interval '13 hour' else interval '1 hour' end as t from generate_series(1,110) i) x;
create table complaint (cmp_id int primary key, ride_id int not null, filed_on date not null, closed_on date, reason text not null, severity int not null, refund_eur numeric(6,2));
insert into complaint select i, 1+(i*13)%420, date '2022-07-01'+(i*19)%640, case when i%4<>1 then date '2022-07-01'+(i*19)%640+1+abs(hashint4(i))%30 end, (array['rude driver','late pickup','wrong route','dirty cab','overcharged'])[1+abs(hashint4(i+61))%5], 1+abs(hashint4(i+62))%5, case when i%3=0 then 3+(abs(hashint4(i+63))%3000)/100.0 end from generate_series(1,46) i;
