"""Arithmetic that constraints keep from failing: what stored rows have met leaves no room for it (M6, M7).

    CHECK (qty > 0)                        total / qty divides by no 0
    CHECK (k BETWEEN 0 AND 1000)           k + 1 does not overflow
    vol int GENERATED ALWAYS AS (kg * 2)   nor does kg * 2: it was computed when the row was stored
    CHECK (day >= '1900-01-01')            day - 7 is a date
    CHECK (at BETWEEN '1990-01-01' AND …)  at + '10 minutes' is a moment

The solver's integers and days are the mathematical ones, whatever their type, so that it says of a sum
whether it would fit. It is asked of rows by themselves: only what constraints say of each stored row is used,
and that each argument has a value of its type, since an operator is not called otherwise. Must not know
queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice

from rewright.sql.types import BOOL

from .asking import Asked
from .bags import exists, remake, subst
from .build import app, conj, disj, eq, integer, is_null, negate, not_null
from .checks import checks
from .context import Context
from .days import ADDS_DAYS
from .fresh import fresh_copy
from .ranges import is_bounded_in
from .series import is_forward, never_fails
from .symbols import INTS, LE, LT, RANGES, TO_NUMERIC, is_division
from .terms import (
    TRUE,
    App,
    Bag,
    Block,
    Distinct,
    Function,
    Limited,
    Lit,
    Nested,
    Row,
    Source,
    Table,
    Term,
    Var,
    free_vars,
    map_bags,
    null,
    rows_renamed,
    walk,
    walk_shallow,
)

# parts of a term that is looked at
_LARGEST = 200
_TO_FLOAT = "cast pg_catalog.int8 to pg_catalog.float8(-1) func"
# how many rows of several arms it is looked at of
_MOST_WAYS = 16
# days that every number of days below takes to another date
_MOST_DAYS = 100_000
# and that a constant span of one unit leaves in its type, but for millennia
_SAFE = {
    "date": ("1000-01-01", "9000-01-01"),
    "timestamp": ("1000-01-01 00:00:00", "9000-01-01 00:00:00"),
}
_MOVES_MOMENTS = frozenset(f"op {op}({t},interval)" for op in ("+", "-") for t in _SAFE)
_CUTS = "pg_catalog.date_trunc(text,timestamp)"
_CUTS_TO = {"week", "month", "quarter", "year"}
_MOMENTS = frozenset({"timestamp", "timestamptz"})
# what fails for moments at the ends of their type only
_OF_MOMENTS = frozenset(
    {
        "cast pg_catalog.timestamptz to pg_catalog.date(-1) func",
        "cast pg_catalog.timestamp to pg_catalog.date(-1) func",
        "cast pg_catalog.timestamptz to pg_catalog.timestamp(-1) func",
    }
)
# days last longer than moments do
_OF_DAYS = frozenset(f"cast pg_catalog.date to pg_catalog.{t}(-1) func" for t in sorted(_MOMENTS))
_LATER = frozenset({"op +(timestamptz,interval)", "op +(timestamp,interval)"})
_FIRST_MOMENT = "1000-01-01 00:00:00"
# spans of at most ten thousand years each, one a subquery, of the 28 that there are behind the year 9999
_MOST_STEPS = 4


def spare(engine: Asked, term: App, sources: Mapping[int, Source]) -> bool:
    """Whether evaluating the application itself (not its arguments) raises nothing for any stored rows."""
    if any(True for _ in islice(walk(term), _LARGEST, None)):
        # what is written out doubles with each level that reads the one below twice
        return False
    if _is_in_calendar(term.args[0] if term.sym.name in _OF_MOMENTS else term, sources):
        return True
    ways = _of_stored_rows(term, sources)
    return bool(ways) and all(_spare(engine, *way) for way in ways)


def _of_stored_rows(term: App, sources: Mapping[int, Source]) -> list[tuple[App, Mapping[int, Source]]]:
    """The term as what its rows are made of: of grouped or different rows one of those that gave them, of an
    extreme one of the values. All ways there are; none where there are too many.
    """
    done: list[tuple[App, Mapping[int, Source]]] = []
    open_: list[tuple[Term, Mapping[int, Source]]] = [(term, sources)]
    while open_:
        if len(open_) + len(done) > _MOST_WAYS:
            return []
        here, of = open_.pop()
        made = _made(here, of)
        if made is None:
            assert isinstance(here, App)
            done.append((here, of))
            continue
        rows = fresh_copy(_bag_of(made, of))
        open_ += [(_where_given(here, made, b), {**of, **dict(b.vars)}) for b in rows]
        # of no rows, and of NULLs alone, there is no extreme; what is NULL then is not computed
        none = _where_none(here, made) if isinstance(made, Nested) else null(here.type)
        if isinstance(none, App):
            open_.append((none, of))
        elif none != null(here.type):
            return []
    return done


def _made(term: Term, sources: Mapping[int, Source]) -> Var | Nested | None:
    """A part that has the value of one of several rows: a column of rows that are made, or an extreme."""
    for t in walk_shallow(term):
        if isinstance(t, Var) and isinstance(sources.get(t.var), Distinct | Limited):
            return t
        if isinstance(t, Nested) and t.kind == "agg" and t.name.partition(" ")[0] in {"min", "max"}:
            return t
    return None


def _bag_of(made: Var | Nested, sources: Mapping[int, Source]) -> Bag:
    source = made if isinstance(made, Nested) else sources[made.var]
    assert isinstance(source, Nested | Distinct | Limited)
    return source.bag


def _where_given(term: Term, made: Var | Nested, b: Block) -> Term:
    """The term where the row that a part has its value of is that of the block."""
    if isinstance(made, Nested) and term == made:
        return b.outs[0]
    if isinstance(made, Var) and isinstance(term, Var) and term.var == made.var:
        return b.outs[term.pos]
    # bags are left as they are: nothing is said of what they read
    return map_bags(term, lambda bag: bag, lambda t: _where_given(t, made, b))


def _where_none(term: Term, made: Nested) -> Term:
    """The term where an extreme is NULL."""
    if term == made:
        return null(made.type)
    return remake(map_bags(term, lambda bag: bag, lambda t: _where_none(t, made)))


def _spare(engine: Asked, term: App, sources: Mapping[int, Source]) -> bool:
    """`spare`, of what reads stored rows alone."""
    if is_division(term) and (counted := _counted(term.args[1])) is not None:
        return _counts_some(engine, term, counted, sources)
    # what may fail in other ways than by its size, by a division or by leaving the calendar is not asked
    # about
    goal = _fits(term, sources)
    if goal == TRUE:
        return True
    rows = _rows(term, sources) if goal is not None else None
    said = [c for v, source in rows or () for _, c in checks(engine.schema, source, v)]
    # without a constraint on its rows nothing could keep it from failing
    if goal is None or rows is None or not said:
        return False
    # translations number their rows anew: a question is known again by its rows in order
    names = {v: n for n, (v, _) in enumerate(rows)}
    key = subst(term, rows_renamed(names)), tuple(source for _, source in rows)
    known = engine.schema.spared.get(key)
    if known is None:
        with engine.schema.recording() as used:
            answer = engine.entails(Context(rows, _evaluated(term, said)), goal)
            known = engine.schema.spared[key] = answer, frozenset(used)
            used.clear()
    if known[0]:
        engine.schema.used |= known[1]
    return known[0]


def _counted(divisor: Term) -> Bag | None:
    """The rows whose number a divisor is."""
    if isinstance(divisor, App) and (divisor.sym == TO_NUMERIC or divisor.sym.name == _TO_FLOAT):
        (divisor,) = divisor.args
    counts = isinstance(divisor, Nested) and divisor.kind == "agg" and divisor.name == "cnt"
    return divisor.bag if counts and isinstance(divisor, Nested) else None


def _counts_some(engine: Asked, term: App, counted: Bag, sources: Mapping[int, Source]) -> bool:
    """Whether a divisor counts a row at least, as the one that it is computed for."""
    there = exists(counted)
    rows = tuple((v, sources[v]) for v in sorted(free_vars(term)) if v in sources)
    # what other rows are made of is not looked at, nor what else their block asks
    if any(not isinstance(s, Table) for _, s in rows) or len(rows) < len(free_vars(term)):
        return False
    whole = term.type.is_builtin and term.type.name in INTS
    # a float's quotient may be too small for one: not that of two counts
    fits = whole or is_bounded_in(term.args[0], sources) or _counted(term.args[0]) is not None
    return fits and engine.entails(Context(rows, ()), there)


def _is_in_calendar(moment: Term, sources: Mapping[int, Source], steps: int = _MOST_STEPS) -> bool:
    """Whether the term is a column of a series of moments between constants, which are far from the ends of
    their type, or one of the different ones of such a series, and at most some constant spans later.
    """
    if isinstance(moment, App) and moment.sym.name in _LATER:
        return (
            steps > 0
            and isinstance(moment.args[0], Var)
            and is_forward(moment.args[1])
            and _is_in_calendar(moment.args[0], sources, steps - 1)
        )
    if not isinstance(moment, Var):
        return False
    match sources.get(moment.var):
        case Function(name, args):
            return moment.pos == 0 and never_fails(name, args) and moment.type.name in _MOMENTS
        case Distinct(bag):
            return all(_is_in_calendar(b.outs[moment.pos], dict(b.vars), steps) for b in bag)
        case _:
            return False


def _rows(term: App, sources: Mapping[int, Source]) -> tuple[tuple[int, Source], ...] | None:
    """The stored rows that the term reads, if it reads nothing else."""
    found: dict[int, Source] = {}
    for t in walk(term):
        if isinstance(t, Var | Row):
            source = sources.get(t.var)
            # rows that are made have met no constraint
            if not isinstance(source, Table):
                return None
            found[t.var] = source
        elif not isinstance(t, App | Lit):
            return None
    return tuple(found.items())


def _evaluated(term: App, said: Iterable[Term]) -> tuple[Term, ...]:
    """What holds where the application is evaluated: its arguments have values, and of integers these and the
    columns, also those that constraints speak of, fit their types.
    """
    columns = [t for x in (term, *said) for t in walk(x) if isinstance(t, Var)]
    # what fits is said of the arguments, and not of the result, which is asked for
    fitting = [_within(t, t.type.name) for t in (*term.args, *columns) if _is_integer(t)]
    return tuple(dict.fromkeys((*(not_null(x) for x in term.args), *fitting)))


def _is_integer(term: Term) -> bool:
    return not isinstance(term, Lit) and term.type.is_builtin and term.type.name in INTS


def _within(term: Term, type_name: str) -> Term:
    """That an integer is NULL or fits the type."""
    limit = RANGES[type_name]
    low, high = (integer(n) for n in (-limit, limit - 1))
    return disj((is_null(term), conj((app(LE, (low, term), BOOL), app(LE, (term, high), BOOL)))))


def _fits(term: App, sources: Mapping[int, Source]) -> Term | None:
    """What is asked of the arguments so that the application gives a value; None where nothing is known."""
    name = term.sym.name
    op, _, type_name = name.partition(" ")
    if op in {"+", "-", "*"} and type_name in RANGES:
        return _within(term, type_name)
    if is_division(term):
        return _divides(term, sources)
    if name in {f"pg_catalog.abs({t})" for t in INTS}:
        return app(LT, (integer(-RANGES[name[len("pg_catalog.abs(") : -1]]), term.args[0]), BOOL)
    if name in ADDS_DAYS:
        return _moves(term)
    if name in _MOVES_MOMENTS and is_forward(term.args[1]) and not _is_of_millennia(term.args[1]):
        # what is moved on has room behind it, however early it is
        return _is_safe(term.args[0], after=name.startswith("op -"), before=name.startswith("op +"))
    if name in _OF_DAYS:
        return _is_safe(term.args[0], after=True, before=True)
    if name == _CUTS and isinstance(term.args[0], Lit) and term.args[0].value in _CUTS_TO:
        # nothing is cut to what comes later
        moment = term.args[1]
        return disj((app(LE, (Lit(_FIRST_MOMENT, moment.type), moment), BOOL), _is_endless(moment)))
    return None


def _divides(term: App, sources: Mapping[int, Source]) -> Term | None:
    dividend, divisor = term.args
    apart = negate(eq(divisor, _zero(divisor)))
    if divisor.type.name == "numeric" and divisor.type.is_builtin:
        # no divisor but 0 takes a numeric of declared size out of range
        return apart if term.sym.name.startswith("op /") and is_bounded_in(dividend, sources) else None
    types = term.sym.name[len("op /(") : -1].split(",")
    if not set(types) <= INTS:
        return None
    # the least integer has no opposite
    least = app(LT, (integer(-RANGES[types[0]]), dividend), BOOL)
    return conj((apart, disj((negate(eq(divisor, integer(-1))), least))))


def _zero(term: Term) -> Term:
    return Lit("0", term.type) if term.type.name == "numeric" else integer(0)


def _moves(term: App) -> Term | None:
    """A date, and a number of days that is written out."""
    day, days = sorted(term.args, key=lambda x: isinstance(x, Lit))
    written = isinstance(days, Lit) and (days.value or "").lstrip("-").isdigit()
    # a computed number of days may be of any size
    if not written or not isinstance(days, Lit) or abs(int(days.value or "")) > _MOST_DAYS:
        return None
    return _is_safe(day, after=True, before=True)


def _is_of_millennia(span: Term) -> bool:
    """Whether a span of one unit is of thousands of years: the first moment lies 5,700 before 1000."""
    texts = [t.value or "" for t in walk(span) if isinstance(t, Lit)]
    return any(re.match(r"\d{4} ?year", text) for text in texts)


def _is_safe(moment: Term, *, after: bool, before: bool) -> Term:
    """That a day or moment lies far after the first of its type, and far before the last, or has no end."""
    first, last = (Lit(text, moment.type) for text in _SAFE[moment.type.name])
    asked = [app(LE, (first, moment), BOOL)] if after else []
    asked += [app(LE, (moment, last), BOOL)] if before else []
    return disj((conj(asked), _is_endless(moment)))


def _is_endless(moment: Term) -> Term:
    """Infinite moments stay what they are."""
    return disj(eq(moment, Lit(text, moment.type)) for text in ("infinity", "-infinity"))
