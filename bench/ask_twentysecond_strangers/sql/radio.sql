-- A broadcaster's radio stations: 7 tables, no key references declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('radio-22:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table station (id int primary key, name text not null, city text not null, frequency numeric(5,1) not null, launch_year int not null, owner text);
insert into station values (1,'Harbour FM','Bristol',97.3,1988,'Northwave Media'),(2,'Peak Radio','Sheffield',101.5,1994,'Northwave Media'),(3,'Valley Sound','Cardiff',88.9,2003,'Celtic Air'),(4,'Metro Jazz','Manchester',104.2,1979,null),(5,'Coast One','Brighton',92.6,2011,'Celtic Air'),(6,'Capital Talk','London',95.8,1973,'Public Trust'),(7,'Granite Rock','Aberdeen',99.1,1999,'Northwave Media'),(8,'Fenland Folk','Ely',90.4,2016,null);

create table host (id int primary key, first_name text not null, last_name text not null, birth_year int not null, gender char(1) not null, hired date not null, salary numeric(9,2));
insert into host select i, (array['Tara','Owen','Jude','Priya','Callum','Beth','Marcus','Nina'])[1+draw(i,1,8)], (array['Lloyd','Sharma','Finch','Doyle','Abbott','Moss','Keane','Ridley','Stone'])[1+draw(i,2,9)], 1955+draw(i,3,45), case draw(i,4,2) when 0 then 'F' else 'M' end, date '2008-01-01'+draw(i,5,6000), case when draw(i,6,8)>0 then 22000+draw(i,7,120)*400 end from generate_series(1,34) i;

create table show (id int primary key, title text not null, genre text not null, station_id int not null, host_id int, weekday text not null, start_time time not null, duration_minutes int not null);
insert into show select i, (array['Morning','Late','Sunday','Golden','Open','Deep','Local'])[1+(i-1)%7]||' '||(array['Call','Hour','Sessions','Mix','Debate','Stories','Breakfast'])[1+((i-1)/7)%7], (array['news','talk','jazz','rock','comedy','documentary'])[1+draw(i,12,6)], 1+draw(i,13,7), case when draw(i,14,9)>0 then 1+draw(i,15,30) end, (array['Monday','Tuesday','Wednesday','Thursday','Friday','Saturday','Sunday'])[1+draw(i,16,7)], make_time(5+draw(i,17,18),30*draw(i,18,2),0), 30+30*draw(i,19,5) from generate_series(1,46) i;

create table episode (id int primary key, show_id int not null, aired_on date not null, topic text, listeners int not null, repeat boolean not null);
insert into episode select i, 1+draw(i,21,43), date '2022-01-03'+draw(i,22,1000), case when draw(i,23,4)>0 then (array['elections','climate','housing','festival','football','health','schools'])[1+draw(i,24,7)] end, 900+draw(i,25,70000), draw(i,26,6)=0 from generate_series(1,520) i;

create table guest (id int primary key, name text not null, profession text not null, nationality text not null);
insert into guest select i, (array['Ada','Boris','Chloe','Dev','Elif','Femi','Greta','Hugo'])[1+draw(i,31,8)]||' '||(array['Vance','Okoro','Lind','Marsh','Pereira','Quinn','Tran'])[1+draw(i,32,7)]||case when i>40 then ' Jr' else '' end, (array['politician','musician','scientist','author','athlete','chef'])[1+draw(i,33,6)], (array['British','Irish','Nigerian','Swedish','Portuguese','Indian'])[1+draw(i,34,6)] from generate_series(1,60) i;

create table appearance (episode_id int not null, guest_id int not null, fee numeric(8,2) not null, primary key (episode_id, guest_id));
insert into appearance select distinct on (1+draw(i,41,510), 1+draw(i,42,55)) 1+draw(i,41,510), 1+draw(i,42,55), 25*draw(i,43,30) from generate_series(1,430) i order by 1+draw(i,41,510), 1+draw(i,42,55), i;

create table advert (id int primary key, station_id int not null, company text not null, price numeric(8,2) not null, first_run date not null, last_run date not null, spots_per_day int not null);
insert into advert select i, 1+draw(i,51,8), (array['Quick Tyres','Bellman Bakery','Orchard Bank','Lumo Energy','Swift Rail'])[1+draw(i,52,5)], 400+draw(i,53,90)*50, date '2023-01-01'+draw(i,54,700), date '2023-01-01'+draw(i,54,700)+7+draw(i,55,80), 1+draw(i,56,9) from generate_series(1,75) i;
drop function draw;
