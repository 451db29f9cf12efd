-- A club's board games: 9 tables, declared keys, plain names. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('tabletop-24:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table publisher (publisher_id int primary key, name text not null, country text not null, founded int);
insert into publisher values (1,'Red Meeple','Germany',1986),(2,'Tin Soldier Games','United Kingdom',1998),(3,'Lanterne','France',2005),(4,'Northern Dice','Canada',2011),(5,'Granja','Spain',null),(6,'Kobold Works','United States',1979),(7,'Halma Haus','Germany',1951);

create table designer (designer_id int primary key, first_name text not null, last_name text not null, nationality text not null, birth_year int);
insert into designer select i, (array['Uwe','Clara','Remi','Alan','Ines','Vlad','Sonja','Eric'])[1+draw(i,1,8)], (array['Kramer','Lang','Moreau','Teuber','Faidi','Knight','Rosas','Vogel','Stone','Ibsen'])[1+(i-1)%10], (array['German','French','British','Spanish','American'])[1+draw(i,2,5)], case when draw(i,3,6)>0 then 1945+draw(i,4,45) end from generate_series(1,18) i;

create table game (game_id int primary key, title text not null, year_published int not null, min_players int not null, max_players int not null, playing_time int not null, min_age int, publisher_id int not null references publisher, weight numeric(3,2), price numeric(6,2));
insert into game select i, (array['Iron','Quiet','Copper','Lost','Nine','Winter','Paper','Salt'])[1+(i-1)%8]||' '||(array['Harbor','Empires','Gardens','Caravan','Kings','Orbit','Market'])[1+((i-1)/8)%7], 1980+draw(i,5,44), 1+draw(i,6,3), 3+draw(i,7,6), 15*(1+draw(i,8,14)), case when draw(i,9,7)>0 then 6+2*draw(i,10,5) end, 1+draw(i,11,6), case when draw(i,12,8)>0 then 1+draw(i,13,380)/100.0 end, 10+draw(i,14,90)+0.99 from generate_series(1,52) i;

create table game_designer (game_id int not null references game, designer_id int not null references designer, primary key (game_id, designer_id));
insert into game_designer select i, 1+draw(i,15,16) from generate_series(1,52) i union select i, 1+draw(i,16,16) from generate_series(1,52) i where draw(i,17,4)=0;

create table mechanic (mechanic_id int primary key, name text not null);
insert into mechanic values (1,'worker placement'),(2,'deck building'),(3,'area control'),(4,'dice rolling'),(5,'drafting'),(6,'tile laying'),(7,'cooperative'),(8,'auction');

create table game_mechanic (game_id int not null references game, mechanic_id int not null references mechanic, primary key (game_id, mechanic_id));
insert into game_mechanic select distinct 1+draw(i,18,50), 1+draw(i,19,7) from generate_series(1,110) i;

create table member (member_id int primary key, name text not null, joined date not null, city text not null, email text, favorite_game_id int references game);
insert into member select i, (array['Ada','Bruno','Chloe','Dev','Elif','Femi','Gwen','Hugo'])[1+draw(i,20,8)]||' '||(array['Marsh','Okafor','Pinto','Quinn','Reyes','Sato','Tran','Underhill','Vance'])[1+(i-1)%9], date '2016-01-10'+draw(i,21,3000), (array['Leeds','York','Hull','Bradford','Ripon'])[1+draw(i,22,5)], case when draw(i,23,5)>0 then 'm'||i||'@club.example' end, case when draw(i,24,4)>0 then 1+draw(i,25,52) end from generate_series(1,40) i;

create table play (play_id int primary key, game_id int not null references game, played_on date not null, location text not null, minutes int, winner_id int references member, players int not null);
insert into play select i, 1+draw(i,26,46), date '2022-01-02'+draw(i,27,1060), (array['club room','cafe','library','home'])[1+draw(i,28,4)], case when draw(i,29,9)>0 then 20+draw(i,30,200) end, case when draw(i,31,10)>0 then 1+draw(i,32,34) end, 2+draw(i,33,5) from generate_series(1,320) i;

create table rating (member_id int not null references member, game_id int not null references game, score int not null, comment text, primary key (member_id, game_id));
insert into rating select distinct on (1+draw(i,34,40), 1+draw(i,35,49)) 1+draw(i,34,40), 1+draw(i,35,49), 1+draw(i,36,10), case when draw(i,37,3)=0 then (array['too long','great fun','lovely art','needs more players'])[1+draw(i,38,4)] end from generate_series(1,300) i order by 1+draw(i,34,40), 1+draw(i,35,49), i;
drop function draw;
