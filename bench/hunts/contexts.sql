-- context: counted
select count(*) from ({q}) z
-- context: read
select * from ({q}) z
-- context: different
select distinct * from ({q}) z
-- context: some
select * from ({q}) z limit 100
-- context: first
select * from ({q}) z limit 1
-- context: are there
select exists ({q})
-- context: if there are
select u.id from u where exists ({q})
-- context: none
select u.id from u where not exists ({q})
-- context: how many for each
select u.id, (select count(*) from ({q}) z) from u
-- context: computed
with z as materialized ({q}) select * from z
-- context: read twice
with z as ({q}) select * from z union all select * from z
-- context: united
({q}) union ({q})
-- context: less itself
({q}) except ({q})
-- context: and itself
({q}) intersect all ({q})
-- context: beside
select u.id, z.* from u, ({q}) z
-- context: padded
select u.id, z.* from u left join ({q}) z on u.k > 1
-- context: for each
select u.id, z.* from u cross join lateral ({q}) z where u.r is null
-- context: by rows
select z, count(*) from ({q}) z group by z
-- context: numbered
select row_number() over (), z.* from ({q}) z
-- context: share
select count(*) over (), z.* from ({q}) z
-- context: gathered
select count(z), count(z.*) from ({q}) z
-- context: with one more
({q}) union all ({q}) limit 100 offset 1
-- context: after none
select z.* from ({q}) z where (select count(*) from u) > 1
-- context: either
select u.id, exists ({q}) or u.k > 1 from u
