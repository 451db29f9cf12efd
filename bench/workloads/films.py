"""A film database in the shape of IMDB's (as the Join Order Benchmark uses it), with correlation made
on purpose, and join queries over it.

Every film belongs to one of a few *scenes* (a hidden attribute); its country, genre, keywords, companies and
cast follow the scene, and popularity is Zipf-like. Independence assumptions are therefore wrong the
way they are on real data. Leis et al., "How Good Are Query Optimizers, Really?" (VLDB 2015) describes the
original. Written before the recommender it judges.
"""

from __future__ import annotations

from collections.abc import Iterator

TABLES = """
create table kind_type (id int primary key, kind text not null);
create table info_type (id int primary key, info text not null);
create table role_type (id int primary key, role text not null);
create table company_type (id int primary key, kind text not null);
create table keyword (id int primary key, keyword text not null);
create table company_name (id int primary key, name text not null, country_code text);
create table name (id int primary key, name text not null, gender text);
create table title (id int primary key, title text not null, kind_id int not null, production_year int);
create table movie_info (id int primary key, movie_id int not null, info_type_id int not null, info text not null);
create table movie_info_idx (id int primary key, movie_id int not null, info_type_id int not null, info text not null);
create table movie_keyword (id int primary key, movie_id int not null, keyword_id int not null);
create table movie_companies (id int primary key, movie_id int not null, company_id int not null, company_type_id int not null, note text);
create table cast_info (id int primary key, person_id int not null, movie_id int not null, role_id int not null, note text);
"""

SCENES = 12


def statements(seed: float, films: int = 60_000) -> Iterator[str]:
    """SQL that makes the database: tables, rows, foreign-key indexes, statistics."""
    yield from filter(None, (part.strip() for part in TABLES.split(";")))
    yield f"select setseed({seed})"
    yield "insert into kind_type values (1,'movie'),(2,'tv series'),(3,'tv movie'),(4,'video'),(5,'episode'),(6,'game')"
    yield (
        "insert into info_type values (1,'genres'),(2,'languages'),(3,'countries'),(4,'rating'),(5,'votes'),"
        "(6,'release dates'),(7,'runtimes'),(8,'budget'),(9,'top 250 rank')"
    )
    yield "insert into role_type values (1,'actor'),(2,'actress'),(3,'producer'),(4,'writer'),(5,'director'),(6,'composer')"
    yield "insert into company_type values (1,'production companies'),(2,'distributors')"
    yield "insert into keyword select i, 'keyword-' || (i % 12) || '-' || i from generate_series(1, 3000) i"
    yield (
        "insert into company_name select i, 'company ' || i || case i % 4 when 0 then ' film' when 1 then ' pictures' else ' media' end,"
        " '[' || (array['us','gb','de','fr','jp','in','it','es','se','kr','cn','br'])[1 + i % 12] || ']' from generate_series(1, 6000) i"
    )
    yield (
        "insert into name select i, chr(65 + i % 26) || 'name ' || i, case when random() < 0.6 then 'm' else 'f' end"
        " from generate_series(1, 50000) i"
    )
    # the scene is id % 12 of the film, never stored: what follows from it is
    yield (
        "insert into title select i, 'film ' || i, case when s < 8 then 1 else 2 + s % 5 end,"
        " 1930 + s * 4 + floor(40 * (1 - power(random(), 3)))::int"
        f" from (select i, i % {SCENES} s from generate_series(1, {films}) i) f"
    )
    genre = "(array['Drama','Comedy','Horror','Action','Documentary','Romance','Thriller','Animation','Crime','Western','War','Musical'])"
    country = "(array['USA','UK','Germany','France','Japan','India','Italy','Spain','Sweden','Korea','China','Brazil'])"
    yield (
        f"insert into movie_info select row_number() over (), id, 1, {genre}[1 + case when random() < 0.8 then id % 12 else floor(random() * 12)::int end] from title"
    )
    yield (
        f"insert into movie_info select {films} + row_number() over (), id, 3, {country}[1 + case when random() < 0.9 then id % 12 else floor(random() * 12)::int end] from title"
    )
    yield (
        f"insert into movie_info select {2 * films} + row_number() over (), t.id, 6 + (g % 3), {country}[1 + t.id % 12] || ':' || (t.production_year + g)"
        " from title t, generate_series(1, 3) g where random() < 0.6"
    )
    yield (
        "insert into movie_info_idx select row_number() over (), id, 4, round((3 + 6 * power(random(), 1 + (id % 12) / 4.0))::numeric, 1)::text from title where random() < 0.7"
    )
    yield (
        f"insert into movie_info_idx select {films} + row_number() over (), id, 5, floor(power(10, 1 + 5 * power(random(), 3)))::int::text from title where random() < 0.7"
    )
    yield (
        f"insert into movie_info_idx select {2 * films} + row_number() over (), id, 9, (id % 250)::text from title where id % 12 = 3 and random() < 0.05"
    )
    # films of a low number are popular: Zipf-like through a power of a uniform
    popular = f"1 + floor(power(random(), 3) * {films - 1})::int"
    yield (
        "insert into movie_keyword select row_number() over (), m, case when random() < 0.85 then 12 * floor(power(random(), 2) * 249)::int + m % 12 + 1 else 1 + floor(random() * 2999)::int end"
        f" from (select {popular} m from generate_series(1, {films * 4})) s"
    )
    yield (
        "insert into movie_companies select row_number() over (), m, case when random() < 0.85 then 12 * floor(power(random(), 3) * 499)::int + m % 12 + 1 else 1 + floor(random() * 5999)::int end,"
        " 1 + (random() < 0.5)::int, case when random() < 0.3 then '(co-production)' when random() < 0.5 then '(presents)' end"
        f" from (select {popular} m from generate_series(1, {films * 3})) s"
    )
    yield (
        "insert into cast_info select row_number() over (), case when random() < 0.8 then 12 * floor(power(random(), 2) * 4165)::int + m % 12 + 1 else 1 + floor(random() * 49999)::int end, m,"
        " 1 + floor(power(random(), 2) * 6)::int, case when random() < 0.2 then '(voice)' when random() < 0.1 then '(uncredited)' end"
        f" from (select {popular} m from generate_series(1, {films * 8})) s"
    )
    for table in ("movie_info", "movie_info_idx", "movie_keyword", "movie_companies", "cast_info"):
        yield f"create index on {table} (movie_id)"
    yield "create index on movie_keyword (keyword_id)"
    yield "create index on movie_companies (company_id)"
    yield "create index on cast_info (person_id)"
    yield "create index on title (kind_id)"
    yield "vacuum analyze"


_T = "title t"
QUERIES: tuple[str, ...] = (
    """select min(t.title) from company_name cn, keyword k, movie_companies mc, movie_keyword mk, title t
       where cn.country_code = '[de]' and k.keyword like 'keyword-3-%' and mc.movie_id = t.id and mk.movie_id = t.id
         and mc.company_id = cn.id and mk.keyword_id = k.id""",
    """select min(t.title), min(mi.info) from info_type it, keyword k, movie_info mi, movie_keyword mk, title t
       where it.info = 'countries' and mi.info = 'Sweden' and k.keyword like 'keyword-9-%' and t.production_year > 1980
         and t.id = mi.movie_id and t.id = mk.movie_id and mk.keyword_id = k.id and mi.info_type_id = it.id""",
    """select min(n.name), min(t.title) from cast_info ci, company_name cn, keyword k, movie_companies mc, movie_keyword mk, name n, title t
       where cn.country_code = '[us]' and k.keyword like 'keyword-1-%' and n.name like 'B%' and n.id = ci.person_id
         and ci.movie_id = t.id and t.id = mk.movie_id and mk.keyword_id = k.id and t.id = mc.movie_id and mc.company_id = cn.id""",
    """select min(mi.info), min(mx.info) from info_type i1, info_type i2, movie_info mi, movie_info_idx mx, title t, movie_keyword mk, keyword k
       where i1.info = 'genres' and i2.info = 'rating' and mi.info = 'Horror' and mx.info > '6.0' and k.keyword like 'keyword-3-%'
         and t.id = mi.movie_id and t.id = mx.movie_id and t.id = mk.movie_id and mk.keyword_id = k.id
         and mi.info_type_id = i1.id and mx.info_type_id = i2.id""",
    """select count(*) from title t, movie_info a, movie_info b, movie_info_idx r, info_type ia, info_type ib, info_type ir
       where a.movie_id = t.id and b.movie_id = t.id and r.movie_id = t.id and a.info_type_id = ia.id and b.info_type_id = ib.id
         and r.info_type_id = ir.id and ia.info = 'genres' and ib.info = 'countries' and ir.info = 'votes' and a.info = 'Documentary'
         and b.info = 'Japan' and r.info like '1%'""",
    """select min(n.name) from name n, cast_info ci, role_type rt, title t, movie_info mi, movie_companies mc, company_name cn
       where n.gender = 'f' and rt.role = 'actress' and ci.note = '(voice)' and mi.info = 'Animation' and cn.country_code = '[es]'
         and ci.person_id = n.id and ci.role_id = rt.id and ci.movie_id = t.id and mi.movie_id = t.id and mc.movie_id = t.id and mc.company_id = cn.id""",
    """select count(*), min(t.production_year) from title t, movie_keyword mk, keyword k, movie_keyword mk2, keyword k2, kind_type kt
       where mk.movie_id = t.id and mk2.movie_id = t.id and mk.keyword_id = k.id and mk2.keyword_id = k2.id and kt.id = t.kind_id
         and kt.kind = 'movie' and k.keyword like 'keyword-5-%' and k2.keyword like 'keyword-5-1%' and t.production_year between 1955 and 1990""",
    """select min(cn.name) from company_name cn, movie_companies mc, company_type ct, title t, movie_info mi, movie_info_idx mx, cast_info ci
       where cn.country_code = '[kr]' and ct.kind = 'distributors' and mi.info = 'Western' and mx.info_type_id = 4 and mx.info < '5.0'
         and mc.company_id = cn.id and mc.company_type_id = ct.id and mc.movie_id = t.id and mi.movie_id = t.id and mx.movie_id = t.id and ci.movie_id = t.id""",
    """select k.keyword, count(*) from keyword k, movie_keyword mk, title t, cast_info ci, name n, movie_info mi
       where mk.keyword_id = k.id and mk.movie_id = t.id and ci.movie_id = t.id and ci.person_id = n.id and mi.movie_id = t.id
         and n.name like 'Cname 2%' and mi.info = 'Comedy' and t.production_year < 1950 group by k.keyword order by 2 desc, 1 limit 10""",
    """select min(a.title), min(b.title) from title a, title b, movie_companies ma, movie_companies mb, company_name cn, movie_info ia, movie_info ib
       where ma.movie_id = a.id and mb.movie_id = b.id and ma.company_id = cn.id and mb.company_id = cn.id and cn.country_code = '[cn]'
         and ia.movie_id = a.id and ib.movie_id = b.id and ia.info = 'War' and ib.info = 'War' and a.production_year = 1975 and b.production_year = 1976""",
    """select count(*) from title t, movie_info_idx mx, movie_info mi, movie_keyword mk, keyword k, cast_info ci, name n, role_type rt
       where mx.info_type_id = 9 and mx.movie_id = t.id and mi.movie_id = t.id and mi.info = 'Action' and mk.movie_id = t.id and mk.keyword_id = k.id
         and ci.movie_id = t.id and ci.person_id = n.id and ci.role_id = rt.id and rt.role in ('producer', 'writer')""",
    """select min(t.title) from title t, kind_type kt, movie_info m1, movie_info m2, movie_info m3, movie_keyword mk, keyword k
       where kt.id = t.kind_id and kt.kind in ('tv series', 'episode') and m1.movie_id = t.id and m2.movie_id = t.id and m3.movie_id = t.id
         and m1.info = 'Musical' and m2.info = 'Brazil' and m3.info like 'Brazil:19%' and mk.movie_id = t.id and mk.keyword_id = k.id and k.keyword like '%-11-%'""",
    """select n.gender, count(distinct t.id) from name n, cast_info ci, title t, movie_companies mc, company_name cn, movie_info mi
       where ci.person_id = n.id and ci.movie_id = t.id and mc.movie_id = t.id and mc.company_id = cn.id and mi.movie_id = t.id
         and cn.name like '% film' and cn.country_code = '[us]' and mi.info = 'Drama' and mc.note like '%co-production%' and n.id < 2000 group by n.gender""",
    """select count(*) from cast_info c1, cast_info c2, name n1, name n2, title t, movie_info mi
       where c1.movie_id = t.id and c2.movie_id = t.id and c1.person_id = n1.id and c2.person_id = n2.id and mi.movie_id = t.id
         and n1.name like 'Aname 1%' and n2.gender = 'f' and c1.role_id = 5 and c2.role_id = 2 and mi.info = 'Crime' and t.production_year > 1970""",
    """select min(mx.info) from title t left join movie_info_idx mx on mx.movie_id = t.id and mx.info_type_id = 4
         join movie_keyword mk on mk.movie_id = t.id join keyword k on k.id = mk.keyword_id join movie_info mi on mi.movie_id = t.id
       where k.keyword like 'keyword-7-%' and mi.info = 'Animation' and t.production_year between 1958 and 1961""",
    """select count(*) from title t where t.production_year > 1960 and exists (select 1 from movie_info mi where mi.movie_id = t.id and mi.info = 'Thriller')
         and exists (select 1 from movie_companies mc join company_name cn on cn.id = mc.company_id where mc.movie_id = t.id and cn.country_code = '[it]')
         and exists (select 1 from movie_keyword mk join keyword k on k.id = mk.keyword_id where mk.movie_id = t.id and k.keyword like 'keyword-6-%')""",
)
