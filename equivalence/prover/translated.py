"""What a translated query is made of: rows, forms, what could fail on the way, and what names mean in a
scope.

Plain records, and what is read off the algebra for them. Must not know how queries are translated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rewright.sql import algebra as a
from rewright.sql.types import SqlType

from .terms import Bag, Block, Source, Term

Env = Mapping[int, tuple[Term, ...]]
# queries by their kind and identity, outermost first
Level = tuple[tuple[str, int], ...]


class Unsupported(Exception):
    """The prover does not understand this; the message names it."""


@dataclass(frozen=True, slots=True)
class Rows:
    """One alternative of a FROM: variables, predicates, and the columns of its range variables."""

    vars: tuple[tuple[int, Source], ...]
    preds: tuple[Term, ...]
    env: Env


@dataclass(slots=True)
class Form:
    """A translated query: rows with the visible outputs first, then one output per sort key."""

    bag: Bag
    width: int
    sort: tuple[str, ...] = ()


@dataclass(slots=True)
class Site:
    """Where rows are made that a condition outside cannot thin out beforehand (a materialized CTE, a grouped,
    distinct or limited subquery, …): its ``kind``, relations and conditions. ``early``: of rows that an outer
    join may replace, what is computed of all of them and may fail, and how (`pulling.PullUp.computed_below`).
    """

    kind: str

    tables: list[str] = field(default_factory=list)
    filters: list[Term] = field(default_factory=list)
    early: list[tuple[str, Term]] = field(default_factory=list)


@dataclass(slots=True)
class Made:
    """What is made before some of it is dropped: the groups of a grouped query, or the rows of one that LIMIT
    or OFFSET cuts. ``having``: the conditions that drop groups. ``late``: whether the dropping waits until
    all is made, or may; ``rows``: what it is made of then, ``unsure``: the conditions that the server may yet
    ask first.
    """

    having: list[Term] = field(default_factory=list)
    late: bool = False
    rows: list[Block] = field(default_factory=list)
    unsure: list[Term] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Failure:
    """A term that may raise ``kind`` (errors or overflow), evaluated at ``sites`` (outermost first; none:
    where the result's rows are made).
    """

    kind: str
    term: Term
    sites: tuple[Site, ...] = ()
    # what holds of every row it is evaluated on
    given: tuple[Term, ...] = ()
    # whether the conditions beside it keep it from failing where they are evaluated first, as the planner may
    # or may not have it
    optional: bool = False
    # the query that it is evaluated in, and of that the expression whose parts are evaluated together
    within: a.Query | None = None
    apart: a.Expr | None = None
    # the rows and groups, outermost first, that it is evaluated for before any of them is dropped
    before: tuple[Made, ...] = ()
    # whether what stands before it in an OR, a CASE and the like decides if it is evaluated
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Raising:
    """An aggregate or window function that may raise ``kind``: its name and what it is of, its keys, the rows
    it reads in full, the groups that it is computed for (outermost first), where it stands, and the query
    that it is part of.
    """

    kind: str
    plain: str
    keys: tuple[str, ...]
    rows: str
    before: tuple[Made, ...]
    sites: tuple[Site, ...]
    within: a.Query | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean: ``env`` the columns in scope; in a grouped query ``groups`` the grouping expressions'
    values and ``body`` the rows of each group with the key terms; ``windows`` the rows a window sees;
    ``before`` the groups that aggregates of the scope are computed for.
    """

    env: Env
    groups: tuple[tuple[a.Expr, Term], ...] = ()
    body: tuple[tuple[Rows, ...], tuple[a.Expr, ...]] | None = None
    windows: Callable[[], Sequence[tuple[Rows, Scope]]] | None = None
    grouping: tuple[a.Expr, ...] | None = None
    before: tuple[Made, ...] = ()


def columns_of(item: a.FromItem, types: object) -> dict[int, tuple[SqlType, ...]]:
    """The column types of every range variable of a FROM item."""
    match item:
        case a.Join(_, left, right):
            return {**columns_of(left, types), **columns_of(right, types)}
        case a.Derived(rel, query):
            return {rel: tuple(c.type for c in a.output_columns(query))}
        case a.Scan() | a.CteScan() | a.ValuesScan() | a.FunctionScan():
            return {item.rel: tuple(c.type for c in item.columns)}


def sort_label(key: a.SortKey | a.OutputSortKey, collation: str) -> str:
    """How one key sorts. ``collation``: that of what is sorted by, which equal values of two columns need not
    share.
    """
    direction = "desc" if key.descending else "asc"
    nulls = "first" if key.nulls_first else "last"
    op = key.op
    under = "" if collation in {"", "default"} else f" collate {collation}"
    return f"{direction} nulls {nulls} {op.schema}.{op.name}({op.left},{op.right}){under}"
