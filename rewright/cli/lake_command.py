"""``rewright lake``: a directory of tables that nobody described."""

from __future__ import annotations

from collections.abc import Mapping

from rewright.cli.parts import Verbs

VERBS: Mapping[str, str] = {
    "index": "read a lake and remember what is in it",
    "tables": "its tables",
    "search-table": "tables for words",
    "search-value": "where a value is",
    "union": "tables that can be appended",
    "join-path": "how two tables join",
    "query": "resolve and run a query",
    "batch": "many queries from a file",
}
command = Verbs("lake", "lake.command", "the data lake", VERBS, help="Data lakes: look around, query.")
