-- A fisheries ministry's register of vessels and landings: 7 tables, names cut to letters, no key references declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('fishery-23:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table prt (prt_cd char(3) primary key, prt_nm text not null, rgn text not null, qy_len_m int, auct boolean not null);
insert into prt values ('BRX','Brixham','South West',410,true),('NLN','Newlyn','South West',330,true),('PTH','Peterhead','Scotland',620,true),('LWK','Lerwick','Scotland',null,true),('KLB','Kilkeel','Northern Ireland',240,false),('GRY','Grimsby','North East',515,true),('WTB','Whitby','North East',180,false),('MLF','Milford Haven','Wales',290,false),('FRS','Fraserburgh','Scotland',480,true);

create table ownr (own_id int primary key, own_nm text not null, own_typ char(1) not null, twn text);
insert into ownr select i, case when draw(i,2,3)=0 then (array['Northern','Atlantic','Sable','Blue','Seven'])[1+draw(i,1,5)]||' '||(array['Trawlers','Seafoods','Fishing Co','Marine'])[1+draw(i,3,4)]||' '||i else (array['Angus','Morag','Peter','Hazel','Ivor','Doreen'])[1+draw(i,1,6)]||' '||(array['Buchan','Tregenza','Cowie','Sutherland','Penrose','Mair'])[1+draw(i,3,6)] end, case when draw(i,2,3)=0 then 'C' else 'P' end, (array['Brixham','Newlyn','Peterhead','Lerwick','Whitby',null])[1+draw(i,4,6)] from generate_series(1,40) i;

create table vsl (vsl_id int primary key, vsl_nm text not null, rss_no text not null, hm_prt char(3) not null, own_id int not null, loa_m numeric(5,2) not null, kw int not null, yr_blt int, st char(1) not null);
insert into vsl select i, (array['Ocean','Silver','Girl','Star','Bright','Good','Morning','Fair'])[1+(i-1)%8]||' '||(array['Harvest','Pearl','Morag','Hunter','Venture','Hope','Dawn','Isle','Quest'])[1+((i-1)/8)%9], 'A'||lpad((10000+i*37)::text,5,'0'), (array['BRX','NLN','PTH','PTH','LWK','KLB','GRY','WTB','FRS','BRX'])[1+draw(i,11,10)], 1+draw(i,12,38), 6+draw(i,13,3000)/100.0, 40+draw(i,14,900), case when draw(i,15,9)>0 then 1968+draw(i,15,52) end, (array['A','A','A','L','S'])[1+draw(i,16,5)] from generate_series(1,70) i;

create table spc (sp_cd char(3) primary key, cmn_nm text not null, sci_nm text not null, grp text not null, mls_cm int, quota boolean not null);
insert into spc values ('COD','Atlantic cod','Gadus morhua','demersal',35,true),('HAD','Haddock','Melanogrammus aeglefinus','demersal',30,true),('MAC','Mackerel','Scomber scombrus','pelagic',20,true),('HER','Herring','Clupea harengus','pelagic',20,true),('CRE','Edible crab','Cancer pagurus','shellfish',14,false),('LBE','European lobster','Homarus gammarus','shellfish',9,false),('SCE','King scallop','Pecten maximus','shellfish',10,false),('SOL','Common sole','Solea solea','demersal',24,true),('MON','Monkfish','Lophius piscatorius','demersal',null,false),('PIL','Sardine','Sardina pilchardus','pelagic',11,false);

create table trp (trp_id int primary key, vsl_id int not null, dep_dt date not null, ret_dt date not null, gr_cd char(3) not null, ices text not null, crew int not null);
insert into trp select i, 1+draw(i,21,66), date '2022-01-04'+draw(i,22,1050), date '2022-01-04'+draw(i,22,1050)+draw(i,23,12), (array['OTB','OTB','GNS','FPO','DRB','PTM'])[1+draw(i,24,6)], (array['4a','4b','6a','7a','7e','7f'])[1+draw(i,25,6)], 1+draw(i,26,9) from generate_series(1,520) i;

create table lnd (trp_id int not null, sp_cd char(3) not null, prt_cd char(3) not null, wt_kg numeric(9,1) not null, val_gbp numeric(10,2), grd char(1), primary key (trp_id, sp_cd));
insert into lnd select distinct on (1+draw(i,31,515), sp) 1+draw(i,31,515), (array['COD','HAD','MAC','HER','CRE','LBE','SCE','SOL','MON'])[sp], (array['BRX','NLN','PTH','LWK','KLB','GRY','WTB','FRS'])[1+draw(i,33,8)], 20+draw(i,34,40000)/10.0, case when draw(i,35,11)>0 then 60+draw(i,35,900000)/100.0 end, (array['A','A','B','C'])[1+draw(i,36,4)] from (select i, 1+draw(i,32,9) sp from generate_series(1,1300) i) x order by 1+draw(i,31,515), sp, i;

create table insp (insp_id int primary key, vsl_id int not null, insp_dt date not null, prt_cd char(3), res text not null, fine_gbp numeric(9,2));
insert into insp select i, 1+draw(i,41,60), date '2022-02-01'+draw(i,42,1020), case when draw(i,43,5)>0 then (array['BRX','NLN','PTH','LWK','GRY','FRS'])[1+draw(i,43,6)] end, (array['pass','pass','pass','warning','fail'])[1+draw(i,44,5)], case when draw(i,44,5)=4 then 250+draw(i,45,40)*125 end from generate_series(1,160) i;
drop function draw;
