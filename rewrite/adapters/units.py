"""The `Knowledge` port over the knowledge base, for one catalog.

Of the units that retrieval ranks first, those whose pattern fits the query and whose preconditions hold in
the live schema come before the others. Each brings its pattern as a rule, and the names of the rules that
make the same of its own question, so that search tries these first. Must not know agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pglast.error import Error as PglastError

from rewright.engines import clock
from rewright.knowledge.api import KnowledgeBase
from rewright.knowledge.patterns.fits import fits, rewrites, term_of
from rewright.knowledge.patterns.terms import NotATerm, Term, read
from rewright.knowledge.units import Unit as Stored
from rewright.knowledge.units import schema_sql
from rewright.rewrite.model import CATEGORIES, Category
from rewright.rewrite.ports import Unit
from rewright.rewrite.rules import RULES, Context, Rewrite, Rule
from rewright.rewrite.rules.apply import applications
from rewright.rewrite.rules.base import QUERY
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import DdlError, catalog_from_ddl
from rewright.sql.parsing import TooDeep
from rewright.sql.printing import to_sql
from rewright.sql.walk import canonical

# how many of the first ranked are looked at, and for how long
LOOKED_AT = 30
SECONDS = 1.0
_NOT_UNDERSTOOD = (BindError, Unsupported, PglastError, TooDeep, KeyError, RecursionError)


@dataclass(frozen=True, slots=True)
class UnitKnowledge:
    """Units for queries over ``catalog``; ``server_major`` 0: of any version."""

    base: KnowledgeBase
    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    server_major: int = 0

    def search(self, sql: str, k: int, plan: Mapping[str, Any] | None = None) -> Sequence[Unit]:
        """At most ``k`` units, those whose pattern fits first, then by retrieval's rank."""
        # more than k, as those whose pattern fits come before better ranked ones
        hits = self.base.search(sql, LOOKED_AT, server_major=self.server_major, plan=plan)
        ranked = [hit.unit for hit in hits]
        query = term_of(sql, self.catalog, self.search_path)
        fitting = set(self._fitting(ranked, query))
        ordered = sorted(ranked, key=lambda unit: unit.id not in fitting)
        return [self._unit(stored, fitting=stored.id in fitting) for stored in ordered[:k]]

    def _fitting(self, ranked: Sequence[Stored], query: Term | None) -> Iterator[str]:
        deadline = clock.now() + SECONDS
        for stored in ranked if query is not None else ():
            # the rest stay in retrieval's order, as though they did not fit
            if clock.now() > deadline:
                return
            assert query is not None
            if fits(stored, query, self.catalog, self.search_path):
                yield stored.id

    def _unit(self, stored: Stored, *, fitting: bool) -> Unit:
        rule = rule_of(stored, self.search_path) if fitting else None
        category = category_of(stored.category)
        return Unit(
            stored.title,
            stored.answer,
            category,
            stored.id,
            rule,
            rules_of(stored),
            stored.before,
            # the pattern that does not bind here is shown to the model only
            stored.after,
        )


def category_of(name: str) -> Category:
    return next((category for category in CATEGORIES if category == name), "others")


@lru_cache(maxsize=4096)
def rule_of(stored: Stored, search_path: tuple[str, ...] = ("public",)) -> Rule:
    """A unit's pattern as a rule. It claims nothing: what it makes is checked like everything else."""

    def find(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
        query = _term(block, ctx.catalog, search_path)
        if query is None:
            return
        for text in rewrites(stored, query, ctx.catalog, search_path):
            try:
                made = bind(text, ctx.catalog, search_path=search_path)
            except _NOT_UNDERSTOOD:
                continue
            yield Rewrite(made, f"as in the unit {stored.id}: {stored.title}", literal=True)

    return Rule(f"unit {stored.id}", QUERY.whole(), find, priority=85, category=category_of(stored.category))


@dataclass(frozen=True, slots=True)
class _Schema:
    """A catalog told apart by its digest, which is made once: a catalog's own hash
    reads all of it each time.
    """

    digest: str
    catalog: Catalog = field(compare=False)


def _term(block: a.Query, catalog: Catalog, search_path: tuple[str, ...]) -> Term | None:
    return _read(block, _Schema(catalog.digest(), catalog), search_path)


@lru_cache(maxsize=256)
def _read(block: a.Query, schema: _Schema, search_path: tuple[str, ...]) -> Term | None:
    try:
        return read(to_sql(block, qualified=True, catalog=schema.catalog, search_path=search_path))
    except (*_NOT_UNDERSTOOD, NotATerm):
        return None


@lru_cache(maxsize=4096)
def rules_of(stored: Stored) -> tuple[str, ...]:
    """Rules that turn the unit's question into its answer; where none does, those
    that apply to the question.
    """
    # a unit is asked once a process, whatever the query
    try:
        catalog = _catalog(stored)
        before, after = (bind(text, catalog) for text in (stored.before, stored.after))
        wanted = canonical(after, keep_names=True)
        made = [
            (one.rule.name, canonical(one.query, keep_names=True) == wanted)
            for one in applications(before, catalog, RULES)
        ]
    except (*_NOT_UNDERSTOOD, DdlError):
        return ()
    exact = [name for name, same in made if same]
    # the rule that makes the very answer; else those that at least apply
    return tuple(dict.fromkeys(exact or (name for name, _ in made)))


def _catalog(stored: Stored) -> Catalog:
    return _schema(schema_sql(stored.schema, stored.schemas)[0])


@lru_cache(maxsize=64)
def _schema(ddl: str) -> Catalog:
    return catalog_from_ddl(ddl)
