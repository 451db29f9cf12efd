"""Whether what two queries may raise in the same words is the same thing.

`describe` tells neither which of two ranges over a relation a column is of, nor which rows a subquery has, nor
on which rows something is evaluated. Where a term that may fail is still there in both final forms, these have
been matched, and it with them; and where both queries hold the SELECT in which it is evaluated, in the same
words, it has the same rows. Otherwise its description says too little. Must not know rules or search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from rewright.sql import algebra as a
from rewright.sql.walk import canonical, is_closed, walk

from .described import describe
from .terms import INTEGER, App, Bag, Function, Nested, Row, Sym, Term, Var, block_vars, walk_bag
from .terms import walk as walk_term

# how the descriptions of guards begin, and end those of conditions in an order: both are of parts that are
# remembered too
_GUARD, _IN_ORDER = "guard ", " in order"
_ENDS = "limit", "offset"
# what may fail and leaves its argument as it is
_PASSES = "cast narrows to ", "cast numeric to int8", "virtual column"
_COLUMN = "column"

Item = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A term that may fail, as it is described. ``lasting``: how the form has it, whose name alone is ``head``
    (none: the form does not say). ``within``: the query that it is evaluated in. ``possible``: that it fails has
    not been ruled out. ``forced``: nor that it does in whatever order conditions are taken.
    """

    item: Item
    head: str
    lasting: str
    within: a.Query | None
    possible: bool
    forced: bool


def is_told_by_parts(term: Term) -> bool:
    """Whether the term stands for others that are told of themselves, or is an end of rows that is a constant."""
    if not isinstance(term, App):
        return False
    name = term.sym.name
    if name in _ENDS:
        return not any(isinstance(t, Var | Row | Nested) for t in walk_term(term))
    return name.startswith(_GUARD) or name.endswith(_IN_ORDER)


def as_left(term: Term, *, shown: bool) -> Term | None:
    """What a form has of a term. ``shown``: the term is a column of the result."""
    while isinstance(term, App) and term.sym.name.startswith(_PASSES):
        term = term.args[0]
    return term if shown or not isinstance(term, Var) else None


def told_apart(
    original: Collection[Evaluated], replacement: Collection[Evaluated], ended: tuple[Bag, Bag]
) -> set[str]:
    """The reservations of what both queries may raise by its words, and that may be another thing in each.
    ``ended``: the final forms.
    """
    first, second = _by_item(original), _by_item(replacement)
    matters = [
        item
        for item in first.keys() & second.keys()
        if any(e.possible for e in second[item]) or any(e.forced for e in first[item])
    ]
    if not matters:
        return set()
    heads = {e.head for item in matters for found in (first, second) for e in found[item]}
    left, right = (_staying(form, heads) for form in ended)
    return {
        item[0]
        for item in matters
        if not (_stays(first[item], left) and _stays(second[item], right))
        and not _same_rows(first[item], second[item])
    }


def _by_item(evaluated: Iterable[Evaluated]) -> dict[Item, list[Evaluated]]:
    found: dict[Item, list[Evaluated]] = {}
    for e in evaluated:
        found.setdefault(e.item, []).append(e)
    return found


def _stays(evaluated: Collection[Evaluated], form: Counter[str]) -> bool:
    return all(e.lasting and form[e.lasting] >= len(evaluated) for e in evaluated)


def _staying(form: Bag, heads: Collection[str]) -> Counter[str]:
    """How often a form has each term of these names; of columns, how often it shows them."""
    sources = {v: s for b in form for v, s in block_vars(b)}
    rows = (App(Sym(s.name), s.args, INTEGER) for s in sources.values() if isinstance(s, Function))
    shown = (o for b in form for o in b.outs if isinstance(o, Var))
    inside = (t for t in walk_bag(form) if not isinstance(t, Var))
    return Counter(describe(t, sources) for t in (*inside, *rows, *shown) if head_of(t) in heads)


def head_of(term: Term) -> str:
    """The name of what is applied, or of what is made of rows."""
    match term:
        case App(sym):
            return sym.name
        case Nested(kind, name):
            return f"{kind} {name}"
        case Var():
            return _COLUMN
        case _:
            return ""


def _same_rows(first: Iterable[Evaluated], second: Iterable[Evaluated]) -> bool:
    """Whether the terms are evaluated in the same SELECTs, which depend on nothing around them."""
    one, other = ([_closed(e.within) for e in found] for found in (first, second))
    return None not in one and None not in other and Counter(one) == Counter(other)


def _closed(query: a.Query | None) -> a.Query | None:
    if query is None or not is_closed(query) or any(_of_ctes(query)):
        return None
    return canonical(query, keep_names=False)


def _of_ctes(query: a.Query) -> Iterator[bool]:
    return (isinstance(n, a.CteScan) for n in walk(query))
