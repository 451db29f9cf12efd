-- A foreign ministry's visa desk: 8 tables with declared keys. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('visas-22:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table countries (iso char(2) primary key, country_name text not null, visa_free boolean not null, population_millions numeric(7,1) not null);
insert into countries values ('BR','Brazil',true,215.3),('IN','India',false,1417.2),('KE','Kenya',false,54.0),('JP','Japan',true,125.1),('UA','Ukraine',true,38.0),('VN','Vietnam',false,98.2),('MA','Morocco',false,37.5),('PE','Peru',true,34.0),('GE','Georgia',true,3.7),('NP','Nepal',false,30.5);

create table consulates (consulate_id int primary key, city text not null, iso char(2) not null references countries, opened date not null, counters int not null, closed date);
insert into consulates values (1,'Sao Paulo','BR','1991-05-02',6,null),(2,'Mumbai','IN','1987-09-14',12,null),(3,'New Delhi','IN','1979-01-08',15,null),(4,'Nairobi','KE','1996-03-21',5,null),(5,'Tokyo','JP','1974-11-11',7,null),(6,'Hanoi','VN','2001-06-30',4,null),(7,'Rabat','MA','1983-02-17',5,null),(8,'Lima','PE','1999-10-05',3,'2024-06-30'),(9,'Kathmandu','NP','2009-04-12',2,null),(10,'Osaka','JP','1988-08-19',2,'2022-12-31');

create table officers (officer_id int primary key, full_name text not null, consulate_id int not null references consulates, grade text not null, hired_on date not null, supervisor_id int references officers, monthly_pay numeric(8,2) not null);
insert into officers select i, (array['Ines','Karl','Lena','Pavel','Ruth','Stefan','Yara'])[1+draw(i,1,7)]||' '||(array['Adler','Bauer','Conti','Dvorak','Engel','Fuchs','Gallo','Hahn'])[1+draw(i,2,8)], 1+draw(i,3,9), case when i<8 then 'senior' else (array['junior','standard','standard'])[1+draw(i,4,3)] end, date '2005-01-10'+draw(i,5,7000), case when i>7 then 1+draw(i,6,7) end, 2400+draw(i,7,60)*50+case when i<8 then 1800 else 0 end from generate_series(1,40) i;

create table visa_types (type_code text primary key, description text not null, max_days int not null, fee numeric(7,2) not null, multiple_entry boolean not null);
insert into visa_types values ('T','tourist',90,80,false),('B','business',90,95,true),('S','student',365,60,true),('F','family reunion',180,110,false),('X','transit',5,30,false),('W','work',730,150,true);

create table applicants (applicant_id int primary key, given_names text not null, surname text not null, birth_date date not null, nationality char(2) not null references countries, occupation text, passport_expiry date not null);
insert into applicants select i, (array['Arjun','Mai','Joao','Wanjiru','Kenji','Olena','Fatima','Rosa','Nino','Sita'])[1+draw(i,11,10)], (array['Silva','Nguyen','Mwangi','Tanaka','Shevchenko','Alaoui','Quispe','Rai','Patel','Iyer','Sato'])[1+draw(i,12,11)], date '1950-01-01'+draw(i,13,20000), (array['BR','IN','IN','KE','JP','UA','VN','MA','PE','NP'])[1+draw(i,14,10)], case when draw(i,15,5)>0 then (array['engineer','nurse','student','trader','retired','teacher'])[1+draw(i,16,6)] end, date '2023-06-01'+draw(i,17,3600) from generate_series(1,260) i;

create table applications (application_id int primary key, applicant_id int not null references applicants, type_code text not null references visa_types, consulate_id int not null references consulates, submitted_on date not null, decided_on date, status text not null, officer_id int references officers, planned_arrival date);
insert into applications select i, 1+draw(i,21,250), (array['T','T','T','B','S','F','X','W'])[1+draw(i,22,8)], 1+draw(i,23,9), date '2022-02-01'+draw(i,24,1150), case when draw(i,25,6)>0 then date '2022-02-01'+draw(i,24,1150)+2+draw(i,26,60) end, case when draw(i,25,6)=0 then 'pending' else (array['granted','granted','granted','refused','withdrawn'])[1+draw(i,27,5)] end, case when draw(i,25,6)>0 then 1+draw(i,28,38) end, case when draw(i,29,7)>0 then date '2022-02-01'+draw(i,24,1150)+30+draw(i,30,120) end from generate_series(1,600) i;

create table interviews (interview_id int primary key, application_id int not null references applications, officer_id int not null references officers, held_at timestamp not null, language text not null, outcome text not null, minutes int not null);
insert into interviews select i, 1+draw(i,41,590), 1+draw(i,42,36), timestamp '2022-03-01 08:00'+draw(i,43,1100)*interval '1 day'+draw(i,44,18)*interval '30 minutes', (array['English','French','Portuguese','Japanese','Hindi'])[1+draw(i,45,5)], (array['credible','doubtful','no show'])[1+draw(i,46,3)], 5+draw(i,47,40) from generate_series(1,240) i;

create table documents (document_id int primary key, application_id int not null references applications, kind text not null, uploaded_on date not null, verified boolean not null);
insert into documents select i, 1+draw(i,51,595), (array['passport copy','bank statement','invitation letter','insurance','photo'])[1+draw(i,52,5)], date '2022-02-01'+draw(i,53,1180), draw(i,54,4)>0 from generate_series(1,1100) i;
drop function draw;
