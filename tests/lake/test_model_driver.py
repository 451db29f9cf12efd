"""The loop with a model: scripted replies, good, useless and hostile."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from rewright.lake.api import Lake
from rewright.lake.model_driver import Driving, ModelDriver, Share
from rewright.models.api import ModelTimeout, Reply, Request, Role, Usage

QUERY = "SELECT city, opening_year FROM bakery_shops ORDER BY opening_year"
REASONS = {
    "intent_coverage": "",
    "output_quality": "",
    "missing_information": "",
    "suggested_improvement": "",
}


class Scripted:
    """Answers in turn; keeps what it was shown."""

    def __init__(self, *replies: str | Callable[[], str]) -> None:
        self._replies = list(replies)
        self.shown: list[str] = []

    def available(self, role: Role) -> bool:
        return role == "lake"

    def complete(self, request: Request) -> Reply:
        self.shown.append(request.messages[1].text)
        if not self._replies:
            raise ModelTimeout("no more")
        reply = self._replies.pop(0)
        return Reply(reply if isinstance(reply, str) else reply())


def driver(lake: Lake, model: Scripted, share: Share = "schema") -> ModelDriver:
    return ModelDriver(lake.index, lake.database, lake.actions(), lake.resolver, model, Driving(share=share))


def rewrite(sql: str) -> str:
    return json.dumps({"sql": sql, "reason": "because", "used_tables": ["bk_shop"]})


def check(*actions: dict[str, object]) -> str:
    return json.dumps({"actions": actions, "reasoning": REASONS})


def test_actions_then_output(bakery_lake: Lake) -> None:
    model = Scripted(
        rewrite('SELECT "Town" AS city FROM nowhere'),
        check(
            {"type": "SEARCH_TABLE", "domain": "shops", "columns": ["town"]},
            {"type": "FIND_JOIN_PATH", "table_a": "bk_shop", "table_b": "bk_sale"},
        ),
        rewrite('SELECT "Town" AS city, "Opened" AS opening_year FROM bk_shop ORDER BY 2 DESC'),
        check({"type": "OUTPUT_QUERY", "index": 2}),
    )
    answer = driver(bakery_lake, model).resolve(QUERY)
    assert answer.resolution.driver == "model"
    assert answer.rows is not None
    assert answer.rows.rows[0] == ("Hartswell", 2001)
    assert [a["action"] for a in answer.resolution.actions] == [
        "SEARCH_TABLE",
        "FIND_JOIN_PATH",
        "OUTPUT_QUERY",
    ]


CLEANER = "def clean(value):\n    return value.upper() if value.startswith('D') else value"


def test_a_function_the_model_writes_cleans_a_column(bakery_lake: Lake) -> None:
    """It runs in the sandbox, once; what stays is SQL over the original table."""
    ctes: list[str] = []

    def built() -> str:
        pad = json.loads(model.shown[-1])["scratchpad"]
        ctes.extend(
            str(sql) for section in pad.values() for name, sql in section.items() if name == "clean_bk_shop"
        )
        return rewrite('SELECT "Town" AS city, "Opened" AS opening_year FROM bk_shop ORDER BY 2 DESC')

    model = Scripted(
        rewrite('SELECT "Town" AS city FROM bk_shop'),
        check({"type": "BUILD_CTE", "table": "bk_shop", "columns": ["Town"], "goal": "names in capitals"}),
        json.dumps({"functions": [{"column": "Town", "source": CLEANER}]}),
        built,
        check({"type": "OUTPUT_QUERY", "index": 1}),
    )
    driver(bakery_lake, model, "samples").resolve(QUERY)
    assert "Dunmere" in model.shown[2]
    assert "THEN 'DUNMERE'" in ctes[0]


def test_hostile_functions_and_those_below_samples_clean_nothing(bakery_lake: Lake) -> None:
    hostile = "def clean(value):\n    import os\n    return os.getcwd()"
    step = {"type": "BUILD_CTE", "table": "bk_shop", "columns": ["Town"], "goal": "names in capitals"}
    model = Scripted(
        rewrite('SELECT "Town" AS city FROM bk_shop'),
        check(step),
        json.dumps(
            {"functions": [{"column": "Town", "source": hostile}, {"column": "x", "source": CLEANER}]}
        ),
        rewrite('SELECT "Town" AS city FROM bk_shop'),
        check(),
    )
    driver(bakery_lake, model, "samples").resolve(QUERY)
    assert "getcwd" not in "".join(model.shown)
    below = Scripted(rewrite('SELECT "Town" AS city FROM bk_shop'), check(step), check())
    driver(bakery_lake, below, "statistics").resolve(QUERY)
    assert not any("goal" in text and "columns" in json.loads(text) for text in below.shown)


def test_nonsense_and_silence_leave_the_deterministic_answer(bakery_lake: Lake) -> None:
    for model in (Scripted("I cannot", "sorry", "no"), Scripted()):
        answer = driver(bakery_lake, model).resolve(QUERY)
        assert answer.resolution.driver == "deterministic"
        assert answer.rows is not None
        assert answer.rows.rows[0] == ("Aldersby", 1980)


def test_writes_and_escapes_run_nowhere(bakery_lake: Lake) -> None:
    for sql in ("DROP TABLE bk_shop", "SELECT * FROM read_csv('/etc/passwd')", "COPY bk_shop TO '/tmp/x'"):
        model = Scripted(
            rewrite(sql),
            check({"type": "OUTPUT_QUERY", "index": 1}),
            rewrite(sql),
            check({"type": "OUTPUT_QUERY", "index": 7}),
        )
        answer = driver(bakery_lake, model).resolve(QUERY)
        assert answer.resolution.driver == "deterministic"
    assert bakery_lake.execute("SELECT count(*) FROM bk_shop").rows == [(8,)]


def test_the_model_sees_only_what_it_may(bakery_lake: Lake) -> None:
    cases: tuple[tuple[Share, bool], ...] = (("schema", False), ("samples", True))
    for share, seen in cases:
        model = Scripted(
            rewrite('SELECT "Town" AS city FROM bk_shop'),
            check({"type": "SEARCH_VALUE", "table": "bk_shop", "value": "dunmere"}),
        )
        driver(bakery_lake, model, share).resolve(QUERY)
        assert any("Brackwater" in text or "Aldersby" in text for text in model.shown) is seen


def test_below_samples_no_value_of_query_or_lake_is_shown(bakery_lake: Lake) -> None:
    query = "SELECT city, opening_year FROM bakery_shops WHERE city = 'DUNMERE' AND opening_year > 1953"
    shares: tuple[Share, ...] = ("schema", "statistics")
    for share in shares:
        model = Scripted(
            rewrite('SELECT CAST("Town" AS INTEGER) AS city FROM bk_shop'),
            check(
                {"type": "BUILD_CTE", "table": "bk_shop"},
                {"type": "SEARCH_VALUE", "table": "bk_shop", "value": "dunmere"},
                {"type": "FIND_JOIN_PATH", "table_a": "bk_shop", "table_b": "bk_sale"},
            ),
            rewrite('SELECT "Town" AS city FROM bk_shop WHERE "Town" = \'Eastlow\''),
            check(),
        )
        driver(bakery_lake, model, share).resolve(query)
        told = "\n".join(model.shown)
        assert len(model.shown) >= 4
        # what was asked, what the resolver made of it, what an error quotes, what the lake holds
        for value in ("DUNMERE", "Dunmere", "1953", "Aldersby", "Corvin Hollow"):
            assert value not in told, (share, value)
        assert ("fan_out" in told) is (share == "statistics")


def test_placeholders_come_back_as_the_clients_literals(bakery_lake: Lake) -> None:
    query = "SELECT city FROM bakery_shops WHERE opening_year = 1989"
    model = Scripted(
        rewrite('SELECT "Town" AS city FROM bk_shop WHERE "Opened" >= $1 ORDER BY 1 DESC'),
        check({"type": "OUTPUT_QUERY", "index": 1}),
    )
    answer = driver(bakery_lake, model).resolve(query)
    assert "1989" not in "\n".join(model.shown)
    assert answer.resolution.driver == "model"
    assert "1989" in answer.resolution.sql
    assert answer.rows is not None
    assert answer.rows.rows[0] == ("Hartswell",)


def test_a_lake_asks_the_model_it_was_given(bakery_lake: Lake) -> None:
    model = Scripted(
        rewrite('SELECT "Town" AS city, "Opened" AS opening_year FROM bk_shop ORDER BY 2 DESC'),
        check({"type": "OUTPUT_QUERY", "index": 1}),
    )
    bakery_lake.drive(model)
    try:
        answer = bakery_lake.query(QUERY)
    finally:
        bakery_lake.drive(Scripted(), Driving(rounds=0))
    assert answer.resolution.driver == "model"
    assert len(model.shown) == 2


def test_a_choice_that_empties_the_result_is_doubted(bakery_lake: Lake) -> None:
    model = Scripted(
        rewrite('SELECT "Town" AS city, "Opened" AS opening_year FROM bk_shop WHERE "Opened" > 9999'),
        check({"type": "OUTPUT_QUERY", "index": 1}),
    )
    answer = driver(bakery_lake, model).resolve(QUERY)
    assert answer.resolution.driver == "deterministic"
    assert answer.rows is not None
    assert len(answer.rows.rows) == 8
    assert {"doubted": "the result would be empty"} in answer.resolution.actions


def test_a_models_choice_that_nothing_supports_is_not_answered_by_default(bakery_lake: Lake) -> None:
    """However sure the rules are of their own answer."""
    model = Scripted(
        rewrite('SELECT "Town" AS city, 1 AS opening_year FROM bk_shop'),
        check({"type": "OUTPUT_QUERY", "index": 1}),
    )
    chosen = driver(bakery_lake, model).resolve(QUERY).resolution
    assert chosen.driver == "model"
    assert chosen.confidence < 0.7


def test_two_queries_of_the_model_that_agree_rescue_a_refused_one(bakery_lake: Lake) -> None:
    query = "SELECT wombat_index FROM shop_things"
    refused = bakery_lake.resolver.resolve(query).resolution.confidence
    model = Scripted(
        rewrite('SELECT "Town" AS wombat_index FROM bk_shop'),
        check({"type": "SEARCH_TABLE", "domain": "shops"}),
        rewrite('SELECT s."Town" AS wombat_index FROM bk_shop AS s ORDER BY 1'),
        check({"type": "OUTPUT_QUERY", "index": 2}),
    )
    chosen = driver(bakery_lake, model).resolve(query).resolution
    assert refused < 0.7 <= chosen.confidence


def test_tokens_are_counted(bakery_lake: Lake) -> None:
    class Counting(Scripted):
        def complete(self, request: Request) -> Reply:
            return replace(super().complete(request), usage=Usage(100, 20))

    model = Counting(
        rewrite('SELECT "Town" AS city, "Opened" AS opening_year FROM bk_shop ORDER BY 2'),
        check({"type": "OUTPUT_QUERY", "index": 1}),
    )
    assert driver(bakery_lake, model).resolve(QUERY).resolution.tokens == 240
