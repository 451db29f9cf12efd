"""Reading questions without a server: a context made by hand, the text of the query, follow-ups, refusals."""

from __future__ import annotations

import time

import pytest

from rewright.ask.context import Context, Join, TableContext
from rewright.ask.reading.api import Reader, Reading, Refusal, read
from tests.ask.readings import table


def _table(name: str, /, **columns: str) -> TableContext:
    return table(name, 50, **columns)


def _context() -> Context:
    club = _table(
        "club", club_id="int4 key", name="text:Lakers,Otters", town="text:Rome,Oslo", founded="int4"
    )
    player = _table(
        "player",
        player_id="int4 key",
        name="text",
        club_id="int4",
        role="text:keeper,striker",
        height_cm="int4",
        born="date",
        injured="bool",
    )
    game = _table(
        "game", game_id="int4 key", home_club_id="int4", away_club_id="int4", played_on="date", crowd="int4"
    )
    by_name = {(t.ref.name, c.name): c for t in (club, player, game) for c in t.columns}
    one = by_name["club", "club_id"]
    many = [by_name["player", "club_id"], by_name["game", "home_club_id"], by_name["game", "away_club_id"]]
    return Context.of(tables=[club, player, game], joins=[Join(m, one, 1.0) for m in many])


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(_context())


def _sql(reader: Reader, question: str, previous: Reading | None = None) -> str:
    found = reader.read(question, previous=previous)
    assert isinstance(found, Reading), found
    return found.sql.replace("public.", "")


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many players are there?", "select count(*) from player"),
        ("How many different roles are there?", "select count(distinct player.role) from player"),
        (
            "What is the average height of strikers?",
            "select avg(player.height_cm) from player where player.role = 'striker'",
        ),
        (
            "number of players per role",
            "select player.role, count(*) from player group by player.role",
        ),
        (
            "Which club has the most players?",
            (
                "select club.name from player join club on player.club_id = club.club_id group by club.club_id, club.name "
                "order by count(*) desc nulls last fetch first 1 rows with ties"
            ),
        ),
        (
            "Who are the 3 tallest players?",
            (
                "select player.name, player.height_cm from player where player.height_cm is not null "
                "order by player.height_cm desc nulls last limit 3"
            ),
        ),
        (
            "Which clubs have no players?",
            "select club.name from club where not exists (select from player where player.club_id = club.club_id)",
        ),
        (
            "Which clubs have more than 20 players?",
            (
                "select club.name from player join club on player.club_id = club.club_id group by club.club_id, club.name "
                "having count(*) > 20"
            ),
        ),
        ("Players taller than 190 cm", "select player.name from player where player.height_cm > 190"),
        (
            "players between 180 and 190 cm height",
            "select player.name from player where player.height_cm between 180 and 190",
        ),
        (
            "How many games were played in May 2023?",
            "select count(*) from game where game.played_on >= date '2023-05-01' and game.played_on < date '2023-06-01'",
        ),
        (
            "games with a crowd above average",
            "select game.game_id from game where game.crowd > (select avg(crowd) from game)",
        ),
        (
            "Which clubs are from Rome or Oslo?",
            "select club.name from club where club.town in ('Rome', 'Oslo')",
        ),
        ("Which clubs are not from Rome?", "select club.name from club where club.town <> 'Rome'"),
        ("How many players are injured?", "select count(*) from player where player.injured"),
        (
            "What percentage of players are keepers?",
            "select 100.0 * count(*) filter (where player.role = 'keeper')::float8 / nullif(count(*), 0) from player",
        ),
        (
            "Which players have a name starting with 'Mc_'?",
            "select player.name from player where player.name ilike E'Mc\\\\_%'",
        ),
        (
            "average crowd per year",
            "select extract(year from game.played_on), avg(game.crowd) from game group by extract(year from game.played_on)",
        ),
        ("clubs founded before 1950", "select club.name from club where club.founded <= 1949"),
        (
            "How many home games did the Otters play?",
            (
                "select count(*) from game where game.home_club_id in (select club.club_id from club where club.name = "
                "'Otters')"
            ),
        ),
        (
            "Who is the tallest player of each club?",
            (
                "select name, name_2, height_cm from (select club.name as name, player.name as name_2, "
                "player.height_cm as height_cm, rank() over (partition by club.club_id, club.name order by "
                "player.height_cm desc nulls last) as place from player join club on player.club_id = club.club_id "
                "where player.height_cm is not null) as ranked where place = 1"
            ),
        ),
        (
            "For each town, which club has the most players?",
            (
                "select town, name, measure from (select club.town as town, club.name as name, count(*) as measure, "
                "rank() over (partition by club.town order by count(*) desc nulls last) as place from player "
                "join club on player.club_id = club.club_id group by club.town, club.club_id, club.name) as ranked "
                "where place = 1"
            ),
        ),
        (
            "Which clubs have no strikers?",
            (
                "select club.name from club where not exists (select from player where player.club_id = club.club_id "
                "and player.role = 'striker')"
            ),
        ),
        (
            "Which clubs never had an injured player?",
            (
                "select club.name from club where not exists (select from player where player.club_id = club.club_id "
                "and player.injured)"
            ),
        ),
        (
            "Which games have more crowd than average?",
            "select game.game_id from game where game.crowd > (select avg(crowd) from game)",
        ),
        (
            "What share of the players of each club is injured?",
            (
                "select club.name, count(*) filter (where player.injured)::float8 / nullif(count(*), 0) from player "
                "join club on player.club_id = club.club_id group by club.club_id, club.name"
            ),
        ),
    ],
)
def test_forms(reader: Reader, question: str, sql: str) -> None:
    assert _sql(reader, question) == sql


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Which club won the cup?",
        "How many games did the Otters play?",
        "Why do players get injured?",
        "Is there a reason why clubs lose?",
        "How many players were injured twice in the same game?",
        "Which players are from the moon?",
        "What is the average name of players?",
        "total player_id of players",
        "'; drop table club; --",
        "which clubs have players and games and players",
        "names of the clubs with striker height",
    ],
)
def test_what_is_unclear_is_refused_with_a_reason(reader: Reader, question: str) -> None:
    found = reader.read(question)
    assert isinstance(found, Refusal), found
    assert found.why


def test_follow_ups_change_the_reading_before(reader: Reader) -> None:
    first = reader.read("How many players are there in Rome?")
    assert isinstance(first, Reading)
    assert "club.town = 'Rome'" in first.sql
    other = reader.read("what about Oslo?", previous=first)
    assert isinstance(other, Reading)
    assert "club.town = 'Oslo'" in other.sql
    assert "Rome" not in other.sql
    grouped = reader.read("now by role", previous=other)
    assert isinstance(grouped, Reading)
    assert grouped.sql.startswith("select player.role, count(*)")
    assert "club.town = 'Oslo'" in grouped.sql
    top = reader.read("only the top 2", previous=grouped)
    assert isinstance(top, Reading)
    assert top.sql.endswith("order by count(*) desc nulls last limit 2")
    ordered = reader.read("now sort them in descending order", previous=grouped)
    assert isinstance(ordered, Reading)
    assert ordered.sql.endswith("order by count(*) desc nulls last")
    games = reader.read("How many games were played in 2021?")
    assert isinstance(games, Reading)
    later = reader.read("and in 2022?", previous=games)
    assert isinstance(later, Reading)
    assert "2022-01-01" in later.sql
    assert "2021-01-01" not in later.sql


def test_a_question_of_its_own_is_no_follow_up(reader: Reader) -> None:
    first = reader.read("How many players are there in Rome?")
    assert isinstance(first, Reading)
    assert _sql(reader, "How many clubs are there?", first) == "select count(*) from club"
    assert isinstance(reader.read("what about the weather?", previous=first), Refusal)


def test_hints_write_out_terms(reader: Reader) -> None:
    found = reader.read("What is the AH per role?", evidence="AH = average height of players in cm. XY = z")
    assert isinstance(found, Reading)
    assert (
        found.sql.replace("public.", "")
        == "select player.role, avg(player.height_cm) from player group by player.role"
    )


def test_a_hint_makes_values_patterns_of_the_columns_it_names(reader: Reader) -> None:
    hint = "Match the town case-insensitively with wildcards."
    found = reader.read("Which players in Rome are strikers?", evidence=hint)
    assert isinstance(found, Reading)
    assert "club.town ilike '%Rome%'" in found.sql
    assert "player.role = 'striker'" in found.sql
    exact = reader.read("Which clubs are from Rome?", evidence="Match the town by an exact match, not ILIKE.")
    assert isinstance(exact, Reading)
    assert "= 'Rome'" in exact.sql


def test_columns_for_a_model_hold_more_than_the_reading(reader: Reader) -> None:
    names = {c.name for c in reader.columns("Which club has the most players?")}
    assert {"name", "club_id"} <= names
    assert len(names) < 12


def test_ties_of_a_superlative_are_kept_and_said(reader: Reader) -> None:
    found = reader.read("Which player is the tallest?")
    assert isinstance(found, Reading)
    assert "with ties" in found.sql
    assert "ties are all shown" in found.plain


def test_eight_hundred_columns_are_read_in_seconds() -> None:
    tables = [
        _table(f"region{n}_orders", order_id="int4 key", **{f"measure_{n}_{i}": "numeric" for i in range(79)})
        for n in range(10)
    ]
    began = time.perf_counter()
    found = read("What is the average measure 3 17?", Context.of(tables=tables))
    assert time.perf_counter() - began < 5
    assert isinstance(found, Reading | Refusal)


def test_tables_with_the_same_columns_are_one_entry() -> None:
    context = Context.of(
        tables=[_table("a", x="int4 key", y="text"), _table("b", x="int4", y="text"), _table("c", z="text")]
    )
    assert [[t.ref.name for t in group] for group in context.alike()] == [["a", "b"], ["c"]]
    assert context.tables[0].summary == "a (50 rows): key x; 1 number, 1 text"


def test_known_values_come_with_a_catalog_of_another_kind() -> None:
    table = _table("shop", name="text")
    values = {(table.ref, "name"): ("Nord", "Sud")}
    found = Reader(Context.of(tables=[table], values=values)).read("How many shops are named Nord?")
    assert isinstance(found, Reading)
    assert "shop.name = 'Nord'" in found.sql


@pytest.mark.parametrize(
    "question",
    [
        "ascending",
        "in descending order of",
        "either fewer than the average height less than the average without any",
        "by by by",
        "top",
        "more than than 3",
        "ratio of to",
        "3 or more or",
        "not not 3",
        "each",
        "between and",
        "percentage of",
        "name of of id",
        "top 0 players by height",
        "top 99999999999999999999 players by height",
    ],
)
def test_scraps_of_grammar_never_raise(reader: Reader, question: str) -> None:
    assert isinstance(reader.read(question), Reading | Refusal)
    before = reader.read("How many players are there?")
    assert isinstance(before, Reading)
    assert isinstance(reader.read(question, previous=before), Reading | Refusal)


def test_an_average_of_the_own_group_by_an_adjective(reader: Reader) -> None:
    found = reader.read("players taller than the average height of their own club")
    assert isinstance(found, Reading)
    own = "select avg(own.height_cm) from public.player as own where own.club_id = player.club_id"
    assert f"player.height_cm > ({own})" in found.sql, found.sql
