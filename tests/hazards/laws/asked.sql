-- A condition on the right side of EXCEPT ALL may be left out only where what is on the left meets it anyway.
-- schema
create table x (k int, v int);
create table y (k int, v int);
-- stands
select k from x where k > 3 except all select k from y where k > 3;
select k from x where k > 3 except all select k from y;
-- falls
select k from x except all select k from y where k > 3;
select k from x except all select k from y;
