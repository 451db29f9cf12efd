-- A hospital laboratory's blood values: 4 tables, abbreviations as names of columns, marks as values, declared keys. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('bloodlab-24:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table "Patient" ("ID" int primary key, "SEX" char(1), "Birthday" date not null, "First Date" date, "Admission" text, "Diagnosis" text);
insert into "Patient" select 10000+37*i, case when draw(i,1,14)>0 then (array['F','F','M'])[1+draw(i,2,3)] end, date '1925-01-01'+draw(i,3,24000), case when draw(i,4,9)>0 then date '1985-01-01'+draw(i,5,4000) end, case when draw(i,6,12)>0 then (array['+','-','-'])[1+draw(i,7,3)] end, (array['SLE','RA','SJS','PSS','BEHCET','MCTD'])[1+draw(i,8,6)] from generate_series(1,90) i;

create table "Doctor" ("DocID" int primary key, "DocName" text not null, "Dept" text not null, "HireYr" int not null);
insert into "Doctor" values (1,'Hana Ito','rheumatology',1979),(2,'Leo Brandt','rheumatology',1984),(3,'Mina Sorel','nephrology',1988),(4,'Karl Ostrom','dermatology',1991),(5,'Ruth Adeyemi','nephrology',1975),(6,'Pavel Dusek','hematology',1994),(7,'Ann Lowe','neurology',1990);

create table "Examination" ("ExamID" int primary key, "ID" int not null references "Patient", "ExamDate" date not null, "DocID" int references "Doctor", "aCL IgG" numeric(5,1), "aCL IgM" numeric(5,1), "ANA" int not null, "KCT" char(1), "Thrombosis" int not null, "Symptoms" text);
insert into "Examination" select i, 10000+37*(1+draw(i,9,78)), date '1990-02-01'+draw(i,10,2900), case when draw(i,11,10)>0 then 1+draw(i,12,6) end, draw(i,13,300)/10.0, draw(i,14,300)/10.0, (array[0,4,16,64,256])[1+draw(i,15,5)], case when draw(i,16,2)=0 then (array['+','-'])[1+draw(i,17,2)] end, (array[0,0,0,1,2,3])[1+draw(i,18,6)], case when draw(i,19,3)=0 then (array['brain infarction','abortion','CVA','thrombophlebitis'])[1+draw(i,20,4)] end from generate_series(1,160) i;

create table "Laboratory" ("ID" int not null references "Patient", "Date" date not null, "GOT" int, "GPT" int, "LDH" int, "ALB" numeric(3,1), "UA" numeric(3,1), "T-BIL" numeric(3,1), "T-CHO" int, "WBC" numeric(4,1), "HGB" numeric(3,1), "PLT" int, "CRP" text, primary key ("ID","Date"));
insert into "Laboratory" select distinct on (10000+37*(1+draw(i,21,82)), date '1989-01-01'+draw(i,22,3300)) 10000+37*(1+draw(i,21,82)), date '1989-01-01'+draw(i,22,3300), 10+draw(i,23,80), 8+draw(i,24,90), 150+draw(i,25,500), case when draw(i,26,6)>0 then 2.8+draw(i,27,30)/10.0 end, 2+draw(i,28,75)/10.0, case when draw(i,29,5)>0 then 0.2+draw(i,30,25)/10.0 end, case when draw(i,31,7)>0 then 110+draw(i,32,220) end, 2+draw(i,33,120)/10.0, 7+draw(i,34,110)/10.0, 60+draw(i,35,420), (array['-','-','+','<0.2','1.1'])[1+draw(i,36,5)] from generate_series(1,700) i order by 10000+37*(1+draw(i,21,82)), date '1989-01-01'+draw(i,22,3300), i;
drop function draw;
