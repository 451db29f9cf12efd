"""What the code claims of single built-in functions, operators and casts, asked of all of them by way of
queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from rewright.equivalence.prover.build import is_null
from rewright.equivalence.prover.failures import Failures, recorded
from rewright.equivalence.prover.fresh import numbering
from rewright.equivalence.prover.symbols import IS_NULL, OR
from rewright.equivalence.prover.terms import App, Lit, Term, Var
from rewright.equivalence.prover.translate import Translator
from rewright.equivalence.prover.translated import Unsupported
from rewright.sql.algebra import Select, Volatility
from rewright.sql.binder import BindError, bind
from rewright.sql.binder import Unsupported as Unbound
from rewright.sql.builtins import builtins
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import Facts, cannot_fail, strict_columns
from tests.equivalence.values import ACTUAL, TARGETS, VALUES

_COLUMNS = "abcd"
_UNITS = ("month", "year", "week", "day", "epoch", "hour", "decade", "isodow", "isoyear", "century", "millennium",
    "quarter", "doy")  # fmt: skip
# a server's state, files, other sessions, randomness, and what takes time or memory by design
_APART = ("pg_", "lo_", "has_", "binary_upgrade", "query_to", "table_to", "schema_to", "database_to", "cursor_to", "ts_",
    "txid_", "inet_", "currval", "nextval", "setval", "dblink", "row_security", "repeat", "unicode")  # fmt: skip


@dataclass(frozen=True)
class Expression:
    """A function, operator or cast over columns a.v, b.v, … of the types, none of them NULL."""

    text: str
    types: tuple[str, ...]

    def query(self, nulls: Iterable[int] = ()) -> str:
        """The query of the expression, with NULL for the columns ``nulls``."""
        absent = set(nulls)
        text = self.text
        for i, type_ in enumerate(self.types):
            if i in absent:
                text = text.replace(f"{_COLUMNS[i]}.v", f"null::{type_}")
        rest = [i for i in range(len(self.types)) if i not in absent]
        tables = ", ".join(f"{table(self.types[i])} {_COLUMNS[i]}" for i in rest)
        return f"select {text} as r" + (f" from {tables}" if tables else "")

    def with_values(self) -> Iterator[str]:
        """The expression over constants, for all values."""
        for values in product(*(VALUES[t] for t in self.types)):
            text = self.text
            for column, type_, value in zip(_COLUMNS, self.types, values, strict=False):
                quoted = value.replace("'", "''")
                text = text.replace(f"{column}.v", f"'{quoted}'::{type_}")
            yield text


@dataclass(frozen=True)
class Claims:
    """``safe``: who says that it raises no error; ``tame``: who says that it raises none but overflow;
    ``never_null``: who says that it is not NULL; ``strict``: positions that make it NULL, by whom.
    """

    safe: tuple[str, ...]
    tame: tuple[str, ...]
    never_null: tuple[str, ...]
    strict: tuple[tuple[str, int], ...]


def table(type_: str) -> str:
    """The name of the table of a type's values."""
    return "v_" + re.sub(r"\W", "_", type_)


def schema() -> str:
    return "\n".join(f"create table {table(t)} (v {t} not null);" for t in VALUES)


@cache
def catalog() -> Catalog:
    return catalog_from_ddl(schema())


def expressions() -> Iterator[Expression]:
    """Every function, operator and cast of PostgreSQL's own over types that have values here."""
    found = dict.fromkeys((*_functions(), *_operators(), *_casts(), *_with_constants()))
    yield from found


def _actual(args: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    known = [ACTUAL.get(t, (t,) if t in VALUES else ()) for t in args]
    yield from product(*known)


def _functions() -> Iterator[Expression]:
    for name in sorted(builtins().function_names):
        if name.startswith(_APART):
            continue
        for f in builtins().functions(name):
            plain = f.kind == "f" and not f.returns_set and f.volatility is not Volatility.VOLATILE
            if not plain or len(f.args) > 3 or not set(f.args) <= VALUES.keys() | ACTUAL.keys():
                continue
            for types in _actual(f.args):
                called = ", ".join(f"{_COLUMNS[i]}.v" for i in range(len(types)))
                if name in {"extract", "date_part", "date_trunc"}:
                    for unit in _UNITS:
                        rest = called.replace("a.v", f"'{unit}'", 1).replace("b.v", "a.v")
                        yield Expression(f'pg_catalog."{name}"({rest})', types[1:])
                yield Expression(f'pg_catalog."{name}"({called})', types)


def _operators() -> Iterator[Expression]:
    names = {row[0] for row in builtins()._data["operators"]}
    for name in sorted(names):
        for op in builtins().operators(name):
            sides = (op.left, op.right) if op.left else (op.right,)
            for types in _actual(sides):
                text = f"a.v {name} b.v" if op.left else f"{name} a.v"
                yield Expression(f"({text})", types)
    numbers = ("int2", "int4", "int8", "numeric", "float4", "float8")
    moments = ("date", "timestamp", "timestamptz", "time", "interval")
    texts = ("text", "varchar", "bpchar", "name")
    for family in (numbers, moments, texts):
        for types in product(family, family):
            for name in ("=", "<", "+", "-", "||", "is distinct from"):
                yield Expression(f"(a.v {name} b.v)", types)


def _casts() -> Iterator[Expression]:
    for source, target in product(VALUES, (*VALUES, *TARGETS)):
        yield Expression(f"a.v::{target}", (source,))


def _with_constants() -> Iterator[Expression]:
    """What is known of some only where an argument is a constant."""
    for first, second in product(("0", "1", "5", "-1", "1073741823", "1073741824", "2147483647"), repeat=2):
        for name in ("substring", "substr"):
            for type_ in ("text", "bytea", "varbit"):
                yield Expression(f"{name}(a.v, {first}, {second})", (type_,))
        for name in ("left", "right", "repeat", "lpad", "split_part"):
            yield Expression(f"{name}(a.v, {first})", ("text",))
        yield Expression(f"split_part(a.v, ',', {first})", ("text",))
    for like in ("a%", "", "%", "\\", "a\\", "\\\\", "\\%", "_\\"):
        for name, type_ in product(("like", "not like", "ilike"), ("text", "varchar", "bpchar", "name")):
            yield Expression(f"(a.v {name} '{like}')", (type_,))
    for type_, name, by in product(
        ("int2", "int4", "int8", "numeric", "float8"),
        "/%+-*",
        ("0", "-1", "2", "-7", "0.5", "1e300", "2.5::float8", "32767::int2"),
    ):
        yield Expression(f"(a.v {name} {by})", (type_,))
        yield Expression(f"({by} {name} a.v)", (type_,))
        yield Expression(f"(a.v {name} nullif(a.v, {by}))", (type_,))
        yield Expression(f"case when a.v > {by} then {by} {name} a.v end", (type_,))
        yield Expression(f"case when a.v <> {by} then 5 {name} (a.v - {by}) end", (type_,))
        yield Expression(f"(5 {name} greatest(a.v, {by}))", (type_,))
        yield Expression(f"(5 {name} nullif(a.v::float8, 0))", (type_,))
        yield Expression(f"(5 {name} nullif(a.v::numeric, 0))", (type_,))
    for type_, span in product(("date", "timestamp", "timestamptz"), ("1 day", "-1 month", "infinity")):
        yield Expression(f"(a.v + interval '{span}')", (type_,))
        yield Expression(f"(a.v - interval '{span}')", (type_,))
        yield Expression(f"(a.v > timestamp '2000-01-01' - interval '{span}')", (type_,))
    for type_ in VALUES:
        yield Expression("greatest(a.v, b.v)", (type_, type_))
        yield Expression("(a.v + b.v)::float8", (type_, type_))
        yield Expression("(a.v * b.v)::float8", (type_, type_))
        yield Expression(f"(case when a.v is null then 1{'0' * 400} else 0 end)::float8", (type_,))
        yield Expression(f"(case when a.v is null then 0 else 0.{'0' * 400}1 end)::float8", (type_,))
        yield Expression(f"(case when a.v is null then 0 else {'9' * 19} end)::bigint", (type_,))
        yield Expression("(a.v, b.v)::text", (type_, type_))
        yield Expression("coalesce(a.v, b.v)", (type_, type_))
        yield Expression("nullif(a.v, b.v)", (type_, type_))
        yield Expression("(a.v in (b.v, c.v))", (type_,) * 3)
        yield Expression("((a.v, b.v) < (b.v, c.v))", (type_,) * 3)
        yield Expression("((a.v, b.v) <> (b.v, c.v))", (type_,) * 3)
        yield Expression("(a.v = any (array[b.v, c.v]))", (type_,) * 3)
        yield Expression("(row(a.v) = row(b.v))", (type_,) * 2)
        yield Expression("array[a.v, b.v]", (type_,) * 2)
        yield Expression("(array[a.v, b.v])[1]", (type_,) * 2)


def claims(e: Expression) -> Claims | None:
    """What is claimed; None where the expression means nothing or is out of scope."""
    try:
        query = bind(e.query(), catalog())
    except (BindError, Unbound):
        return None
    assert isinstance(query, Select)
    (target,) = query.targets
    facts = Facts(catalog(), query)
    errors = facts.errors(query)
    safe, tame, never_null = [], [], []
    if not errors:
        safe.append("facts")
    elif errors == {"overflow"}:
        (tame if facts.may_overflow(query) else safe).append("facts")
    if cannot_fail(target.expr):
        safe.append("rules")
    if facts.never_null(target.expr, facts.nonnull_columns(query), query) is not None:
        never_null.append("facts")
    rels = [item.rel for item in query.from_]  # type: ignore[union-attr]
    strict = [("facts", rels.index(rel)) for rel, _ in strict_columns(target.expr)]
    translator = Translator()
    try:
        with numbering():
            form = translator.top(query)
    except Unsupported:
        return Claims(tuple(safe), tuple(tame), tuple(never_null), tuple(strict))
    kinds = {kind for kind, _ in recorded(translator, Failures()).left}
    if not kinds:
        safe.append("prover")
    elif kinds == {"overflow"}:
        tame.append("prover")
    value = form.bag[0].outs[0]
    if _is_never_null(value):
        never_null.append("prover")
    strict += [("prover", i) for i in range(len(e.types)) if _is_null_given(e, i)]
    return Claims(tuple(safe), tuple(tame), tuple(never_null), tuple(strict))


def _is_never_null(value: Term) -> bool:
    """Whether only a column's being NULL makes it NULL."""
    test = is_null(value)
    parts = test.args if isinstance(test, App) and test.sym == OR else (test,)
    return all(
        p == Lit("false", p.type) or (isinstance(p, App) and p.sym == IS_NULL and isinstance(p.args[0], Var))
        for p in parts
    )


def _is_null_given(e: Expression, at: int) -> bool:
    try:
        with numbering():
            form = Translator().top(bind(e.query([at]), catalog()))
    except (BindError, Unbound, Unsupported):
        return False
    value = form.bag[0].outs[0] if form.bag else None
    return isinstance(value, Lit) and value.value is None
