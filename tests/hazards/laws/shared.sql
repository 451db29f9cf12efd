-- What is taken away on both sides must be the same rows.
-- schema
create table x (k int, v int);
create table y (k int, v int);
-- stands
(select k from y union all select k from x where v > 0) except all select k from x where v > 0;
select k from y;
-- falls
select k from x except all select k from x where v > 0;
select k from x where false;
