"""Dual-pathway pruning: a column goes only if one pass deletes it and the other does not keep it (APEX-SQL,
section 3.2.2, equation 2).

Owns both prompts, the batches and the fusion. Must not know what comes later.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor

from rewright.ask.asking import Asking
from rewright.ask.describe import DETAILS, Description
from rewright.ask.linker.passes import PASSES, Pass, stays
from rewright.ask.linker.records import Pruned
from rewright.ask.linker.tables import keep_tables
from rewright.ask.subject import Subject, prompt
from rewright.ask.tokens import tokens_of
from rewright.models.api import ModelError

Pair = tuple[str, str]
# lists of columns may be long
_LONG = 2
_DELETE = (
    "Part of a large database's schema follows. Name what is certainly irrelevant to the question: "
    "whole tables, or single columns "
    "of tables that stay. When in doubt leave it out of your list: what you name may be lost. Never "
    "name identifiers, keys, names, "
    "codes or types of a table that stays."
)
_KEEP = (
    "Part of a large database's schema follows. Name what may be needed to answer the question: "
    "columns to return, filter, join, "
    "group, order or compute with, by their name or their meaning; always the identifiers and names of "
    "tables that matter. When in "
    "doubt name it. A table of which most columns matter can be named whole."
)
_GROUPED = (
    "Where several tables share one entry, name each table that you mean; their names may differ in what "
    "matters (a year, a region)."
)
_FULLEST = len(DETAILS) - 2


def prune(
    asking: Asking,
    description: Description,
    subject: Subject,
    steps: Sequence[str],
    likely: Collection[Pair] = frozenset(),
) -> dict[str, list[str]]:
    """What is left of the schema, ``likely`` columns in any case. A pass that fails deletes and keeps
    nothing. Of a large schema only the columns of tables that the same passes leave are told.
    """
    passes = [one for one in PASSES if asking.settings.uses(f"pruning-{one}")]
    chosen = description.everything()
    if not passes:
        return chosen
    if tokens_of(description.text(chosen, fullest=_FULLEST)) > asking.settings.tables_tokens:
        chosen = keep_tables(asking, description, subject, steps, passes, likely)
    batches = description.batches(asking.settings.batch_tokens, chosen)
    work = [(batch, one) for batch in batches for one in passes]
    with ThreadPoolExecutor(asking.settings.parallel, thread_name_prefix="ask-prune") as pool:
        said = list(pool.map(lambda w: _said(asking, description, subject, steps, *w), work))
    # batches are dictionaries, told apart as objects
    answers = {(id(batch), one): pairs for (batch, one), pairs in zip(work, said, strict=True)}
    left: dict[str, list[str]] = {}
    for batch in batches:
        deleted, kept = answers.get((id(batch), "delete")), answers.get((id(batch), "keep"))
        for table, columns in batch.items():
            staying = [c for c in columns if (table, c) in likely or stays((table, c), deleted, kept)]
            if staying:
                left.setdefault(table, []).extend(staying)
    # passes that would delete everything say nothing
    return left or chosen


def _said(
    asking: Asking,
    description: Description,
    subject: Subject,
    steps: Sequence[str],
    batch: dict[str, list[str]],
    one: Pass,
) -> set[Pair] | None:
    instructions = f"{_DELETE if one == 'delete' else _KEEP} {_GROUPED}"
    plan = "Plan:\n" + "\n".join(f"- {step}" for step in steps) if steps else ""
    schema = "Schema:\n" + description.text(batch, budget=asking.settings.batch_tokens, fullest=_FULLEST)
    try:
        found = asking.form(
            f"pruning-{one}",
            prompt(f"schema pruning ({one})", instructions, schema, plan, subject.text()),
            Pruned,
            max_tokens=_LONG * asking.settings.reply_tokens,
        )
    except ModelError:
        return None
    # a table or column that the schema has not was made up, and names nothing
    named: set[Pair] = set()
    for called in found.tables:
        table = description.find_table(called)
        named |= {(table, column) for column in batch.get(table, ())} if table is not None else set()
    for called in found.columns:
        pair = description.find_column(called)
        # a column of another batch was not shown to the pass
        named |= {pair} if pair is not None and pair[1] in batch.get(pair[0], ()) else set()
    return named
