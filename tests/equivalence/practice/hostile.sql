-- differs whole: no reference
select who from seen group by who having count(distinct code) = (select count(*) from badge);
select distinct e.who from seen e where not exists (select 1 from badge b where not exists (select 1 from seen f where f.who = e.who and f.code = b.code));
-- differs whole: only some of the badges
select who from earned group by who having count(distinct code) = (select count(*) from badge where rank > 3);
select distinct e.who from earned e where not exists (select 1 from badge b where rank > 3 and not exists (select 1 from earned f where f.who = e.who and f.code = b.code));
-- differs whole: rows that come twice
select student from attends group by student having count(title) = (select count(*) from course);
select distinct a.student from attends a where not exists (select 1 from course c where not exists (select 1 from attends b where b.student = a.student and b.title = c.title));
-- differs whole: the whole has values twice
select who from earned group by who having count(distinct day) = (select count(day) from earned);
select distinct e.who from earned e where not exists (select 1 from earned o where not exists (select 1 from earned f where f.who = e.who and f.day = o.day));
-- differs whole: NULL is one of the values
select who from seen group by who having count(distinct code) = (select count(*) from (select distinct code from seen) d);
select distinct e.who from seen e where not exists (select 1 from seen o where o.code is not null and not exists (select 1 from seen f where f.who = e.who and f.code = o.code));
-- differs whole: fewer or as many
select who from earned group by who having count(*) <= (select count(*) from badge);
select distinct e.who from earned e where exists (select 1 from badge b where b.code not in (select f.code from earned f where f.who = e.who));
-- differs least: the value tells no rows apart
select user_id, seconds from visit v where seconds = (select min(seconds) from visit w where w.user_id = v.user_id);
select user_id, min(seconds) as seconds from visit where user_id is not null group by user_id having min(seconds) is not null;
-- differs least: NULL groups are not compared
select lane, best from lap l where best = (select max(best) from lap m where m.lane = l.lane);
select lane, max(best) as best from lap group by lane;
-- differs least: none less, the value may be NULL
select heat, secs from lap l where not exists (select 1 from lap m where m.heat = l.heat and m.secs < l.secs);
select heat, min(secs) as secs from lap group by heat having min(secs) is not null;
-- differs least: none less, the group may be NULL
select lane, best from lap l where not exists (select 1 from lap m where m.lane = l.lane and m.best < l.best);
select lane, min(best) as best from lap where lane is not null group by lane;
-- differs least: groups of NULLs alone
select heat, secs from lap l where secs = (select max(secs) from lap m where m.heat = l.heat);
select heat, max(secs) as secs from lap group by heat;
-- differs least: a condition on the row alone
select heat, best from lap l where lane > 2 and best = (select min(best) from lap m where m.heat = l.heat);
select heat, min(best) as best from lap where lane > 2 group by heat;
-- differs least: none as small
select heat, best from lap l where not exists (select 1 from lap m where m.heat = l.heat and m.best <= l.best);
select heat, min(best) as best from lap group by heat;
-- differs least: none greater
select heat, best from lap l where not exists (select 1 from lap m where m.heat = l.heat and m.best > l.best);
select heat, min(best) as best from lap group by heat;
-- differs least: minus zero among floats
select heat, f::text from lap l where f = (select min(f) from lap m where m.heat = l.heat);
select heat, (min(f) + 0)::text as f from lap group by heat;
-- differs patterns: the anchor of one alternative
select id from clinic where conditions ~ '^ab|cd$';
select id from clinic where conditions like 'ab%' or conditions like 'cd';
-- differs patterns: what follows belongs to the last alternative
select id from clinic where conditions ~ '(^| )ab|cd';
select id from clinic where conditions like 'ab%' or conditions like '% ab%' or conditions like '% cd%';
-- differs patterns: an anchor before the group
select id from clinic where conditions ~ '^(ab|cd)e';
select id from clinic where conditions like '%abe%' or conditions like '%cde%';
