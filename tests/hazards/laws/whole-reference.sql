-- A composite foreign key of which a column is NULL refers to no row, whatever the others say.
-- schema
create table w (id int primary key, name text not null);
create table d (id int primary key, w int not null references w, name text, unique (id, w));
create table s (id int primary key, w int not null, d int, e int not null references d, foreign key (d, w) references d (id, w));
create table loose (id int primary key, w int, d int, foreign key (d, w) references d (id, w));
-- stands
select s.id, d.name from s join d on d.id = s.d;
select s.id, d.name from s join d on d.id = s.d and d.w = s.w;
-- falls
select s.id, d.name from loose s join d on d.id = s.d;
select s.id, d.name from loose s join d on d.id = s.d and d.w = s.w;
