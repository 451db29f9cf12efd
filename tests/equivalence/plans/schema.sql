create table branch (bno int primary key, bname varchar(20) not null, town varchar(20));
create table clerk (cno int primary key, cname varchar(20) not null, grade varchar(10) not null, boss int, joined date not null, pay int not null, perk int, bno int not null references branch (bno));
create table trainee (tno int, tname varchar(20), grade varchar(10), pay int, perk int, bno int);
create table award (cname varchar(20), grade varchar(10), pay int, perk int);
create table deal (dno int primary key, cno int not null references clerk (cno), client int, amount int not null, signed date not null);
create table client (client int primary key, name varchar(30) not null, town varchar(20));
