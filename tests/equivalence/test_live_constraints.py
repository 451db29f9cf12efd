"""Live tables whose constraints or types a scratch server may lack: nothing is refuted on rows that cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.extension_columns import with_texts_for_extensions
from rewright.equivalence.generator.ddl import schema_of
from rewright.equivalence.isolation import Refused
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Proved, Refuted, Tested, Unknown
from rewright.sql.catalog import Catalog

pytestmark = pytest.mark.server

SCHEMA = """
create extension citext;
create extension btree_gist;
create function folded(text) returns text language plpgsql immutable as 'begin return lower($1); end';
create table person (id int primary key, born date not null, mail text, nick text);
create unique index on person (lower(mail), born) where id > 0;
create table named (id int primary key, nick text not null);
create unique index on named (folded(nick));
create table closure (id int primary key, days daterange not null, exclude using gist (days with &&));
create table stay (room int, days daterange, note text, exclude using gist (room with =, days with &&));
create table rent (rooms int4range, days daterange, primary key (rooms, days without overlaps));
create table job (id int primary key, person_id int references person, active bool not null);
create unique index on job (person_id) where active;
create table member (id int primary key, nick citext unique, name text not null, check (nick <> ''));
create table visit (id int primary key, member_id int not null references member, hours int not null);
create table tied (id int primary key, nick citext not null, n int, constraint tie check (n > 0 or nick = 'x'));
create view nicks as select id, nick from member;
create table vehicle (id int primary key, seats int, check (seats > 0) no inherit);
create table truck (load int) inherits (vehicle);
create table event (id int not null, day date not null) partition by range (day);
create table event_old partition of event for values from ('2000-01-01') to ('2024-01-01');
create table event_new partition of event default;
"""


@pytest.fixture(scope="module")
def catalog(scratch_server: ScratchServer, module_database: str) -> Catalog:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA)
        return snapshot(connection)


@pytest.fixture(scope="module")
def live(catalog: Catalog, scratch_server: ScratchServer) -> Iterator[Checker]:
    """Over the live database, as if its extensions were such as no scratch server makes."""
    options = Options(databases=300, seconds=60)
    with Checker(replace(catalog, extensions=()), scratch_server, options) as checker:
        yield checker


def test_extensions_of_the_live_database_are_made_where_the_server_can(
    catalog: Catalog, scratch_server: ScratchServer
) -> None:
    with Checker(catalog, scratch_server, Options(databases=300, seconds=60)) as checker:
        folded = "select id from member where nick = 'a'"
        assert isinstance(checker.check(folded, folded.replace("'a'", "'A'")), Tested | Proved)
        found = checker.check(folded, folded.replace("nick", "nick::text"))
        assert isinstance(found, Refuted)
        assert '"nick" "public"."citext"' in found.counterexample.script
        assert not found.stamp.omitted
        outer = "select m.name from member m left join visit v on v.member_id = m.id"
        assert isinstance(checker.check(outer, "select name from member"), Refuted)


EQUAL = {
    "exclusion": (
        "select p.id from person p left join closure c on c.days @> p.born",
        "select p.id from person p",
    ),
    "partial key": (
        "select p.id from person p left join job j on j.person_id = p.id and j.active",
        "select p.id from person p",
    ),
    "key over expressions with a condition": (
        "select p.id from person p left join person q on lower(q.mail) = 'x' and q.born = p.born and q.id > 0",
        "select p.id from person p",
    ),
    "key over a function of the schema": (
        "select m.id from named m left join named n on n.nick = 'x'",
        "select id from named",
    ),
    "exclusion that takes an extension": (
        "select distinct note from stay where room = 1 and days @> '2024-01-01'::date",
        "select note from stay where room = 1 and days @> '2024-01-01'::date",
    ),
    "key over a period": (
        "select distinct rooms from rent where days @> '2024-01-01'::date",
        "select rooms from rent where days @> '2024-01-01'::date",
    ),
    "a partition beside its table": (
        "select id from event where day >= '2000-01-01' and day < '2024-01-01'",
        "select id from event_old",
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_a_pair_that_only_a_constraint_makes_the_same_is_never_refuted(name: str, live: Checker) -> None:
    assert not isinstance(live.check(*EQUAL[name]), Refuted)


def test_keys_and_exclusions_that_a_scratch_server_holds_are_among_what_is_tried(live: Checker) -> None:
    assert isinstance(live.check(*EQUAL["exclusion"]), Proved | Tested)
    assert isinstance(live.check(*EQUAL["partial key"]), Proved)
    less = "select p.id from person p left join job j on j.person_id = p.id"
    assert isinstance(live.check(less, "select p.id from person p"), Refuted)


def test_what_differs_where_a_constraint_is_not_held_is_said_to_be_open(live: Checker) -> None:
    verdict = live.check("select nick from named where id > 1", "select nick from named where id > 2")
    assert isinstance(verdict, Unknown)
    assert "named_folded_idx of named" in verdict.reason


def test_tables_with_columns_of_an_extension_are_judged_where_nobody_reads_them(live: Checker) -> None:
    joined = "select v.id from visit v join member m on m.id = v.member_id"
    assert isinstance(live.check(joined, "select id from visit"), Proved)
    outer = "select m.name from member m left join visit v on v.member_id = m.id"
    found = live.check(outer, "select name from member")
    assert isinstance(found, Refuted)
    assert '"nick" pg_catalog."text"' in found.counterexample.script


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("select id from member where nick = 'a'", "select id from member where nick = 'A'"),
        ("select distinct m from member m", "select m from member m"),
        ("select count(*) from (select distinct * from member) m", "select count(*) from member"),
        ("select * from member natural join nicks", "select * from member"),
        ("select a from member m (i, a, b) where a = 'x'", "select a from member m (i, a, b) where a = 'X'"),
        ("select count(nick) from nicks", "select count(*) from nicks"),
    ],
)
def test_what_reads_such_a_column_is_not_tried_on_texts(one: str, other: str, live: Checker) -> None:
    """citext takes texts for the same that ``text`` keeps apart, and a CHECK may tie it to other columns."""
    assert isinstance(live.check(one, other), Unknown | Proved)
    assert not isinstance(live.check(one, one.replace("select", "select ", 1)), Refuted)


def test_a_check_that_ties_such_a_column_to_others_needs_a_proof(live: Checker) -> None:
    """Such a CHECK is in doubt as long as nobody has looked at the rows; from then on it is not."""
    assert live.catalog is not None
    (tied,) = (r for r in live.catalog.relations if r.ref.name == "tied")
    sure = replace(tied, checks=tuple(replace(check, doubt="") for check in tied.checks))
    with pytest.raises(Refused, match="tie of tied"):
        schema_of(live.catalog, (sure,))
    assert schema_of(live.catalog, (tied,)).stand_ins == {"nick"}


def test_a_condition_on_such_a_column_is_proved_as_any_other(live: Checker) -> None:
    exists = "select v.id from visit v where exists (select from member m where m.id = v.member_id and m.name = 'x')"
    joined = "select v.id from visit v join member m on m.id = v.member_id and m.name = 'x'"
    assert isinstance(live.check(exists, joined), Proved)


def test_rows_of_children_are_among_what_is_tried(live: Checker) -> None:
    assert isinstance(live.check("select distinct id from vehicle", "select id from vehicle"), Refuted)
    assert isinstance(live.check("select id from vehicle where seats > 0", "select id from vehicle"), Refuted)
    assert isinstance(
        live.check(
            "select id from only vehicle where seats > 0 or seats is null", "select id from only vehicle"
        ),
        Proved | Tested,
    )


def test_volatile_functions_are_refused_without_a_scratch_database_as_well(live: Checker) -> None:
    one = "select id, random() from tied"
    assert isinstance(live.check(one, f"{one} where true"), Unknown)


TEXT = """
create extension citext; create extension postgis;
create table member (id int primary key, nick citext not null unique, at public.geometry(Point, 4326), joined date not null);
create index on member using gist (at);
create table post (id int primary key, author int not null references member, body text);
alter table post add column tags citext[];
"""


@pytest.fixture(scope="module")
def by_text(scratch_server: ScratchServer) -> Iterator[Checker]:
    with Checker(
        scratch=scratch_server, schema_sql=TEXT, options=Options(databases=300, seconds=60)
    ) as checker:
        yield checker


def test_ddl_with_types_of_extensions_is_judged_where_nobody_reads_them(by_text: Checker) -> None:
    joined = by_text.check("select p.id from post p join member m on m.id = p.author", "select id from post")
    assert isinstance(joined, Proved)
    assert set(joined.stamp.omitted) == {"extension postgis", "column at"}
    outer = "select m.joined from member m left join post p on p.author = m.id"
    assert isinstance(by_text.check(outer, "select joined from member"), Refuted)


@pytest.mark.parametrize(
    "reference",
    ["parent citext references tag (label)", "parent citext, foreign key (parent) references tag (label)"],
)
def test_ddl_whose_references_stay_among_such_columns_is_judged(
    reference: str, scratch_server: ScratchServer
) -> None:
    """However a reference is written: of these columns' values it asks no more than that some are equal."""
    text = f"create extension citext; create table tag (label citext primary key, n int, {reference})"
    assert with_texts_for_extensions(text)[1] == {"label", "parent"}
    with Checker(scratch=scratch_server, schema_sql=text) as checker:
        assert isinstance(
            checker.check("select n from tag where n > 1", "select n from tag where 1 < n"), Proved
        )
        assert isinstance(checker.check("select n from tag", "select distinct n from tag"), Refuted)
        rows = checker.check("select label from tag", "select distinct label from tag")
        assert isinstance(rows, Tested)


@pytest.mark.parametrize("key", ["bigserial", "serial", "smallserial", "serial8"])
def test_numbers_drawn_from_a_sequence_are_no_extensions_type(key: str) -> None:
    """Frameworks write every key so: they are integers that references may compare."""
    text = f"""create extension citext;
        create table member (id {key} primary key, nick citext not null);
        create table post (id {key} primary key, author bigint not null references member (id))"""
    assert with_texts_for_extensions(text)[1] == {"nick"}
    with Checker(schema_sql=text) as checker:
        joined = "select p.id from post p join member m on m.id = p.author"
        assert isinstance(checker.check(joined, "select id from post"), Proved)
        distinct = checker.check("select distinct nick from member", "select nick from member")
        assert isinstance(distinct, Unknown)


@pytest.mark.parametrize("server", ["server", ""])
@pytest.mark.parametrize(
    "query",
    [
        "select distinct nick from member",
        "select distinct * from member",
        "select distinct m from member m",
        "select distinct tags from post",
        "select distinct (m).nick from member m",
    ],
)
def test_ddl_with_types_of_extensions_proves_nothing_of_them(
    query: str, server: str, scratch_server: ScratchServer
) -> None:
    """UNIQUE of citext is not UNIQUE of text: what is known of such a column is known of another one."""
    with Checker(scratch=scratch_server if server else None, schema_sql=TEXT) as checker:
        verdict = checker.check(query, query.replace("distinct ", ""))
        # the server has citext: rows may be looked at
        assert isinstance(verdict, (Tested, Refuted, Unknown) if server else Unknown)


@pytest.mark.server
@pytest.mark.parametrize(
    ("original", "candidate"),
    [
        (
            "select count(*) from member where nick = 'Bob'",
            "select count(*) from member where nick::text = 'Bob'",
        ),
        ("select author, tags from post", "select distinct on (author) author, tags from post"),
        ("select id from post where 'x' = any(tags)", "select id from post where 'x' = any(tags::text[])"),
        ("select id from post where similarity(body, 'ab') > 0", "select id from post where body ~ 'ab'"),
        ("select id, price from tariff", "select distinct on (id) id, price from tariff"),
    ],
)
def test_types_and_functions_of_trusted_extensions_are_run(
    original: str, candidate: str, scratch_server: ScratchServer
) -> None:
    schema = f"""create extension pg_trgm; create extension btree_gist version '1.0';
        create table tariff (id int, valid daterange, price int, primary key (id, valid without overlaps));
        {TEXT.replace("unique", "")}"""
    with Checker(scratch=scratch_server, schema_sql=schema) as checker:
        verdict = checker.check(original, candidate)
        assert isinstance(verdict, Refuted)
        if "nick" in original:
            assert "create extension if not exists citext" in verdict.counterexample.script


@pytest.mark.parametrize(
    "ddl",
    [
        "create table m (n citext check (n > ''))",
        "create table m (n citext primary key); create table x (a text references m)",
        "create table m (n citext primary key); create table x (a text references m (n))",
        "create table m (n citext, l text generated always as (lower(n)) stored)",
        "create table m (n citext); create unique index on m (lower(n))",
        "create table m (n citext) partition by list (n)",
        "create table m (n citext); create view v as select * from m",
        "create table m (n citext, exclude using gist (n with =))",
        "create table m (n citext default 'x')",
        "create table m (a text unique, n citext references m (a))",
        "create table m (n citext unique, a text references m (n))",
        "create table m (n citext primary key, p citext references m)",
    ],
)
def test_ddl_that_ties_such_a_column_to_anything_stays_as_it_is(ddl: str) -> None:
    text = f"create extension citext; {ddl}"
    assert with_texts_for_extensions(text) == (text, frozenset())
