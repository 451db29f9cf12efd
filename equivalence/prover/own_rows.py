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

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations
from typing import TYPE_CHECKING

from .build import predicates
from .described import describe
from .ranges import fits_where
from .symbols import EQ, IS_NULL, LE, LT, NOT, hazardous
from .terms import App, Lit, Nested, Source, Table, Term, Var, walk
from .translated import Failure

if TYPE_CHECKING:
    from .translate import Translator

# ways in which the rows of one table are numbered
_MOST_WAYS = 24


@dataclass(frozen=True, slots=True)
class Told:
    """What may fail, in words that number the rows of one table: the conditions that are ``asked`` of its
    rows alone, and ``first`` those that are asked before it; of those that cost more ``written`` before it,
    and ``beside`` it.
    """

    words: str
    first: frozenset[str]
    asked: frozenset[str]
    written: frozenset[str]
    beside: frozenset[str]


@dataclass(frozen=True, slots=True)
class OwnRows:
    """Something that may fail in a condition: its ``kind`` and words, and how it is told by each numbering of
    its rows. ``shown``: an output of a subquery that the condition reads; ``by_row``: asked of one row after
    another (`pulling.asked_by_row`); ``behind``: of those alone that something before it leaves open, in an
    OR, a CASE and the like; ``joined``: of rows that are joined to rows of these tables.
    """

    kind: str
    what: str
    numbered: tuple[Told, ...]
    shown: bool = False
    by_row: bool = False
    behind: bool = False
    joined: frozenset[str] = frozenset()


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
    # what a condition computes itself, and the original has nowhere, is told apart elsewhere
    return {
        own.kind
        for own in replacement
        if ((same := met.get((own.kind, own.what))) or (own.shown and "?" not in own.what))
        and not any(_is_asked_as_much(x, own) for x in same or ())
    }


def _is_asked_as_much(original: OwnRows, replacement: OwnRows) -> bool:
    """Whether the rows of the second can be numbered so that they are asked what those of the first are."""
    if replacement.shown and original.by_row and not replacement.by_row:
        return False
    if (original.behind and not replacement.behind) or not original.joined <= replacement.joined:
        return False
    told = original.numbered[0]
    return any(
        told.words == x.words and told.first <= x.asked and told.written <= x.asked | x.beside
        for x in replacement.numbered
    )


def _of(failure: Failure, translator: Translator) -> OwnRows:
    sources = translator.sources
    level, depth = translator.levels[id(failure)]
    met = [t.var for t in walk(failure.term) if isinstance(t, Var) and isinstance(sources.get(t.var), Table)]
    rows = set(met)
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
    asked = [p for p, at in own if joined or at < depth or _is_comparison(p)]
    condition, before_it = translator.asked_in.get(id(failure), (failure.term, ()))
    beside = [p for p, _ in own if not any(isinstance(t, Nested) for t in walk(p))]
    written = [p for p in beside if p in {q for x in before_it for q in predicates(x)}]
    asked += [p for p in _implied(p for p, _ in around) if set(_rows(p)) <= rows]

    def told(named: Mapping[int, Source]) -> Told:
        names = {**sources, **named}
        words = (frozenset(describe(p, names) for p in some) for some in (first, asked, written, beside))
        return Told(_words(failure.term, names), *words)

    numbered = tuple(told(x) for x in _numberings(list(dict.fromkeys(met)), sources))
    shown, by_row = id(failure) in translator.shown, id(failure.within) in translator.by_row
    others = frozenset(_joined(condition, rows, sources))
    what = describe(failure.term, sources)
    # a condition that fails for no ordinary value may stand anywhere among others
    ordinary = shown or failure.kind == "overflow" or hazardous(failure.term)
    return OwnRows(failure.kind, what, numbered, shown, by_row, failure.behind and ordinary, others)


def _joined(condition: Term, rows: Collection[int], sources: Mapping[int, Source]) -> Iterator[str]:
    """The tables to whose rows those of a condition are joined before it is asked. What is equated with a
    column is computed by itself, for a hash.
    """
    if not (isinstance(condition, App) and condition.sym == EQ):
        tables = (sources[v] for v in _rows(condition) if v in sources and v not in rows)
        yield from (str(s.ref) for s in tables if isinstance(s, Table))


def _numberings(rows: Sequence[int], sources: Mapping[int, Source]) -> Iterator[dict[int, Source]]:
    """The rows of each table that has several, named apart in all ways, first as they are met."""
    several = [v for v in rows if sum(sources[v] == sources[w] for w in rows) > 1]
    for order in islice(permutations(range(len(several))), _MOST_WAYS):
        yield {v: _named(sources[v], n) for v, n in zip(several, order, strict=True)}


def _named(source: Source, number: int) -> Source:
    if not isinstance(source, Table):
        return source
    return replace(source, ref=replace(source.ref, name=f"{source.ref.name} {number}"))


def _words(term: Term, sources: dict[int, Source]) -> str:
    """The term; the parts of a sum or a product have no order."""
    if isinstance(term, App) and term.sym.name.startswith(("+ ", "* ")):
        return f"{term.sym.name} of {sorted(describe(x, sources) for x in term.args)}"
    return describe(term, sources)


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
