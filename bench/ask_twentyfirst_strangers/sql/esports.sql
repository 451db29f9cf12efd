-- A league of computer game players: 9 tables, no key references declared. Rows are drawn by `draw`: whole numbers from md5, the same everywhere.
create function draw(i int, salt int, n int) returns int language sql immutable as $$ select (('x'||substr(md5('esports-21:'||salt||':'||i),1,7))::bit(28)::int) % n $$;

create table game (game_id int primary key, title text not null, genre text not null, publisher text not null, released_year int not null);
insert into game values (1,'Iron Arena','shooter','Voltek',2014),(2,'Runebound Legends','MOBA','Northgate',2011),(3,'Apex Circuit','racing','Voltek',2019),(4,'Stellar Command','strategy','Hexa Works',2010),(5,'Turbo Soccer','sports','Kitsune',2016);

create table team (team_id int primary key, team_name text not null, country text not null, founded int not null, sponsor text, annual_budget numeric(12,2) not null);
insert into team select i, (array['Crimson','Frost','Night','Solar','Iron','Ghost'])[1+(i-1)%6]||' '||(array['Foxes','Owls','Titans','Ravens'])[1+(i-1)/6], (array['Sweden','South Korea','Germany','Brazil','United States','Denmark'])[1+draw(i,1,6)], 2005+draw(i,2,18), case when draw(i,3,4)>0 then (array['Redline Energy','Novatech','Bank Orso','Pixel Foods'])[1+draw(i,4,4)] end, 200000+draw(i,5,90)*50000 from generate_series(1,24) i;

create table player (player_id int primary key, nickname text not null, real_name text not null, birthdate date not null, nationality text not null, team_id int, role text, monthly_salary numeric(9,2));
insert into player select i, (array['zero','hex','mango','blitz','kumo','viper','echo','nyx','rook','sable'])[1+draw(i,11,10)]||i, (array['Erik','Min-jun','Lucas','Anna','Jonas','Rafael','Sofia','Ji-woo'])[1+draw(i,12,8)]||' '||(array['Lind','Park','Souza','Becker','Holm','Reyes','Kim','Novak'])[1+draw(i,13,8)], date '1992-01-01'+draw(i,14,5600), (array['Swedish','Korean','German','Brazilian','American','Danish'])[1+draw(i,15,6)], case when draw(i,16,9)>0 then 1+draw(i,17,22) end, (array['captain','support','sniper','driver','analyst'])[1+draw(i,18,6)], case when draw(i,16,9)>0 then 1500+draw(i,19,120)*100 end from generate_series(1,150) i;

create table coach (coach_id int primary key, coach_name text not null, team_id int not null, since date not null, certified boolean not null);
insert into coach select i, (array['Olof','Mirae','Dieter','Paulo','Grace','Signe'])[1+draw(i,21,6)]||' '||(array['Berg','Choi','Kraus','Lima','Dunn','Friis'])[1+draw(i,22,6)], i, date '2017-01-01'+draw(i,23,3000), draw(i,24,2)=0 from generate_series(1,20) i;

create table tournament (tournament_id int primary key, name text not null, game_id int not null, city text not null, start_date date not null, end_date date not null, prize_pool numeric(12,2) not null, online boolean not null);
insert into tournament select i, (array['Winter','Spring','Summer','Autumn'])[1+(i-1)%4]||' '||(array['Clash','Masters','Open','Cup'])[1+draw(i,31,4)]||' '||(2021+(i-1)/8), 1+draw(i,32,5), (array['Malmo','Seoul','Cologne','Sao Paulo','Austin'])[1+draw(i,33,5)], make_date(2021+(i-1)/8, 1+3*((i-1)%4), 3+draw(i,34,20)), make_date(2021+(i-1)/8, 1+3*((i-1)%4), 3+draw(i,34,20))+2+draw(i,35,9), 10000+draw(i,36,100)*5000, draw(i,37,4)=0 from generate_series(1,38) i;

create table entry (tournament_id int not null, team_id int not null, final_rank int, prize numeric(12,2) not null, disqualified boolean not null, primary key (tournament_id, team_id));
insert into entry select t, x.team, case when draw(k,41,25)>0 then r end, case when r<4 and draw(k,41,25)>0 then 30000/r else 0 end, draw(k,41,25)=0 from generate_series(1,38) t, lateral (select team, row_number() over (order by draw(t*100+team,42,100000), team) r from generate_series(1,23) team) x, lateral (select t*100+x.team k) y where r<=8;

create table game_match (match_id int primary key, tournament_id int not null, home_team int not null, away_team int not null, home_score int not null, away_score int not null, played_at timestamp not null, minutes int not null, viewers int);
insert into game_match select i, t.tournament_id, 1+a, 1+(a+1+draw(i,53,21))%23, draw(i,54,17), draw(i,55,17), t.start_date+draw(i,56,(t.end_date-t.start_date+1)::int)*interval '1 day'+(10+draw(i,57,12))*interval '1 hour', 18+draw(i,58,70), case when draw(i,59,10)>0 then 800+draw(i,60,90000) end from generate_series(1,480) i join tournament t on t.tournament_id=1+draw(i,51,37), lateral (select draw(i,52,23) a) x;

create table stream (stream_id int primary key, match_id int not null, platform text not null, language text not null, peak_viewers int not null);
insert into stream select i, 1+draw(i,61,470), (array['Glimmer','Glimmer','VidHub','Castr'])[1+draw(i,62,4)], (array['English','English','Korean','Portuguese','German'])[1+draw(i,63,5)], 100+draw(i,64,60000) from generate_series(1,900) i;

create table penalty (penalty_id int primary key, player_id int not null, match_id int not null, reason text not null, fine numeric(8,2) not null, paid boolean not null);
insert into penalty select i, 1+draw(i,71,145), 1+draw(i,72,480), (array['insult','late arrival','cheating','late arrival','equipment'])[1+draw(i,73,5)], 50+draw(i,74,40)*25, draw(i,75,3)>0 from generate_series(1,130) i;
drop function draw;
