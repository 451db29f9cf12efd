"""The units in the repository: they parse, stand apart from each other, and carry evidence that a server
gives again.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import pytest

from rewright.knowledge.check import GAIN, LOSS, Bench
from rewright.knowledge.units import CATEGORIES, Unit, load_units, schema_sql
from rewright.sql.algebra import Column, Const, FunctionRef, OperatorRef, OutputColumn, Query, Scan
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.types import SqlType

UNITS = tuple(load_units())


@cache
def catalog(schema: str) -> Catalog:
    return catalog_from_ddl(schema_sql(schema)[0])


@cache
def bound(text: str, schema: str) -> Query:
    return bind(text, catalog(schema))


def pattern(unit: Unit) -> tuple[Any, ...]:
    """Question and answer, their tables and columns numbered by first use, without types, names and
    constants.
    """
    seen: dict[Any, int] = {}
    before = shape(bound(unit.before, unit.schema), seen)
    return before, shape(bound(unit.after, unit.schema), seen)


def shape(node: Any, seen: dict[Any, int]) -> Any:
    match node:
        case Scan():
            return ("scan", number(("rel", node.rel), seen), number(("table", node.table), seen))
        case Column():
            return ("column", number(("column", node.rel, node.pos), seen))
        case Const():
            return ("null",) if node.value is None else ("constant",)
        case OperatorRef() | FunctionRef():
            return node.name
        case SqlType() | OutputColumn():
            return ()
        case tuple():
            return tuple(shape(part, seen) for part in node)
        case _ if is_dataclass(node):
            return (type(node).__name__, *(shape(getattr(node, name), seen) for name in parts(node)))
        case int() if not isinstance(node, bool):
            return number(("rel", node), seen)
        case _:
            return node


def parts(node: Any) -> list[str]:
    # a fence is no difference to the tree, but it is what some questions are about
    return [
        f.name
        for f in fields(node)
        if (f.compare and f.name not in {"name", "names"}) or f.name == "materialized"
    ]


def number(key: Any, seen: dict[Any, int]) -> int:
    return seen.setdefault(key, len(seen))


def test_there_are_enough_in_every_category() -> None:
    counts = Counter(u.category for u in UNITS)

    assert len(UNITS) >= 250
    assert all(counts[category] >= 15 for category in CATEGORIES), counts


def test_names_and_titles_are_unique() -> None:
    assert len({u.id for u in UNITS}) == len(UNITS)
    assert not [t for t, n in Counter(u.title for u in UNITS).items() if n > 1]


def test_both_texts_bind_and_differ() -> None:
    for unit in UNITS:
        before, after = (shape(bound(text, unit.schema), {}) for text in (unit.before, unit.after))
        assert before != after or unit.before.split() != unit.after.split(), unit.id


def test_no_two_have_one_pattern() -> None:
    asked = defaultdict(list)
    for unit in UNITS:
        asked[pattern(unit)].append(unit.id)

    assert not [ids for ids in asked.values() if len(ids) > 1]


def test_pattern_forgets_names_and_constants_only() -> None:
    def of(text: str) -> Any:
        return shape(bound(text, "shop"), {})

    assert of("SELECT o.id FROM orders o WHERE o.customer_id = 3") == of(
        "SELECT x.line FROM item x WHERE x.product_id = 9"
    )
    assert of("SELECT o.id FROM orders o WHERE o.id = 3") != of(
        "SELECT o.id FROM orders o WHERE o.customer_id = 3"
    )
    assert of("SELECT o.id FROM orders o WHERE o.id = 3") != of("SELECT o.id FROM orders o WHERE o.id < 3")


def test_every_unit_carries_evidence() -> None:
    assert not [u.id for u in UNITS if u.evidence is None or u.evidence.verdict not in {"proved", "tested"}]


def test_most_units_gained() -> None:
    gained = [u for u in UNITS if u.evidence is not None and u.evidence.gain >= GAIN]

    assert len(gained) >= 150


def test_units_that_lost_say_when_they_hurt() -> None:
    lost = [u for u in UNITS if u.evidence is not None and u.evidence.gain < LOSS]

    assert not [u.id for u in lost if u.hurts.lower().startswith("never")]


@pytest.mark.long
@pytest.mark.server
def test_a_sample_is_judged_the_same_again() -> None:
    # another seed each time the set grows; the whole set runs with bench/knowledge_evidence.py
    sample = random.Random(len(UNITS)).sample(UNITS, 6)
    with Bench(seconds=8) as bench:
        checked = [bench.check(unit, measure=False) for unit in sample]

    assert not [(c.unit.id, c.problem) for c in checked if c.problem]
