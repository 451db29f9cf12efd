-- M21: a sum may overflow whoever reads it
-- schema
create table task (id int primary key, proj int not null, hours int not null, cost numeric(10,2) not null, spent interval not null);
-- stands
select proj from task group by proj having sum(hours) is not null and avg(cost) is not null;
select distinct proj from task;
-- falls
select proj from task group by proj having sum(spent) is not null;
select distinct proj from task;
