-- A caterer: 9 tables, declared keys. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('catering-19:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table clients (client_id int primary key, client_name text not null, kind text not null, town text not null, email text, client_since date not null);
insert into clients values (1,'O''Brien & Sons','company','Galway','office@obrien-sons.ie','2016-02-11'),(2,'A.C.M.E. Tools','company','Cork','events@acme.example','2018-07-01'),(3,'Fiona Daly','private','Galway','fiona.daly@mail.example','2021-03-30'),(4,'Smith-Kline Hospital','public body','Limerick',null,'2015-10-05'),(5,'County Council','public body','Cork','council@cork.example','2014-01-20'),(6,'Brendan Roche','private','Dublin','b_roche@mail.example','2022-05-17'),(7,'R+D Partners','company','Dublin','hello@r-d.example','2019-11-25'),(8,'Maeve Kiely','private','Cork',null,'2023-08-09'),(9,'Route 66 Diner','company','Dublin','route66@mail.example','2024-04-02'),(10,'Nora Quinn','private','Limerick','nora.q@mail.example','2025-01-15');

create table venues (venue_id int primary key, venue_name text not null, town text not null, seats int not null, has_kitchen boolean not null, rent numeric(8,2) not null);
insert into venues values (1,'St. Patrick''s Hall','Galway',220,true,900),(2,'The Barn @ Kells','Cork',120,false,450),(3,'Dock 12-B','Dublin',400,true,1800),(4,'Castle Marquee','Limerick',300,false,1250),(5,'Library Atrium','Dublin',90,false,600),(6,'Riverside','Cork',160,true,780),(7,'Old Mill','Galway',60,true,300);

create table events (event_id int primary key, client_id int not null references clients, venue_id int references venues, occasion text not null, held_on date not null, guests int not null, price_per_head numeric(7,2) not null, status text not null);
insert into events select i, 1+draw(i,1,9), case when draw(i,2,9)>0 then 1+draw(i,3,6) end, (array['wedding','wedding','conference','birthday','funeral','gala dinner'])[1+draw(i,4,6)], date '2023-01-05'+draw(i,5,1050), 20+draw(i,6,60)*5, 18+draw(i,7,90)*0.5, (array['done','done','done','booked','cancelled'])[1+draw(i,8,5)] from generate_series(1,260) i;

create table dishes (dish_id int primary key, dish_name text not null, course text not null, vegetarian boolean not null, cost numeric(6,2) not null);
insert into dishes values (1,'Tomato soup','starter',true,1.90),(2,'Smoked salmon','starter',false,4.80),(3,'Fish & chips','main',false,5.60),(4,'Beef stew','main',false,6.90),(5,'Mushroom risotto','main',true,4.30),(6,'Chicken curry (hot!)','main',false,5.10),(7,'Apple crumble','dessert',true,2.20),(8,'Lemon tart','dessert',true,2.60),(9,'Cheese board','dessert',true,3.90),(10,'Caesar salad','starter',false,2.70),(11,'Pavlova','dessert',true,3.10);

create table allergens (dish_id int not null references dishes, allergen text not null, primary key (dish_id, allergen));
insert into allergens values (1,'celery'),(2,'fish'),(3,'fish'),(3,'gluten'),(4,'celery'),(5,'milk'),(6,'nuts'),(7,'gluten'),(8,'gluten'),(8,'eggs'),(9,'milk'),(10,'eggs'),(10,'fish'),(11,'eggs');

create table menus (event_id int not null references events, dish_id int not null references dishes, portions int not null, primary key (event_id, dish_id));
insert into menus select distinct on (e,d) e, d, 10+draw(i,13,40)*5 from generate_series(1,900) i, lateral (select 1+draw(i,11,250) e, 1+draw(i,12,10) d) x order by e, d, i;

create table staff (staff_id int primary key, first_name text not null, last_name text not null, job text not null, hourly_wage numeric(5,2) not null, hired_on date not null, manager_id int references staff);
insert into staff values (1,'Orla','Byrne','head cook',28.00,'2012-03-01',null),(2,'Cian','Walsh','cook',19.50,'2016-05-10',1),(3,'Niamh','Doyle','cook',18.75,'2019-09-02',1),(4,'Eoin','Burke','head waiter',21.00,'2014-06-15',null),(5,'Aoife','Nolan','waiter',14.20,'2021-04-01',4),(6,'Sean','McCarthy','waiter',14.20,'2022-02-20',4),(7,'Ciara','O''Neill','waiter',13.90,'2023-05-05',4),(8,'Liam','Fox','barkeeper',15.60,'2020-10-11',4),(9,'Grace','Power','cook',17.90,'2024-01-08',2),(10,'Hugh','Lacey','driver',14.80,'2018-08-30',null);

create table shifts (shift_id int primary key, staff_id int not null references staff, event_id int not null references events, starts_at timestamp not null, hours numeric(4,1) not null);
insert into shifts select i, 1+draw(i,21,9), e.event_id, e.held_on+interval '8 hours'+draw(i,23,20)*interval '30 minutes', 3+draw(i,24,14)*0.5 from generate_series(1,800) i join events e on e.event_id=1+draw(i,22,255);

create table invoices (invoice_id int primary key, event_id int not null references events, issued_on date not null, due_on date not null, paid_on date, amount numeric(10,2) not null);
insert into invoices select row_number() over (order by event_id), event_id, held_on+7, held_on+37, case when draw(event_id,31,5)>0 then held_on+10+draw(event_id,32,50) end, guests*price_per_head from events where status='done';
drop function draw;
