-- A row of the one side stands for its equals of the other, which may look different: a condition on looks is not moved.
-- accept: tie-order
-- schema
create table x (k int, n numeric, v int);
create table y (k int, n numeric, v int);
-- stands
select k from (select k, v from x except all select k, v from y) s where v > 1;
select k from (select k, v from x where v > 1 except all select k, v from y) s;
-- falls
select k from (select k, n, v from x except all select k, n, v from y) s where v > 1;
select k from (select k, n, v from x where v > 1 except all select k, n, v from y) s;
