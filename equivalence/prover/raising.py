"""Which aggregates and window functions raise errors, and when two queries compute the same of them
(hazards M21).

A sum may leave its type, and whether a query raises that does not depend on who reads the sum: groups that
HAVING drops are summed up too, and so is an unused column of a CTE that is computed. What a query computes is
compared as it is written: the function, its arguments, the grouping and the rows. The rows need not be
written alike where the aggregate is still there in both final forms, which have been matched. Must not know
rules or search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from rewright.sql.algebra import FunctionRef

from .described import describe
from .digest import written, written_alike
from .positions import ordered_keys
from .ranges import is_bounded_in
from .symbols import INTS, ORDERED, is_written_as_json
from .terms import Bag, Block, Lit, Nested, Row, Source, Term, block_vars, walk_bag
from .translated import Made, Raising

_TOTAL = frozenset(
    {
        "count", "regr_count", "any_value", "bool_and", "bool_or", "every", "string_agg", "row_number",
        "rank", "dense_rank", "percent_rank", "cume_dist", "lag", "lead", "first_value", "last_value",
    }
)  # fmt: skip
_SPREADS = frozenset({"stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp"})
_COMPARED = ORDERED | {"money", "inet", "pg_lsn", "tid", "xid8", "anyenum"}


@dataclass(frozen=True, slots=True)
class Computed:
    """A `Raising` as it is compared. ``where``: its keys and the rows made apart that it stands in.
    ``shown``: no condition drops groups that have been computed.
    """

    kind: str
    plain: str
    where: str
    rows: str
    shown: bool


def raised_by(func: FunctionRef, args: Collection[Term], sources: Mapping[int, Source]) -> str:
    """What computing the function of these arguments may raise: '', errors or overflow."""
    name, type_ = func.name, func.arg_types[0] if func.arg_types else ""
    if not func.is_builtin:
        return "errors"
    if name in {"sum", "avg"} | _SPREADS:
        bounded = type_ == "numeric" and all(is_bounded_in(x, sources) for x in args)
        return "" if type_ in INTS or bounded else "overflow"
    return "" if name in _TOTAL or _takes(name, type_, args) else "errors"


def _takes(name: str, type_: str, args: Collection[Term]) -> bool:
    """Whether a function that raises for some types of its argument, or some values, does not for these."""
    match name:
        case "bit_and" | "bit_or" | "bit_xor":
            return type_ in INTS  # strings of bits must have one length
        case "min" | "max":
            return type_ in _COMPARED
        case "array_agg":
            return type_ == "anynonarray"  # arrays must have the same dimensions
        # between two floats there is always one; intervals may leave their type
        case "percentile_cont":
            return all(x.type.is_builtin and x.type.name == "float8" for x in args)
        case "percentile_disc" | "mode":
            return all(x.type.is_builtin and x.type.name in ORDERED for x in args)
        case "json_agg" | "jsonb_agg":
            plain = (x.type.is_builtin and x.type.name in ORDERED for x in args)
            return all(kept or is_written_as_json(x, name) for x, kept in zip(args, plain, strict=True))
        case "ntile" | "nth_value":
            return all(
                isinstance(x, Lit) and str(x.value).isdigit() and x.value != "0" for x in list(args)[-1:]
            )
        case _:
            return False


def computed(met: Iterable[Raising], sources: Mapping[int, Source]) -> frozenset[Computed]:
    """What a whole query computes that may raise, once all conditions are known."""
    return frozenset(_computed(r, dict(sources)) for r in met)


def _computed(r: Raising, sources: dict[int, Source]) -> Computed:
    sites = [
        f"of {sorted(s.tables)} where {sorted(_written(t, sources) for t in s.filters)}" for s in r.sites
    ]
    having = [_written(t, sources) for made in r.before for t in made.having if not made.late]
    dropped = before_dropping(r.before, sources)
    having += dropped
    shown = not dropped
    return Computed(r.kind, r.plain, f"by {r.keys} {sites}", f"{r.rows} having {having}", shown)


def rows_in_full(bag: Bag, sources: Mapping[int, Source]) -> str:
    """A bag as it is written, with columns of relations around it by their names."""
    return written(bag, lambda v: describe(v, dict(sources)))


def before_dropping(made: Iterable[Made], sources: Mapping[int, Source]) -> list[str]:
    """The rows that are made before some of them, or of the groups that they are computed for, are dropped:
    of these, too, something may be raised (subquery_planner keeps in HAVING what has aggregates or
    subqueries; the sort below LIMIT computes what is shown).
    """
    late = [m for m in made if m.late]
    parts = (bag for m in late for bag in (tuple(m.rows), *((Block((), (t,), ()),) for t in m.unsure)))
    return [written_alike(bag, lambda v: describe(v, dict(sources))) for bag in parts]


def _written(term: Term, sources: Mapping[int, Source]) -> str:
    return rows_in_full((Block((), (term,), ()),), sources)


def apart(original: Iterable[Computed], replacement: Iterable[Computed], ended: tuple[Bag, Bag]) -> set[str]:
    """The reservations of what one query computes and the other may not. ``ended``: the final forms."""
    first, second = _by_name(original), _by_name(replacement)
    staying = _names_in(ended[0]) & _names_in(ended[1]) if first != second else set()
    return {
        c.kind
        for name in first.keys() | second.keys()
        for c in (*first.get(name, ()), *second.get(name, ()))
        if not _alike(first.get(name, set()), second.get(name, set()), stays=name in staying)
    }


def _by_name(computed: Iterable[Computed]) -> dict[str, set[Computed]]:
    found: dict[str, set[Computed]] = {}
    for c in computed:
        found.setdefault(c.plain, set()).add(c)
    return found


def _alike(first: set[Computed], second: set[Computed], *, stays: bool) -> bool:
    """Whether both compute the same: as written, or one each that has come through all steps."""
    if first == second:
        return True
    if not stays or len(first) != 1 or len(second) != 1:
        return False
    (x,), (y,) = first, second
    return x.shown and y.shown and x.where == y.where


def plain_name(name: str, outs: Iterable[Term], sources: Mapping[int, Source]) -> str:
    """The function and what it is of, without the NULLs that outer joins put and the numbers of rows."""
    described = {describe(o, dict(sources)) for o in outs if not isinstance(o, Row)}
    return f"{name} of {sorted(described - {repr(None)})}"


def _names_in(form: Bag) -> set[str]:
    """The plain names of the aggregates that a form still has."""
    sources = {v: s for b in form for v, s in block_vars(b)}
    return {
        plain_name(t.name, (o for b in t.bag for o in arguments(t.name, b)), sources)
        for t in walk_bag(form)
        if isinstance(t, Nested) and t.kind in {"agg", "win"}
    }


def arguments(name: str, b: Block) -> tuple[Term, ...]:
    """What an aggregate is of, without the keys of its ORDER BY, which stand last; of a window all."""
    return b.outs[: len(b.outs) - (ordered_keys(name) or 0)]
