-- A column is shown by another row's only where it is the very same.
-- schema
create table w (id int primary key, name text not null);
create table d (id int primary key, w int not null references w, name text, unique (id, w));
create table s (id int primary key, w int not null, d int, e int not null references d, foreign key (d, w) references d (id, w));
create table loose (id int primary key, w int, d int, foreign key (d, w) references d (id, w));
-- stands
select s.id, d.w from s join d on d.id = s.d;
select s.id, s.w from s where s.d is not null;
-- falls
select s.id, d.w from s join d on d.id = s.e;
select s.id, s.w from s;
