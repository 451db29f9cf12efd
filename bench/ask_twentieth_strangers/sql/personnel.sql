-- A firm's personnel office: 9 tables, declared keys. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('personnel-20:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table sites (site_id int primary key, site_name text not null, country text not null, opened date not null);
insert into sites values (1,'Porto','Portugal','2001-05-01'),(2,'Ghent','Belgium','1994-09-12'),(3,'Turku','Finland','2012-02-20'),(4,'Brno','Czechia','2017-11-06'),(5,'Malaga','Spain','2022-03-15');

create table departments (department_id int primary key, department_name text not null, site_id int not null references sites, budget numeric(12,2) not null);
insert into departments values (1,'Research',2,1250000),(2,'Production',1,3400000),(3,'Sales',2,890000),(4,'Logistics',4,610000),(5,'Finance',2,420000),(6,'Customer care',5,275000),(7,'Human resources',1,198000),(8,'Legal',3,150000);

create table positions (position_id int primary key, title text not null, grade int not null, min_salary numeric(8,2) not null, max_salary numeric(8,2) not null);
insert into positions values (1,'Engineer',4,3200,5600),(2,'Technician',2,2100,3300),(3,'Account manager',3,2600,4700),(4,'Warehouse clerk',1,1700,2500),(5,'Accountant',3,2500,4200),(6,'Support agent',1,1650,2400),(7,'Team lead',5,4200,7000),(8,'Director',6,7500,14000),(9,'Counsel',4,3900,6800),(10,'Recruiter',2,2000,3400);

create table employees (employee_id int primary key, first_name text not null, last_name text not null, gender text not null, birth_date date not null, hire_date date not null, leave_date date, department_id int not null references departments, position_id int not null references positions, manager_id int references employees, salary numeric(8,2) not null, hours_per_week numeric(4,1) not null, remote boolean not null);
insert into employees select i, (array['Ana','Joris','Elina','Petr','Lucia','Tomas','Sanna','Rui','Katrien','Marta','Oskar','Ines'])[1+draw(i,1,12)], (array['Silva','Peeters','Virtanen','Novak','Romero','Costa','Maes','Laine','Dvorak','Ortega','Pires','Claes','Korpi'])[1+draw(i,2,13)]||case when i>13 then '-'||chr(65+i%26)||chr(97+draw(i,9,26)) else '' end, (array['female','male'])[1+draw(i,3,2)], date '1961-01-01'+draw(i,4,15000), h.d, case when draw(i,6,5)=0 then h.d+300+draw(i,7,1500) end, case when i<=8 then i else 1+draw(i,8,7) end, case when i<=8 then 8 when i<=30 then 7 else 1+draw(i,10,6) end, case when i>30 then 9+draw(i,11,22) when i>8 then 1+draw(i,12,8) end, round(1700+draw(i,13,420)*10+case when i<=8 then 7000 when i<=30 then 2500 else 0 end,2), (array[40,40,40,32,20])[1+draw(i,14,5)], draw(i,15,4)=0 from generate_series(1,210) i, lateral (select date '2005-02-01'+draw(i,5,7000) d) h;

create table absences (absence_id int primary key, employee_id int not null references employees, reason text not null, first_day date not null, last_day date not null, approved boolean);
insert into absences select i, 1+draw(i,21,204), (array['holiday','holiday','holiday','illness','illness','parental leave','unpaid leave'])[1+draw(i,22,7)], x.d, x.d+draw(i,24,20), case draw(i,25,10) when 0 then null when 1 then false else true end from generate_series(1,900) i, lateral (select date '2023-01-02'+draw(i,23,1080) d) x;

create table courses (course_id int primary key, course_title text not null, provider text not null, days int not null, price numeric(7,2) not null, mandatory boolean not null);
insert into courses values (1,'Fire safety','Vigilo',1,90,true),(2,'First aid','Red Cross',2,140,true),(3,'Excel for finance','Tabula',2,390,false),(4,'Forklift licence','Vigilo',5,720,false),(5,'Negotiation','Oratis',3,950,false),(6,'Data protection','Tabula',1,120,true),(7,'Welding','Vigilo',10,1650,false),(8,'French A1','Oratis',20,880,false);

create table enrolments (employee_id int not null references employees, course_id int not null references courses, started date not null, completed date, score int, primary key (employee_id, course_id));
insert into enrolments select distinct on (e,c) e, c, s, case when draw(i,34,5)>0 then s+draw(i,35,40) end, case when draw(i,34,5)>0 then 40+draw(i,36,61) end from generate_series(1,520) i, lateral (select 1+draw(i,31,205) e, 1+draw(i,32,7) c, date '2022-01-10'+draw(i,33,1300) s) x order by e, c, i;

create table applicants (applicant_id int primary key, full_name text not null, email text not null, position_id int not null references positions, applied_on date not null, channel text not null, stage text not null, expected_salary numeric(8,2));
insert into applicants select i, (array['Olga','Ben','Nuno','Vera','Ilkka','Carla','Emil','Rosa'])[1+draw(i,41,8)]||' '||(array['Hart','Lima','Svoboda','Niemi','Vidal','Jansen'])[1+draw(i,42,6)], 'cv'||i||'@post.example', 1+draw(i,43,10), date '2024-01-03'+draw(i,44,690), (array['website','agency','referral','job fair'])[1+draw(i,45,4)], (array['new','interview','offer','hired','rejected','rejected'])[1+draw(i,46,6)], case when draw(i,47,4)>0 then 1800+draw(i,48,300)*20 end from generate_series(1,260) i;

create table reviews (review_id int primary key, employee_id int not null references employees, reviewer_id int not null references employees, year int not null, rating int not null, bonus numeric(8,2));
insert into reviews select row_number() over (order by i, y), i, coalesce(e.manager_id, 1), y, 1+draw(i*10+y,51,5), case when draw(i*10+y,51,5)>=3 then 250+draw(i,52,40)*50 end from generate_series(1,210) i join employees e on e.employee_id=i, generate_series(2022,2025) y where draw(i*10+y,53,6)>0 and e.hire_date < make_date(y,1,1);
drop function draw;
