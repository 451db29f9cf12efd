-- M20: a condition on how a value looks is moved below the window that puts equal values into one partition
-- schema
create table u (id int primary key, n numeric not null, p numeric(8,2) not null, k int not null);
-- stands
select id from (select id, p, max(k) over (partition by p) m from u) q where scale(p) = 1 and id = m;
select id from u where scale(p) = 1 and id = (select max(k) from u x where x.p = u.p);
-- falls
select id from (select id, n, max(k) over (partition by n) m from u) q where scale(n) = 1 and id = m;
select id from u where scale(n) = 1 and id = (select max(k) from u x where x.n = u.n);
