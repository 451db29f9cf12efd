"""A query seen in another form, with what that leaves open and what it rests on.

What the modules that bring queries into forms have in common. Must not know which forms there are.
"""

from __future__ import annotations

from dataclasses import dataclass

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import QUERIES


@dataclass(frozen=True, slots=True)
class Form:
    """``modulo``: the reservations of taking the form for the query; ``assumptions``: constraints that it rests on, in the
    checker's words.
    """

    query: a.Query
    modulo: frozenset[str] = frozenset()
    assumptions: tuple[str, ...] = ()


def failures_of(catalog: Catalog, *parts: a.Query | a.Expr) -> frozenset[str]:
    """The reservations of computing queries and conditions for other rows. That a sum of other rows overflows is left out, as
    everywhere in the checker.
    """
    facts = Facts(catalog, *(p for p in parts if isinstance(p, QUERIES)))
    errors = any(facts.errors(p) - OVERFLOW for p in parts)
    overflow = any(facts.may_overflow(_as_query(p)) for p in parts)
    return frozenset({*(["errors"] if errors else []), *(["overflow"] if overflow else [])})


def _as_query(part: a.Query | a.Expr) -> a.Query:
    """A condition as a query that evaluates it."""
    return part if isinstance(part, QUERIES) else a.Select((), where=part)
