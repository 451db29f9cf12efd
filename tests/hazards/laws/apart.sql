-- Rows of one side are left out only where the other side has none that are equal.
-- schema
create table x (k int, v int);
create table y (k int, v int);
-- stands
select k, v from x where v > 0 except all select k, v from y where v <= 0;
select k, v from x where v > 0;
-- falls
select k from x where v > 0 except all select k from y where v <= 0;
select k from x where v > 0;
