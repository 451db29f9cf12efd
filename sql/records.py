"""The records of a schema snapshot: relations, constraints, types, functions, operators, casts.

Plain frozen values. Names of types in records are *keys*: pg_type.typname, preceded by ``schema.`` unless
in pg_catalog. Must not know lookup rules, snapshots' sources or SQL text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rewright.sql.algebra import FunctionRef, OperatorRef, TableRef, Volatility
from rewright.sql.types import SqlType

RelationKind = Literal["table", "partitioned", "foreign", "view", "matview"]
# The id of the hazard through which stored rows may break a constraint that the catalog calls valid; "":
# none is known. F15: nothing but triggers keeps a foreign key; F17: a collation's order has changed; F18:
# equality is a user's function; F22: a domain's CHECK is not looked for in all rows; F23: a row is in another
# partition than its bounds say; F24: a column of a primary key holds NULLs; F25: a CHECK was written down
# without a look
Doubt = Literal["", "F15", "F17", "F18", "F22", "F23", "F24", "F25"]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column in attnum order. ``not_null`` only when every stored row is known to obey (a NOT NULL that
    is NOT VALID counts as absent). ``default`` is the expression's text. ``attnum`` is 0 when unknown.
    """

    name: str
    type: SqlType
    not_null: bool = False
    default: str | None = None
    identity: Literal["", "always", "by default"] = ""
    generated: Literal["", "stored", "virtual"] = ""
    attnum: int = 0
    not_null_constraint: str = ""


@dataclass(frozen=True, slots=True)
class Key:
    """A PRIMARY KEY, UNIQUE constraint or unique index. ``usable`` is False for what is no key at all
    times: partial, on an expression, invalid, deferrable, WITHOUT OVERLAPS, or an operator class whose
    equality is not the type's own (F1, F3, F12).
    """

    name: str
    columns: tuple[str, ...]
    primary: bool = False
    nulls_distinct: bool = True
    deferrable: bool = False
    partial: bool = False
    expression: bool = False
    valid: bool = True
    period: bool = False
    constraint: bool = True
    # nondeterministic or other collation than the column's own: equal in the index, not in queries
    foreign_equality: bool = False
    doubt: Doubt = ""
    # EXCLUDE (… WITH =, last column WITH &&): equal rows do not overlap in it, which may be empty in several
    exclusion: bool = False
    # as texts, the condition of a partial one, and what one over expressions is of (columns too, in order)
    predicate: str = ""
    expressions: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        return (
            self.valid
            and not self.doubt
            and bool(self.columns)
            and not (
                self.deferrable or self.partial or self.expression or self.period or self.foreign_equality
            )
        )


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """FOREIGN KEY columns REFERENCES target (target_columns), pairwise in order."""

    name: str
    columns: tuple[str, ...]
    target: TableRef
    target_columns: tuple[str, ...]
    match: Literal["simple", "full", "partial"] = "simple"
    validated: bool = True
    enforced: bool = True
    deferrable: bool = False
    period: bool = False
    # pg_trigger.tgenabled is 'O' for its triggers, those of partitions included
    triggers_enabled: bool = True
    doubt: Doubt = ""

    @property
    def usable(self) -> bool:
        """Whether stored rows obey it at all times (F5, F12, F13, F15), MATCH SIMPLE's NULLs aside (F6)."""
        return (
            self.validated
            and not self.doubt
            and self.enforced
            and self.triggers_enabled
            and not self.deferrable
            and not self.period
        )


@dataclass(frozen=True, slots=True)
class Check:
    """CHECK (text), not FALSE on any stored row when validated and enforced. ``columns`` it mentions."""

    name: str
    text: str
    validated: bool = True
    enforced: bool = True
    no_inherit: bool = False
    doubt: Doubt = ""

    @property
    def usable(self) -> bool:
        return self.validated and self.enforced and not self.doubt


@dataclass(frozen=True, slots=True)
class Table:
    """A relation. For views ``definition`` is the text of their query."""

    ref: TableRef
    columns: tuple[TableColumn, ...]
    kind: RelationKind = "table"
    keys: tuple[Key, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    checks: tuple[Check, ...] = ()
    # definitions of its exclusion constraints that are no keys, for whoever makes a table like it
    exclusions: tuple[str, ...] = ()
    # inheritance (not partitioning)
    parents: tuple[TableRef, ...] = ()
    has_children: bool = False
    # a foreign table among its partitions or children: the server checks no row of that one
    foreign_children: bool = False
    partition_of: TableRef | None = None
    # what the bounds of a partition say of its rows, as a CHECK's text; only of a schema given as DDL (F23)
    bounds: str = ""
    # whether it is the default partition of a table that one column parts; only of a schema given as DDL
    takes_others: bool = False
    row_security: bool = False
    temporary: bool = False
    unlogged: bool = False
    definition: str = ""
    # the search path under which a view's definition is read
    view_path: tuple[str, ...] = ("public",)
    security_barrier: bool = False
    security_invoker: bool = False
    # a rule other than a view's own, or a BEFORE/INSTEAD trigger: writes do more than they say
    has_rules: bool = False
    has_triggers: bool = False

    def position(self, column: str) -> int:
        """0-based position of a column; KeyError when there is none."""
        for i, c in enumerate(self.columns):
            if c.name == column:
                return i
        raise KeyError(column)

    @property
    def primary_key(self) -> Key | None:
        return next((k for k in self.keys if k.primary), None)


@dataclass(frozen=True, slots=True)
class TypeInfo:
    """A type. ``kind`` as pg_type.typtype: b base, c composite, d domain, e enum, p pseudo, r range,
    m multirange. ``element``: of a true array type. ``base``: of a domain.
    """

    schema: str
    name: str
    kind: str = "b"
    category: str = "U"
    preferred: bool = False
    element: str = ""
    array: str = ""
    collation: str = ""
    base: str = ""
    base_typmod: int = -1
    not_null: bool = False  # a domain's
    checks: tuple[Check, ...] = ()
    labels: tuple[str, ...] = ()
    fields: tuple[tuple[str, SqlType], ...] = ()
    subtype: str = ""
    input_volatility: Volatility = Volatility.IMMUTABLE
    output_volatility: Volatility = Volatility.IMMUTABLE

    @property
    def key(self) -> str:
        return type_key(self.schema, self.name)

    @property
    def sql_type(self) -> SqlType:
        return SqlType(self.name, self.schema, -1, self.collation, enum=self.kind == "e")


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    """A row of pg_proc. ``variadic`` is the element type of the last argument, or ``any``, or empty.
    ``out`` are the result columns of a function with OUT or TABLE arguments.
    """

    schema: str
    name: str
    args: tuple[str, ...]
    result: str
    kind: Literal["f", "a", "w"] = "f"
    volatility: Volatility = Volatility.VOLATILE
    strict: bool = False
    returns_set: bool = False
    leakproof: bool = False
    variadic: str = ""
    defaults: int = 0
    arg_names: tuple[str, ...] = ()
    out: tuple[tuple[str, str], ...] = ()
    # aggregates: normal, ordered set, hypothetical; number of direct arguments
    agg_kind: Literal["", "n", "o", "h"] = ""
    direct_args: int = 0
    language: str = "internal"
    body: str = ""
    # the defaults of the last arguments, as one list of expressions; empty when not known
    default_text: str = ""

    def to_ref(self) -> FunctionRef:
        return FunctionRef(
            self.schema,
            self.name,
            self.args,
            self.volatility,
            self.strict,
            self.returns_set,
            self.kind,
            self.leakproof,
            bool(self.variadic),
        )


@dataclass(frozen=True, slots=True)
class OperatorInfo:
    """A row of pg_operator; ``family`` is the btree operator family ``btree`` belongs to."""

    schema: str
    name: str
    left: str
    right: str
    result: str
    function: FunctionRef
    commutator: str = ""
    negator: str = ""
    btree: str = ""
    family: str = ""

    def to_ref(self) -> OperatorRef:
        return OperatorRef(
            self.schema,
            self.name,
            self.left,
            self.right,
            self.function,
            self.commutator,
            self.negator,
            self.btree,
        )


@dataclass(frozen=True, slots=True)
class CastInfo:
    """A row of pg_cast: context e explicit, a assignment, i implicit; method f function, b binary, i I/O."""

    source: str
    target: str
    context: Literal["e", "a", "i"]
    method: Literal["f", "b", "i"]
    function: FunctionRef | None = None


@dataclass(frozen=True, slots=True)
class CollationInfo:
    schema: str
    name: str
    deterministic: bool = True

    @property
    def key(self) -> str:
        """As `SqlType.collation` has it: built-in ones by their bare name."""
        return type_key(self.schema, self.name)


def type_key(schema: str, name: str) -> str:
    return name if schema == "pg_catalog" else f"{schema}.{name}"


def key_of(type_: SqlType) -> str:
    """The key of a type of an expression."""
    return type_.name if type_.schema == "pg_catalog" else f"{type_.schema}.{type_.name}"
