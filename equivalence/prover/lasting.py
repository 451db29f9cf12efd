"""Whether what two queries may raise in the same words is the same thing.

`describe` tells neither which of two ranges over a relation a column is of, nor which rows a subquery has,
nor on which rows something is evaluated. Where both final forms still have a term that may fail, and within
the same subquery or aggregate in the same words, it is the same; and where both queries hold the SELECT in
which it is evaluated, it has the same rows. Otherwise its description says too little: that the forms have
been matched is not enough, for two values may be the same whatever is in them. Must not know rules or search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from rewright.sql import algebra as a
from rewright.sql.walk import canonical, is_closed, walk

from .described import describe
from .digest import written_alike
from .raising import plain_name
from .terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Function,
    Nested,
    Row,
    Source,
    Sym,
    Table,
    Term,
    Var,
    block_vars,
    free_vars,
    walk_bag,
    walk_shallow,
    walk_source,
)
from .terms import walk as walk_term

# how the descriptions of guards begin, and end those of conditions in an order: both are of parts that are
# remembered too
_GUARD, _IN_ORDER = "guard ", " in order"
_ENDS = "limit", "offset"
# what may fail and leaves its argument as it is
_PASSES = "cast narrows to ", "cast numeric to int8", "virtual column"
_COLUMN = "column"
# the head of whatever is told by `plain_name`
AGGREGATE = "aggregate"

Item = tuple[str, str]
Staying = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A term that may fail, as it is described. ``lasting``: how the form has it, whose name alone is
    ``head`` (none: the form does not say). ``within``: the query that it is evaluated in. ``possible``: that
    it fails has not been ruled out. ``forced``: nor that it does in whatever order conditions are taken.
    """

    item: Item
    head: str
    lasting: str
    within: a.Query | None
    possible: bool
    forced: bool


def is_told_by_parts(term: Term) -> bool:
    """Whether the term stands for others that are told of themselves, or is an end of rows that depends on
    none.
    """
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
    left, right = (staying(form, heads) for form in ended)
    return {
        item[0]
        for item in matters
        if not (_stays(first[item], left, right) and _stays(second[item], left, right))
        and not _same_rows(first[item], second[item])
    }


def _by_item(evaluated: Iterable[Evaluated]) -> dict[Item, list[Evaluated]]:
    found: dict[Item, list[Evaluated]] = {}
    for e in evaluated:
        found.setdefault(e.item, []).append(e)
    return found


def _stays(evaluated: Collection[Evaluated], left: Staying, right: Staying) -> bool:
    return all(
        len(left.get(e.lasting, ())) >= len(evaluated)
        and Counter(left[e.lasting]) == Counter(right.get(e.lasting, ()))
        for e in evaluated
    )


def staying(form: Bag, heads: Collection[str]) -> Staying:
    """By the description of a term of these names, what of the form it is in, each time that it is; of
    columns, that the form shows them.
    """
    found: Staying = {}
    sources = {v: s for b in form for v, s in block_vars(b)}
    for b in form:
        rows = _Rows(b, sources, alone=len(form) == 1)
        for whole, inside in _parts(b):
            for t in inside:
                if head_of(t) in heads:
                    found.setdefault(describe(t, sources), []).append(rows.written(whole))
                if AGGREGATE in heads and isinstance(t, Nested) and t.kind in {"agg", "win"}:
                    outs = (o for x in t.bag for o in x.outs)
                    found.setdefault(plain_name(t.name, outs, sources), []).append(rows.written(whole))
    return found


def _parts(b: Block) -> Iterator[tuple[Bag, Iterator[Term]]]:
    """What stands in a block and is made of rows of its own, and all other terms, each with what is in it."""
    for v, source in b.vars:
        if not isinstance(source, Table):
            yield (Block(((v, source),), (), ()),), _walk_source(source)
    for o in b.outs:
        if isinstance(o, Var):
            yield (Block((), (), (o,)),), iter((o,))
    for t in (t for part in (*b.preds, *b.outs) for t in walk_shallow(part)):
        if not isinstance(t, Var):
            inside = (t, *walk_bag(t.bag)) if isinstance(t, Nested) else (t,)
            yield (Block((), (), (t,)),), (x for x in inside if not isinstance(x, Var))


def _walk_source(source: Source) -> Iterator[Term]:
    if isinstance(source, Function):
        yield App(Sym(source.name), source.args, INTEGER)
    yield from (t for t in walk_source(source) if not isinstance(t, Var))


class _Rows:
    """Writes parts of a block so that those of another form are written alike."""

    def __init__(self, b: Block, sources: dict[int, Source], *, alone: bool) -> None:
        self.block, self.sources = b, sources
        self.where = "" if alone else str(sorted(self._roughly(t) for t in b.preds))
        tables = Counter(s.ref for _, s in b.vars if isinstance(s, Table))
        # a relation that is read more than once: of which range a column is, its conditions say
        self.ranges = {
            v: str(sorted(self._of(v, t) for t in b.preds if v in free_vars(t)))
            for v, s in b.vars
            if isinstance(s, Table) and tables[s.ref] > 1
        }

    def written(self, part: Bag) -> str:
        return f"{self.where} {written_alike(part, self._named)}"

    def _named(self, column: Var) -> str:
        return f"{describe(column, self.sources)} {self.ranges.get(column.var, '')}"

    def _roughly(self, term: Term) -> str:
        return written_alike((Block((), (term,), ()),), lambda v: describe(v, self.sources))

    def _of(self, var: int, term: Term) -> str:
        return written_alike(
            (Block((), (term,), ()),), lambda v: f"{v.var == var} {describe(v, self.sources)}"
        )


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
