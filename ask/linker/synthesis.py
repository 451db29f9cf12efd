"""Global synthesis: the final columns, from all that was seen (APEX-SQL, section 3.2.3).

Owns the rounds, and what holds whatever the model says: a column that was marked goes only with a reason, and
what stays is connected. Must not know how the query is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rewright.ask.asking import Asking
from rewright.ask.compression import WITHHELD
from rewright.ask.describe import Description, selection_of
from rewright.ask.disclosure import Disclosure
from rewright.ask.exploring import explore
from rewright.ask.linker.records import Rejection, Synthesis, TableRole
from rewright.ask.ports import Runner
from rewright.ask.quoting import one_line
from rewright.ask.subject import Subject, prompt
from rewright.models.api import ModelError

_SYNTHESISE = (
    "Decide on the final columns for the query, from the schema and what was seen in each table. Keep "
    "what identifies, joins, "
    "filters, groups, orders, is computed with or returned; keep all columns that may serve the same "
    "purpose; the tables must be "
    "joinable. Columns marked * were found relevant: each of them that you don't keep must stand in "
    "rejected with the reason. If "
    "something must be known first, put up to 4 PostgreSQL SELECTs into queries and you are asked again "
    "with their results."
)
_SCHEMA_TOKENS = 8_000
_QUERIES = 4


def synthesise(
    asking: Asking,
    description: Description,
    subject: Subject,
    runner: Runner,
    disclosure: Disclosure,
    left: Mapping[str, Sequence[str]],
    roles: Mapping[str, TableRole],
    seen: Mapping[str, str],
) -> tuple[dict[str, list[str]], tuple[Rejection, ...]]:
    """Columns by table, connected; and the rejections."""
    marked = [(table, column) for table, role in roles.items() for column in role.columns]
    reply, told = Synthesis(()), ""
    for number in range(max(1, asking.settings.rounds)):
        last = number + 1 >= asking.settings.rounds
        messages = prompt(
            "choose columns",
            f"{_SYNTHESISE} {WITHHELD}" if disclosure.hides else _SYNTHESISE,
            "Schema:\n" + description.text(left, budget=_SCHEMA_TOKENS, fullest=1),
            "Marked *: " + ", ".join(f"{t}.{c}" for t, c in marked),
            "Roles:\n" + "\n".join(f"- {t}: {r.role}. {r.why}" for t, r in roles.items()),
            "\n\n".join(f"Seen in {table}:\n{text}" for table, text in seen.items()),
            told,
            "This is the last round: give no queries." if last else "",
            subject.text(),
        )
        try:
            reply = asking.form("synthesis", messages, Synthesis)
        except ModelError:
            break
        # the last round's queries would have no round to be read in
        if last or not reply.queries:
            break
        told = _run(asking, runner, disclosure, reply.queries[:_QUERIES], told)
    return _final(description, marked, reply, left)


def _run(asking: Asking, runner: Runner, disclosure: Disclosure, queries: Sequence[str], before: str) -> str:
    lines = [before] if before else ["Results of your queries:"]
    for query in queries:
        finding = explore(runner, disclosure, query, seconds=min(10.0, asking.left()))
        asking.note("explored", "synthesis", finding.told, finding.sql)
        lines.append(f"{one_line(disclosure.query(query), 300)}\n{finding.told}")
    return "\n".join(lines)


def _final(
    description: Description,
    marked: Sequence[tuple[str, str]],
    reply: Synthesis,
    left: Mapping[str, Sequence[str]],
) -> tuple[dict[str, list[str]], tuple[Rejection, ...]]:
    kept = [pair for called in reply.keep if (pair := description.find_column(called)) is not None]
    rejected = {
        pair: one_line(r.reason, 200)
        for r in reply.rejected
        # without a reason a rejection is an omission
        if (pair := description.find_column(r.column)) is not None and r.reason.strip() and pair not in kept
    }
    kept += [pair for pair in marked if pair not in rejected and pair not in kept]
    # a reply of nothing usable keeps all that pruning left
    selection = selection_of(kept) or {table: list(columns) for table, columns in left.items()}
    for table, columns in selection.items():
        # keys join what stays, whatever was said of them
        keys = (c.name for c in description.tables[table].columns if c.key)
        columns.extend(name for name in keys if name not in columns)
    reasons = tuple(Rejection(f"{table}.{column}", why) for (table, column), why in rejected.items())
    return description.connected(selection), reasons
