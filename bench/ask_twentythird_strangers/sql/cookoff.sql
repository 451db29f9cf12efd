-- A television cooking contest: 8 tables with declared keys. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('cookoff-23:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table season (season_no int primary key, broadcaster text not null, first_aired date not null, prize_money numeric(10,2) not null, winner_id int);
insert into season select i, case when i<4 then 'Channel Nine' else 'StreamBox' end, date '2017-09-05'+(i-1)*364, 50000+(i/3)*25000, null from generate_series(1,8) i;

create table contestant (contestant_id int primary key, name text not null, age int not null, hometown text not null, occupation text, season_no int not null references season, sex char(1) not null);
insert into contestant select i, (array['Liam','Noor','Greta','Paulo','Sian','Dmitri','Aiko','Femke','Rashid','Bianca'])[1+draw(i,1,10)]||' '||(array['Osei','Walsh','Brandt','Moreau','Iyer','Castell','Nyberg','Rowe'])[1+draw(i,2,8)]||case when i>48 then ' Jr' else '' end, 19+draw(i,3,50), (array['Leeds','Cork','Swansea','Derby','Dundee','Exeter','York'])[1+draw(i,4,7)], (array['teacher','nurse','retired','student','engineer','florist',null])[1+draw(i,5,7)], 1+(i-1)%8, case when draw(i,6,2)=0 then 'F' else 'M' end from generate_series(1,76) i;
update season set winner_id=season_no+8*(1+draw(season_no,7,8)) where season_no<8;
alter table season add foreign key (winner_id) references contestant;

create table judge (judge_id int primary key, name text not null, nationality text not null, restaurant text, michelin_stars int not null);
insert into judge values (1,'Marguerite Duval','French','Le Cygne',3),(2,'Tom Harker','British','The Larder',1),(3,'Isabella Conte','Italian',null,0),(4,'Kenji Mori','Japanese','Hinoki',2),(5,'Ruth Okafor','British','Palm House',1),(6,'Sven Lindqvist','Swedish',null,0);

create table episode (episode_id int primary key, season_no int not null references season, number int not null, theme text not null, air_date date not null, viewers_millions numeric(4,2));
insert into episode select i, 1+(i-1)/8, 1+(i-1)%8, (array['Bread','Pastry','Seafood','Vegan','Street Food','Chocolate','Comfort Food','Final'])[1+(i-1)%8], date '2017-09-05'+((i-1)/8)*364+((i-1)%8)*7, case when i<63 then 2+draw(i,11,500)/100.0 end from generate_series(1,64) i;

create table dish (dish_id int primary key, contestant_id int not null references contestant, episode_id int not null references episode, title text not null, course text not null, cuisine text not null, minutes int not null, vegetarian boolean not null);
insert into dish select i, c, 1+((c-1)%8)*8+draw(i,22,8), (array['Smoky','Glazed','Rustic','Chilled','Spiced','Golden'])[1+draw(i,23,6)]||' '||(array['Tart','Ramen','Loaf','Skewers','Stew','Dumplings','Mousse'])[1+draw(i,24,7)], (array['starter','main','main','dessert'])[1+draw(i,25,4)], (array['Italian','Japanese','Mexican','Indian','French','British'])[1+draw(i,26,6)], 20+draw(i,27,20)*10, draw(i,28,3)=0 from (select i, 1+draw(i,21,74) c from generate_series(1,330) i) x;

create table score (dish_id int not null references dish, judge_id int not null references judge, points int not null, comment text, primary key (dish_id, judge_id));
insert into score select d, j, 1+draw(d*7+j,31,10), case when draw(d*7+j,32,3)=0 then (array['too salty','superb','undercooked','well balanced'])[1+draw(d*7+j,33,4)] end from generate_series(1,322) d, generate_series(1,6) j where draw(d*7+j,34,2)=0;

create table elimination (episode_id int primary key references episode, contestant_id int not null references contestant, reason text not null);
insert into elimination select e, 1+(e-1)/8+8*((e-1)%8), (array['burnt dish','ran out of time','lowest score','withdrew'])[1+draw(e,41,4)] from generate_series(1,64) e where (e-1)%8 not in (0,7);

create table sponsor (sponsor_id int primary key, company text not null, season_no int not null references season, amount numeric(10,2) not null, category text not null);
insert into sponsor select i, (array['Copperpan','FreshBox','Millstone Flour','Aroma Coffee','Kelvin Ovens'])[1+draw(i,51,5)], 1+draw(i,52,7), 5000+draw(i,53,60)*500, (array['equipment','ingredients','media'])[1+draw(i,54,3)] from generate_series(1,26) i;
drop function draw;
