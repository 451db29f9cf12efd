create table beekeeper (bk_id int primary key, full_name text not null, village text not null, joined_on date not null, phone text, mentor_id int);
insert into beekeeper values
(1,'Agnes Thorne','Low Marsh','2009-04-02','0471 22',null),(2,'Bram Vos','Low Marsh','2012-06-19',null,1),(3,'Cosima Hale','Elder Hill','2015-03-08','0471 87',1),
(4,'Dov Arkin','Stonebeck','2018-05-30','0471 54',3),(5,'Edda Lund','Elder Hill','2019-02-11',null,3),(6,'Fenn Ouse','Stonebeck','2021-07-23','0471 39',1),
(7,'Gita Rao','Whinfell','2022-04-14','0471 66',4),(8,'Hugo Blay','Whinfell','2023-08-05',null,null);
create table apiary (apiary_id int primary key, apiary_name text not null, keeper int not null, altitude_m int not null, landscape text not null, water_nearby boolean not null);
insert into apiary values
(1,'Old Orchard',1,120,'orchard',true),(2,'Gorse Bank',1,310,'heath',false),(3,'Mill Meadow',2,95,'meadow',true),(4,'Linden Row',3,180,'orchard',false),(5,'High Fold',4,640,'heath',true),
(6,'Fox Covert',5,230,'forest',true),(7,'Quarry Lip',6,415,'meadow',false),(8,'Tarn Side',7,520,'heath',true),(9,'Back Garden',3,150,'orchard',true),(10,'Spare Plot',2,88,'meadow',false);
create table hive (hive_no int primary key, apiary_id int not null, hive_type text not null, colour text, price_eur numeric(7,2) not null, bought_on date not null, retired_on date);
insert into hive select i, 1+abs(hashint4(i+60))%9, (array['Langstroth','Dadant','Warre','top-bar','Langstroth'])[1+i%5], case when i%9=4 then null else (array['white','green','yellow','blue'])[1+(i*3)%4] end,
 90+(abs(hashint4(i))%22000)/100.0, date '2014-02-01'+(i*67)%3300, case when i%7=2 then date '2023-03-01'+(i*5)%400 end from generate_series(1,46) i;
create table queen (queen_id int primary key, hive_no int, breed text not null, hatched_year int not null, marked boolean not null, mother_id int);
insert into queen select i, case when i%6=5 then null else i end, (array['Buckfast','Carnica','Ligustica','Caucasica','Buckfast','Carnica','Carnica'])[1+i%7], 2018+(i*5)%7, i%3<>0, case when i>8 then 1+(i*3)%8 end from generate_series(1,46) i;
create table inspection (inspection_id int primary key, hive_no int not null, inspected_on date not null, inspector int not null, brood_frames int not null, temper int not null, mites_counted int, queen_seen boolean not null, remark text);
insert into inspection select i, 1+abs(hashint4(i+11))%44, date '2022-04-01'+(i*5)%900, 1+abs(hashint4(i+5))%7, abs(hashint4(i+77))%11, 1+abs(hashint4(i*3))%5, case when i%5=1 then null else abs(hashint4(i+31))%40 end, abs(hashint4(i+9))%4<>0,
 case i%8 when 0 then 'swarm cells found' when 3 then 'stores low' when 5 then 'chalkbrood' end from generate_series(1,210) i;
create table harvest (harvest_id int primary key, hive_no int not null, harvested_on date not null, honey_kg numeric(5,1) not null, honey_sort text not null, moisture_pct numeric(4,1));
insert into harvest select i, 1+abs(hashint4(i+501))%40, make_date(2021+i%4, 6+i%3, 1+(i*11)%28), 4+(abs(hashint4(i+3))%260)/10.0, (array['linden','acacia','heather','blossom','blossom'])[1+i%5], case when i%10=6 then null else 16+(abs(hashint4(i+8))%50)/10.0 end from generate_series(1,90) i;
create table treatment (treatment_id int primary key, hive_no int not null, treated_on date not null, agent text not null, dose_ml int not null);
insert into treatment select i, 1+abs(hashint4(i+900))%38, date '2022-08-01'+(i*13)%800, (array['oxalic acid','formic acid','thymol'])[1+abs(hashint4(i))%3], 20+10*(abs(hashint4(i+2))%6) from generate_series(1,60) i;
create table sale (sale_id int primary key, harvest_id int not null, sold_on date not null, buyer text not null, jars int not null, jar_price numeric(5,2) not null);
insert into sale select i, 1+abs(hashint4(i+44))%85, date '2021-09-01'+(i*9)%1200, (array['Corner Deli','Abbey Shop','market stall','Kettle Cafe','school fete'])[1+abs(hashint4(i+6))%5], 2+abs(hashint4(i+15))%30, 4.5+(abs(hashint4(i+18))%500)/100.0 from generate_series(1,130) i;
