"""Within which bounds exact integers stay, and so which arithmetic on them raises no overflow (M6, M7).

Bounds follow from stored columns' types, from constants, and from what is taken for granted of counts and
sums (docs/equivalence.md). Must not know contexts, rules or search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rewright.sql.intervals import Bounds, combined

from .build import predicates
from .symbols import CASE, EQ, INTS, RANGES, digits, exact_integer, identity, is_bounded
from .terms import (
    App,
    Bag,
    Distinct,
    Limited,
    Lit,
    Multi,
    Nested,
    Row,
    Source,
    Table,
    Term,
    Var,
    substitute,
    walk,
)

Sources = Mapping[int, Source]
# far more rows than can be counted, and far from the end of bigint
_MOST_ROWS = 2**61
_NARROWS = "cast narrows to "
_DEEPEST = 8


def stays_in_range(term: App, sources: Sources) -> bool:
    """Whether this arithmetic (not what it is made of) gives a value for all arguments that can reach it."""
    name = term.sym.name
    if name.startswith("op /(numeric"):
        return is_bounded_in(term.args[0], sources)  # no divisor but 0 is that small
    if name.startswith(_NARROWS):
        return _within(bounds(term.args[0], sources), name.removeprefix(_NARROWS))
    op, _, type_name = name.partition(" ")
    # only sums, differences and products of exact numbers have bounds here
    if op not in {"+", "-", "*"} or type_name not in {*INTS, "numeric"}:
        return False
    if any(isinstance(a, Lit) and a.value is None for a in term.args):
        return True  # the operator is strict: it is not called
    if type_name == "numeric":
        return all(is_bounded_in(a, sources) for a in term.args)
    if type_name == "int8" and op == "*" and len(term.args) == 2 and _is_counted(term.args, sources):
        return True
    return _within(_combined(op, term.args, sources), type_name)


def bounds(term: Term, sources: Sources, depth: int = 0) -> Bounds | None:
    """The least and the largest value an exact integer may have where it is not NULL; None: not known."""
    match term:
        case Lit(value, type_) if exact_integer(type_):
            # NULL bounds nothing: the operator is not called
            return None if value is None else (int(value), int(value))
        case Var(var, pos, type_):
            return _of_column(sources.get(var), pos, type_.name if type_.is_builtin else "", sources, depth)
        case App(sym, args) if sym == CASE:
            # conditions of CASE have no value, results have
            results = [x for i, x in enumerate(args) if i % 2 or i == len(args) - 1]
            return _hull((x for x in results if x != Lit(None, x.type)), sources, depth)
        case App(sym, args, type_) if type_.is_builtin and type_.name in INTS:
            op, _, type_name = sym.name.partition(" ")
            whole = -RANGES[type_.name], RANGES[type_.name] - 1
            # division, remainder and functions stay within their type by themselves
            if type_name not in INTS or op not in {"+", "-", "*"}:
                return whole
            found = _combined(op, args, sources, depth)
            # a cast or sum that went out of its type has raised: what is left is within
            return whole if found is None else (max(found[0], whole[0]), min(found[1], whole[1]))
        case Nested("agg", name, bag):
            return _of_aggregate(name, bag, sources, depth)
        case _:
            return None


def with_constants(term: Term, given: Iterable[Term]) -> Term:
    """The term where the ``given`` predicates hold: columns that they equate with a constant are that
    constant.
    """
    return with_values(term, {x: value for q in given for x, value in equated(q)})


def equated(pred: Term) -> tuple[tuple[Term, Term], ...]:
    """The columns that a predicate equates with constants, each with its constant."""
    return tuple(
        (p.args[0], p.args[1])
        for p in predicates(pred)
        # under another equality than identity a constant in the column's place may look different
        if isinstance(p, App)
        and p.sym == EQ
        and isinstance(p.args[0], Var)
        and isinstance(p.args[1], Lit)
        and identity(p.args[0].type)
        and p.args[1].value is not None
    )


def with_values(term: Term, known: Mapping[Term, Term]) -> Term:
    """The term with the ``known`` columns' values for these."""
    return substitute(term, lambda t: None if isinstance(t, Row) else known.get(t)) if known else term


def fits_where(term: Term, given: Iterable[Term], sources: Sources) -> bool:
    """Whether this arithmetic gives a value for all arguments of rows on which ``given`` holds."""
    met = with_constants(term, given)
    return isinstance(met, App) and stays_in_range(met, sources)


def described_as(term: Term, given: Iterable[Term]) -> Term:
    """The term as it is told from others where ``given`` holds: with constants for columns, unless nothing
    else is left. A constant that fails is folded, and fails, when a query is planned; a column that only ever
    holds it is not.
    """
    met = with_constants(term, given)
    # all columns gone, the term would be folded when planned, and fail there whatever rows there are
    return met if any(isinstance(t, Var) for t in walk(met)) else term


def _within(found: Bounds | None, type_name: str) -> bool:
    limit = RANGES[type_name]
    return found is not None and -limit <= found[0] and found[1] < limit


def is_bounded_in(term: Term, sources: Sources) -> bool:
    """Whether a numeric has far fewer digits than fit: for all that its columns are made of, of whatever type
    they go by.
    """
    return is_bounded(term, _made_in(sources, 0))


def _made_in(sources: Sources, depth: int) -> Callable[[Var], int | None]:
    """How many digits there are in what a column is made of, by the rows that it is read from."""

    def made(column: Var) -> int | None:
        # sources within sources end somewhere, or the same columns would be asked again and again
        if depth == _DEEPEST:
            return None
        match sources.get(column.var):
            case Distinct(bag) | Limited(bag):
                parts: Bag = bag
            case Multi(_, left, right):
                parts = (*left, *right)
            case _:
                return None
        found = [digits(b.outs[column.pos], _made_in(sources, depth + 1)) for b in parts]
        known = [x for x in found if x is not None]
        # no parts, as of an empty side, bound nothing
        return max(known) if known and len(known) == len(found) else None

    return made


def _is_counted(factors: tuple[Term, ...], sources: Sources) -> bool:
    """Whether this is the product of two counts, or of a count and what fits int4: it leaves bigint only
    where more than two billion rows are counted in one group (docs/equivalence.md).
    """
    counts = [_is_count(factor) for factor in factors]
    # two counts, or a count and an int4
    return any(counts) and all(
        counted or _within(bounds(factor, sources), "int4")
        for factor, counted in zip(factors, counts, strict=True)
    )


def _is_count(term: Term) -> bool:
    return isinstance(term, Nested) and term.kind == "agg" and term.name == "cnt"


def _combined(op: str, args: tuple[Term, ...], sources: Sources, depth: int = 0) -> Bounds | None:
    """The bounds of the mathematical sum, difference or product."""
    return combined(op, [bounds(a, sources, depth) for a in args])


def _of_column(
    source: Source | None, pos: int, type_name: str, sources: Sources, depth: int
) -> Bounds | None:
    """A stored column holds what its type allows; a made one what it is made of, whatever type it goes by."""
    match source:
        # of another stored type than an integer nothing is known
        case Table() if type_name in INTS:
            return -RANGES[type_name], RANGES[type_name] - 1
        case Distinct(bag) | Limited(bag):
            return _hull((b.outs[pos] for b in bag), sources, depth)
        case Multi(_, left, right):
            return _hull((b.outs[pos] for b in (*left, *right)), sources, depth)
        case _:
            return None


def _of_aggregate(name: str, bag: Bag, sources: Sources, depth: int) -> Bounds | None:
    if name == "cnt":
        return 0, _MOST_ROWS
    values = (b.outs[0] for b in bag if b.outs)
    match name.partition(" ")[0]:
        case "min" | "max":
            return _hull(values, sources, depth)
        # sums of int4 stay in bigint, by what is taken for granted of the number of rows
        case "isum" if _within(_hull(values, sources, depth), "int4"):
            return -RANGES["int8"], RANGES["int8"] - 1
        case _:
            return None


def _hull(terms: Iterable[Term], sources: Sources, depth: int) -> Bounds | None:
    """Bounds of them all."""
    found = (
        [bounds(t, sources, depth + 1) for t in terms if t != Lit(None, t.type)] if depth < _DEEPEST else []
    )
    known = [f for f in found if f is not None]
    # one part without bounds leaves the whole without
    if not known or len(known) < len(found):
        return None
    return min(low for low, _ in known), max(high for _, high in known)
