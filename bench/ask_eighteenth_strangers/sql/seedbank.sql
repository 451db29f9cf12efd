-- A seed bank: 7 tables, no key references declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('seedbank-18:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table species (species_id int primary key, latin_name text not null, common_name text, family text not null, threatened boolean not null);
insert into species values (1,'Papaver rhoeas','corn poppy','Papaveraceae',false),(2,'Centaurea cyanus','cornflower','Asteraceae',true),(3,'Agrostemma githago','corncockle','Caryophyllaceae',true),(4,'Bellis perennis','daisy','Asteraceae',false),(5,'Primula veris','cowslip','Primulaceae',false),(6,'Primula elatior','oxlip','Primulaceae',true),(7,'Cypripedium calceolus','lady slipper','Orchidaceae',true),(8,'Ophrys apifera','bee orchid','Orchidaceae',false),(9,'Arnica montana','arnica','Asteraceae',true),(10,'Lilium martagon',null,'Liliaceae',false),(11,'Gentiana lutea','yellow gentian','Gentianaceae',false),(12,'Stipa pennata',null,'Poaceae',true);

create table collectors (collector_id int primary key, full_name text not null, institute text not null, country text not null, active_since int not null);
insert into collectors values (1,'Marta Vidal','Bergama Botanic Garden','Turkey',1998),(2,'Tomas Lindqvist','Uppsala Seed Lab','Sweden',2005),(3,'Rosa Ferri','Alpine Flora Trust','Italy',2010),(4,'Jan Dvorak','Moravia Institute','Czechia',2001),(5,'Aino Koski','Uppsala Seed Lab','Sweden',2016),(6,'Luc Perrin','Alpine Flora Trust','France',2019),(7,'Nadia Saleh','Bergama Botanic Garden','Turkey',2021),(8,'Petr Hora','Moravia Institute','Czechia',2012);

create table sites (site_id int primary key, site_name text not null, country text not null, habitat text not null, elevation_m int not null);
insert into sites select i, (array['Stone','Long','Upper','Red','Silver','Mill'])[1+draw(i,1,6)]||' '||(array['Meadow','Pasture','Ridge','Fen','Valley'])[1+draw(i,2,5)]||' '||i, (array['Turkey','Sweden','Italy','Czechia','France'])[1+draw(i,3,5)], (array['meadow','pasture','forest edge','wetland','scree'])[1+draw(i,4,5)], 20+draw(i,5,220)*10 from generate_series(1,30) i;

create table accessions (accession_id int primary key, species_id int not null, collector_id int not null, site_id int, collected_on date not null, seeds_received int not null, seed_weight_g numeric(8,2) not null, storage text not null);
insert into accessions select i, 1+draw(i,11,11), 1+draw(i,12,7), case when draw(i,13,8)>0 then 1+draw(i,14,28) end, date '2015-05-01'+draw(i,15,4100), 50+draw(i,16,400)*10, 1+draw(i,17,900)/10.0, (array['cold room','cold room','freezer','cryo'])[1+draw(i,18,4)] from generate_series(1,320) i;

create table germination_tests (test_id int primary key, accession_id int not null, tested_on date not null, seeds_sown int not null, seeds_germinated int not null, temperature_c numeric(4,1) not null, result text not null);
comment on column germination_tests.result is 'P = passed, F = failed, R = repeat';
insert into germination_tests select i, 1+draw(i,21,300), date '2019-01-15'+draw(i,22,2800), x.s, x.s*draw(i,24,101)/100, 5+draw(i,25,40)*0.5, (array['P','P','F','R'])[1+draw(i,26,4)] from generate_series(1,600) i, lateral (select 20+10*draw(i,23,9) as s) x;

create table requests (request_id int primary key, requester text not null, purpose text not null, country text not null, requested_on date not null, approved_on date, declined_on date);
insert into requests select i, (array['Kew Restoration Group','Tartu University','Green Roofs GmbH','Ankara Herbarium','Lyon Ecology Lab','Malmo Parks','Brno Plant Lab'])[1+draw(i,31,7)], (array['research','research','restoration','education','breeding'])[1+draw(i,32,5)], (array['Germany','Turkey','Sweden','Czechia','France'])[1+draw(i,33,5)], x.d, case when draw(i,35,3)>0 then x.d+1+draw(i,36,60) end, case when draw(i,35,3)=0 and draw(i,37,2)=0 then x.d+1+draw(i,38,30) end from generate_series(1,150) i, lateral (select date '2021-02-01'+draw(i,34,2050) as d) x;

create table request_items (request_id int not null, accession_id int not null, seeds_sent int not null, primary key (request_id, accession_id));
insert into request_items select distinct on (r,a) r, a, 10+draw(i,43,50)*10 from generate_series(1,420) i, lateral (select 1+draw(i,41,148) as r, 1+draw(i,42,290) as a) x order by r, a, i;
drop function draw;
