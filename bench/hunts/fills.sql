-- fill: v
p.x
p.y
p.n
p.m
p.f
p.c
p.v
p.s
p.d
p.ts
p.tz
p.iv
p.b
p.a
p.bt
p.nm
p.e
p.h
10 / p.x
p.x + p.y
p.n * 1.0
p.n + p.m
p.x::numeric / 3
p.f::int
p.n::text
p.f::text
p.c || '|'
p.c::text
p.v::char(4)
p.s::int
p.d + 1
p.d - p.d
p.ts - p.ts
p.tz::date
p.iv * 2
extract(year from p.d)
p.a[1]
array_length(p.a, 1)
p.e::text
(p.x, p.y)
row(p.n, p.c)
p.x is null
p.n = p.m
coalesce(p.y, p.x)
nullif(p.n, 1)
greatest(p.x, p.y)
greatest(p.n, p.m)
case when p.x > 0 then 10 / p.x end
case when p.b then p.x else 1.50 end
(select w from u where u.k = p.g)
(select k from u where u.r = p.g)
(select max(w) from u where u.k <= p.g)
exists (select 1 from u where u.k = p.g)
p.g in (select r from u)
p.i8::float8
p.i8 = p.f
-p.x
abs(p.y)
p.n::int
substring(p.s, 1, 2)
left(p.s, p.x)
-- fill: i
p.x
p.y
p.g
p.h
p.i8
p.x + 1
10 / p.x
p.y / p.x
-p.y
p.id
abs(p.y)
p.x * p.y
coalesce(p.y, 0)
nullif(p.x, 0)
(select k from u where u.r = p.g)
p.s::int
-- fill: o
p.x
p.n
p.m
p.f
p.c
p.v
p.s
p.d
p.iv
p.b
p.e
p.i8
p.g
-- fill: c
p.x > 0
p.y is null
p.y is distinct from 1
10 / p.x > 2
p.n = 1
p.n = p.m
p.f = 0
p.c = 'a'
p.c like 'a'
p.v = p.c
p.s = p.v
p.b
not p.b
p.b is not true
p.g in (1, 2)
p.g in (1, null)
p.g not in (select r from u)
p.g in (select r from u where r is not null)
(p.x, p.y) < (1, 1)
(p.x, p.y) is not null
(p.x, p.y) = (1, null)
p.x between symmetric 1 and p.y
p.s like 'a%'
p.s like '%\%' escape '\'
p.d > '2020-01-01'
p.ts >= p.d
p.tz > p.ts
p.iv = '1 month'
p.i8 = p.f
p.y = any (p.a)
p.y <> all (p.a)
p.e > 'ok'
p.e::text > 'ok'
exists (select 1 from u where u.k = p.g)
(select k from u where u.r = p.g) > 0
p.n::text = '1.0'
p.x = p.y or p.y is null
p.g = p.g
p.f = p.f
p.id <> 3
true
p.s::int = 1
-- fill: agg
count(*)
count(p.y)
count(distinct p.y)
count(distinct p.c)
sum(p.x)
sum(p.y)
sum(p.i8)
sum(p.n)
sum(p.f)
sum(p.iv)
avg(p.x)
avg(p.n)
min(p.n)
max(p.c)
max(p.iv)
min(p.e)
max(p.s)
min(p.f)
bool_or(p.b)
array_agg(p.y order by p.id)
array_agg(p.y order by p.x)
array_agg(p.c order by p.c)
string_agg(p.s, ',' order by p.id)
string_agg(distinct p.s, ',')
sum(10 / p.x)
sum(distinct p.n)
max(p.x) filter (where p.y is null)
count(*) filter (where 10 / p.x > 0)
sum(p.x) filter (where p.b)
json_agg(p.n order by p.id)
count((p.x, p.y))
variance(p.x)
bit_or(p.x)
any_value(p.g)
percentile_disc(0.5) within group (order by p.x)
mode() within group (order by p.n)
-- fill: k
p.g
p.uid
p.n
p.c
p.f
p.b
p.d
p.iv
p.x
p.s
p.x % 2
coalesce(p.g, 0)
p.id
p.e
p.g, p.b
-- fill: w
count(*) over (partition by p.g)
sum(p.x) over (partition by p.g)
sum(p.x) over (order by p.id)
max(p.n) over (partition by p.g order by p.x)
row_number() over (order by p.id)
rank() over (partition by p.g order by p.x)
lag(p.y) over (order by p.id)
first_value(p.n) over (order by p.x, p.id)
sum(p.y) filter (where p.b) over (partition by p.g order by p.id)
min(p.c) over (partition by p.b)
ntile(p.x) over (order by p.id)
count(p.y) over (order by p.x range between 1 preceding and 1 following)
sum(10 / p.x) over (partition by p.g)
-- fill: d
p.y is not null
p.n > 1
p.g = 1
p.f > 0
p.b is true
10 / p.x = 10
p.y < p.x
p.c <> 'a'
p.s > 'a'
p.oid is null
p.uid in (select id from u where b)
p.d < '2021-01-01'
p.n <> 'NaN'
p.x not in (1, 2)
-- fill: l
x
y
i8
n
m
f
c
v
s
nm
d
ts
tz
-- fill: l2
i8
n
f
s
c
v
ts
-- fill: r1
i8
w
f
k
c
s
r
-- fill: lit
1
1.0
'1'
'a'
'a '
0
'NaN'
9007199254740993
1::float8
'a'::char(4)
'2020-01-31'
-- fill: z
1 / 0
('a'::text)::int
2147483647 + 1
10 % 0
(select 1 / 0)
(select 10 / k from u where id = 4)
(select k from u where r = 2)
(select k from u where id = 1) / 0
(select max(10 / k) from u)
(select 10 / count(*) from t)::int
(select k from u)
(select sum(10 / x) from t)::int
length(repeat('a', -1)) / 0
-- fill: zc
1 / 0 = 1
('a'::text)::bool
(select 10 / k from u where id = 4) > 0
(select k from u where r = 2) > 0
(select k from u) > 0
exists (select 1 from u where 10 / k > 3)
1 in (select 10 / k from u)
1 not in (select 10 / k from u)
(select bool_or(10 / k > 3) from u)
(select b from u where r = 2)
(select 10 / x from t) > 0
exists (select 1 from t where 10 / x > 100)
p.g > (select k from u where r = 2)
p.g = any (array(select 10 / k from u))
p.g in (select 10 / k from u)
p.g > all (select 10 / k from u)
10 / (select min(k) from u) > p.x
-- fill: st
('a'::text)::date
to_date('a', 'YYYY')
to_date('2020', 'YYYY')
(now()::text)::date
current_setting('rewright.none')::date
to_timestamp('a', 'YYYY')
(current_date + 100000000)
(select ('a'::text)::date)
-- fill: num
x
y
i8
n
m
f
-- fill: num2
x
y
i8
n
m
f
-- fill: any
x
y
n
m
f
s
c
v
d
ts
b
-- fill: key
g
uid
n
c
s
f
-- fill: wv
i2
f4
oi
dm
sh
cp
js
ip
ci
mo
ti
tt
t0
ir
nr
dr
mr
vb
b3
ct
cc
te
by
na
ta
ca
bx
n2
q
g2
-- fill: sorted
p.x
p.y
p.i8
p.n
p.m
p.f
p.c
p.v
p.s
p.d
p.ts
p.tz
p.iv
p.b
p.e
p.nm
p.x + p.y
upper(p.s)
-- fill: told
u.b
u.r > 1
u.s is null
u.k = 1
u.id < 3
coalesce(u.b, false)
-- fill: one_arm
t.id
t.uid
t.y
t.n
t.x
t.s
-- fill: other_arm
u.id
u.k
u.r
u.w
u.s
-- fill: flag
y is null
x > 1
b
y > 1
s is not null and b is not distinct from true
-- fill: ranked
x
y
d
s
n
m
-- fill: factor
x
y
i8
(x % 3)
-- fill: sign
b
y > 1
x = 1
s = 'a'
