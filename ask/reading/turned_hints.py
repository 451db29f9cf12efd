"""Hints that name the column first: `A11 refers to average salary`, `'VYBER' stands for withdrawal in cash`.

Owns turning them around, so that the term comes first as in all others, and which column a hint calls the
name of a table's rows. Must not know what a question asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewright.ask.context import ColumnContext, Context
from rewright.ask.reading.hint_tests import conditions_of
from rewright.ask.reading.words import stem
from rewright.lake import names
from rewright.sql.algebra import TableRef

_SAYS = (
    r"(?:refers? to|means|stands? for|represents?(?: for)?|denotes?|indicates?"
    r"|contains?(?: the)?(?: data of| values? of)?|is the column (?:of|for))"
)
# only semicolons, line ends and ends of sentences part hints here; commas where the next one has its verb
_PARTS = re.compile(rf"(\s*[;\n]\s*|\.\s+|,\s+(?=[`\"'\w]+(?: [\w']+){{0,3}} {_SAYS} ))", re.IGNORECASE)
_COLUMN_FIRST = re.compile(rf"^[`\"]?(?P<name>\w[\w ()%/-]*?)[`\"]?\s+{_SAYS}\s+(?P<term>[^=<>;]{{2,60}})$")
# `A11 is the average salary`: a code is no word of which something is said
_CODE_FIRST = re.compile(r"^[`\"]?(?P<name>[A-Za-z_]*\d\w*)[`\"]?\s+is\s+(?P<term>[^=<>;]{2,60})$")
_VALUE_FIRST = re.compile(rf"^'(?P<value>[^']+)'\s+{_SAYS}\s+(?P<term>[^=<>;]{{2,60}})$")
_NAMES_ROWS = re.compile(
    r"^(?:the )?(?:(?:name|title)s? of (?:the |an? )?(?P<of>[\w ]+?)"
    r"|(?P<whose>[\w ]+?)(?:'s)? (?:name|title)s?)"
    rf"\s+(?:{_SAYS}|=|:)\s*[`\"]?(?P<name>\w+)[`\"]?$",
    re.IGNORECASE,
)


def term_first(evidence: str, question: str, context: Context) -> str:
    """The hints, each with its term before its column or test."""
    parts = _PARTS.split(evidence.strip())
    # the separators stand between, at odd places
    return "".join(
        p if i % 2 else _turned(p.rstrip("."), question, context) or p for i, p in enumerate(parts)
    )


def _turned(hint: str, question: str, context: Context) -> str | None:
    """The hint turned around; None where it is none of these."""
    if (found := _VALUE_FIRST.match(hint)) is not None:
        held = _columns(context)
        columns = {c.name for c in held if found["value"] in c.values}
        # a value of several columns tells none of them
        return f"{_term(found)} refers to {columns.pop()} = '{found['value']}'" if len(columns) == 1 else None
    found = _COLUMN_FIRST.match(hint) or _CODE_FIRST.match(hint)
    if found is None or found["name"] not in {c.name for c in _columns(context)}:
        return None
    known = {c.name.lower() for c in _columns(context)}
    # a term that the question says is no column's name here, and a column on both sides tells nothing
    said = re.search(rf"(?<!\w){re.escape(found['name'])}(?!\w)", question) is not None
    if said or _term(found).lower() in known or conditions_of(found["term"], context):
        return None
    return f"{_term(found)} refers to {found['name']}"


def _term(found: re.Match[str]) -> str:
    return re.sub(r"^(?:the|an?)\s+", "", found["term"].strip(" '\"`."))


def _columns(context: Context) -> Iterator[ColumnContext]:
    return (c for t in context.tables for c in t.columns)


def called_by_hints(evidence: str, context: Context) -> dict[TableRef, ColumnContext]:
    """By table the text that a hint calls its rows' name: `district name refers to A2`."""
    made = dict[TableRef, ColumnContext]()
    for part in _PARTS.split(evidence)[::2]:
        found = _NAMES_ROWS.match(part.strip().rstrip("."))
        if found is None:
            continue
        whose = {stem(w) for w in (found["of"] or found["whose"]).lower().split()}
        for table in context.tables:
            own = {stem(w) for w in (*table.words, *names.words(table.ref.name))}
            column = next((c for c in table.columns if c.name.lower() == found["name"].lower()), None)
            if column is not None and column.kind == "text" and whose <= own:
                made[table.ref] = column
    return made
