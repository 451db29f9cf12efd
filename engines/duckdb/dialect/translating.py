"""One statement of a lake's client: in DuckDB's dialect, or a plan for PostgreSQL, or refused with the
reason.

Owns the order in which these are tried. Must not know the wire, or how either is run.
docs/decisions/0379-expressions-as-postgresql-analyses-them.md, 0380-what-postgresql-runs-itself.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewright.engines.duckdb.dialect.catalog import Analysed, Analyser, TableColumn
from rewright.engines.duckdb.dialect.copying import copied
from rewright.engines.duckdb.dialect.finishing import finished
from rewright.engines.duckdb.dialect.plans import Plan
from rewright.engines.duckdb.dialect.queries import QueryPrinter
from rewright.engines.duckdb.dialect.reading import folding
from rewright.engines.duckdb.dialect.refusing import refused
from rewright.engines.duckdb.dialect.types import NotTranslated
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.duckdb.quoting import quoted


@dataclass(frozen=True, slots=True)
class Words:
    """A statement that DuckDB runs."""

    sql: str


class Translator:
    """Says statements that one server has analysed, in the words of a printer's engine."""

    def __init__(self, analyser: Analyser, printer: type[QueryPrinter] = QueryPrinter) -> None:
        self._analyser = analyser
        self._printing = printer
        self._fold = folding(analyser)

    def translate(self, text: str, found: Analysed) -> Words | Plan:
        """``text``: what was analysed.

        :raises LakeError: 0A000 with what is not served, 25006 for what is no query, 42601 for what has no
            statement.
        """
        if not text.strip(" \t\r\n;"):
            raise LakeError("there is no statement in the text", sqlstate="42601")
        if found.tree is None or found.tree["commandType"] != "1":
            raise LakeError("only queries are allowed on a lake: it is read-only", sqlstate="25006")
        tree = found.tree
        try:
            refused(tree, self._analyser.catalog)
        except NotTranslated as reason:
            raise LakeError(f"{reason} is not served on a lake", sqlstate="0A000") from None
        try:
            return Words(self._printer().top(tree))
        except NotTranslated as reason:
            told = str(reason)
        try:
            return finished(tree, self._printer(), found.parameters, told)
        except NotTranslated:
            pass
        try:
            return copied(text, tree, self._analyser, self._printer(), found.parameters, told)
        except NotTranslated as reason:
            raise LakeError(f"{reason} is not served on a lake", sqlstate="0A000") from None

    def _printer(self) -> QueryPrinter:
        return self._printing(self._analyser.catalog, self._relation, self._fold)

    def _relation(self, oid: int) -> tuple[str, Sequence[str]]:
        schema, name = self._analyser.relation(oid)
        if schema in {"pg_catalog", "information_schema"}:
            raise LakeError("catalogs cannot be read together with tables of the lake", sqlstate="0A000")
        columns: Sequence[TableColumn] = self._analyser.columns(oid)
        own = schema == "public" or schema.startswith("pg_temp")
        named = quoted(name) if own else ".".join(map(quoted, (schema, *name.split(".", 1))))
        return named, [one.name for one in columns]
