-- A firm that looks after lifts: 9 tables, no key references declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('lifts-19:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table buildings (building_id int primary key, building_name text not null, street text not null, city text not null, postcode text not null, floors int not null, owner text not null);
insert into buildings select i, (array['Crown','Harbour','Linden','Victoria','Station','Mercury'])[1+draw(i,1,6)]||' '||(array['House','Tower','Court','Mall','Clinic'])[1+draw(i,2,5)]||' '||i, (array['High St.','St. Mary''s Road','Mill Lane','Park Ave.','Quay 3'])[1+draw(i,3,5)]||' '||(1+draw(i,4,90)), (array['Leeds','Bristol','Stoke-on-Trent','Newcastle','York'])[1+draw(i,5,5)], (array['LS1 4AB','BS2 8QT','ST4-2PL','NE1 7RU','YO1-9TT'])[1+draw(i,5,5)], 3+draw(i,6,24), (array['City & County Homes','Baxter/Holt LLP','Granite Estates','NHS Trust','D''Arcy Lettings'])[1+draw(i,7,5)] from generate_series(1,45) i;

create table lifts (lift_no text primary key, building_id int not null, maker text not null, model text not null, firmware text not null, kind text not null, capacity_kg int not null, installed_on date not null, out_of_service boolean not null);
insert into lifts select 'L-'||lpad(i::text,3,'0')||'/'||(1+draw(i,10,3)), 1+draw(i,11,43), (array['Ottmar','Schill & Co.','Konvex','T.K. Aufzug'])[1+x.m], (array['OT-200','SC/5+','Mono#7','TK.90'])[1+x.m], (array['4.2.1','4.2.10','3.9','5.0-rc1'])[1+draw(i,13,4)], (array['passenger','passenger','goods','stairlift'])[1+draw(i,14,4)], 300+draw(i,15,20)*50, date '1998-03-01'+draw(i,16,9300), draw(i,17,12)=0 from generate_series(1,120) i, lateral (select draw(i,12,4) m) x;

create table technicians (tech_id int primary key, full_name text not null, email text not null, phone text not null, depot text not null, hired_on date not null);
insert into technicians values (1,'Gwen Archer','g.archer@liftcare.co.uk','+44 113 555-0142','Leeds','2009-04-01'),(2,'Ravi Menon','r.menon@liftcare.co.uk','+44 117 555-0199','Bristol','2014-09-15'),(3,'Sean O''Dowd','s.odowd@liftcare.co.uk','+44 191 555-0107','Newcastle','2018-01-08'),(4,'Anna-Lise Brandt','al.brandt@liftcare.co.uk','+44 113 555-0155','Leeds','2020-06-22'),(5,'Piotr Zielinski','p.zielinski@liftcare.co.uk','+44 117 555-0120','Bristol','2021-11-02'),(6,'Maud Kerr','m.kerr@liftcare.co.uk','+44 191 555-0188','Newcastle','2023-03-13'),(7,'Tom Hale','t.hale@liftcare.co.uk','+44 113 555-0171','Leeds','2025-02-03');

create table fault_codes (code text primary key, meaning text not null, severity text not null);
insert into fault_codes values ('E-07','door does not close','minor'),('E-12/A','brake worn','critical'),('E-12/B','brake sensor lost','major'),('F.3','drive overheated','major'),('F.30','drive stalled','critical'),('Q#1','button panel dead','minor');

create table callouts (callout_id int primary key, lift_no text not null, code text not null, tech_id int, reported_at timestamp not null, arrived_at timestamp, fixed_at timestamp, people_trapped int not null);
insert into callouts select i, (select lift_no from lifts order by lift_no offset draw(i,21,112) limit 1), (array['E-07','E-07','E-12/A','E-12/B','F.3','F.30','Q#1'])[1+draw(i,22,7)], x.t, x.r, case when x.t is not null then x.r+(10+draw(i,25,200))*interval '1 minute' end, case when x.t is not null and draw(i,26,9)>0 then x.r+(220+draw(i,27,900))*interval '1 minute' end, case when draw(i,28,4)=0 then 1+draw(i,29,5) else 0 end from generate_series(1,600) i, lateral (select case when draw(i,23,15)>0 then 1+draw(i,30,6) end t, timestamp '2023-01-02 05:00'+draw(i,24,1500000)*interval '1 minute' r) x;

create table spare_parts (part_no text primary key, description text not null, unit_price numeric(8,2) not null, stock int not null);
insert into spare_parts values ('BR/77','brake pad',41.50,12),('BR/77#2','brake pad, wide',58.00,0),('DR-5.1','door roller',9.75,140),('DR-5.10','door roller, heavy',13.20,33),('PN+LED','button panel with LED',122.00,4),('CB_09','control board',640.00,2),('RP 8/12','rope, 8 by 12',210.00,0);

create table parts_used (callout_id int not null, part_no text not null, quantity int not null, primary key (callout_id, part_no));
insert into parts_used select distinct on (c,p) c, (array['BR/77','BR/77#2','DR-5.1','DR-5.10','PN+LED','CB_09'])[p], 1+draw(i,33,4) from generate_series(1,520) i, lateral (select 1+draw(i,31,600) c, 1+draw(i,32,6) p) x order by c, p, i;

create table inspections (inspection_id int primary key, lift_no text not null, inspected_on date not null, inspector text not null, passed boolean not null, remarks text);
insert into inspections select i, (select lift_no from lifts order by lift_no offset draw(i,41,116) limit 1), date '2022-01-10'+draw(i,42,1400), (array['SafeLift Ltd.','TUV-Nord','B&R Survey'])[1+draw(i,43,3)], draw(i,44,6)>0, case when draw(i,45,3)=0 then (array['cable worn','lamp missing','pit wet'])[1+draw(i,46,3)] end from generate_series(1,330) i;

create table contracts (contract_id int primary key, building_id int not null, level text not null, monthly_fee numeric(8,2) not null, started_on date not null, ended_on date);
insert into contracts select i, 1+draw(i,51,45), (array['basic','plus','24/7'])[1+draw(i,52,3)], 80+draw(i,53,60)*5, x.d, case when draw(i,55,4)=0 then x.d+200+draw(i,56,900) end from generate_series(1,60) i, lateral (select date '2018-02-01'+draw(i,54,2500) d) x;
drop function draw;
