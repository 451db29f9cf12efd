-- open: EXCEPT ALL of a table with itself
select a from nx except all select a from nx;
select a from nx where false;
-- different: EXCEPT ALL is no anti-join
select a from nx except all select a from ny;
select a from nx where a not in (select a from ny where a is not null);
-- equal: EXCEPT of what is referenced
select acct from mv except select id from acct;
select acct from mv where false;
-- different: INTERSECT ALL of a table with itself is no DISTINCT
select n from mv intersect all select n from mv;
select distinct n from mv;
-- open: INTERSECT ALL of a table with itself
select n from mv intersect all select n from mv;
select n from mv;
-- equal: USING of an inner join of integers
select a, nx.b, ny.b from nx join ny using (a);
select nx.a, nx.b, ny.b from nx join ny on nx.a = ny.a;
-- equal: full USING merges integers from either side
select a from nx full join ny using (a);
select coalesce(ny.a, nx.a) from nx full join ny on nx.a = ny.a;
-- different: full USING of floats merges from the left
select f from nx full join ny using (f);
select coalesce(ny.f, nx.f) from nx full join ny on nx.f = ny.f;
-- different: the greatest by LATERAL leaves out those without
select a.id, x.amt from acct a cross join lateral (select amt from mv where mv.acct = a.id order by amt desc limit 1) x;
select a.id, (select max(amt) from mv where mv.acct = a.id) from acct a;
-- open: the greatest by LATERAL and by groups
select a.id, x.amt from acct a cross join lateral (select amt from mv where mv.acct = a.id order by amt desc limit 1) x;
select acct, max(amt) from mv group by acct;
-- different: a literal's blanks count for text
select id from acct where code = 'ab ';
select id from acct where code::text = 'ab ';
-- equal: a literal's blanks do not count for char
select id from acct where code = 'ab   ';
select id from acct where code = 'ab';
-- equal: char as text has no blanks
select id from acct where code = 'ab';
select id from acct where code::text = 'ab';
-- different: concatenation drops the padding
select code || 'x' from acct;
select rpad(code::text, 5) || 'x' from acct;
-- different: length of a char is not its modifier
select id from acct where length(code) = 5;
select id from acct where code is not null;
-- different: a factor of one adds digits
select bal * 1.0 from acct;
select bal from acct;
-- different: another collation orders otherwise
select id from acct order by owner, id limit 3;
select id from acct order by owner collate "C", id limit 3;
-- equal: the column's own collation said
select id from acct order by state, id limit 3;
select id from acct order by state collate "C", id limit 3;
-- equal: De Morgan over unlike columns
select id from acct where not (lim > 5 and closed is null);
select id from acct where lim <= 5 or closed is not null;
-- different: not true is not false
select id from acct where (lim > 5 and closed is null) is not true;
select id from acct where lim <= 5 or closed is not null;
-- equal: not true is false or unknown
select id from acct where (lim > 5) is not true;
select id from acct where lim <= 5 or lim is null;
-- different: NaN is itself
select id from acct where w <> w;
select id from acct where w = 'NaN';
-- equal: no float is unlike itself
select id from acct where w <> w;
select id from acct where false;
-- different: zeros that print otherwise are counted once
select count(*) from (select distinct f from nx where f is not null) q;
select count(distinct f::text) from nx;
-- open: distinct floats counted
select count(*) from (select distinct f from nx where f is not null) q;
select count(distinct f) from nx;
-- different: running sums over ties
select acct, seq, sum(amt) over (partition by acct order by at) from mv;
select acct, seq, sum(amt) over (partition by acct order by at rows unbounded preceding) from mv;
-- equal: running sums over a key
select acct, seq, sum(amt) over (partition by acct order by seq) from mv;
select acct, seq, sum(amt) over (partition by acct order by seq rows between unbounded preceding and current row) from mv;
-- different: a frame of two rows and lag over NULLs
select acct, seq, sum(n) over (partition by acct order by seq rows between 1 preceding and current row) from mv;
select acct, seq, n::bigint + coalesce(lag(n) over (partition by acct order by seq), 0) from mv;
-- different: a RANGE of one is not a row
select acct, seq, count(*) over (partition by acct order by seq range between 1 preceding and 1 following) from mv;
select acct, seq, count(*) over (partition by acct order by seq rows between 1 preceding and 1 following) from mv;
-- open: what follows downwards is what went before upwards
select acct, seq, count(*) over (partition by acct order by seq desc rows between current row and unbounded following) from mv;
select acct, seq, count(*) over (partition by acct order by seq) from mv;
-- different: grouping sets of another column
select acct, kind, count(*) from mv group by grouping sets ((acct, kind), (acct));
select acct, kind, count(*) from mv group by grouping sets ((acct, kind), (kind));
-- equal: rollup written out
select acct, n, count(*) from mv group by rollup (acct, n);
select acct, n, count(*) from mv group by grouping sets ((acct, n), (acct), ());
-- equal: a group and the empty set multiply to the group
select acct, count(*) from mv group by acct, ();
select acct, count(*) from mv group by acct;
-- different: a grouping set twice
select acct, count(*) from mv group by grouping sets ((acct), (acct));
select acct, count(*) from mv group by acct;
-- equal: a grouping set twice and DISTINCT
select acct, count(*) from mv group by distinct grouping sets ((acct), (acct));
select acct, count(*) from mv group by acct;
-- different: two empty sets
select count(*) from mv group by grouping sets ((), ());
select count(*) from mv;
-- open: a recursion's column that nobody reads
with recursive r(id, up, w) as (select id, up, w from tree where id = 7 union all select t.id, t.up, t.w from tree t join r on t.id = r.up where r.w < 6 and t.id < r.id) select id from r;
with recursive q(id, up, w, z) as (select id, up, w, 1 from tree where id = 7 union all select t.id, t.up, t.w, 2 from q join tree t on q.up = t.id where t.id < q.id and q.w < 6) select id from q;
-- different: a recursion's column that tells rows apart
with recursive r(id, w) as (select id, w from tree where id < 3 union select t.id, r.w from tree t join r on t.up = r.id) select id from r;
with recursive r(id) as (select id from tree where id < 3 union select t.id from tree t join r on t.up = r.id) select id from r;
-- different: one number drawn or many
select id, random() from acct;
select id, (select random()) from acct;
-- different: two rows raise, the greatest does not
select id from acct where bal > (select bal from acct where owner = 'x');
select id from acct where bal > (select max(bal) from acct where owner = 'x');
-- open: what EXISTS selects is not computed
select id from acct where exists (select 1 / 0 from mv where mv.acct = acct.id);
select id from acct where exists (select 1 from mv where mv.acct = acct.id);
-- different: the session's day is not UTC's
select id from acct where seen::date = date '2024-03-10';
select id from acct where seen >= '2024-03-10 00:00+00' and seen < '2024-03-11 00:00+00';
-- equal: UTC said on either side
select id from acct where seen at time zone 'UTC' >= timestamp '2024-03-10';
select id from acct where seen >= timestamptz '2024-03-10 00:00+00';
-- equal: the day of a timestamp is a range
select id from acct where closed::date = date '2024-03-10';
select id from acct where closed >= timestamp '2024-03-10' and closed < timestamp '2024-03-11';
-- different: a day ends after its last second
select id from acct where closed::date = date '2024-03-10';
select id from acct where closed >= timestamp '2024-03-10' and closed <= timestamp '2024-03-10 23:59:59';
-- different: the first element is not any
select id from acct where tags[1] = 'a';
select id from acct where 'a' = any (tags);
-- different: an array's first place is not always 1
select id from acct where tags[1] is not null;
select id from acct where cardinality(tags) > 0;
-- open: any element and containment
select id from acct where 'a' = any (tags);
select id from acct where tags @> array['a'];
-- different: no element and no containment
select id from acct where not ('a' = any (tags));
select id from acct where not (tags @> array['a']);
-- different: unnest drops rows, a left join keeps them
select id, unnest(tags) from acct;
select id, t from acct left join lateral unnest(tags) t on true;
-- equal: unnest in SELECT and in FROM
select id, unnest(tags) from acct;
select id, t from acct, unnest(tags) t;
-- equal: bounds of two CHECKs
select id from slot where hi > 0;
select id from slot;
-- different: a bound that the CHECKs do not give
select id from slot where hi > 1;
select id from slot;
-- equal: between what two CHECKs give
select id from slot where lo between 0 and 999;
select id from slot;
-- open: a CHECK's contradiction
select id from slot where lo + 1 > hi;
select id from slot where false;
-- different: LIMIT before the condition
with t as (select id from acct order by id limit 5) select id from t where id > 3;
select id from acct where id > 3 order by id limit 5;
-- equal: LIMITs of one order
select id from (select id from acct order by id limit 5) t order by id limit 3;
select id from acct order by id limit 3;
-- equal: pages of a page
select id from (select id from acct order by id limit 10 offset 5) t order by id limit 3 offset 2;
select id from acct order by id limit 3 offset 7;
-- different: a page that ends with its page
select id from (select id from acct order by id limit 4 offset 2) t order by id limit 4 offset 1;
select id from acct order by id limit 4 offset 3;
-- different: NATURAL joins by all that is common
select a, b from nx natural join ny;
select nx.a, nx.b from nx join ny on nx.a = ny.a and nx.b = ny.b;
-- equal: rows IN and EXISTS
select a from nx where (a, b) in (select a, b from ny);
select a from nx where exists (select 1 from ny where ny.b = nx.b and nx.a = ny.a);
-- different: rows NOT IN and NOT EXISTS
select a from nx where (a, b) not in (select a, b from ny);
select a from nx where not exists (select 1 from ny where ny.b = nx.b and nx.a = ny.a);
-- different: above all and above the greatest
select a from nx where a > all (select b from ny);
select a from nx where a > (select max(b) from ny);
-- equal: COALESCE widens an integer
select coalesce(n, 0.5) from mv;
select coalesce(n::numeric, 0.5) from mv;
-- equal: average as sum over count
select acct, avg(amt) from mv group by acct;
select acct, sum(amt) / count(*) from mv group by acct;
-- different: average of integers as sum over count
select acct, avg(n) from mv group by acct;
select acct, sum(n) / count(n) from mv group by acct;
-- different: an empty FILTER is NULL
select acct, sum(amt) filter (where kind = 'a') from mv group by acct;
select acct, sum(case when kind = 'a' then amt else 0 end) from mv group by acct;
-- equal: count of what NULLIF leaves
select acct, count(*) filter (where kind = 'a') from mv group by acct;
select acct, count(nullif(kind = 'a', false)) from mv group by acct;
-- equal: any as the greatest of a flag
select acct from mv group by acct having bool_or(amt > 5);
select acct from mv group by acct having max(case when amt > 5 then 1 else 0 end) = 1;
-- different: all over NULLs as the least of a flag
select acct from mv group by acct having bool_and(n > 1);
select acct from mv group by acct having min(case when n > 1 then 1 else 0 end) = 1;
-- open: least text as the first of an array
select acct, min(memo) from mv group by acct;
select acct, (array_agg(memo order by memo))[1] from mv group by acct;
-- different: greatest text as the first of an array
select acct, max(memo) from mv group by acct;
select acct, (array_agg(memo order by memo desc))[1] from mv group by acct;
-- equal: a missing partner by key
select a.id from acct a left join mv m on m.acct = a.id where m.seq is null;
select a.id from acct a where not exists (select 1 from mv m where m.acct = a.id);
-- different: a missing partner by a nullable column
select a.id from acct a left join mv m on m.acct = a.id where m.n is null;
select a.id from acct a where not exists (select 1 from mv m where m.acct = a.id);
-- equal: two left joins change places
select a.id, m.n, t.w from acct a left join mv m on m.acct = a.id and m.seq = 1 left join tree t on t.id = a.id;
select a.id, m.n, t.w from acct a left join tree t on t.id = a.id left join mv m on m.acct = a.id and m.seq = 1;
-- different: an inner join above a left one
select a.id from acct a left join mv m on m.acct = a.id join tree t on t.id = m.n;
select a.id from acct a left join (mv m join tree t on t.id = m.n) on m.acct = a.id;
-- equal: a full join turned round
select nx.b, ny.b from nx full join ny on nx.a = ny.a;
select nx.b, ny.b from ny full join nx on ny.a = nx.a;
-- equal: a full join that keeps its left side
select nx.b, ny.b from nx full join ny on nx.a = ny.a where nx.a is not null;
select nx.b, ny.b from nx left join ny on nx.a = ny.a where nx.a is not null;
-- different: a full join that keeps its left side is not inner
select nx.b, ny.b from nx full join ny on nx.a = ny.a where nx.a is not null;
select nx.b, ny.b from nx join ny on nx.a = ny.a;
-- different: NULLs first where it goes down
select id from acct order by lim desc, id limit 2;
select id from acct order by lim desc nulls last, id limit 2;
-- equal: NULLs last by a CASE
select id from acct order by case when lim is null then 1 else 0 end, lim desc, id;
select id from acct order by lim desc nulls last, id;
-- open: a pattern of one character
select acct, seq from mv where memo ~ '^a.c$';
select acct, seq from mv where memo like 'a_c';
-- equal: a prefix by substr
select acct, seq from mv where substr(memo, 1, 2) = 'ab';
select acct, seq from mv where memo like 'ab%';
-- different: a prefix that is all
select acct, seq from mv where position('ab' in memo) = 1;
select acct, seq from mv where memo like 'ab_%';
-- different: a month of any year
select id from acct where extract(month from opened) = 3;
select id from acct where opened between '2024-03-01' and '2024-03-31';
-- equal: up to a day
select id from acct where opened < date '2024-01-31' + 1;
select id from acct where opened <= date '2024-01-31';
-- different: a month later clips
select id from acct where opened + interval '1 month' <= date '2024-02-29';
select id from acct where opened <= date '2024-01-29';
-- different: a zero that prints otherwise
select id from acct where w = 0;
select id from acct where w::text = '0';
-- equal: nothing is unlike a list with NULL
select acct, seq from mv where n <> all ('{1,NULL}'::int[]);
select acct, seq from mv where false;
-- different: not in a list, and unlike one of it
select acct, seq from mv where not (n in (1, 2));
select acct, seq from mv where n <> 1 or n <> 2;
-- different: a name caught inside
select id from acct where exists (select 1 from mv where acct = acct);
select id from acct where exists (select 1 from mv m where m.acct = acct.id);
-- different: a whole row that is not NULL
select id from acct a where a is not null;
select id from acct a where a.id is not null;
-- equal: rows compared
select acct, seq from mv where (n, seq) <= (5, 3);
select acct, seq from mv where n < 5 or (n = 5 and seq <= 3);
-- open: a shorter varchar
select id from acct where alias::varchar(3) = 'abc';
select id from acct where left(alias, 3) = 'abc';
-- different: rounded or cut
select id, bal::int from acct;
select id, trunc(bal)::int from acct;
-- different: a condition of ON above LIMIT
select a.id, x.amt from acct a left join lateral (select amt from mv where mv.acct = a.id order by seq limit 1) x on x.amt > 6;
select a.id, x.amt from acct a left join lateral (select amt from mv where mv.acct = a.id and amt > 6 order by seq limit 1) x on true;
-- equal: a lateral aggregate is a scalar one
select a.id, x.m from acct a left join lateral (select max(amt) m from mv where mv.acct = a.id) x on true;
select a.id, (select max(amt) from mv where mv.acct = a.id) from acct a;
-- open: the next in a key's order by lead and by subquery
select acct, seq, lead(seq) over (partition by acct order by seq) from mv;
select acct, seq, (select min(x.seq) from mv x where x.acct = mv.acct and x.seq > mv.seq) from mv;
-- different: the next in an order with ties by lead and by subquery
select acct, seq, lead(at) over (partition by acct order by at) from mv;
select acct, seq, (select min(x.at) from mv x where x.acct = mv.acct and x.at > mv.at) from mv;
-- equal: a running count as a correlated one
select acct, seq, row_number() over (partition by acct order by seq) from mv;
select acct, seq, (select count(*) from mv x where x.acct = mv.acct and x.seq <= mv.seq) from mv;
-- different: a running number over all
select acct, seq, row_number() over (order by seq) from mv;
select acct, seq, (select count(*) from mv x where x.seq <= mv.seq) from mv;
