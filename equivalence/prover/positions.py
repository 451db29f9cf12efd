"""Which rows come before which: sort keys as predicates.

A key's label says direction, place of NULLs and operator (`translate.sort_label`); only the types' own order
is read. Must not know rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rewright.sql.types import BOOL, SqlType

from .asking import Asked
from .build import app, conj, disj, is_null, is_true, not_null, same
from .context import Context
from .symbols import INTS, LE, LT, domain
from .terms import INTEGER, Bag, Limited, Lit, Term
from .unique import determined_by, duplicate_free

_LABEL = re.compile(r"(asc|desc) nulls (first|last) pg_catalog\.([<>])\((\w+),(\w+)\)(?: collate (\S+))?")
_WINDOW = re.compile(r"pg_catalog\.(\w+)\(([\w,]*)\) over (.*?) ?(range|rows|groups) (\w+) (\w+) (\w*)\Z")
# window functions that give rows which tie in their order the same value
BY_VALUE = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
_RANKING = frozenset({"rank", "row_number"})
_OTHER = {"asc": "desc", "desc": "asc", "first": "last", "last": "first", "<": ">", ">": "<"}
_BY_PLACE = frozenset({"row_number", "ntile", "lag", "lead", "first_value", "last_value", "nth_value"})
ORDER_SENSITIVE = frozenset({"array_agg", "string_agg", "json_agg", "jsonb_agg", "json_object_agg",
    "jsonb_object_agg", "xmlagg", "percentile_cont", "percentile_disc", "mode"})  # fmt: skip
# the directions that are read, with the aggregate that their first value is
_DIRECTIONS = {("asc", "<"): "min", ("desc", ">"): "max"}
# types of which there is a minimum and a maximum
_EXTREMES = frozenset({*INTS, "numeric", "date", "time", "timestamp", "timestamptz", "text", "varchar"})

Key = tuple[str, Term, Term]


def before(keys: tuple[Key, ...]) -> Term | None:
    """That the row of the first terms comes strictly before that of the second ones; None for an order that
    is not read.

    ``keys``: label, the row's value, the other row's value; the most important first.
    """
    alternatives: list[Term] = []
    alike: list[Term] = []
    for label, x, y in keys:
        sooner = _sooner(label, x, y)
        # an order that is not read in one of its keys is not read at all
        if sooner is None:
            return None
        alternatives.append(conj((*alike, sooner)))
        alike.append(same(x, y))
    return disj(alternatives)


def through(keys: tuple[Key, ...]) -> Term | None:
    """That the row of the first terms comes before that of the second ones or ties with it; None for an order
    that is not read.
    """
    # without keys all rows are peers
    if not keys:
        return None
    earlier = before(keys[:-1])
    label, x, y = keys[-1]
    last = _no_later(label, x, y)
    if earlier is None or last is None:
        return None
    return disj((earlier, conj((*(same(u, v) for _, u, v in keys[:-1]), last))))


def _no_later(label: str, x: Term, y: Term) -> Term | None:
    if _sooner(label, x, y) is None:
        return None
    rising = label.startswith("asc")
    least = app(LE, (x, y) if rising else (y, x), BOOL)
    # NULLs are each other's peers: all before them, or among them, is no later than they are
    null = is_null(y) if " nulls last " in label else is_null(x)
    return disj((least, null))


def _sooner(label: str, x: Term, y: Term) -> Term | None:
    found = _LABEL.fullmatch(label)
    # the two values must be ordered by one order
    if found is None or not domain(x.type) or domain(x.type) != domain(y.type):
        return None
    # 'a' COLLATE "C" sorted by the column's own collation, or an operator of two types
    if x.type.collation != y.type.collation or found[4] != found[5]:
        return None
    if (x.type.collation or "default") != (found[6] or "default"):
        return None
    # USING an operator that is neither < nor > of its class
    if (found[1], found[3]) not in _DIRECTIONS:
        return None
    rising = found[1] == "asc"
    less = is_true(app(LT, (x, y) if rising else (y, x), BOOL))
    # one is NULL and the other is not: NULLs first, or last
    null_first = conj((is_null(x), not_null(y))) if found[2] == "first" else conj((not_null(x), is_null(y)))
    return disj((less, null_first))


def first_of(source: Limited) -> bool:
    """Whether the source is one row of all (LIMIT 1), or of each group (DISTINCT ON), in a stated order."""
    # over a union, with ties or after an OFFSET the first row is not one that no other precedes
    if len(source.bag) != 1 or source.ties or source.offset is not None or not source.keys:
        return False
    one = source.limit == Lit("1", INTEGER) and not source.on
    return one or (source.limit is None and source.on > 0)


def is_total(engine: Asked, ctx: Context, source: Limited) -> bool:
    """Whether no two rows tie on the sort keys (among those alike in the columns of DISTINCT ON)."""
    if len(source.bag) != 1:
        return False
    (b,) = source.bag
    known = b.outs[len(b.outs) - len(source.keys) - source.on :]
    return bool(known) and determined_by(engine, ctx, b, known) >= {v for v, _ in b.vars}


def extreme_name(label: str, type_: SqlType) -> str | None:
    """The aggregate that the first value under the label is, if NULLs do not come first."""
    found = _LABEL.fullmatch(label)
    if found is None:
        return None
    # integers are of one domain here, and aggregates of three types
    if type_ == INTEGER and found[4] == found[5] and found[4] in INTS:
        type_ = SqlType(found[4])  # a count is of the type that it is compared as
    if not type_.is_builtin or type_.name not in _EXTREMES:
        return None
    if (type_.collation or "default") != (found[6] or "default"):
        return None
    name = _DIRECTIONS.get((found[1], found[3]))
    shown = type_.collation if type_.name in {"text", "varchar"} else f"{type_.name},{type_.collation}"
    return None if name is None else f"{name} {shown}"


@dataclass(frozen=True, slots=True)
class WindowName:
    """What the name of a window's term says (`aggregates._by_position`); ``keys``: the labels of its sort
    keys.
    """

    func: str
    types: tuple[str, ...]
    keys: tuple[str, ...]
    mode: str
    start: str
    end: str
    exclude: str

    @property
    def by_value(self) -> bool:
        """Whether rows that tie in the order get the same, whichever comes first: ranks, and aggregates of
        frames of peers.
        """
        if self.func in BY_VALUE:
            # RANGE frames hold peers together; array_agg and first_value still go by their order
            return True
        ordered = self.func in ORDER_SENSITIVE or self.func in _BY_PLACE
        return self.mode == "range" and not self.exclude and not ordered


def read_window(name: str) -> WindowName | None:
    """The parts of a window's name; None where its order or its frame is not read."""
    found = _WINDOW.fullmatch(name)
    if found is None:
        return None
    keys = labels(found[3])
    if keys is None:
        return None
    return WindowName(found[1], tuple(filter(None, found[2].split(","))), keys, *found.groups()[3:])


def labels(text: str) -> tuple[str, ...] | None:
    """The labels of sort keys that stand one after the other; None where one is not read."""
    keys = tuple(m[0] for m in _LABEL.finditer(text))
    # what is left over between the labels was not read
    return keys if " ".join(keys) == text.strip() else None


def reversed_label(label: str) -> str:
    """The label of the same key sorted the other way round."""
    found = _LABEL.fullmatch(label)
    if found is None:
        raise ValueError(label)
    direction, nulls, op = (_OTHER[x] for x in found.groups()[:3])
    under = f" collate {found[6]}" if found[6] else ""
    return f"{direction} nulls {nulls} pg_catalog.{op}({found[4]},{found[5]}){under}"


def ordered_keys(name: str) -> int | None:
    """How many sort keys an aggregate has in whose order it is made, by its name; None: they are not read."""
    func, _, rest = name.partition(" ")
    if func not in ORDER_SENSITIVE:
        return 0
    keys = labels(rest.partition(" ")[2])
    return None if keys is None else len(keys)


def window_keys(name: str) -> tuple[str, tuple[str, ...]]:
    """The ranking function that a window's name says, and the labels of its sort keys."""
    found = read_window(name)
    return ("", ()) if found is None or found.func not in _RANKING else (found.func, found.keys)


def total(engine: Asked, ctx: Context, bag: Bag, keys: slice) -> bool:
    """Whether no two rows of the bag tie on the outputs ``keys``."""
    return duplicate_free(engine, ctx, tuple(replace(b, outs=b.outs[keys]) for b in bag))
