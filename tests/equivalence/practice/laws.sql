-- equal whole: all badges, DISTINCT counted and none missing
select who from earned group by who having count(distinct code) = (select count(*) from badge);
select distinct e.who from earned e where not exists (select 1 from badge b where not exists (select 1 from earned f where f.who = e.who and f.code = b.code));
-- equal whole: all badges, rows counted and none missing
select who from earned group by who having count(*) = (select count(*) from badge);
select distinct e.who from earned e where not exists (select 1 from badge b where not exists (select 1 from earned f where f.who = e.who and f.code = b.code));
-- equal whole: all badges, at least as many
select who from earned group by who having count(code) >= (select count(code) from badge);
select who from earned group by who having count(distinct code) = (select count(*) from badge);
-- equal whole: some badge is missing
select who from earned group by who having count(*) < (select count(*) from badge);
select distinct e.who from earned e where exists (select 1 from badge b where b.code not in (select f.code from earned f where f.who = e.who));
-- equal whole: all that anyone has, among the same rows
select who from earned group by who having count(distinct day) = (select count(distinct day) from earned);
select distinct e.who from earned e where not exists (select 1 from earned o where not exists (select 1 from earned f where f.who = e.who and f.day = o.day));
-- equal least: extreme of the group and GROUP BY
select heat, best from lap l where best = (select min(best) from lap m where m.heat = l.heat);
select heat, min(best) as best from lap group by heat;
-- equal least: none less and GROUP BY
select heat, best from lap l where not exists (select 1 from lap m where m.heat = l.heat and m.best < l.best);
select heat, min(best) as best from lap group by heat;
-- equal least: values that may be NULL
select heat, secs from lap l where secs = (select max(secs) from lap m where m.heat = l.heat);
select heat, max(secs) as secs from lap group by heat having max(secs) is not null;
-- equal least: groups that may be NULL
select lane, best from lap l where best = (select max(best) from lap m where m.lane = l.lane);
select lane, max(best) as best from lap where lane is not null group by lane;
-- equal least: under a condition
select heat, best from lap l where lane > 2 and best = (select min(best) from lap m where m.heat = l.heat and m.lane > 2);
select heat, min(best) as best from lap where lane > 2 group by heat;
-- equal least: DISTINCT where the value tells no rows apart
select distinct lane, best from lap l where best = (select min(best) from lap m where m.lane = l.lane);
select lane, min(best) as best from lap where lane is not null group by lane;
-- equal patterns: a beginning or a sign before it
select id from clinic where conditions ~ '(^| )AB1';
select id from clinic where conditions like 'AB1%' or conditions like '% AB1%';
-- equal patterns: alternatives of the whole
select id from clinic where conditions ~ '^ab|cd$';
select id from clinic where conditions like 'ab%' or conditions like '%cd';
-- equal patterns: alternatives without an anchor
select id from clinic where conditions !~ '(ab|cd)e';
select id from clinic where conditions not like '%abe%' and conditions not like '%cde%';
