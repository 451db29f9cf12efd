"""One expression on PostgreSQL and, as it is said in DuckDB's words, on DuckDB, over every combination of
nasty values.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import duckdb
import psycopg

from rewright.engines.duckdb.dialect.catalog import SETTINGS, Analyser, Refused
from rewright.engines.duckdb.dialect.queries import QueryPrinter
from rewright.engines.duckdb.dialect.reading import folding
from rewright.engines.duckdb.dialect.types import NotTranslated
from rewright.engines.duckdb.errors import LakeError, translated
from rewright.proxy.duckdb_backend.values import to_text
from tests.engines.dialect_values import DECLARED, NASTY

_DUCKDB = {
    "numeric": "DECIMAL(10,2)",
    "text": "VARCHAR",
    "bytea": "BLOB",
    "real": "FLOAT",
    "double precision": "DOUBLE",
}
_STEP = 1000
_ODD = re.compile(r"infinity|BC$|[0-9]_[0-9]|0x")
"""Values that some words refuse by design, with 0A000."""


@dataclass
class Outcome:
    """What came of one expression: rows compared, differences, why it is not said in DuckDB's words."""

    rows: int = 0
    errors: int = 0
    differences: list[str] = field(default_factory=list)
    untranslated: str = ""


def table_of(type_: str) -> str:
    return "n_" + type_.replace(" ", "_")


class Both:
    """A PostgreSQL and a DuckDB with the same tables of nasty values."""

    printing: ClassVar[type[QueryPrinter]] = QueryPrinter
    windows: ClassVar[bool] = True
    """Whether the engine is told of windows at all."""

    def __init__(self, dsn: str, values: Mapping[str, Sequence[str | None]] = NASTY) -> None:
        options = f"{SETTINGS} -c log_min_messages=fatal -c timezone=UTC"
        self.postgres = psycopg.connect(dsn, autocommit=True, options=options)
        self.duckdb = duckdb.connect()
        self.duckdb.execute("SET TimeZone = 'UTC'")
        self._values = values
        self._column = 25
        self._refused = False
        for type_, texts in values.items():
            self._make(type_, texts)
        self.analyser = Analyser(self.postgres)

    def _make(self, type_: str, texts: Sequence[str | None]) -> None:
        name, declared = table_of(type_), DECLARED.get(type_, type_)
        self.postgres.execute(f"create table {name} (id int, v {declared})")
        self.duckdb.execute(f"CREATE TABLE {name} (id INTEGER, v {_DUCKDB.get(type_, declared)})")
        for number, text in enumerate(texts):
            self.postgres.execute(f"insert into {name} values (%s, %s::{declared})", [number, text])
            self.duckdb.execute(
                f"INSERT INTO {name} VALUES (?, {_read(type_)})", [number, _spelt(type_, text)]
            )

    def close(self) -> None:
        self.postgres.close()
        self.duckdb.close()

    def words(self, sql: str) -> str:
        """:raises NotTranslated: it cannot be said in DuckDB's words."""
        found = self.analyser.analyse(sql)
        assert not isinstance(found, Refused), (sql, found)
        assert found.tree is not None
        self._column = found.columns[-1].oid
        printer = self.printing(self.analyser.catalog, self._relation, folding(self.analyser))
        return printer.top(found.tree)

    def _relation(self, oid: int) -> tuple[str, Sequence[str]]:
        return self.analyser.relation(oid)[1], [one.name for one in self.analyser.columns(oid)]

    def compare(self, expression: str, types: Sequence[str], *, most: int = 1500) -> Outcome:
        """``expression`` over ``a.v``, ``b.v``, ``c.v`` of these types."""
        outcome = Outcome()
        names = "abc"[: len(types)]
        sources = ", ".join(f"{table_of(t)} {n}" for t, n in zip(types, names, strict=True))
        key = " + ".join(f"{n}.id * {_STEP**i}" if i else f"{n}.id" for i, n in enumerate(names)) or "0"
        told = self._postgres_rows(expression, types, names, sources, key)
        if len(told) > most:
            told = dict(random.Random(7).sample(sorted(told.items()), most))
        good = [number for number, text in told.items() if not _is_error(text)]
        base = f"select {key}, {expression}" + (f" from {sources} where {key} = any(array" if types else "")
        try:
            if good:
                rows = self._duckdb_rows(f"{base}[{', '.join(map(str, good))}])" if types else base)
                if -1 in rows and self._refused:
                    # dates that the words do not serve say so; the others must agree
                    odd = [number for number in good if not self._is_usual(number, types)]
                    alone = {number: self._duckdb_rows(f"{base}[{number}])") for number in odd}
                    good = [number for number in good if number not in odd]
                    outcome.differences += [
                        f"{expression} on {self._arguments(number, types)}: PostgreSQL {told[number]!r}, DuckDB {found!r}"
                        for number, found in alone.items()
                        if -1 not in found and found != {number: told[number]}
                    ]
                    rows = self._duckdb_rows(f"{base}[{', '.join(map(str, good))}])")
                outcome.rows = len(rows)
                outcome.differences += [
                    f"{expression} on {self._arguments(number, types)}: PostgreSQL {told[number]!r}, DuckDB {rows.get(number, rows.get(-1, 'no row'))!r}"
                    for number in good
                    if rows.get(number, "no row") != told[number]
                ]
            for state in sorted({text for text in told.values() if _is_error(text)}, key=str):
                outcome.errors += 1
                number = next(n for n, text in told.items() if text == state)
                found = self._error(f"{base}[{number}])" if types else base)
                if found not in {str(state)[-5:], "0A000"}:
                    outcome.differences.append(
                        f"{expression} on {self._arguments(number, types)}: PostgreSQL {state}, DuckDB {found}"
                    )
        except NotTranslated as reason:
            outcome.untranslated = str(reason)
        return outcome

    def compare_aggregate(self, signature: str) -> list[str]:
        """An aggregate over all values of its type, over none, over distinct ones, and filtered; what
        differs.
        """
        name, _, inside = signature.removesuffix(")").partition("(")
        type_ = {'"any"': "text", "anynonarray": "text", "text, text": "text", "": "text"}.get(inside, inside)
        more = (
            ", '-' order by v" if inside == "text, text" else " order by v" if inside == "anynonarray" else ""
        )
        argument = f"v{more}" if inside else "*"
        finite = (
            " where v not in ('Infinity', '-Infinity', 'NaN') and abs(v) < 1e90"
            if type_ == "double precision"
            else ""
        )
        if signature == "sum(bigint)":
            finite = ""
        differences = []
        for call, condition in (
            (f"{name}({argument})", finite or " where true"),
            (f"{name}({argument})", " where false"),
            (f"{name}(distinct {argument})" if inside else "count(*)", finite or " where true"),
            (f"{name}({argument}) filter (where id % 2 = 0)", finite or " where true"),
            *_of_zeros(name, type_, windows=self.windows),
        ):
            text = f"select 0, {call} from {table_of(type_)}{condition}"
            told = self._told_by_postgres(text)
            try:
                found: object = self._duckdb_rows(text).get(0)
            except NotTranslated as reason:
                found = f"not translated: {reason}"
            if found != told and not _nearly(found, told, type_):
                differences.append(f"{text}: PostgreSQL {told!r}, DuckDB {found!r}")
        return differences

    def _told_by_postgres(self, text: str) -> str | None:
        result = self.postgres.pgconn.exec_(text.encode())
        assert result.ntuples == 1, result.error_message
        value = result.get_value(0, 1)
        return None if value is None else value.decode()

    def _is_usual(self, number: int, types: Sequence[str]) -> bool:
        return not any(text and _ODD.search(text) for text in self._arguments(number, types))

    def _arguments(self, number: int, types: Sequence[str]) -> list[str | None]:
        return [self._values[t][number // _STEP**i % _STEP] for i, t in enumerate(types)]

    def _postgres_rows(
        self, expression: str, types: Sequence[str], names: str, sources: str, key: str
    ) -> dict[int, str | None]:
        inner = expression
        for n in names:
            inner = inner.replace(f"{n}.v", f"v_{n}")
        parameters = ", ".join(f"v_{n} {t}" for t, n in zip(types, names, strict=True))
        self.postgres.execute(f"drop function if exists told({', '.join(types)})")
        self.postgres.execute(
            f"create function told({parameters}) returns text language plpgsql as $told$ begin"
            f" return case when ({inner}) is null then null else format('%s', {inner}) end;"
            " exception when others then return chr(1) || sqlstate; end $told$"
        )
        call = f"told({', '.join(f'{n}.v' for n in names)})"
        rows = self.postgres.execute(
            f"select {key}, {call}" + (f" from {sources}" if types else "")
        ).fetchall()
        return dict(rows)

    def _duckdb_rows(self, sql: str) -> dict[int, str | None]:
        words = self.words(sql)
        try:
            rows = self.fetched(words)
        except LakeError as error:
            self._refused = error.sqlstate == "0A000"
            return {-1: str(error).splitlines()[0]}
        oid = self._column
        return {number: None if value is None else to_text(value, oid) for number, value in rows}

    def fetched(self, words: str) -> Sequence[Sequence[Any]]:
        """The rows of a query in DuckDB's words.

        :raises LakeError: it fails.
        """
        try:
            return self.duckdb.execute(words).fetchall()
        except duckdb.Error as error:
            raise translated(error) from error

    def _error(self, sql: str) -> str:
        try:
            rows = self.fetched(self.words(sql))
        except LakeError as error:
            return error.sqlstate
        return f"{rows[0][1]!r}" if rows else "no row"


def _of_zeros(name: str, type_: str, *, windows: bool) -> list[tuple[str, str]]:
    """Calls over the negative zero alone (the second of NASTY) and over both zeros, also of none and in a window."""
    if type_ != "double precision":
        return []
    negative = " where id = 2"
    calls = [f"{name}(v)", f"{name}(distinct v)", f"{name}(v) filter (where id < 0)"]
    calls += [f"{name}(v) over ()"] if windows else []
    both = [(f"{name}(v)", " where v = 0")] if name in {"sum", "avg"} else []
    return [(call, negative) for call in calls] + both


def _nearly(found: object, told: str | None, type_: str) -> bool:
    """Sums of double precision depend on the order of rows; a zero has one sign."""
    if type_ != "double precision" or found is None or told is None or float(told) == 0:
        return False
    return abs(float(str(found)) - float(told)) <= 1e-12 * abs(float(told))


def _is_error(text: str | None) -> bool:
    return text is not None and text.startswith("\1")


def _read(type_: str) -> str:
    return f"CAST(? AS {_DUCKDB.get(type_, type_)})"


def _spelt(type_: str, text: str | None) -> Any:
    if text is None:
        return None
    if type_ == "bytea":
        return bytes.fromhex(text[2:])
    if text.endswith(" BC"):
        day, _, rest = text.removesuffix(" BC").partition(" ")
        return f"{day} (BC) {rest}".strip()
    return text
