-- A savings bank: 7 tables, bare codes as names of columns (A2, A11) and as values, no key references declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('savings-24:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table district (district_id int primary key, "A2" text not null, "A3" text not null, "A4" int not null, "A11" int not null, "A12" numeric(4,2), "A15" int);
insert into district select i, (array['Aldmoor','Brecken','Corvale','Dunmere','Eastholt','Farrow','Glenport','Harwick','Ivelow','Jarrow Hill','Kesterby','Lunmouth'])[i], (array['north','north','south','west','east','south'])[1+(i-1)%6], 20000+draw(i,1,400)*500, 7800+draw(i,2,50)*60, case when i<>7 then 0.4+draw(i,3,60)/10.0 end, case when i<>3 then 300+draw(i,4,4000) end from generate_series(1,12) i;

create table client (client_id int primary key, gender char(1) not null, birth_date date not null, district_id int not null);
insert into client select i, case draw(i,5,2) when 0 then 'F' else 'M' end, date '1940-01-01'+draw(i,6,22000), 1+draw(i,7,12) from generate_series(1,140) i;

create table account (account_id int primary key, district_id int not null, frequency text not null, date date not null);
insert into account select i, 1+draw(i,8,12), (array['POPLATEK MESICNE','POPLATEK MESICNE','POPLATEK TYDNE','POPLATEK PO OBRATU'])[1+draw(i,9,4)], date '1993-01-05'+draw(i,10,1700) from generate_series(1,110) i;

create table disp (disp_id int primary key, client_id int not null, account_id int not null, type text not null);
insert into disp select i, i, case when i<=110 then i else 1+draw(i,11,110) end, case when i<=110 then 'OWNER' else 'DISPONENT' end from generate_series(1,140) i;

create table card (card_id int primary key, disp_id int not null, type text not null, issued date not null);
insert into card select i, 3*i-1, (array['classic','classic','junior','gold'])[1+draw(i,12,4)], date '1996-01-01'+draw(i,13,1000) from generate_series(1,42) i;

create table loan (loan_id int primary key, account_id int not null, date date not null, amount int not null, duration int not null, payments numeric(9,2) not null, status char(1) not null);
insert into loan select i, 2*i, date '1994-06-01'+draw(i,14,1500), 1000*(5+draw(i,15,300)), 12*(1+draw(i,16,5)), round((1000*(5+draw(i,15,300)))/(12.0*(1+draw(i,16,5))),2), (array['A','A','B','C','C','D'])[1+draw(i,17,6)] from generate_series(1,48) i;

create table trans (trans_id int primary key, account_id int not null, date date not null, type text not null, operation text, amount int not null, balance int not null, k_symbol text);
insert into trans select i, 1+draw(i,18,104), date '1995-01-01'+draw(i,19,1400), t, case when t='VYDAJ' then (array['VYBER','VYBER','PREVOD NA UCET','VYBER KARTOU'])[1+draw(i,20,4)] else (array['VKLAD','PREVOD Z UCTU'])[1+draw(i,20,2)] end, 100+draw(i,21,400)*50, 500+draw(i,22,900)*100, case when draw(i,23,3)>0 then (array['SIPO','SLUZBY','UVER','POJISTNE'])[1+draw(i,24,4)] end from (select i, (array['PRIJEM','VYDAJ','VYDAJ'])[1+draw(i,25,3)] as t from generate_series(1,900) i) x;
drop function draw;
