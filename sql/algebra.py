"""The bound, typed query tree that every package works on.

A query is a tree of *blocks* in the manner of PostgreSQL's own Query node (and of Starburst's query
graph model): one block is one SELECT with its FROM tree, WHERE, grouping, windows, targets,
DISTINCT, ORDER BY and LIMIT, under bag semantics and three-valued logic. Every range variable
(table, subquery, function, VALUES, CTE reference in FROM) has a `rel` number that is unique in the whole
statement, so a column is named by (rel, column position) wherever it stands: a correlated
reference is simply one to a rel of an enclosing block, and nothing can be captured.

All nodes are frozen, hashable values; a transformation builds new ones. Names that people see
(aliases, output names) are kept for printing and for the result signature; they carry no meaning.
Must not know: parsing, printing, catalogs beyond the plain `TableRef`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from rewright.sql.types import BOOL, INT8, SqlType

# --------------------------------------------------------------------------- references


@dataclass(frozen=True, slots=True)
class TableRef:
    """A base relation: a key into the catalog."""

    schema: str
    name: str


class Volatility(Enum):
    IMMUTABLE = "i"
    STABLE = "s"
    VOLATILE = "v"


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A resolved function, aggregate or window function (a row of pg_proc)."""

    schema: str
    name: str
    arg_types: tuple[str, ...]  # internal type names, schema-qualified unless in pg_catalog
    volatility: Volatility
    strict: bool
    returns_set: bool = False
    kind: Literal["f", "a", "w"] = "f"
    leakproof: bool = False
    variadic: bool = False

    @property
    def is_builtin(self) -> bool:
        return self.schema == "pg_catalog"


@dataclass(frozen=True, slots=True)
class OperatorRef:
    """A resolved operator (a row of pg_operator) with the function behind it.

    ``left`` is the empty string for a prefix operator.
    """

    schema: str
    name: str
    left: str
    right: str
    function: FunctionRef
    commutator: str = ""
    negator: str = ""
    # btree strategy in the default operator class of its input type: one of < <= = >= > or ""
    btree: str = ""

    @property
    def is_builtin(self) -> bool:
        return self.schema == "pg_catalog"


# --------------------------------------------------------------------------- scalar expressions


@dataclass(frozen=True, slots=True)
class Const:
    """A literal. ``value`` is its text as the type's output function prints it, None for NULL."""

    value: str | None
    type: SqlType


@dataclass(frozen=True, slots=True)
class Param:
    """``$index`` (1-based), or a template's placeholder."""

    index: int
    type: SqlType


@dataclass(frozen=True, slots=True)
class Column:
    """Column number ``pos`` (0-based) of range variable ``rel``."""

    rel: int
    pos: int
    type: SqlType
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class SystemColumn:
    """ctid, xmin, tableoid, … of a base relation."""

    rel: int
    name: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class WholeRow:
    """``t`` or ``t.*`` used as one value. ``names``: its columns', which to_json and the like show."""

    rel: int
    type: SqlType
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """An ordinary function call."""

    func: FunctionRef
    args: tuple[Expr, ...]
    type: SqlType


@dataclass(frozen=True, slots=True)
class Op:
    """An operator call with one (prefix) or two arguments."""

    op: OperatorRef
    args: tuple[Expr, ...]
    type: SqlType


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion. ``implicit`` ones were added by type resolution and print as nothing where
    the server would add them again.
    """

    arg: Expr
    type: SqlType
    implicit: bool = field(default=False, compare=False)
    # how: a function of pg_cast, I/O conversion, binary coercion, length coercion (typmod only),
    # domain check
    method: Literal["func", "io", "binary", "typmod", "domain"] = "func"
    func: FunctionRef | None = None


@dataclass(frozen=True, slots=True)
class Collate:
    arg: Expr
    type: SqlType


@dataclass(frozen=True, slots=True)
class And:
    args: tuple[Expr, ...]
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class Or:
    args: tuple[Expr, ...]
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class Not:
    arg: Expr
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class IsNull:
    """``arg IS [NOT] NULL`` (on a row value the row rules apply: ``row_form``)."""

    arg: Expr
    negated: bool = False
    row_form: bool = False
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class IsBool:
    """``arg IS [NOT] TRUE | FALSE | UNKNOWN``."""

    arg: Expr
    test: Literal["true", "false", "unknown"]
    negated: bool = False
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class IsDistinct:
    """``left IS [NOT] DISTINCT FROM right``; ``op`` is the equality used."""

    op: OperatorRef
    left: Expr
    right: Expr
    negated: bool = False
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class Case:
    """Searched CASE; the simple form is bound as ``operand = value`` per arm. ``default`` is
    Const(None) where there is no ELSE.
    """

    whens: tuple[tuple[Expr, Expr], ...]
    default: Expr
    type: SqlType


@dataclass(frozen=True, slots=True)
class Coalesce:
    args: tuple[Expr, ...]
    type: SqlType


@dataclass(frozen=True, slots=True)
class NullIf:
    op: OperatorRef
    left: Expr
    right: Expr
    type: SqlType


@dataclass(frozen=True, slots=True)
class MinMax:
    """GREATEST or LEAST."""

    greatest: bool
    args: tuple[Expr, ...]
    type: SqlType


@dataclass(frozen=True, slots=True)
class InList:
    """``left op ANY|ALL (item, …)``: IN is ``= ANY``, NOT IN is ``<> ALL``. Items are coerced."""

    op: OperatorRef
    left: Expr
    items: tuple[Expr, ...]
    all: bool = False
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class ArrayOp:
    """``left op ANY|ALL (array expression)``."""

    op: OperatorRef
    left: Expr
    array: Expr
    all: bool = False
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class RowExpr:
    """``ROW(a, b)``; ``names``: those of a join's columns, where it is the join's alias used as one value."""

    args: tuple[Expr, ...]
    type: SqlType
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowCompare:
    """Row comparison ``(a, b) op (c, d)``; one operator per pair."""

    kind: Literal["=", "<>", "<", "<=", ">", ">="]
    ops: tuple[OperatorRef, ...]
    left: tuple[Expr, ...]
    right: tuple[Expr, ...]
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class ArrayExpr:
    args: tuple[Expr, ...]
    type: SqlType


@dataclass(frozen=True, slots=True)
class Subscript:
    arg: Expr
    lower: tuple[Expr | None, ...]
    upper: tuple[Expr | None, ...]
    is_slice: bool
    type: SqlType


@dataclass(frozen=True, slots=True)
class FieldSelect:
    arg: Expr
    field_name: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class ValueFunction:
    """CURRENT_DATE, CURRENT_TIMESTAMP(n), CURRENT_USER, …: fixed within a statement."""

    name: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class SortKey:
    """``op`` is the ordering operator (``<`` or ``>``)."""

    expr: Expr
    descending: bool
    nulls_first: bool
    op: OperatorRef


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate call of the block it stands in (``level`` is resolved: an aggregate of an outer
    block is refused by the binder). ``direct`` are the direct arguments of an ordered-set aggregate,
    ``args`` empty with ``star`` for count(*).
    """

    func: FunctionRef
    args: tuple[Expr, ...]
    type: SqlType
    star: bool = False
    distinct: bool = False
    filter: Expr | None = None
    order_by: tuple[SortKey, ...] = ()
    direct: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Grouping:
    """GROUPING(a, b, …)."""

    args: tuple[Expr, ...]
    type: SqlType


@dataclass(frozen=True, slots=True)
class Frame:
    """A window frame; offsets are expressions or None."""

    mode: Literal["range", "rows", "groups"] = "range"
    start: Literal["unbounded_preceding", "preceding", "current", "following"] = "unbounded_preceding"
    end: Literal["preceding", "current", "following", "unbounded_following"] = "current"
    start_offset: Expr | None = None
    end_offset: Expr | None = None
    exclude: Literal["", "current", "group", "ties"] = ""


@dataclass(frozen=True, slots=True)
class Window:
    partition_by: tuple[Expr, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    frame: Frame = Frame()


@dataclass(frozen=True, slots=True)
class WindowCall:
    func: FunctionRef
    args: tuple[Expr, ...]
    window: Window
    type: SqlType
    star: bool = False
    filter: Expr | None = None
    ignore_nulls: bool = False


@dataclass(frozen=True, slots=True)
class ScalarSubquery:
    """NULL on no row, an error (21000) on two."""

    query: Query
    type: SqlType


@dataclass(frozen=True, slots=True)
class Exists:
    query: Query
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class Quantified:
    """``(left, …) op ANY|ALL (subquery)``: IN is ``=`` ANY; NOT IN is bound as Not(= ANY).
    One operator per column; ``kind`` is the row comparison.
    """

    kind: Literal["=", "<>", "<", "<=", ">", ">=", "op"]
    ops: tuple[OperatorRef, ...]
    left: tuple[Expr, ...]
    query: Query
    all: bool = False
    type: SqlType = BOOL


@dataclass(frozen=True, slots=True)
class ArraySubquery:
    query: Query
    type: SqlType


@dataclass(frozen=True, slots=True)
class Opaque:
    """A construct that is understood only as far as its parts: same ``tag`` and equal args mean the
    same value (XML and JSON constructors, …). Never used where the parts are not all of it.
    """

    tag: str
    args: tuple[Expr, ...]
    type: SqlType
    volatility: Volatility = Volatility.IMMUTABLE


Expr = (
    Const
    | Param
    | Column
    | SystemColumn
    | WholeRow
    | Call
    | Op
    | Cast
    | Collate
    | And
    | Or
    | Not
    | IsNull
    | IsBool
    | IsDistinct
    | Case
    | Coalesce
    | NullIf
    | MinMax
    | InList
    | ArrayOp
    | RowExpr
    | RowCompare
    | ArrayExpr
    | Subscript
    | FieldSelect
    | ValueFunction
    | Aggregate
    | Grouping
    | WindowCall
    | ScalarSubquery
    | Exists
    | Quantified
    | ArraySubquery
    | Opaque
)

# --------------------------------------------------------------------------- FROM items


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """Name and type of one column of a range variable or of a query's result."""

    name: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class Scan:
    """A base relation. ``columns`` are all its columns, dropped ones left out; a Column's ``pos``
    counts in this tuple. ``only``: FROM ONLY.
    """

    rel: int
    table: TableRef
    alias: str = field(compare=False)
    columns: tuple[OutputColumn, ...] = field(compare=False)
    only: bool = False


@dataclass(frozen=True, slots=True)
class Derived:
    """A subquery in FROM. ``names`` are its columns' names as seen outside."""

    rel: int
    query: Query
    alias: str = field(compare=False)
    names: tuple[str, ...] = field(compare=False)
    lateral: bool = False
    # set for an expanded view: its name, so that privileges can be judged
    view: TableRef | None = field(default=None, compare=False)
    security_barrier: bool = False


@dataclass(frozen=True, slots=True)
class CteScan:
    """A reference to the CTE with number ``cte`` (unique in the statement)."""

    rel: int
    cte: int
    alias: str = field(compare=False)
    columns: tuple[OutputColumn, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class ValuesScan:
    """``(VALUES (…), (…)) AS alias(names)``; all cells of a column have the same type."""

    rel: int
    rows: tuple[tuple[Expr, ...], ...]
    alias: str = field(compare=False)
    columns: tuple[OutputColumn, ...] = field(compare=False)
    lateral: bool = False


@dataclass(frozen=True, slots=True)
class FunctionScan:
    """A function in FROM (generate_series, unnest, …), one function, no column definition list."""

    rel: int
    call: Expr
    alias: str = field(compare=False)
    columns: tuple[OutputColumn, ...] = field(compare=False)
    ordinality: bool = False
    lateral: bool = True
    # from the select list, whose block the planner does not pull up
    of_target: bool = field(default=False, compare=False)


JoinKind = Literal["inner", "left", "right", "full"]


@dataclass(frozen=True, slots=True)
class Join:
    """An explicit join; CROSS JOIN is an inner join with ``on`` None; USING and NATURAL are bound
    to ON, their merged columns to expressions (COALESCE for FULL).
    """

    kind: JoinKind
    left: FromItem
    right: FromItem
    on: Expr | None


# a range variable: what a FROM tree has below its joins
Leaf = Scan | Derived | CteScan | ValuesScan | FunctionScan
FromItem = Leaf | Join

# --------------------------------------------------------------------------- queries


@dataclass(frozen=True, slots=True)
class Target:
    """One output column."""

    name: str
    expr: Expr


@dataclass(frozen=True, slots=True)
class Cte:
    """``name AS [NOT] MATERIALIZED (query)``; ``recursive`` when the query refers to itself."""

    cte: int
    name: str = field(compare=False)
    query: Query
    columns: tuple[OutputColumn, ...] = field(compare=False)
    materialized: bool | None = field(default=None, compare=False)
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    """One query block, evaluated in SQL's order: FROM (comma list = cross product), WHERE, GROUP BY,
    HAVING, windows, targets, DISTINCT, ORDER BY, OFFSET/LIMIT.

    ``group_by`` is None for no grouping, else a tuple of grouping sets (each a tuple of expressions):
    plain GROUP BY a, b is ``((a, b),)``, GROUP BY () and an aggregate without GROUP BY are ``((),)``,
    GROUPING SETS/CUBE/ROLLUP are expanded (GROUP BY DISTINCT applied).
    ``distinct``: None, () for DISTINCT, or the expressions of DISTINCT ON.
    ORDER BY keys are expressions over the block (not output positions).
    """

    targets: tuple[Target, ...]
    from_: tuple[FromItem, ...] = ()
    where: Expr | None = None
    group_by: tuple[tuple[Expr, ...], ...] | None = None
    having: Expr | None = None
    distinct: tuple[Expr, ...] | None = None
    order_by: tuple[SortKey, ...] = ()
    limit: Expr | None = None
    offset: Expr | None = None
    with_ties: bool = False
    ctes: tuple[Cte, ...] = ()


@dataclass(frozen=True, slots=True)
class SetOp:
    """UNION, INTERSECT, EXCEPT [ALL]. Both sides' columns are coerced to ``columns``' types by casts
    inside the sides. ``order_by`` keys are (output position, …) since nothing else is allowed there.
    """

    op: Literal["union", "intersect", "except"]
    all: bool
    left: Query
    right: Query
    columns: tuple[OutputColumn, ...]
    order_by: tuple[OutputSortKey, ...] = ()
    limit: Expr | None = None
    offset: Expr | None = None
    with_ties: bool = False
    ctes: tuple[Cte, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputSortKey:
    """Sort key by 0-based output position."""

    pos: int
    descending: bool
    nulls_first: bool
    op: OperatorRef


@dataclass(frozen=True, slots=True)
class Values:
    """A bare VALUES query."""

    rows: tuple[tuple[Expr, ...], ...]
    columns: tuple[OutputColumn, ...]
    order_by: tuple[OutputSortKey, ...] = ()
    limit: Expr | None = None
    offset: Expr | None = None
    ctes: tuple[Cte, ...] = ()


Query = Select | SetOp | Values
# whatever may stand in a tree
Node = Expr | FromItem | Query | SortKey | Window | Frame | Target | Cte

COUNT_TYPE = INT8


def output_columns(query: Query) -> tuple[OutputColumn, ...]:
    """Names and types of a query's result, in order."""
    match query:
        case Select():
            return tuple(OutputColumn(t.name, t.expr.type) for t in query.targets)
        case SetOp() | Values():
            return query.columns
