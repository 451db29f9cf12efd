-- A ferry company: 8 tables, short names, no key declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('ferries-16:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table port (code char(3), name text, country char(2), berths int);
insert into port values ('OBN','Oban','GB',4),('CRG','Craignure','GB',2),('ABD','Aberdeen','GB',6),('LER','Lerwick','GB',5),('BGO','Bergen','NO',9),('STV','Stavanger','NO',7),('HIR','Hirtshals','DK',5),('ESB','Esbjerg','DK',8),('TOR','Torshavn','FO',3);

create table vessel (imo int, name text, gross_tonnage int, pax_cap int, lane_m int, built int, flag char(2), fuel text);
insert into vessel values (9101,'Solan',6500,420,510,1997,'GB','MGO'),(9102,'Fulmar',4200,300,330,2004,'GB','MGO'),(9103,'Eider',11800,780,1200,2012,'NO','LNG'),(9104,'Tystie',2100,180,150,1989,'GB','MGO'),(9105,'Bonxie',15400,1050,1650,2018,'NO','LNG'),(9106,'Maalie',9800,640,980,2009,'DK','HFO'),(9107,'Kittiwake',7200,500,600,2001,'DK','HFO');

create table rt (rt_id int, dep_port char(3), arr_port char(3), nm numeric(6,1), seasonal boolean);
comment on table rt is 'routes';
comment on column rt.nm is 'distance in nautical miles';
insert into rt values (1,'OBN','CRG',9.5,false),(2,'CRG','OBN',9.5,false),(3,'ABD','LER',186,false),(4,'LER','ABD',186,false),(5,'LER','BGO',202,true),(6,'BGO','LER',202,true),(7,'BGO','HIR',268.5,false),(8,'HIR','BGO',268.5,false),(9,'STV','HIR',172,false),(10,'HIR','TOR',540,true),(11,'TOR','HIR',540,true),(12,'ESB','STV',255,true);

create table sailing (sailing_id int, rt_id int, imo int, sched_dep timestamp, actual_dep timestamp, wave_m numeric(3,1), st char(1));
comment on column sailing.st is 'D = departed, C = cancelled, P = planned';
comment on column sailing.wave_m is 'significant wave height in metres';
insert into sailing select i, 1+draw(i,1,12), 9101+draw(i,2,7), d, case when s='D' then d+make_interval(mins=>greatest(0,draw(i,4,90)-25)) end, draw(i,5,75)/10.0, s from generate_series(1,400) i, lateral (select timestamp '2023-01-01'+make_interval(days=>draw(i,6,1000), mins=>15*draw(i,7,96)) d, (array['D','D','D','D','D','C','P'])[1+draw(i,3,7)] s) x;

create table pax (pax_id int, surname text, given text, nat char(2), dob date, loyalty_no text);
comment on table pax is 'passengers';
insert into pax select i, (array['Aune','Berg','Clark','Dahl','Ennis','Foss','Gray','Holm','Isbister','Joensen','Kerr','Lund','Moar','Nilsen','Olsen','Poulsen'])[1+draw(i,11,16)], (array['Anna','Bo','Cara','Dag','Elin','Finn','Greta','Hal','Ines','Jon'])[1+draw(i,12,10)], (array['GB','NO','DK','FO','DE'])[1+draw(i,13,5)], date '1940-01-01'+draw(i,14,28000), case when draw(i,15,3)=0 then 'L'||(1000+i) end from generate_series(1,150) i;

create table bkg (bkg_id int, sailing_id int, pax_id int, booked_at date, cls text, fare numeric(8,2), fuel_surcharge numeric(7,2), port_dues numeric(7,2), agent_id int);
comment on table bkg is 'bookings';
comment on column bkg.cls is 'class of travel: STD, CAB, LUX';
insert into bkg select i, 1+draw(i,21,380), 1+draw(i,22,140), date '2022-12-01'+draw(i,23,1000), c, (case c when 'STD' then 25 when 'CAB' then 90 else 210 end)+draw(i,25,60), 3+draw(i,26,12), 2+draw(i,27,6), case when draw(i,28,3)=0 then 1+draw(i,29,6) end from generate_series(1,900) i, lateral (select (array['STD','STD','CAB','LUX'])[1+draw(i,24,4)] c) x;

create table agent (agent_id int, agency text, comm_rate numeric(4,3), home_port char(3));
insert into agent values (1,'Nordreise',0.08,'BGO'),(2,'Island Travel',0.1,'ABD'),(3,'Skagen Tours',0.075,'HIR'),(4,'Mull Holidays',0.12,'OBN'),(5,'Faroe Direct',0.09,'TOR'),(6,'Jutland Rejser',0.07,'ESB'),(7,'Zetland Breaks',0.11,'LER');

create table cargo (cargo_id int, sailing_id int, shipper text, kind text, wt_kg int, vol_m3 numeric(7,1), frt numeric(9,2), hazmat boolean);
comment on column cargo.frt is 'freight charged';
insert into cargo select i, 1+draw(i,31,390), (array['Arctic Salmon','Bergen Stål','Cairn Spirits','Dansk Møbler','Eday Wool'])[1+draw(i,32,5)], (array['fish','steel','whisky','furniture','wool','machinery'])[1+draw(i,33,6)], 200+draw(i,34,21000), (10+draw(i,35,600))/10.0, 50+draw(i,36,4000), draw(i,37,10)=0 from generate_series(1,350) i;
