-- What COLLATE decides for an operator wins over the operands' own collations, also when it is the one an operand has anyhow.
-- schema
create table t (id int primary key, s text, c text collate "C");
-- stands
select id from t where s < c;
select id from t where s < c collate "C";
-- falls
select id from t where s < c;
select id from t where s collate "default" < c;
