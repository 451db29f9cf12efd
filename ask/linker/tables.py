"""The first pruning of a large schema: whole tables, by their names and some of their columns.

Owns both prompts and what is told of a table. A table goes as a column does (see `pruning`): only if one pass
deletes it and the other does not keep it. Must not know what becomes of the tables that stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from rewright.ask.asking import Asking
from rewright.ask.describe import Description
from rewright.ask.linker.passes import Pass, stays
from rewright.ask.linker.records import PrunedTables
from rewright.ask.quoting import one_line
from rewright.ask.subject import Subject, prompt
from rewright.ask.tokens import tokens_of
from rewright.models.api import ModelError

_TOLD = "The tables of a large database follow, each with the names of some of its columns. "
_DELETE = _TOLD + (
    "Name the tables that are certainly irrelevant to the question. When in doubt leave one out of your "
    "list: what you name is lost. A table that joins two relevant ones is relevant."
)
_KEEP = _TOLD + (
    "Name the tables that may be needed to answer the question: that hold what it asks for, counts or "
    "computes, what a condition is about, or what joins these. When in doubt name it."
)
_SHOWN, _COMMENT = 8, 60
"""Columns of a table that are told, and characters of its comment."""
Pair = tuple[str, str]


def keep_tables(
    asking: Asking,
    description: Description,
    subject: Subject,
    steps: Sequence[str],
    passes: Sequence[Pass],
    likely: Collection[Pair] = frozenset(),
) -> dict[str, list[str]]:
    """The tables that stay, whole; all of them where nothing would. Those of ``likely`` columns stay in any
    case.
    """
    whole = description.everything()
    batches = list(_batches(overview(description, likely), asking.settings.batch_tokens))
    work = [(batch, one) for batch in batches for one in passes]
    with ThreadPoolExecutor(asking.settings.parallel, thread_name_prefix="ask-tables") as pool:
        said = list(pool.map(lambda w: _said(asking, description, subject, steps, *w), work))
    staying = {table for table, _ in likely}
    # groups come in the order of the lines, so both are consumed in step
    groups = iter(description.groups())
    for number, batch in enumerate(batches):
        # a pass that failed for these tables says nothing of them, whatever it said of others
        told = dict(zip(passes, said[number * len(passes) : (number + 1) * len(passes)], strict=True))
        for tables, _ in islice(groups, len(batch)):
            staying |= {t for t in tables if stays(t, told.get("delete"), told.get("keep"))}
    return {t: c for t, c in whole.items() if t in staying} or whole


def overview(description: Description, likely: Collection[Pair] = frozenset()) -> list[str]:
    """One line for each table, or for all tables with the same columns."""
    return [_line(description, tables, columns, likely) for tables, columns in description.groups()]


def _line(
    description: Description, tables: Sequence[str], columns: Sequence[str], likely: Collection[Pair]
) -> str:
    first = description.tables[tables[0]]
    # comments are the user's words and may hold values: not where these are hidden
    comment = one_line(first.comment, _COMMENT) if first.comment and not description.hides else ""
    shown = _telling(description, tables[0], columns, likely)
    rest = ", …" if len(shown) < len(columns) else ""
    said = f' "{comment}"' if comment else ""
    return f"{', '.join(tables)}{said}: {', '.join(shown)}{rest}"


def _telling(
    description: Description, table: str, columns: Sequence[str], likely: Collection[Pair]
) -> list[str]:
    """The columns that say most of what a table holds, in their order: likely ones, then those that are no
    key.
    """

    def rank(name: str) -> tuple[bool, bool]:
        return (table, name) not in likely, description.column(table, name).key

    chosen = set(sorted(columns, key=rank)[:_SHOWN])
    return [name for name in columns if name in chosen]


def _batches(lines: Sequence[str], budget: int) -> Iterator[list[str]]:
    """The lines in parts of about ``budget`` tokens each."""
    part: list[str] = []
    size = 0
    for line in lines:
        cost = tokens_of(line)
        if part and size + cost > budget:
            yield part
            part, size = [], 0
        part.append(line)
        size += cost
    if part:
        yield part


def _said(
    asking: Asking,
    description: Description,
    subject: Subject,
    steps: Sequence[str],
    lines: Sequence[str],
    one: Pass,
) -> set[str] | None:
    """The tables that a pass names of a batch; None where it fails."""
    plan = "Plan:\n" + "\n".join(f"- {step}" for step in steps) if steps else ""
    task = prompt(
        f"table pruning ({one})",
        _DELETE if one == "delete" else _KEEP,
        "Tables:\n" + "\n".join(lines),
        plan,
        subject.text(),
    )
    try:
        found = asking.form(f"pruning-{one}", task, PrunedTables, max_tokens=2 * asking.settings.reply_tokens)
    except ModelError:
        return None
    return {table for called in found.tables if (table := description.find_table(called)) is not None}
