"""Names in a question that stand in columns with too many values to be known beforehand, looked up in the
data.

Owns which words of a question are taken for names, the queries, and their bounds: few names, few tables,
little time; what can't be looked up in time is not known. They go the way of every generated query. Must not
know prompts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.describe import Description
from rewright.ask.execution import ExecutionError
from rewright.ask.mentions import QUOTED, Mentions
from rewright.ask.ports import Runner
from rewright.ask.reading.marked_values import LOOKS_LIKE_A_CODE
from rewright.ask.safety import Refused
from rewright.sql.printer.names import quote_ident, quote_literal

MOST_NAMES = 4
MOST_QUERIES = 60
SECONDS = 3.0
_ONE_QUERY = 1.0
_NAME = re.compile(r"[A-Z][\w'’.&-]*(?:\s+(?:(?:of|the|de|la|and|&)\s+){0,2}[A-Z0-9][\w'’.&-]*)*")
_LONGEST = 80


def names_in(question: str, mentions: Mentions) -> list[str]:
    """What is quoted, and what is written like a name or a code, as far as no known value says the same."""
    known = [(m.start, m.end) for m in mentions.find(question) if m.columns]
    # quoted texts and codes come first, hence survive the limit of how many are looked up
    found = [
        (match.start(), next(part for part in match.groups() if part)) for match in QUOTED.finditer(question)
    ]
    coded = [(match.start(), match.end()) for match in LOOKS_LIKE_A_CODE.finditer(question)]
    found += [(start, question[start:end]) for start, end in coded]
    found += [
        (start, text)
        for match in _NAME.finditer(question)
        for start, text in _trimmed(match, mentions)
        if not any(a <= start < b for a, b in coded)
    ]
    free = [text for start, text in found if not any(a <= start < b for a, b in known)]
    return [text for text in dict.fromkeys(free) if 1 < len(text) <= _LONGEST][:MOST_NAMES]


def _trimmed(match: re.Match[str], mentions: Mentions) -> Iterator[tuple[int, str]]:
    """Without the words with which a question begins, and the full stop at its end; none where only words of
    questions and of the schema are left.
    """
    start, text = match.start(), match[0]
    # only at the question's beginning does a capital say nothing: `Which Artists ..`
    while match.start() == 0 and text and mentions.is_plain(text.split()[0]):
        head = text.split()[0]
        rest = text[len(head) :]
        start += len(head) + len(rest) - len(rest.lstrip())
        text = rest.lstrip()
    text = text.rstrip(".,'’&-")
    if text and not mentions.is_plain(text):
        yield start, text


def look_up(
    runner: Runner, description: Description, names: Sequence[str]
) -> list[tuple[ColumnContext, str]]:
    """The columns that hold a name in any case, with its spelling there."""
    until = time.monotonic() + SECONDS
    found: list[tuple[ColumnContext, str]] = []
    queries = 0
    for name in names:
        for table in description.context.tables:
            columns = _open_columns(table)
            left = until - time.monotonic()
            # once the time is up the names left are unknown, which costs an answer less than waiting would
            if not columns or queries >= MOST_QUERIES or left <= 0:
                continue
            queries += 1
            found += _in_table(runner, description.table_name(table), columns, name, min(left, _ONE_QUERY))
    return found


def _open_columns(table: TableContext) -> list[ColumnContext]:
    """Texts of which not every value is known."""
    return [c for c in table.columns if c.kind == "text" and not (c.values and len(c.values) >= c.distinct)]


def _in_table(
    runner: Runner, table: str, columns: Sequence[ColumnContext], name: str, seconds: float
) -> list[tuple[ColumnContext, str]]:
    wanted = quote_literal(name.lower())
    # `limit 1`: the spelling in any one row is enough to write the condition
    parts = (
        f"(select {i} as place, {quote_ident(c.name)} as spelled from {table} "
        f"where lower({quote_ident(c.name)}) = {wanted} limit 1)"
        for i, c in enumerate(columns)
    )
    try:
        rows = runner.run(" union all ".join(parts), rows=len(columns), seconds=seconds)
    except (Refused, ExecutionError):
        # refused, or out of time: then nothing is known of this table
        return []
    return [(columns[int(place)], str(spelled)) for place, spelled in rows.rows]


def known_names(question: str, mentions: Mentions, runner: Runner, description: Description) -> Mentions:
    """The mentions of a context with the names of one question."""
    names = names_in(question, mentions)
    found = look_up(runner, description, names) if names else []
    return mentions.with_values(found) if found else mentions
