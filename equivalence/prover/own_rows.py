"""Conditions that may fail, and what else is surely asked of the rows that they are asked of.

    s.film = 5 AND s.n > s.y + 2000000000                               fails for no row of another film
    s.film = 5 AND s.id IN (SELECT w.id FROM s w WHERE w.n > w.y + …)   may: w is read by itself

A key says that w's row is s's, and the forms are the same; the planner does not know, and reads all of w. A
comparison of a column with a constant costs one operator and is asked at the scan, before what computes
something (`order_qual_clauses`), and conditions of one row are asked before a subquery is: where the original
has them, so must the replacement, of the same rows or through equations that the planner puts together
(`generate_base_implied_equalities`). Must not know rules or search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .described import describe
from .ranges import fits_where
from .symbols import EQ, IS_NULL, LE, LT, NOT
from .terms import App, Lit, Table, Term, Var, walk
from .translated import Failure

if TYPE_CHECKING:
    from .translate import Translator


@dataclass(frozen=True, slots=True)
class OwnRows:
    """Something that may fail in a condition: its ``kind`` and words, the conditions that are ``asked`` of
    its rows alone, and ``first`` those that are asked before it.
    """

    kind: str
    what: str
    first: frozenset[str]
    asked: frozenset[str]


def own_rows(translator: Translator) -> frozenset[OwnRows]:
    """What may fail in the conditions that were met."""
    sources = translator.sources
    return frozenset(
        _of(f, translator)
        for f in translator.tested
        if not (f.kind == "overflow" and fits_where(f.term, f.given, sources))
    )


def asked_of_more(original: Iterable[OwnRows], replacement: Iterable[OwnRows]) -> set[str]:
    """The reservations of what the replacement may ask of rows that the original keeps it from."""
    met: dict[tuple[str, str], list[OwnRows]] = {}
    for own in original:
        met.setdefault((own.kind, own.what), []).append(own)
    # what the original has nowhere is told apart elsewhere
    return {
        own.kind
        for own in replacement
        if (same := met.get((own.kind, own.what))) and not any(x.first <= own.asked for x in same)
    }


def _of(failure: Failure, translator: Translator) -> OwnRows:
    sources = translator.sources
    level, depth = translator.levels[id(failure)]
    rows = {t.var for t in walk(failure.term) if isinstance(t, Var) and isinstance(sources.get(t.var), Table)}
    # of the rows around, and no deeper
    around = [
        (p, at)
        for (place, p, _), at in zip(translator.filters, translator.depths, strict=True)
        if place == level[: len(place)]
    ]
    own = [(p, at) for p, at in around if (read := set(_rows(p))) and read <= rows]
    # a subquery is asked of rows that are left, and so is a condition of several tables
    joined = any(failure.term in set(walk(p)) and not set(_rows(p)) <= rows for p, _ in around)
    first = [p for p, at in own if at < depth or _is_comparison(p)]
    asked = {describe(p, sources) for p, at in own if joined or at < depth or _is_comparison(p)}
    asked |= {describe(p, sources) for p in _implied(p for p, _ in around) if set(_rows(p)) <= rows}
    what = describe(failure.term, sources)
    return OwnRows(failure.kind, what, frozenset(describe(p, sources) for p in first), frozenset(asked))


def _rows(term: Term) -> Iterator[int]:
    return (t.var for t in walk(term) if isinstance(t, Var))


def _is_comparison(pred: Term) -> bool:
    """Whether the condition compares a column with a constant, or asks whether it is there."""
    match pred:
        case App(sym, (inner,)) if sym == NOT:
            return _is_comparison(inner)
        case App(sym, (Var(),)) if sym == IS_NULL:
            return True
        case App(sym, (Var(), Lit()) | (Lit(), Var())):
            return sym in {EQ, LT, LE}
        case _:
            return False


def _implied(preds: Iterable[Term]) -> Iterator[Term]:
    """The columns that equations make constants."""
    equations = [p for p in preds if isinstance(p, App) and p.sym == EQ]
    known: dict[Term, Term] = {}
    for _ in equations:
        before = len(known)
        for p in equations:
            for x, y in (p.args, p.args[::-1]):
                if isinstance(x, Var) and (value := y if isinstance(y, Lit) else known.get(y)) is not None:
                    known.setdefault(x, value)
        if len(known) == before:
            break
    return (App(EQ, (x, value), equations[0].type) for x, value in known.items())
