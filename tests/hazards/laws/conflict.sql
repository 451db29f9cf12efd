-- A column of collation "C" beside one of the database's own is compared under "C"; beside one of collation ucs_basic under
-- neither: the comparison raises an error.
-- schema
create table k (id int primary key, c text collate "C", u text collate "ucs_basic", d text);
-- stands
select id from k where c = d or (c = d) is not true;
select id from k;
-- falls
select id from k where c = u or (c = u) is not true;
select id from k;
