create table ward (ward_id int primary key, name text not null, floor int not null, specialty text not null, capacity int not null);
insert into ward values (1,'Aspen',1,'cardiology',24),(2,'Birch',1,'surgery',30),(3,'Cedar',2,'cardiology',18),(4,'Elm',2,'paediatrics',20),(5,'Fir',3,'oncology',16),(6,'Hazel',3,'surgery',12);
create table nurse (nurse_id int primary key, full_name text not null, grade text not null, hired_on date not null, ward_id int references ward);
insert into nurse select i, (array['Ada Birk','Ben Cole','Cleo Dunn','Dov Eder','Eva Frost','Finn Gale','Gina Holt','Hugo Ives','Iris Jain','Jon Kerr','Kim Lund','Leo Mott','Mia Nash','Ned Orr'])[i],
 (array['junior','senior','charge'])[1+i%3], date '2014-03-01' + i*211, case when i=14 then null else 1+(i*5)%6 end from generate_series(1,14) i;
create table patient (patient_id int primary key, full_name text not null, sex text not null, born_on date not null, town text, smoker boolean not null);
insert into patient select i, 'Patient ' || (array['Abbot','Baker','Carver','Draper','Eyre','Fuller','Glover','Hooper','Ironside','Joiner'])[1+i%10] || ' ' || i,
 case when i%5<3 then 'female' else 'male' end, date '1940-01-15' + i*617, (array['Norwick','Eastry','Sandal','Walton'])[1+abs(hashint4(i))%4], i%4=1 from generate_series(1,40) i;
create table admission (admission_id int primary key, patient_id int not null references patient, ward_id int not null references ward, admitted_at timestamp not null, discharged_at timestamp, reason text not null, emergency boolean not null, cost numeric(10,2));
insert into admission select i, 1+abs(hashint4(i+50))%36, 1+abs(hashint4(i+100))%5, timestamp '2022-01-03 08:15' + i*interval '6 days 5 hours', case when i>147 then null else timestamp '2022-01-03 08:15' + i*interval '6 days 5 hours' + (1+(i*3)%11)*interval '1 day 2 hours' end,
 (array['fracture','chest pain','infection','observation','tumour'])[1+(i*3)%5], i%3=0, case when i%17=0 then null else 800+abs(hashint4(i+7))%5200 end from generate_series(1,160) i;
create table medication (medication_id int primary key, name text not null, category text not null, unit_price numeric(8,2) not null);
insert into medication values (1,'Amoxil','antibiotic',2.40),(2,'Brufen','analgesic',0.35),(3,'Cefalex','antibiotic',3.10),(4,'Doxit','antibiotic',1.95),(5,'Eprex','hormone',48.00),(6,'Fentyl','analgesic',7.25),(7,'Glucor','hormone',12.80),(8,'Heprin','anticoagulant',5.60);
create table prescription (prescription_id int primary key, admission_id int not null references admission, medication_id int not null references medication, nurse_id int not null references nurse, given_on date not null, dose_mg int not null, quantity int not null);
insert into prescription select i, 1+abs(hashint4(i+200))%150, 1+abs(hashint4(i+3000))%7, 1+abs(hashint4(i+400))%12, date '2022-01-10' + i*3, 50*(1+i%9), 1+(i*7)%20 from generate_series(1,300) i;
