create table genre (code char(3) primary key, label text not null);
insert into genre values ('POP','pop'),('ROK','rock'),('JAZ','jazz'),('HIP','hip hop'),('ELE','electronic'),('CLA','classical');
create table staff (staff_id int primary key, full_name text not null, job_title text not null, boss_id int references staff);
insert into staff values (1,'Marta Lind','head of artists',null),(2,'Pavel Rook','manager',1),(3,'Ines Dahl','manager',1),(4,'Omar Fenn','assistant',2),(5,'Lotte Berg','lawyer',1),(6,'Sam Ito','assistant',3);
create table artist (artist_id int primary key, stage_name text not null, legal_name text, country text not null, signed_on date not null, dropped_on date, is_group boolean not null);
insert into artist select i, (array['Nova Kline','Paper Lanterns','Rico Vale','The Tidal','Mira Sol','Iron Orchard','Juno Park','Lucid Foxes','Ade Bright','North Harbour','Cleo Marsh','Static Bloom','Tove Ek','Velvet Engine'])[i],
 'Legal ' || i, (array['Norway','Sweden','Norway','United Kingdom','Germany'])[1+i%5], date '2014-02-01'+i*190,
 case when i in (3,7) then date '2014-02-01'+i*190+700 when i in (4,11) then date '2014-02-01'+i*190+1500 end, i%2=0 from generate_series(1,14) i;
create table album (album_id int primary key, title text not null, artist_id int not null references artist, genre_code char(3) not null references genre, recorded_on date not null, released_on date, status text not null, list_price numeric(6,2) not null);
insert into album select i, (array['First Light','Undertow','Glass Houses','Midnight Market','Open Water','Copper Sky','Long Division','Parallel Lines','Quiet Riot Club','Red Season','Small Hours','Tall Ships','Union Street','Winter Coat','Yellow Room','Zero Gravity','Another Shore','Blue Hour','City Maps','Dust and Gold'])[i],
 1+(i*5)%12, (array['POP','ROK','JAZ','HIP','ELE','POP','ROK'])[1+i%7], date '2020-11-05'+i*53, case when i>18 then null else date '2020-11-05'+i*53+(90+(i*37)%160) end,
 case when i>18 then 'scheduled' when i%8=0 then 'withdrawn' else 'released' end, 9.99+i*0.5 from generate_series(1,20) i;
create table track (track_id int primary key, album_id int not null references album, title text not null, seconds int not null, explicit boolean not null);
insert into track select i, 1+abs(hashint4(i+555))%20, (array['Night Drive','Fading','Hold On','City of Night','Marble','Lost Letter','Signal','Nightfall','Ember','Roots','Ladders'])[1+i%11] || ' ' || i, 125+abs(hashint4(i))%240, abs(hashint4(i+70))%6=0 from generate_series(1,110) i;
create table credit (track_id int not null references track, artist_id int not null references artist, role text not null, primary key (track_id, artist_id, role));
insert into credit select distinct 1+abs(hashint4(i))%110, 1+abs(hashint4(i+900))%13, (array['writer','producer','vocals'])[1+abs(hashint4(i+40))%3] from generate_series(1,170) i;
create table territory (territory_id int primary key, name text not null, currency char(3) not null);
insert into territory values (1,'Nordics','NOK'),(2,'Central Europe','EUR'),(3,'North America','USD'),(4,'Japan','JPY');
create table monthly_streams (track_id int not null references track, territory_id int not null references territory, month date not null, streams int not null, revenue numeric(10,2) not null, primary key (track_id, territory_id, month));
insert into monthly_streams select t, r, (date '2022-01-01' + m*interval '1 month')::date, 100+abs(hashint4(t*100+r*10+m))%9000, round((100+abs(hashint4(t*100+r*10+m))%9000)*(0.002+r*0.0007),2) from generate_series(1,110) t, generate_series(1,4) r, generate_series(0,23) m where abs(hashint4(t*7+r*13+m))%5=0;
create table contract (contract_id int primary key, artist_id int not null references artist, manager_id int not null references staff, agreed_on date not null, expires_on date not null, advance numeric(10,2) not null, royalty_pct numeric(4,1) not null);
insert into contract select i, 1+(i*3)%13, 1+i%3, date '2018-01-10'+i*120, date '2018-01-10'+i*120+1100+(i%3)*200, 12000+(i*7919)%70000, 8+(i%9)*1.5 from generate_series(1,17) i;
create table concert (concert_id int primary key, artist_id int not null references artist, city text not null, announced_on date not null, held_on date not null, capacity int not null, tickets_sold int not null, ticket_price numeric(6,2) not null);
insert into concert select i, 1+abs(hashint4(i+31))%11, (array['Berlin','Oslo','London','Berlin','Stockholm','Hamburg','Leeds'])[1+i%7], date '2021-10-01'+i*16, date '2021-10-01'+i*16+60+(i%5)*30, 400+(i%6)*300, case when i%6=0 then 400+(i%6)*300 else (400+(i%6)*300)*(50+i%45)/100 end, 18+(i*7)%41 from generate_series(1,48) i;
