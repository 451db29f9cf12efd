-- F22: ALTER DOMAIN finds not all values, so that a domain's CHECK may be valid and untrue
-- doubted-domain: altered
-- schema
create domain made as int check (value > 0);
create domain altered as int check (value > 0);
create table a (id int primary key, x made not null);
create table b (id int primary key, x altered not null);
-- stands
select id from a where x > 0;
select id from a;
-- falls
select id from b where x > 0;
select id from b;
