"""Constants that PostgreSQL computes while a statement is bound: an expression over constants alone needs no
equivalent in DuckDB.

Must not know statements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from rewright.engines.duckdb.dialect.catalog import Analyser
from rewright.engines.duckdb.dialect.postgres_printer import PostgresPrinter
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import NotTranslated


def folding(analyser: Analyser) -> Callable[[Node], Any]:
    """Gives the text of a constant expression's value, None for NULL."""
    printer = PostgresPrinter(analyser.catalog, lambda _: None)

    def fold(node: Node) -> Any:
        try:
            return analyser.evaluated(printer.sql(node))
        except psycopg.Error as error:
            raise NotTranslated("a constant that PostgreSQL refuses") from error

    return fold
