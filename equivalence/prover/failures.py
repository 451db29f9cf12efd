"""What evaluating a form may raise, and whether its order is determined: the source of reservations (M6, M7,
M9).

Must not know rules or search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from rewright.sql.algebra import Expr

from .asking import Asked
from .bags import UNNEST
from .context import Context
from .described import describe
from .firsts import any_first_will_do
from .lasting import AGGREGATE, Evaluated, as_left, head_of, is_told_by_parts
from .looks import chosen_among_equals, shown_type
from .places import at_path, nested_terms, places
from .positions import WindowName, is_total, ordered_keys, read_window, total
from .raising import before_dropping
from .ranges import described_as, equated, fits_where, stays_in_range, with_values
from .series import never_fails
from .sparing import spare
from .symbols import (
    CASE,
    EQ,
    IN_TIME,
    IS_NULL,
    LE,
    LT,
    SAME,
    failure,
    identity,
    is_division,
    is_of_time,
    one_look,
    one_representation,
)
from .terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Function,
    Limited,
    Lit,
    Nested,
    Source,
    Term,
    Var,
    alike,
    block_vars,
    free_in_source,
    free_vars,
    null,
    walk_bag,
    walk_shallow,
)
from .translated import Failure, Level
from .unique import determined_by, one_row, with_groups
from .worded import worded

if TYPE_CHECKING:
    from rewright.sql.types import SqlType

    from .translate import Translator


# which shows as many decimals as the operand with most
_ADDING = frozenset({"+ numeric", "- numeric"})
# floats that are made of numbers without a negative zero
_FROM_EXACT = {
    f"cast pg_catalog.{x} to pg_catalog.float8(-1) func" for x in ("int2", "int4", "int8", "numeric")
}
# begins the description of a scalar subquery that may have more than one row
SUBQUERY = "subquery"


Found = set[tuple[str, str]]


class _Closely(IntEnum):
    """How closely failures are looked at: the fields of `Failures`."""

    ALL = 0
    LEFT = 1
    FORCED = 2


@dataclass(frozen=True, slots=True)
class Failures:
    """(reservation, description) of everything that may raise an error: ``all`` that is not tame in itself,
    and the ``left`` of it where types, constants and the rows it is evaluated on are considered. Two queries
    fail alike when either is the same for both. ``forced``: of what is left that which happens in whatever
    order the planner takes conditions, as far as is known.
    """

    all: frozenset[tuple[str, str]] = frozenset()
    left: frozenset[tuple[str, str]] = frozenset()
    forced: frozenset[tuple[str, str]] = frozenset()

    def __or__(self, other: Failures) -> Failures:
        return Failures(self.all | other.all, self.left | other.left, self.forced | other.forced)


def kinds_apart(original: Failures, replacement: Failures) -> set[str]:
    """The reservations of what one side may raise and the other may not. That the replacement raises nothing
    where the original may raise nothing either is no difference: it does what the server might have done.
    """
    # both views must differ: two texts may fail alike by what they may raise in general, or by what is left
    # of it
    found = _kinds(original.all ^ replacement.all) & _kinds(original.left ^ replacement.left)
    # what only the original may raise, and only in some order, need not have been raised
    certain = _kinds(replacement.left) | _kinds(original.forced)
    return {kind for kind in found if kind in certain}


def _kinds(found: Collection[tuple[str, str]]) -> set[str]:
    return {kind for kind, _ in found}


@dataclass(frozen=True, slots=True)
class Spared:
    """What holds of every division of a query where it is evaluated (`rewright.sql.facts.guards.division`),
    and of all that makes moments (`rewright.sql.facts.moments`), and so in a form of it, which shows neither
    guards nor order: ``always``, or where its conditions are taken ``in_order``.
    """

    always: tuple[str, ...]
    in_order: tuple[str, ...]


def spared(translator: Translator) -> Spared:
    """What the divisions that were met, and what makes moments, are known not to do."""
    return Spared(_sure(translator.failing), _sure([f for f in translator.failing if not f.optional]))


def _sure(met: Collection[Failure]) -> tuple[str, ...]:
    kinds = {f.kind for f in met if is_division(f.term)}
    # one kind unmet is a claim about all divisions: no zero divisor, no quotient too large
    sure = (*(() if "errors" in kinds else ("nonzero",)), *(() if kinds else ("fits",)))
    # and so it is of moments
    return sure if any(is_of_time(f.term) for f in met) else (*sure, IN_TIME)


def gone(engine: Asked, translator: Translator, form: Bag) -> Failures:
    """The scalar subqueries that were met, that may have more than one row, and that the form does not hold:
    nothing that is shown depends on them, but the server asks them all the same.
    """
    sources = {v: s for b in form for v, s in block_vars(b)} | translator.sources
    held = {
        # by descriptions, since the form has other variables than the text had
        describe(n, sources)
        for path in places(form)
        for b in at_path(Context(), form, "bag", path)[1]
        for n in nested_terms(b)
        if n.kind == "the"
    }
    found = frozenset(
        ("errors", f"{SUBQUERY} {what}")
        for f in translator.rows
        if isinstance(f.term, Nested)
        and f.term.kind == "the"  # an aggregate's one row is its value
        and (what := describe(f.term, sources)) not in held
        and not one_row(engine, Context(), f.term.bag)
    )
    return Failures(found, found, found)


def add_crowded(engine: Asked, translator: Translator) -> None:
    """Add what may fail since a scalar subquery may have more than one row: the order of the parts of AND and
    OR, and guards around it.
    """
    many = {
        f.term
        for f in translator.rows
        if isinstance(f.term, Nested) and f.term.kind == "the" and not one_row(engine, Context(), f.term.bag)
    }
    # AND and CASE around a subquery with two rows fail in an order, as around a division
    translator.failing += (f for f, asked in translator.by_rows if any(r.term in many for r in asked))
    translator.guarded += (f for f in translator.guarded_rows if f.term in many)


def recorded(translator: Translator, form: Failures) -> Failures:
    """What the translation met that may fail, before anything was simplified away. ``form``: what `failing`
    says of the form.
    """
    return Failures(
        frozenset(_recorded(translator, form.all, _Closely.ALL)),
        frozenset(_recorded(translator, form.left, _Closely.LEFT)),
        frozenset(_recorded(translator, form.forced, _Closely.FORCED)),
    )


def _recorded(translator: Translator, form: Collection[tuple[str, str]], closely: _Closely) -> Found:
    """A CASE or COALESCE around what may fail is told apart, since it may keep the failure from happening."""

    def kept(failures: list[Failure]) -> list[Failure]:
        return [
            f
            for f in failures
            # looked at closely, overflows that rows or constants rule out do not count
            if not (closely and _avoided(f, translator)) and not (closely is _Closely.FORCED and f.optional)
        ]

    found = {(f.kind, _placed(f, translator, closely=bool(closely))) for f in kept(translator.failing)}
    # a subquery with several rows in the form makes all that the text asked of subqueries count
    crowded = any(what.startswith(SUBQUERY) for _, what in form)
    if crowded:
        found |= {(f.kind, _placed(f, translator, closely=bool(closely))) for f in translator.rows}
    risky = translator.forced if closely is _Closely.FORCED else translator.risky
    if risky or crowded:  # AND does not protect: whether a row fails depends on which condition comes first
        found.add(("errors", f"filters {_in_order(translator)}"))
    if kept(translator.overflowing):
        found.add(("overflow", f"filters {_in_order(translator)}"))
    guarded = kept(translator.guarded)
    return found | {(f.kind, f"guarded {_placed(f, translator, closely=bool(closely))}") for f in guarded}


def _in_order(translator: Translator) -> list[str]:
    """The conditions as they are written, each with the number of its level and of that around it: levels
    that ask nothing are none.
    """
    numbers: dict[Level, int] = {}
    for level, _, _ in translator.filters:
        # a level that has conditions gets a number when the first of them comes
        numbers.setdefault(level, len(numbers))

    beside = Counter(level for level, _, _ in translator.filters)

    def named(level: Level, term: Term, condition: Expr) -> str:
        around = (numbers[level[:n]] for n in range(len(level) - 1, -1, -1) if level[:n] in numbers)
        kind = level[-1][0] if level else ""
        place = f"{kind} {numbers[level]} in {next(around, None)}"
        # one condition alone comes before nothing, however it is worded
        told = f", {worded(condition)}" if beside[level] > 1 else ""
        return f"{place}: {describe(term, translator.sources)}{told}"

    return list(dict.fromkeys(named(*f) for f in translator.filters))


def _avoided(failure: Failure, translator: Translator) -> bool:
    """Whether the failure can not happen."""
    # only overflows can be ruled out by bounds; a division by zero was looked at where it was met
    return failure.kind == "overflow" and fits_where(failure.term, failure.given, translator.sources)


def _placed(failure: Failure, translator: Translator, *, closely: bool) -> str:
    """The term, and of which rows it is evaluated where these are made apart from the result's."""
    term = described_as(failure.term, failure.given) if closely else failure.term
    what = describe(term, translator.sources)
    # a site that is apart fails for its own rows, told by tables and conditions
    for site in failure.sites:
        conditions = sorted(describe(t, translator.sources) for t in site.filters)
        what += f" of {site.kind} {sorted(site.tables)} where {conditions}"
        early = {f"{how} the join {describe(t, translator.sources)}" for how, t in site.early}
        what += f" computed {sorted(early)}" if early else ""
    rows = before_dropping(failure.before, translator.sources)
    return f"{what} before rows are dropped of {rows}" if rows else what


def evaluated(translator: Translator, found: Failures) -> tuple[Evaluated, ...]:
    """What the translation met that may fail, once for every place where it is evaluated. ``found``: what may
    fail in all.
    """
    tested = {id(f.term) for f in translator.tested}
    met: dict[Hashable, list[Failure]] = {}
    # what a guard keeps from failing is among these too
    for f in translator.failing:
        # what stands for a guard or an AND as a whole is told by its parts
        if not is_told_by_parts(f.term):
            place = id(f.within), f.apart, id(f.term) in tested
            met.setdefault((f.kind, f.term, place), []).append(f)
    raising = {(r.kind, r.plain, r.rows, id(r.within)) for r in translator.raising}
    return (
        *(_evaluated(f, translator, tested) for f in met.values()),
        *(e for f in translator.rows for e in _asked(f, translator, found)),
        *(Evaluated((kind, plain), AGGREGATE, plain, True, True) for kind, plain, *_ in raising),
    )


def _evaluated(met: Sequence[Failure], translator: Translator, tested: Collection[int]) -> Evaluated:
    possible = [f for f in met if not _avoided(f, translator)]
    shown = met[0].within is translator.topmost and id(met[0].term) not in tested
    return _told(met[0], translator, shown, (bool(possible), any(not f.optional for f in possible)))


def _asked(failure: Failure, translator: Translator, found: Failures) -> Iterator[Evaluated]:
    """A scalar subquery that may have more than one row."""
    if isinstance(failure.term, Nested) and failure.term.kind == "the":
        # an aggregate's single row can't be two
        subquery = "errors", f"{SUBQUERY} {describe(failure.term, translator.sources)}"
        yield _told(failure, translator, False, (subquery in found.left, subquery in found.forced))


def _told(failure: Failure, translator: Translator, shown: bool, fails: tuple[bool, bool]) -> Evaluated:
    left = as_left(failure.term, shown=shown)
    return Evaluated(
        (failure.kind, describe(failure.term, translator.sources)),
        "" if left is None else head_of(left),
        "" if left is None else describe(left, translator.sources),
        *fails,
    )


def failing(engine: Asked, form: Bag, spared: Spared) -> Failures:
    """Everything in the form that may raise an error."""
    crowded = _crowded(engine, form)
    return Failures(
        frozenset((*crowded, *_failing(engine, form, spared.always, _Closely.ALL))),
        frozenset((*crowded, *_failing(engine, form, spared.always, _Closely.LEFT))),
        frozenset((*crowded, *_failing(engine, form, spared.in_order, _Closely.FORCED))),
    )


def _crowded(engine: Asked, form: Bag) -> Found:
    """The scalar subqueries that may have more than one row."""
    sources = {v: s for b in form for v, s in block_vars(b)}
    found: Found = set()
    for path in places(form):
        ctx, bag, _ = at_path(Context(), form, "bag", path)
        for b in bag:
            for n in nested_terms(b):
                if n.kind == "the" and not _single(engine, ctx, b, n):
                    found.add(("errors", f"{SUBQUERY} {describe(n, sources)}"))
    return found


def tested(engine: Asked, translator: Translator, form: Bag) -> Failures:
    """What may fail in conditions, which meet rows that outputs do not: those of the form, and those that
    were written and have been simplified away since.
    """
    return Failures(
        frozenset(_tested(engine, translator, form, _Closely.ALL)),
        frozenset(_tested(engine, translator, form, _Closely.LEFT)),
        frozenset(_tested(engine, translator, form, _Closely.FORCED)),
    )


def _tested(engine: Asked, translator: Translator, form: Bag, closely: _Closely) -> Found:
    sources = {v: s for b in form for v, s in block_vars(b)}
    divisors = spared(translator)
    sure = divisors.in_order if closely is _Closely.FORCED else divisors.always
    found: Found = set()
    for path in places(form):
        for b in at_path(Context(), form, "bag", path)[1]:
            for t in _conditions(b, closely):
                found |= set(_failing_term(engine, t, sources, sure, closely=bool(closely)))
    for f in translator.tested:
        what = describe(f.term, translator.sources)
        # what can't happen in this view of the failures is left out of it
        skipped = closely and (_avoided(f, translator) or (closely is _Closely.FORCED and f.optional))
        # of copied rows names are not known here
        if "?" not in what and not skipped:
            found.add((f.kind, what))
    return {(kind, f"condition {what}") for kind, what in found}


def _conditions(b: Block, closely: _Closely) -> tuple[Term, ...]:
    """The conditions of a block; what they raise in any order: where each meets rows that pass the others."""
    # in any order, a condition is asked of rows that pass the others only where these say a column's value
    if closely is not _Closely.FORCED:
        return b.preds
    told = [(p, equated(p)) for p in b.preds]
    # few conditions say what a column is, and each of these is read once, however many others there are
    telling = [(p, pairs) for p, pairs in told if pairs]
    return tuple(
        with_values(t, {x: value for p, pairs in telling if p is not t for x, value in pairs})
        for t in b.preds
    )


def _failing(engine: Asked, form: Bag, sure: Collection[str], closely: _Closely) -> Found:
    sources = {v: s for b in form for v, s in block_vars(b)}
    found: Found = set()
    for path in places(form):
        for b in at_path(Context(), form, "bag", path)[1]:
            # outputs of the result are made of the rows that are left
            # at the top the outputs are made of rows that have passed all conditions
            known = dict(pair for p in b.preds for pair in equated(p)) if closely and not path else {}
            outs = tuple(with_values(o, known) for o in b.outs)
            for t in (*_conditions(b, closely), *outs):
                found |= set(_failing_term(engine, t, sources, sure, closely=bool(closely)))
            for _, s in b.vars:
                # a function in FROM may fail for its arguments, whatever reads it
                if isinstance(s, Function) and s.name != UNNEST and not never_fails(s.name, s.args):
                    found.add(("errors", f"function {s.name}"))
    return found


def _single(engine: Asked, ctx: Context, b: Block, n: Nested) -> bool:
    # without the conditions that hold the subquery itself: they are asked after it
    preds = tuple(q for q in b.preds if n not in set(walk_shallow(q)))
    return one_row(engine, ctx.within(Block(b.vars, preds, ())), n.bag)


def _failing_term(
    engine: Asked, term: Term, sources: dict[int, Source], sure: Collection[str], *, closely: bool
) -> Iterator[tuple[str, str]]:
    """Failing applications outside inner bags; a CASE that guards one counts as a whole."""
    match term:
        case App(sym, args) if sym == CASE:
            # CASE may skip any of its parts but the first condition
            kinds = {k for a in args for k, _ in _failing_term(engine, a, sources, sure, closely=closely)}
            first = {k for k, _ in _failing_term(engine, args[0], sources, sure, closely=closely)}
            for k in kinds:
                yield k, describe(term, sources)
            for k in first:
                yield k, describe(args[0], sources)
        case App(_, args):
            kind = failure(term, sure)
            # ranges of integer columns keep sums of a few of them in int8
            if closely and kind == "overflow" and stays_in_range(term, sources):
                kind = ""
            # CHECKs and the like rule the failing values out
            if kind and spare(engine, term, sources):
                kind = ""
            if kind:
                yield kind, describe(term, sources)
            for a in args:
                yield from _failing_term(engine, a, sources, sure, closely=closely)
        case Nested(_, _, _, _, args):
            for a in args:
                yield from _failing_term(engine, a, sources, sure, closely=closely)


def orders(engine: Asked, form: Bag) -> bool:
    """Whether LIMIT or OFFSET somewhere chooses among ties (M9)."""
    for path in places(form):
        ctx, bag, _ = at_path(Context(), form, "bag", path)
        for b in bag:
            for v, s in b.vars:
                # M9: a cut that chooses among ties, where any of its columns is read
                if isinstance(s, Limited) and _is_read(v, b) and not _total(engine, ctx, s):
                    return True
            for n in nested_terms(b):
                if not _placed_alike(engine, ctx.within(b), n) and not any_first_will_do(b, n):
                    return True
    return False


def _is_read(v: int, b: Block) -> bool:
    """Whether anything in the block depends on which row it is: that there are so many is no choice."""
    sources = (free_in_source(s) for _, s in b.vars)
    return v in frozenset().union(*(free_vars(t) for t in (*b.preds, *b.outs)), *sources)


def _placed_alike(engine: Asked, ctx: Context, n: Nested) -> bool:
    """Whether a window function or an aggregate in a stated order has one way to place the rows, or gives the
    same in each.
    """
    if n.kind == "agg":
        keys = ordered_keys(n.name)
        if not keys or not n.bag:
            return keys == 0
        return _sorted_by_value(n.bag, keys) or total(engine, ctx, n.bag, slice(-keys, None))
    window = read_window(n.name) if n.kind == "win" else None
    # a sum over a bag is in no order
    if n.kind != "win" or window is None:
        # those that are not read are judged where they are translated
        return not n.name.startswith("pg_catalog.row_number(")
    # peers get one value, or the first key is shown, which ties share
    if window.by_value or _shows_first_key(window, n):
        return True
    return total(engine, ctx, n.bag, slice(len(window.keys)))


def _shows_first_key(window: WindowName, n: Nested) -> bool:
    """Whether a window shows the least or greatest sort key of a frame: those that
    tie with it show the same.
    """
    whole = (
        # a frame from its beginning on has the least sort key first
        not window.exclude
        and window.start == "unbounded_preceding"
        and window.end in {"current", "unbounded_following"}
    )
    if window.func != "first_value" or not whole:
        return False
    return all(b.outs[len(window.keys)] in b.outs[: len(window.keys)] for b in n.bag) and all(
        identity(o.type) for b in n.bag for o in b.outs[: len(window.keys)]
    )


def _sorted_by_value(bag: Bag, keys: int) -> bool:
    """Whether rows that tie on the sort keys give the same: every argument is a key or a constant, and equal
    ones look alike.
    """
    # rows that come from several places may have several modifiers: 1.0 beside 1.00
    typed = all(o.type == first.type for b in bag for o, first in zip(b.outs, bag[0].outs, strict=True))
    return typed and all(
        all(isinstance(o, Lit) or (o in b.outs[-keys:] and _looks_one_way(o)) for o in b.outs[:-keys])
        for b in bag
    )


def _looks_one_way(value: Term) -> bool:
    """Whether no two equal values of the expression are different: floats made of other numbers are never
    -0.
    """
    exact = isinstance(value, App) and value.sym.name in _FROM_EXACT
    return exact or one_representation(value.type)


def _total(engine: Asked, ctx: Context, source: Limited) -> bool:
    """Whether the sort keys leave no ties, or none that can be seen."""
    if source.limit == Lit("0", INTEGER):
        # no rows are kept, whatever the order
        return True
    if source.ties:
        # FETCH … WITH TIES keeps them all, unless OFFSET has skipped some
        return source.offset is None  # all rows that tie are kept
    if source.on:
        return is_total(engine, ctx, source)
    if one_row(engine, ctx, source.bag):
        return True
    if len(source.bag) != 1:
        # a LEFT JOIN's rows with a partner and those without: no tie in either, nor between them
        sorted_by = slice(-len(source.keys), None)
        return _covers_output(source) or (bool(source.keys) and total(engine, ctx, source.bag, sorted_by))
    (b,) = source.bag
    keys = b.outs[len(b.outs) - len(source.keys) :] if source.keys else ()
    keys = with_groups(engine, ctx, b, keys)
    # the sort keys determine all the rows that the block reads
    if determined_by(engine, ctx, b, keys) >= {v for v, _ in b.vars}:
        return True
    return _covers_output(source)


def _covers_output(source: Limited) -> bool:
    """Whether every output is a sort key of a type whose equality is identity: ties are the same row."""
    return all(
        all(identity(o.type) and _is_key(o, b, len(source.keys)) for o in b.outs) for b in source.bag
    ) and bool(source.keys)


def _is_key(out: Term, b: Block, keys: int) -> bool:
    return any(alike(out, key) for key in b.outs[len(b.outs) - keys :])


def shows_representative(form: Bag) -> bool:
    """Whether a DISTINCT or GROUP BY column of a type such as numeric, of which the server shows any one
    representation, is read (M4): of rows that are only counted nobody sees which it is.
    """
    if any(_extreme_shown(t) for t in walk_bag(form) if isinstance(t, App | Nested)) or any(
        _is_extreme(o) for b in form for o in b.outs
    ):
        return True
    chosen = chosen_among_equals(form)
    # a choice that only decides which of two equal values is counted, nobody sees
    return any(isinstance(t, Var) and (t.var, t.pos) in chosen for t in walk_bag(form))


def _is_extreme(term: Term) -> bool:
    """A minimum or maximum of values some of which are equal and look different: either may come out."""
    if not isinstance(term, Nested):
        return False
    # a minimum over a frame shows a value of its own rows
    if term.kind == "win" and term.name.startswith(("pg_catalog.min(", "pg_catalog.max(")):
        # what is looked at stands after the sort keys (and with the row itself in frames that are by
        # position)
        shown = zip(*(b.outs[len(term.args) :] for b in term.bag), strict=False)
        return not all(one_look(o.type for o in column) for column in shown)
    # min() of numeric(3, 1) values: equal ones look alike
    return _is_aggregate(term) and not one_look(_looks(term))


def _is_aggregate(term: Nested) -> bool:
    return term.kind == "agg" and term.name.startswith(("min ", "max "))


def _looks(term: Term) -> Iterator[SqlType]:
    """The types that say how a value looks: of an extreme those of what it is taken from, of a sum those of
    what is added up (it shows as many decimals as the one with most), of CASE those of its branches. NULL
    looks like anything.
    """
    match term:
        case Nested() if _is_aggregate(term) or term.name == "sum numeric":
            parts: Iterable[Term] = (o for b in term.bag for o in b.outs)
        case App(sym, args) if sym.name in _ADDING:
            parts = args
        case App(sym, (*pairs, default)) if sym == CASE:
            parts = (*pairs[1::2], default)
        case _:
            parts = ()
            yield shown_type(term)
    for part in parts:
        if part != null(part.type):
            yield from _looks(part)


def _extreme_shown(term: App | Nested) -> bool:
    """Whether such an extreme goes anywhere but into a comparison or a test for NULL."""
    if isinstance(term, Nested):
        # min(x) > 1 and min(x) IS NULL ask nothing of how the value looks
        return any(_is_extreme(o) for b in term.bag for o in b.outs)
    compares = term.sym in {EQ, LT, LE, SAME, IS_NULL}
    return not compares and any(_is_extreme(a) for a in term.args)
