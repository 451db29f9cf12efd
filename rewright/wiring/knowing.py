"""The rewriter's ``Knowledge`` port over the knowledge base."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from knowledge.api import KnowledgeBase
from rewrite.ports import Unit
from rewrite.words import CATEGORIES, Category


class KnowledgePort:
    """Units for a query, best first; loaded once a process, at the first question."""

    def search(self, sql: str, k: int) -> Sequence[Unit]:
        return [
            Unit(hit.unit.title, hit.unit.answer, _category(hit.unit.category))
            for hit in _base().search(sql, k)
        ]


def _category(name: str) -> Category:
    return next((category for category in CATEGORIES if category == name), "others")


@cache
def _base() -> KnowledgeBase:
    return KnowledgeBase.load()
