"""What a question asks for, before it is SQL: outputs, conditions, groups, order.

Owns the shapes; immutable, so that a follow-up changes a copy. Must not know English or SQL's text.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from rewright.ask.context import ColumnContext
from rewright.ask.reading.moment import Moment
from rewright.sql.algebra import TableRef

Function = Literal["count", "sum", "avg", "min", "max", "median"]
Direction = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the rows asked about."""

    column: ColumnContext


@dataclass(frozen=True, slots=True)
class Part:
    """A date cut to its decade, year, month, quarter, week or day."""

    column: ColumnContext
    unit: str


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``of`` is a column, or the table whose rows are counted; ``where`` holds only for this one (FILTER)."""

    function: Function
    of: ColumnContext | TableRef
    distinct: bool = False
    where: tuple[Condition, ...] = ()
    zero: bool = False
    """Whether a value that is missing counts as 0."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """``top / below`` as a float, NULL for nothing below; times 100 as a percentage."""

    top: Expression
    below: Expression
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Portion:
    """What part of the sum over all groups each group's ``of`` is; times 100 as a percentage."""

    of: Aggregate
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """``left - right``."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Product:
    """``left * right``, of one row."""

    left: ColumnContext
    right: ColumnContext


@dataclass(frozen=True, slots=True)
class Span:
    """The time between two columns of a row in a unit up to weeks; as it is for ``""``."""

    start: ColumnContext
    end: ColumnContext
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Age:
    """The completed years from a date until today."""

    column: ColumnContext


@dataclass(frozen=True, slots=True)
class Gap:
    """The time from a row's ``column`` to that of the next row with the same ``within`` (of all rows for
    None), in a unit as that of `Span`.
    """

    column: ColumnContext
    within: ColumnContext | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """A function over what is worked out of each row."""

    function: Function
    of: Span | Difference | Gap | Product | Ratio | Age


@dataclass(frozen=True, slots=True)
class Rounded:
    """A number to so many digits behind the point."""

    of: Expression
    digits: int


@dataclass(frozen=True, slots=True)
class Converted:
    """A number times ``factor``, which makes it one of the unit (`minutes`)."""

    of: Expression
    factor: Fraction
    unit: str


@dataclass(frozen=True, slots=True)
class Running:
    """``of`` added up from the first ``by`` on, for each of ``within`` by itself."""

    of: Expression
    by: Expression
    within: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """``of`` less what it was in the row before in the order of ``by``; or that in percent."""

    of: Expression
    by: Expression
    within: tuple[Expression, ...] = ()
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Rank:
    """The place of a group by ``of`` among all, from 1; those that tie share it."""

    of: Expression
    way: Direction = "desc"


@dataclass(frozen=True, slots=True)
class Named:
    """The column of the one row whose ``by`` is ``name``."""

    column: ColumnContext
    by: ColumnContext
    name: str


@dataclass(frozen=True, slots=True)
class Followers:
    """How many rows of the same table refer to a row by ``key``, which holds what it has in ``one``."""

    key: ColumnContext
    one: ColumnContext


Expression = (
    Column
    | Part
    | Aggregate
    | Ratio
    | Portion
    | Difference
    | Product
    | Span
    | Gap
    | Age
    | Measured
    | Rounded
    | Converted
    | Running
    | Change
    | Rank
    | Named
    | Followers
)


@dataclass(frozen=True, slots=True)
class Compared:
    """``left operator number``; a number, a time such as ``5 hours`` beside a span, ``average`` for that
    of all rows, or of those that have the same in the column ``within``, or ``all`` for as many different
    ones as there are.
    """

    left: Expression
    operator: str
    right: str
    within: ColumnContext | None = None


@dataclass(frozen=True, slots=True)
class Ranged:
    """``low <= left <= high``."""

    left: Expression
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """The column holds one of the values, or none of them."""

    column: ColumnContext
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Spelled:
    """A pattern of LIKE, case not minded."""

    column: ColumnContext
    pattern: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class During:
    """The column's time lies in the moment; columns of numbers take its years or month, text the month's
    name.
    """

    column: ColumnContext
    moment: Moment


@dataclass(frozen=True, slots=True)
class Known:
    """The column has a value (or has none); a boolean column is true (or is not)."""

    column: ColumnContext
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Without:
    """No row of ``gone`` belongs to a row of ``kept``; conditions on the rows that must not be."""

    kept: TableRef
    gone: TableRef
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class With:
    """A row of ``found`` that meets the conditions belongs to a row of ``kept``."""

    kept: TableRef
    found: TableRef
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Many:
    """So many rows of ``found`` that meet the conditions belong to a row of ``kept``; as many as a column of
    the row holds, or as there are rows of another table that belong to it.
    """

    kept: TableRef
    found: TableRef
    operator: str
    number: str | ColumnContext | TableRef
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Refers:
    """The column refers to a row (by its ``one``) that meets the condition and ``more`` of its own table, or
    to none such: by this key, whatever others lead there.
    """

    column: ColumnContext
    one: ColumnContext
    where: OneOf
    more: tuple[OneOf, ...] = ()


@dataclass(frozen=True, slots=True)
class Versus:
    """Two columns of one row compared with one another."""

    left: ColumnContext
    operator: str
    right: ColumnContext


@dataclass(frozen=True, slots=True)
class Beside:
    """A column compared with that of a named row."""

    left: ColumnContext
    operator: str
    right: Named


@dataclass(frozen=True, slots=True)
class Above:
    """A column compared with the same one of that row of its table that ``by`` refers to, by its ``one``."""

    column: ColumnContext
    operator: str
    by: ColumnContext
    one: ColumnContext


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One condition at least holds."""

    conditions: tuple[Condition, ...]


Condition = (
    Compared
    | Ranged
    | OneOf
    | Spelled
    | During
    | Known
    | Without
    | With
    | Many
    | Refers
    | Versus
    | Beside
    | Above
    | AnyOf
)


@dataclass(frozen=True, slots=True)
class Intent:
    """``head``: the table whose rows are listed; ``rows``: tables that must be joined though nothing of them
    is shown.

    ``ties``: rows as good as the last are shown too. ``best_of``: the first by ``order`` within each of these
    groups are shown, up to ``limit``, with those that tie where ``ties`` says so. ``skipped``: so many of the
    first are left out. ``exists``: only whether there is such a row. ``every``: rows of the groups without
    anything to measure are shown too.
    """

    outputs: tuple[Expression, ...] = ()
    groups: tuple[Expression, ...] = ()
    where: tuple[Condition, ...] = ()
    having: tuple[Condition, ...] = ()
    order: tuple[tuple[Expression, Direction], ...] = ()
    limit: int = 0
    ties: bool = False
    distinct: bool = False
    head: TableRef | None = None
    rows: tuple[TableRef, ...] = ()
    best_of: tuple[Expression, ...] = ()
    skipped: int = 0
    exists: bool = False
    every: bool = False
