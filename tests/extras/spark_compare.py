"""One expression on PostgreSQL and, as it is said in words that are sure there, on Spark, over every combination of
nasty values.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import sqlglot

from rewright.engines.duckdb.dialect.queries import QueryPrinter
from rewright.engines.spark.dialect import SparkQueryPrinter
from rewright.engines.spark.lake import SparkLake, spark_sql, told_by_spark
from rewright.engines.spark.tables import copied
from tests.engines.dialect_compare import Both, table_of
from tests.engines.dialect_values import NASTY

_FAR = ("infinity", "-infinity")
LEFT_OUT = frozenset({"time without time zone", "interval", "timestamp with time zone", "bytea"})
"""Types of which no word is sure on Spark."""


def held(type_: str, text: str | None) -> bool:
    """Spark's dates have neither infinity nor years before Christ: the copy of a table with such is refused."""
    dated = type_.startswith(("date", "timestamp"))
    return not (dated and text is not None and (text in _FAR or text.endswith("BC")))


VALUES: Mapping[str, Sequence[str | None]] = {
    type_: [text for text in texts if held(type_, text)]
    for type_, texts in NASTY.items()
    if type_ not in LEFT_OUT
}


class OnSpark(Both):
    """A PostgreSQL and a Spark with the same tables."""

    printing: ClassVar[type[QueryPrinter]] = SparkQueryPrinter
    windows: ClassVar[bool] = False

    def __init__(self, dsn: str) -> None:
        super().__init__(dsn, VALUES)
        self._folder = tempfile.TemporaryDirectory(prefix="spark-nasty-")
        folder = Path(self._folder.name)
        self._lake = SparkLake("local[2]", lambda _: None, folder)
        for type_ in VALUES:
            file = folder / f"{table_of(type_)}.parquet"
            copied(self.duckdb, table_of(type_), file)
            self._lake.session().read.parquet(str(file)).createOrReplaceTempView(f"`{table_of(type_)}`")

    def close(self) -> None:
        self._lake.close()
        self._folder.cleanup()
        super().close()

    def fetched(self, words: str) -> Sequence[Sequence[Any]]:
        try:
            text = spark_sql(sqlglot.parse_one(words, read="duckdb"))
            return [tuple(row) for row in self._lake.session().sql(text).collect()]
        except Exception as error:
            raise told_by_spark(error) from error
