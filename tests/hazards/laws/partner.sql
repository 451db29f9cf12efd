-- A row without a partner is counted by a filter that a padded row meets, and no row of the partner's is there to meet it.
-- by: parts
-- schema
create table p (id int primary key, g int not null);
create table c (id int primary key, p int not null references p, v int);
-- stands
select p.g, count(distinct p.id) filter (where c.v = 1) from p left join c on c.p = p.id group by p.g;
select p.g, count(distinct p.id) filter (where (select bool_or(c.v = 1) from c where c.p = p.id)) from p group by p.g;
-- falls
select p.g, count(distinct p.id) filter (where c.v is null) from p left join c on c.p = p.id group by p.g;
select p.g, count(distinct p.id) filter (where (select bool_or(c.v is null) from c where c.p = p.id)) from p group by p.g;
