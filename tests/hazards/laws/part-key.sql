-- A row of the referenced relation is the one referred to only if it has its key.
-- schema
create table w (id int primary key, name text not null);
create table d (id int primary key, w int not null references w, name text, unique (id, w));
create table s (id int primary key, w int not null, d int, e int not null references d, foreign key (d, w) references d (id, w));
create table loose (id int primary key, w int, d int, foreign key (d, w) references d (id, w));
-- stands
select s.id from s join d on d.id = s.d where d.w = 5;
select s.id from s where s.w = 5 and s.d is not null;
-- falls
select s.id from s join d on d.id = s.e where d.w = 5 and s.d is not null;
select s.id from s where s.w = 5 and s.d is not null;
