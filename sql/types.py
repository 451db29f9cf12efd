"""PostgreSQL types as values: what two expressions must share to be the same type.

Owns the identity of a type (name, typmod, collation) and the properties of types that soundness
conditions ask about. Must not know catalogs, servers or expressions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type with its modifier and collation, as PostgreSQL's parser attaches it to an expression.

    ``name`` is the internal name of pg_type (``int4``, ``varchar``, ``_int4`` for an array of int4).
    ``typmod`` is pg_attribute.atttypmod; -1 for none. ``collation`` is empty for types that have
    none, ``default`` for the database's own, else the collation's name. ``enum``: a type that CREATE TYPE …
    AS ENUM has made.
    """

    name: str
    schema: str = "pg_catalog"
    typmod: int = -1
    collation: str = ""
    enum: bool = False

    @property
    def is_builtin(self) -> bool:
        return self.schema == "pg_catalog"

    @property
    def is_array(self) -> bool:
        return self.name.startswith("_")

    @property
    def element(self) -> SqlType:
        """The element type of an array type; of a user's type it is not said whether it is an enum."""
        return replace(self, name=self.name[1:], typmod=-1, enum=False)

    @property
    def element_with_typmod(self) -> SqlType:
        """The element type of an array type, under the array's modifier."""
        return replace(self, name=self.name[1:], enum=False)

    def without_typmod(self) -> SqlType:
        return replace(self, typmod=-1)

    def same_base(self, other: SqlType) -> bool:
        """Same type apart from typmod and collation."""
        return self.name == other.name and self.schema == other.schema


BOOL = SqlType("bool")
INT2 = SqlType("int2")
INT4 = SqlType("int4")
INT8 = SqlType("int8")
NUMERIC = SqlType("numeric")
FLOAT4 = SqlType("float4")
FLOAT8 = SqlType("float8")
TEXT = SqlType("text", collation="default")
VARCHAR = SqlType("varchar", collation="default")
BPCHAR = SqlType("bpchar", collation="default")
DATE = SqlType("date")
TIMESTAMP = SqlType("timestamp")
TIMESTAMPTZ = SqlType("timestamptz")
INTERVAL = SqlType("interval")
UNKNOWN = SqlType("unknown")
RECORD = SqlType("record")

# Types whose `=` holds only between values that no function, cast or output can tell apart
# (hazards M4): a column of such a type may be replaced by its equal anywhere. text and varchar
# belong here only under a deterministic collation; the caller checks that. Arrays inherit from their
# elements; rows, of several types, are left out.
IDENTITY_EQUALITY = frozenset(
    {
        "bool",
        "int2",
        "int4",
        "int8",
        "oid",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "uuid",
        "bytea",
        "char",
        "name",
        # the server brings ranges of these to one form: [1,3] is [1,4)
        "int4range",
        "int8range",
        "daterange",
        "int4multirange",
        "int8multirange",
        "datemultirange",
    }
)
TEXT_LIKE = frozenset({"text", "varchar"})
DETERMINISTIC_COLLATIONS = frozenset({"default", "C", "POSIX", "ucs_basic"})
EXACT_INTEGERS = frozenset({"int2", "int4", "int8"})
FLOATS = frozenset({"float4", "float8"})


def equality_is_identity(type_: SqlType) -> bool:
    """Whether ``a = b`` implies that a and b are indistinguishable values of ``type_``.

    Text counts under the database's default collation and "C"/"POSIX"/"ucs_basic", which are
    deterministic in every supported PostgreSQL version (manual, "Nondeterministic Collations").
    Arrays are equal where their bounds and elements are (array_eq in arrayfuncs.c); labels of an enum where
    they are the same row of pg_enum (enum_eq in enum.c).
    """
    if not type_.is_builtin:
        return type_.enum
    if type_.is_array:
        return equality_is_identity(type_.element)
    if type_.name in TEXT_LIKE:
        return type_.collation in DETERMINISTIC_COLLATIONS
    return type_.name in IDENTITY_EQUALITY
