"""Applying rules everywhere in a statement.

Owns the walk over blocks and the check that the result keeps the statement's columns. Must not know costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rewright.rewrite.rules.base import Context, Rewrite, Rule
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.walk import Fresh, Path, blocks, highest_number, replace_at, walk


@dataclass(frozen=True, slots=True)
class Applied:
    """One application of one rule somewhere in a statement. ``way``: statements between the two."""

    rule: Rule
    rewrite: Rewrite
    query: a.Query
    way: tuple[a.Query, ...] = ()


def applications(
    query: a.Query, catalog: Catalog, rules: Iterable[Rule], off: frozenset[str] = frozenset()
) -> Iterator[Applied]:
    """Every way one rule can be applied once, in the order of ``rules``, outer blocks first. A subquery that
    stands in several places (a column that is sorted by, too) is changed in all of them.
    """
    # equal blocks are one key: a rule's work is done once for all places where the block stands
    places: dict[a.Query, list[Path]] = {}
    for path, block in blocks(query):
        places.setdefault(block, []).append(path)
    ctes = {n.cte: n for n in walk(query) if isinstance(n, a.Cte)}
    highest = highest_number(query)
    # numbers above the highest are free: each rule starts from there, since only one of its results is taken
    facts = Facts(catalog, query)
    wanted = a.output_columns(query)
    looked_at = [(block, paths, dict[Callable[[Any], bool], bool]()) for block, paths in places.items()]
    for rule in rules:
        switched = frozenset(
            name.removeprefix(f"{rule.name}.") for name in off if name.startswith(f"{rule.name}.")
        )
        for block, paths, said in looked_at:
            # only the whole statement has the empty path
            ctx = Context(facts, Fresh(highest), ctes, switched, not paths[0], said)
            for made in rule.apply(block, ctx):
                whole = _replaced(query, paths, made.block)
                # a rule may rename or retype what nobody inside reads; the client would see it
                if a.output_columns(whole) == wanted and not _asks_of_rows(made.block, ctx):
                    way = tuple(_replaced(query, paths, block) for block in made.way)
                    yield Applied(rule, made, whole, way)


def _replaced(query: a.Query, paths: Iterable[Path], block: a.Query) -> a.Query:
    for path in paths:
        query = replace_at(query, path, block)
    return query


def _asks_of_rows(block: a.Query, ctx: Context) -> bool:
    """Whether a rule asks of a row if it is NULL. SQL has no words for that: ``IS NOT NULL`` is false of
    ``ROW(1, NULL)`` and ``IS NULL`` true of ``ROW(NULL)``, which joins, count(x) and groups take for values.
    """
    asked = (n for n in walk(block) if isinstance(n, a.IsNull) and not n.row_form)
    return any(ctx.is_row(n.arg) for n in asked)
