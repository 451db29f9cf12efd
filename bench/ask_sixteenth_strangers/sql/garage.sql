-- A chain of car workshops: 8 tables, keys declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('garage-16:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table branch (branch_id int primary key, branch_name text not null, city text not null, bays int not null, opened date not null);
insert into branch values (1,'Northgate','Leeds',6,'2004-03-01'),(2,'Canal Street','Manchester',9,'1998-07-15'),(3,'Old Dairy','York',4,'2015-05-20'),(4,'Ring Road','Leeds',12,'2019-10-01'),(5,'Harbour Works','Hull',5,'2011-02-11');

create table mechanic (mechanic_id int primary key, full_name text not null, branch_id int not null references branch, grade text not null, hourly_wage numeric(6,2) not null, hired_on date not null, left_on date);
comment on column mechanic.grade is 'A = apprentice, J = journeyman, M = master';
insert into mechanic select i, n, 1+draw(i,1,5), (array['A','J','J','M'])[1+draw(i,2,4)], 12+draw(i,3,24)+0.25*draw(i,4,4), date '2008-01-01'+draw(i,5,5600), case when i%6=0 then date '2024-01-01'+draw(i,6,600) end
from unnest(array['Alan Birch','Bea Dunmore','Colin Eaves','Dora Finch','Ewan Gill','Fay Holroyd','Gus Ingham','Hetty Jowett','Ivor Kaye','Jill Lumb','Karl Mead','Lena Naylor','Miles Ogden','Nora Peel','Otto Quarmby','Pia Rusk','Ralph Sykes','Sara Thewlis']) with ordinality as u(n,k), lateral (select k::int as i) x;

create table customer (customer_id int primary key, full_name text not null, kind text not null, town text, phone text, discount_pct int not null);
comment on column customer.kind is 'P = private, F = fleet, T = trade';
insert into customer select i, 'Customer '||chr(64+1+(i-1)%26)||(i/26+1), (array['P','P','F','T'])[1+draw(i,11,4)], case when i%9<>0 then (array['Leeds','York','Hull','Selby','Goole'])[1+draw(i,12,5)] end, case when draw(i,13,4)>0 then '0113-'||(200000+draw(i,14,700000)) end, 5*draw(i,15,4) from generate_series(1,60) i;

create table vehicle (vehicle_id int primary key, plate text not null unique, make text not null, model text not null, fuel_code text not null, built_year int not null, mileage int not null, owner_id int not null references customer);
comment on column vehicle.fuel_code is 'PE = petrol, DI = diesel, EL = electric, HY = hybrid';
insert into vehicle select i, 'YK'||(10+draw(i,21,15))||' '||chr(65+draw(i,22,26))||chr(65+draw(i,23,26))||chr(65+(i%26)), mk, md, (array['PE','DI','EL','HY','PE'])[1+draw(i,25,5)], 2005+draw(i,26,20), 3000+draw(i,27,180000), 1+draw(i,28,55)
from generate_series(1,90) i, lateral (select (array['Vauxhall','Ford','Skoda','Nissan','Kia'])[1+draw(i,24,5)] mk) a, lateral (select case mk when 'Vauxhall' then (array['Corsa','Astra'])[1+draw(i,29,2)] when 'Ford' then (array['Fiesta','Transit','Focus'])[1+draw(i,29,3)] when 'Skoda' then (array['Fabia','Octavia'])[1+draw(i,29,2)] when 'Nissan' then (array['Leaf','Qashqai'])[1+draw(i,29,2)] else 'Niro' end md) b;

create table repair_order (order_id int primary key, vehicle_id int not null references vehicle, billed_to int not null references customer, branch_id int not null references branch, opened_on date not null, closed_on date, status text not null, labour_hours numeric(5,1) not null, labour_cost numeric(9,2) not null, parts_cost numeric(9,2) not null, tax numeric(9,2) not null, warranty boolean not null);
comment on column repair_order.status is 'O = open, W = waiting for parts, C = closed, X = cancelled';
insert into repair_order select i, v, case when i%7=0 then 56+draw(i,40,5) else (select owner_id from vehicle where vehicle_id=v) end, 1+draw(i,41,5), d, case when s='C' then d+draw(i,42,21) end, s, h, h*(40+draw(i,43,30)), p, round((h*50+p)*0.2,2), draw(i,44,8)=0
from generate_series(1,320) i, lateral (select 1+draw(i,31,85) v, date '2022-01-03'+draw(i,32,1360) d, (array['C','C','C','C','O','W','X'])[1+draw(i,33,7)] s, (5+draw(i,34,120))/10.0 h, 10*draw(i,35,90)+draw(i,36,100)/100.0 p) x;

create table order_mechanic (order_id int not null references repair_order, mechanic_id int not null references mechanic, hours numeric(5,1) not null, primary key (order_id, mechanic_id));
insert into order_mechanic select distinct on (o, m) o, m, h from (select i as o, 1+draw(i*3+j,51,17) as m, (5+draw(i*3+j,52,60))/10.0 as h from generate_series(1,320) i, generate_series(0,1) j where j=0 or draw(i,53,3)=0) q order by o, m, h;

create table part (part_no text primary key, description text not null, category text not null, unit_price numeric(8,2) not null, unit_cost numeric(8,2) not null, in_stock int not null, reorder_level int not null);
insert into part select 'P-'||lpad(k::text,3,'0'), n, c, p, round((p*(0.5+0.05*draw(k::int,61,8)))::numeric,2), draw(k::int,62,30), 5+draw(k::int,63,20)
from (select *, row_number() over () as k from (values ('brake pad set','brakes',38.5),('brake disc','brakes',61),('oil filter','service',9.9),('air filter','service',14.2),('cabin filter','service',17),('timing belt kit','engine',142),('water pump','engine',88.4),('spark plug','engine',8.75),('alternator','electrical',219),('starter motor','electrical',187.5),('12V battery','electrical',96),('headlamp bulb','electrical',11.3),('wiper blade','body',12.6),('door mirror','body',73),('windscreen','body',264),('track rod end','steering',27.9),('clutch kit','transmission',233)) as v(n,c,p)) u;

create table order_part (order_id int not null references repair_order, part_no text not null references part, quantity int not null, charged numeric(9,2) not null, primary key (order_id, part_no));
insert into order_part select distinct on (o,p) o, p, q, round(q*(select unit_price from part where part_no=p)*(90+draw(o,73,21))/100.0,2) from (select i as o, 'P-'||lpad((1+draw(i*4+j,71,16))::text,3,'0') as p, 1+draw(i*4+j,72,4) as q from generate_series(1,320) i, generate_series(0,2) j where draw(i*4+j,74,4)>0) z order by o,p,q;
