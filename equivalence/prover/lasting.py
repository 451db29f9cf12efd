"""Whether what two queries may raise in the same words is the same thing.

`describe` tells neither which of two ranges over a relation a column is of, nor which rows a subquery has,
nor on which rows something is evaluated. Where both final forms still have a term that may fail, and within
the same subquery or aggregate in the same words, it is the same. Otherwise its description says too little:
that the forms have been matched is not enough, for two values may be the same whatever is in them. Must not
know rules or search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .bags import remake
from .build import is_null, predicates
from .described import describe
from .digest import written_alike
from .group_keys import less_what_is_known, without_belonging
from .raising import arguments, plain_name
from .symbols import is_division
from .terms import (
    FALSE,
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
    all_vars,
    block_vars,
    map_bags,
    map_block,
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
_EITHER_WAY = {"op -(date,date)"}
# what makes a float of a count
_OF_COUNTS = {"cast pg_catalog.int8 to pg_catalog.float8(-1) func"}
# the head of whatever is told by `plain_name`
AGGREGATE = "aggregate"

Item = tuple[str, str]
Staying = dict[str, list[str]]
# for each block of the first form the number of the second's, and of each of its rows the place there
Correspondence = Sequence[tuple[int, Sequence[int]]]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A term that may fail, as it is described. ``lasting``: how the form has it, whose name alone is
    ``head`` (none: the form does not say). ``possible``: that it fails has not been ruled out. ``forced``:
    nor that it does in whatever order conditions are taken.
    """

    item: Item
    head: str
    lasting: str
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
    # a cast that only narrows is gone from the form, and what it was of may be there
    while isinstance(term, App) and term.sym.name.startswith(_PASSES):
        term = term.args[0]
    # a column within the form is any column: only shown ones can be looked for
    return term if shown or not isinstance(term, Var) else None


def told_apart(
    original: Collection[Evaluated],
    replacement: Collection[Evaluated],
    ended: tuple[Bag, Bag],
    blocks: Correspondence,
    *,
    keys_first: bool,
) -> set[str]:
    """The reservations of what both queries may raise by its words, and that may be another thing in each.
    ``ended``: the final forms. ``blocks``: how they correspond. ``keys_first``: conditions on the keys of
    groups are asked of the rows before these are grouped.
    """
    first, second = _by_item(original), _by_item(replacement)
    # what can't fail, or fails in one query only, has been told apart already
    matters = [
        item
        for item in first.keys() & second.keys()
        if any(e.possible for e in second[item]) or any(e.forced for e in first[item])
    ]
    # most pairs share nothing that may fail, and the forms need not be walked
    if not matters:
        return set()
    heads = {e.head for item in matters for found in (first, second) for e in found[item]}
    ours, theirs, rows = _names(ended, blocks)
    left, right = (
        staying(form, heads, names, rows, keys_first=keys_first)
        for form, names in zip(ended, (ours, theirs), strict=True)
    )
    return {
        item[0]
        for item in matters
        if not (_stays(first[item], left, right) and _stays(second[item], left, right))
    }


def _by_item(evaluated: Iterable[Evaluated]) -> dict[Item, list[Evaluated]]:
    found: dict[Item, list[Evaluated]] = {}
    for e in evaluated:
        found.setdefault(e.item, []).append(e)
    return found


def _stays(evaluated: Collection[Evaluated], left: Staying, right: Staying) -> bool:
    return all(
        len(left.get(e.lasting, ())) >= len(evaluated)
        # as often as it is evaluated, and in the same words around it on both sides
        and Counter(left[e.lasting]) == Counter(right.get(e.lasting, ()))
        for e in evaluated
    )


def staying(
    form: Bag, heads: Collection[str], blocks: Sequence[str], rows: Mapping[int, str], *, keys_first: bool
) -> Staying:
    """By the description of a term of these names, what of the form it is in, each time that it is; of
    columns, that the form shows them. ``blocks``, ``rows``: names for them.
    """
    found: Staying = {}
    sources = {v: s for b in form for v, s in block_vars(b)}

    def name(column: Var) -> str:
        return f"{rows.get(column.var) or describe(column, sources)}.{column.pos}"

    for b, block in zip(form, blocks, strict=True):
        for whole, inside in _parts(b, keys_first=keys_first):
            text = ""
            # the block and the whole term around say which of two alike it is
            for t in inside:
                for what in _asked_for(t, heads, sources):
                    text = text or f"{block} {written_alike(whole, name)}"
                    found.setdefault(what, []).append(text)
    return found


def _asked_for(term: Term, heads: Collection[str], sources: dict[int, Source]) -> Iterator[str]:
    if head_of(term) in heads:
        yield describe(term, sources)
    if AGGREGATE in heads and isinstance(term, Nested) and term.kind in {"agg", "win"}:
        # of a window all numbers of sort keys are tried, since its name does not tell arguments from keys
        # a window's arguments stand behind its sort keys, and how many these are it does not say
        keys = range(max((len(b.outs) for b in term.bag), default=0) + 1) if term.kind == "win" else (0,)
        shown = [arguments(term.name, b) for b in term.bag]
        yield from dict.fromkeys(
            plain_name(term.name, (o for outs in shown for o in outs[n:]), sources) for n in keys
        )


def _parts(b: Block, *, keys_first: bool) -> Iterator[tuple[Bag, Iterator[Term]]]:
    """What stands in a block and is made of rows of its own, and all other terms, each with what is in it."""
    for v, source in b.vars:
        if not isinstance(source, Table):
            # rows that are made by a query of their own are told as a whole
            yield (Block(((v, source),), (), ()),), _walk_source(source)
    for o in b.outs:
        if isinstance(o, Var):
            yield (Block((), (), (o,)),), iter((o,))
    for t in (t for part in (*b.preds, *b.outs) for t in walk_shallow(part)):
        # HAVING count(*) > 0 AND k = 1 and WHERE k = 1 leave the same group
        told = _of_values(less_what_is_known(t, b) if keys_first else t)
        if isinstance(t, Nested):
            rest, keys = without_belonging(t, b)
            # what groups are made by fails where they are made
            yield from (((Block((), (), (key,)),), walk_term(key)) for key in keys)
            inside = (x for x in (t, *walk_bag(rest.bag), *_functions(rest.bag)) if not isinstance(x, Var))
            yield (Block((), (), (told,)),), inside
        elif not isinstance(t, Var):
            yield (Block((), (), _as_it_fails(told)),), iter((t,))


def _of_values(term: Term) -> Term:
    """The term whose extremes are of rows with a value: those without one count for nothing, wherever an
    order puts them.
    """
    found = map_bags(
        term, lambda bag: tuple(map_block(b, lambda rows: rows, _of_values) for b in bag), _of_values
    )
    if not isinstance(found, Nested) or found.kind != "agg" or not found.name.startswith(("min ", "max ")):
        return found
    return replace(found, bag=tuple(replace(b, preds=_where_not_null(b)) for b in found.bag))


def _where_not_null(b: Block) -> tuple[Term, ...]:
    absent = is_null(b.outs[0])

    def told(term: Term) -> Term:
        if term == absent:
            return FALSE
        return remake(replace(term, args=tuple(map(told, term.args)))) if isinstance(term, App) else term

    # NULL or not is asked of the value by the columns that it is made of
    return b.preds if absent == FALSE else tuple(q for p in b.preds for q in predicates(told(p)))


def _walk_source(source: Source) -> Iterator[Term]:
    if isinstance(source, Function):
        yield App(Sym(source.name), source.args, INTEGER)
    yield from (t for t in walk_source(source) if not isinstance(t, Var))


def _functions(bag: Bag) -> Iterator[Term]:
    """The functions whose rows a bag reads."""
    sources = (s for _, s in all_vars(bag))
    return (App(Sym(s.name), s.args, INTEGER) for s in sources if isinstance(s, Function))


def _names(ended: tuple[Bag, Bag], blocks: Correspondence) -> tuple[list[str], list[str], dict[int, str]]:
    """Names for the blocks of either form and for their rows: those that correspond have one."""
    left, right = ended
    of_blocks = [""] * len(right)
    rows: dict[int, str] = {}
    for number, (b, (partner, places)) in enumerate(zip(left, blocks, strict=False)):
        rows |= {v: f"{number}.{k}" for k, (v, _) in enumerate(b.vars)}
        if partner < len(right):
            of_blocks[partner] = str(number)
            theirs = right[partner].vars
            rows |= {theirs[at][0]: f"{number}.{k}" for k, at in enumerate(places) if at < len(theirs)}
    return [str(number) for number in range(len(left))], of_blocks, rows


def _as_it_fails(term: Term) -> tuple[Term, ...]:
    """The term, or its arguments in an order, where it fails the same whichever stands first. Of a count that
    is divided by a count only that: whether it is zero.
    """
    # date - date fails for infinite dates, whichever stands first
    if isinstance(term, App) and term.sym.name in _EITHER_WAY:
        return tuple(sorted(term.args, key=repr))
    # a count divided by a count fails where the second is 0, whatever the first is
    if isinstance(term, App) and is_division(term) and all(map(_counts, term.args)):
        return (replace(term, args=term.args[1:]),)
    return (term,)


def _counts(term: Term) -> bool:
    while isinstance(term, App) and term.sym.name in _OF_COUNTS:
        (term,) = term.args
    return isinstance(term, Nested) and (term.kind, term.name) == ("agg", "cnt")


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
