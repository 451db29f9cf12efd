create table team (id int primary key, team_name text, town text, founded int, stadium_capacity int);
create table player (id int primary key, full_name text, team_id int references team, position text, height_cm int, weight_kg int, date_of_birth date, weekly_wage numeric);
create table referee (id int primary key, name text, country text);
create table match (id int primary key, season int, played_on date, home_team_id int references team, away_team_id int references team, home_goals int, away_goals int, attendance int, referee_id int references referee);
create table goal (id int primary key, match_id int references match, player_id int references player, minute int, is_penalty boolean);
create table transfer (id int primary key, player_id int references player, fee numeric, transfer_date date);
insert into team values (1,'Northgate Rovers','Northgate',1898,31000),(2,'Ashford United','Ashford',1920,18000),(3,'Port Vale Harriers','Port Vale',1905,22500),(4,'Kingsmere','Kingsmere',1971,9000),(5,'Old Quay','Port Vale',2002,4000);
insert into player values (1,'Tom Hale',1,'striker',188,84,'1996-02-11',52000),(2,'Luis Prado',1,'goalkeeper',193,90,'1990-08-23',31000),(3,'Imre Nagy',2,'midfielder',176,70,'2001-12-05',12000),(4,'Sam Boateng',2,'striker',181,77,'1998-04-17',18500),
 (5,'Jonas Wirth',3,'defender',190,86,'1989-10-30',15000),(6,'Karl Wirth',3,'striker',185,80,'2003-06-14',9000),(7,'Oleg Sidorov',4,'midfielder',172,68,'1995-01-01',7000),(8,'Pat Quinn',null,'defender',183,79,'1999-09-09',null);
insert into referee values (1,'Mara Stone','England'),(2,'Hugo Blanc','France'),(3,'Nils Berg','Norway');
insert into match values (1,2022,'2022-08-06',1,2,3,1,25000,1),(2,2022,'2022-08-13',3,1,0,2,17000,2),(3,2022,'2022-09-10',2,3,2,2,12000,1),(4,2023,'2023-08-12',4,1,1,4,8500,2),(5,2023,'2023-08-19',1,3,1,0,29500,1),(6,2023,'2023-10-07',2,4,3,0,15500,1),(7,2023,'2023-11-04',3,2,1,1,16500,2);
insert into goal values (1,1,1,12,false),(2,1,1,55,true),(3,1,4,70,false),(4,2,1,33,false),(5,3,4,5,false),(6,3,6,88,false),(7,4,1,10,false),(8,4,7,44,true),(9,5,1,90,false),(10,6,4,20,false),(11,6,3,31,false),(12,7,6,60,true);
insert into transfer values (1,1,12000000,'2021-07-01'),(2,4,3500000,'2022-01-15'),(3,6,900000,'2023-07-20'),(4,1,20000000,'2024-07-05');
