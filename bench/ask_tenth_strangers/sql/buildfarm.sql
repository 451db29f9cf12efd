create type plan_kind as enum ('free','team','enterprise');
create type run_status as enum ('queued','running','success','failed','cancelled');
create table account (account_id bigint primary key, login text not null unique, display_name text not null, email text, plan plan_kind not null, is_bot boolean not null default false, created_at timestamptz not null, country_code char(2));
insert into account values
(1,'mkessler','Mira Kessler','mira@sorrel.dev','team',false,'2019-03-04 09:12+00','DE'),(2,'jtan','Joel Tan','joel@sorrel.dev','team',false,'2020-01-20 14:00+00','SG'),
(3,'release-bot','Release Bot',null,'enterprise',true,'2020-06-01 00:00+00',null),(4,'anikam','Anika Moreau',null,'free',false,'2021-09-15 18:40+00','FR'),
(5,'pdahl','Per Dahl','per.dahl@mail.example','enterprise',false,'2021-11-02 07:05+00','NO'),(6,'ossi','Ossi Laine','ossi@mail.example','free',false,'2022-04-28 11:31+00','FI'),
(7,'depcheck','Dependency Checker',null,'enterprise',true,'2022-08-08 08:08+00',null),(8,'rubia','Rubia Costa','rubia@sorrel.dev','team',false,'2023-02-17 16:20+00','BR'),
(9,'wnolan','Will Nolan','will@mail.example','free',false,'2023-10-30 22:15+00','IE');
create table repository (repository_id bigint primary key, owner_id bigint not null references account, name text not null, main_language text, stars int not null, is_private boolean not null, archived_at timestamptz, license text);
insert into repository values
(1,1,'sorrel-core','Rust',1840,false,null,'MIT'),(2,1,'sorrel-docs','Markdown',77,false,null,'CC-BY'),(3,2,'sorrel-web','TypeScript',412,false,null,'MIT'),(4,5,'fjordmap','Go',96,true,null,null),
(5,5,'tidecalc','Go',310,false,'2024-01-10 10:00+00','Apache-2.0'),(6,4,'petite-json','Rust',15,false,null,'MIT'),(7,6,'dotfiles',null,3,true,null,null),(8,8,'infra','Python',8,true,null,null),
(9,8,'plotkin','Python',655,false,null,'BSD-3'),(10,9,'old-blog','PHP',0,false,'2023-12-01 09:00+00',null),(11,2,'sandbox','Rust',1,true,null,null);
create table membership (repository_id bigint references repository, account_id bigint references account, role text not null, added_on date not null, primary key (repository_id, account_id));
insert into membership select r, a, (array['admin','writer','reader'])[1+(r+a)%3], date '2022-01-05'+(r*37+a*11)::int from generate_series(1,11) r, generate_series(1,9) a where (r*5+a*3)%7<3;
create table runner (runner_id int primary key, hostname text not null, os text not null, cores int not null, memory_gb int not null, region text not null, last_seen_at timestamptz);
insert into runner values (1,'amber-01','linux',8,32,'fra','2024-06-30 23:58+00'),(2,'amber-02','linux',16,64,'fra','2024-06-30 23:59+00'),(3,'basalt-01','macos',8,16,'ams','2024-06-29 12:10+00'),(4,'cobalt-01','windows',4,16,'ams','2024-06-30 20:00+00'),
(5,'cobalt-02','windows',4,16,'sin','2024-03-02 04:44+00'),(6,'dolomite','linux',32,128,'sin','2024-06-30 23:59+00'),(7,'flint','linux',2,4,'fra',null);
create table pipeline (pipeline_id bigint primary key, repository_id bigint not null references repository, branch text not null, triggered_by bigint references account, started_at timestamptz not null, finished_at timestamptz, status run_status not null);
insert into pipeline select i, r, b, case when i%9=0 then null else 1+abs(hashint4(i+1))%8 end, s, case when st in ('success','failed','cancelled') then s+make_interval(secs => 60+abs(hashint4(i+4))%2400) end, st::run_status
 from (select i, (array[1,1,3,9,4,2,6,3,8,5])[1+abs(hashint4(i))%10] r, (array['main','main','develop','feature/login','main','release'])[1+abs(hashint4(i+2))%6] b, timestamptz '2024-01-02 06:00+00'+make_interval(mins => i*1077) s,
 case when i in (238,240) then 'queued' when i in (236,239) then 'running' else (array['success','success','failed','success','cancelled','failed','success'])[1+abs(hashint4(i+3))%7] end st from generate_series(1,240) i) x;
create table job (job_id bigint primary key, pipeline_id bigint not null references pipeline, runner_id int references runner, job_name text not null, duration_ms bigint, exit_code int, retries int not null);
insert into job select i, 1+(i-1)/3, case when i%13=0 then null else 1+abs(hashint4(i+20))%6 end, (array['lint','unit tests','package'])[1+i%3], case when i%13=0 then null else 4000+abs(hashint4(i+6))%900000 end, case when i%13=0 then null when abs(hashint4(i+8))%5=0 then 1+abs(hashint4(i))%2 else 0 end, case when i%11=0 then 1+i%3 else 0 end from generate_series(1,705) i;
create table test_report (report_id bigint primary key, job_id bigint not null references job, passed int not null, failed int not null, skipped int not null, coverage_pct numeric(5,2));
insert into test_report select row_number() over (order by job_id), job_id, 100+abs(hashint8(job_id+2))%400, case when exit_code=0 then 0 else 1+abs(hashint8(job_id))%12 end, abs(hashint8(job_id+3))%20, case when job_id%10=4 then null else 40+(abs(hashint8(job_id+5))%5500)/100.0 end from job where job_name='unit tests' and exit_code is not null;
create table artifact (artifact_id bigint primary key, job_id bigint not null references job, file_name text not null, size_bytes bigint not null, expires_on date);
insert into artifact select row_number() over (order by job_id), job_id, 'bundle-'||job_id||(array['.tar.gz','.zip','.whl'])[1+(job_id%3)::int], 20000+abs(hashint8(job_id+7))%90000000, case when job_id%4<>0 then date '2024-07-01'+(job_id%300)::int end from job where job_name='package' and exit_code=0 and job_id%2=0;
