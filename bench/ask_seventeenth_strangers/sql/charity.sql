-- A charity: 8 tables, keys declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('charity-17:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table region (region_id int primary key, name text not null, population int not null);
insert into region values (1,'Highland',235000),(2,'Lothian',916000),(3,'Grampian',586000),(4,'Borders',116000),(5,'Fife',374000);

create table donor (donor_id int primary key, first_name text not null, last_name text not null, email text, region_id int references region, donor_type text not null, joined_on date not null, gift_aid boolean not null);
insert into donor select i, (array['Ann','Ben','Carla','Duncan','Elspeth','Fergus','Greta','Hamish','Isla','Jock'])[1+draw(i,1,10)], (array['Murray','MacLeod','Stewart','Robb','MacKay','Fraser','Innes','Macdonald','Baird','Tait'])[1+draw(i,2,10)],
 case when draw(i,3,5)>0 then 'd'||i||(array['@gmail.com','@outlook.com','@mail.scot'])[1+draw(i,4,3)] end, case when i%11>0 then 1+draw(i,5,5) end, (array['individual','individual','individual','company','trust'])[1+draw(i,6,5)], date '2019-01-01'+draw(i,7,2700), draw(i,8,3)>0
from generate_series(1,120) i;

create table appeal (appeal_id int primary key, title text not null, cause text not null, starts_on date not null, ends_on date, target_amount numeric(10,2) not null);
insert into appeal values (1,'Winter Shelter 2023','homelessness','2023-11-01','2024-02-28',40000),(2,'Clean Rivers','environment','2022-03-01',null,60000),(3,'School Breakfasts','children','2024-09-01','2025-06-30',25000),(4,'Winter Shelter 2024','homelessness','2024-11-01','2025-02-28',45000),(5,'Forest Nursery','environment','2025-04-01',null,30000),(6,'Toy Library','children','2023-05-01','2023-12-31',8000),(7,'Hill Rescue','emergency','2025-01-15',null,20000);

create table donation (donation_id int primary key, donor_id int not null references donor, appeal_id int references appeal, amount numeric(10,2) not null, donated_on date not null, method text not null, refunded boolean not null default false);
insert into donation select i, 1+draw(i,11,104), case when draw(i,12,7)>0 then 1+draw(i,13,6) end, 5+draw(i,14,60)*5, date '2022-01-01'+draw(i,15,1780), (array['card','card','bank transfer','cash','direct debit'])[1+draw(i,16,5)], draw(i,17,25)=0
from generate_series(1,900) i;

create table volunteer (volunteer_id int primary key, full_name text not null, region_id int not null references region, birth_date date, trained boolean not null, mentor_id int references volunteer);
insert into volunteer select i, n, 1+draw(i,21,5), case when i%9>0 then date '1950-06-01'+draw(i,22,18000) end, draw(i,23,4)>0, case when i>6 and i%4>0 then 1+draw(i,24,6) end
from unnest(array['Ailsa Birnie','Bruce Carr','Catriona Dow','Davina Eadie','Euan Forbes','Fiona Gow','Gordon Hay','Helen Imrie','Iain Jardine','Jean Kerr','Keith Lamb','Lorna Moir','Magnus Nairn','Norma Orr','Oscar Petrie','Paula Quinn','Rory Smart','Shona Todd','Tavish Urie','Una Vass','Wendy Yule','Zander Auld']) with ordinality as u(n,k), lateral (select k::int as i) x;

create table shift (shift_id int primary key, volunteer_id int not null references volunteer, appeal_id int not null references appeal, worked_on date not null, hours numeric(4,1) not null);
insert into shift select i, 1+draw(i,31,19), 1+draw(i,32,7), date '2023-05-01'+draw(i,33,1250), 1+0.5*draw(i,34,13) from generate_series(1,300) i;

create table grant_made (grant_id int primary key, appeal_id int not null references appeal, recipient text not null, amount numeric(10,2) not null, approved_on date not null, status text not null);
comment on column grant_made.status is 'P = pending, A = approved and paid, R = rejected';
insert into grant_made select i, 1+draw(i,41,7), (array['Leith Food Bank','Tay Anglers','Braemar School','Oban Youth Club','Kelso Night Shelter','Cairn Trust','Elgin Parents'])[1+draw(i,42,7)], 500+draw(i,43,40)*100, date '2023-01-10'+draw(i,44,1380), (array['A','A','A','P','R'])[1+draw(i,45,5)] from generate_series(1,90) i;

create table pledge (pledge_id int primary key, donor_id int not null references donor, monthly_amount numeric(8,2) not null, started_on date not null, cancelled_on date);
insert into pledge select i, 1+draw(i,51,120), 3+draw(i,52,20), date '2021-06-01'+draw(i,53,1700), case when draw(i,54,3)=0 then date '2025-06-01'+draw(i,55,500) end from generate_series(1,70) i;
drop function draw;
