"""The rewriter's ``Proposer`` port over the rules and their search. Must not know single rules."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewrite.ports import Database, NoProposer, Proposer
from rewrite.words import Candidate, Category, Deadline, Step
from sql.catalog import Catalog

LIMIT = 50


def proposer(catalog: Catalog, search_path: tuple[str, ...]) -> Proposer:
    """Nothing is proposed while there are no rules."""
    try:
        importlib.import_module("rewrite.search")
    except ModuleNotFoundError:
        return NoProposer()
    return RuleProposer(catalog, search_path)


@dataclass(frozen=True, slots=True)
class RuleProposer:
    catalog: Catalog
    search_path: tuple[str, ...]

    def propose(
        self, sql: str, database: Database, deadline: Deadline, prefer: Sequence[Category]
    ) -> Sequence[Candidate]:
        """Candidates of the search, cheapest first; none for what the binder does not understand."""
        from sql.binder import bind

        search: Any = importlib.import_module("rewrite.search")
        rules: Any = importlib.import_module("rewrite.rules")
        try:
            query = bind(sql, self.catalog, search_path=self.search_path)
        except Exception:  # noqa: BLE001 - whatever a client's text does to the binder: no proposal
            return ()
        found = search.propose(
            query,
            self.catalog,
            cost=lambda text: database.explain(text).cost,
            deadline=deadline.at,
            limit=LIMIT,
            prefer=tuple(rule.name for rule in rules.RULES if getattr(rule, "category", "") in prefer),
        )
        categories: dict[str, Category] = {
            rule.name: getattr(rule, "category", "others") for rule in rules.RULES
        }
        candidates = [_candidate(one, categories) for one in found]
        return sorted(candidates, key=lambda one: one.cost if one.cost is not None else float("inf"))


def _candidate(found: Any, categories: dict[str, Category]) -> Candidate:
    return Candidate(
        sql=found.sql,
        steps=tuple(Step(name, categories.get(name, "others"), why) for name, why in found.steps),
        source="rules",
        cost=found.cost,
        assumptions=tuple(sorted(map(str, found.assumptions))),
    )
