"""Whether a long statement is a query over a lake's tables, without building a tree of it.

Owns reading libpg_query's JSON. A tree of Python objects for a statement with 200,000 literals takes 1.6 s,
during which the worker serves nobody; its JSON takes 0.06 s.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from pglast.parser import parse_sql_json

from rewright.sql.parsing import check

CATALOGS = frozenset({"pg_catalog", "information_schema"})
LONG = 50_000
"""Letters from which on a text is read so."""
# in a string of JSON quotes are escaped: no literal of the text looks like one of these
_TEXT = r'"((?:[^"\\]|\\.)*)"'
_TABLE = re.compile(
    rf'"RangeVar":\{{(?:"catalogname":"(?:[^"\\]|\\.)*",)?(?:"schemaname":{_TEXT},)?"relname":{_TEXT}'
)
_CTE = re.compile(rf'"ctename":{_TEXT}')
_QUERY = re.compile(r'\{"stmt":\{(?:"ExplainStmt":\{"query":\{)?"SelectStmt":')


def reads_tables(text: str, catalogs: Collection[str]) -> bool:
    """Is it one query over a table of no catalog? Raises pglast's ParseError, or TooDeep."""
    check(text)
    told = parse_sql_json(text)
    # one statement, a SELECT or its EXPLAIN, and no SELECT INTO
    if told.count('{"stmt":{') != 1 or _QUERY.search(told) is None or '"intoClause":' in told:
        return False
    ctes = set(_CTE.findall(told))
    return any(
        schema not in catalogs and (bool(schema) or not (name in ctes or name.startswith("pg_")))
        for schema, name in _TABLE.findall(told)
    )
