"""Logical planning: the steps that answer a question, before any table is seen (APEX-SQL, section 3.2.1).

Owns the two prompts: a plan, and several plans made one. Must not know the schema.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from rewright.ask.asking import Asking
from rewright.ask.linker.records import Steps
from rewright.ask.subject import Subject, prompt
from rewright.models.api import ModelError

_PLAN = (
    "Break the question into the logical steps that answer it over a relational database you have not "
    "seen: what to find, which "
    "conditions, what to relate, what to compute, how to group, order and limit. Name no tables or "
    "columns. 2 to 6 short steps."
)
_MERGE = (
    "Several drafts of a plan for one question follow. Make one plan that covers every condition, "
    "relation and computation of the "
    "question and nothing else. Name no tables or columns. 2 to 6 short steps."
)
# a plan of more steps is about something else
_MOST = 12


def plan(asking: Asking, subject: Subject) -> tuple[str, ...]:
    """The steps; none where no plan could be had."""
    wanted = max(1, asking.settings.plans)
    with ThreadPoolExecutor(min(wanted, asking.settings.parallel), thread_name_prefix="ask-plan") as pool:
        drafts = [draft for draft in pool.map(lambda i: _draft(asking, subject, i), range(wanted)) if draft]
    if len(drafts) <= 1:
        return drafts[0] if drafts else ()
    if len(set(drafts)) == 1:
        return drafts[0]
    return _merged(asking, subject, drafts)


def _draft(asking: Asking, subject: Subject, number: int) -> tuple[str, ...]:
    messages = prompt("logical plan", _PLAN, subject.text())
    try:
        # the first draft as sure as the model is, the others varied: equal drafts would tell nothing
        found = asking.form("planning", messages, Steps, temperature=0.7 if number else 0.0)
    except ModelError:
        return ()
    return found.steps[:_MOST]


def _merged(asking: Asking, subject: Subject, drafts: list[tuple[str, ...]]) -> tuple[str, ...]:
    texts = "\n\n".join(f"Draft {i}:\n" + "\n".join(f"- {s}" for s in d) for i, d in enumerate(drafts, 1))
    try:
        merged = asking.form("planning", prompt("merge plans", _MERGE, texts, subject.text()), Steps).steps
    except ModelError:
        merged = ()
    return merged[:_MOST] or drafts[0]
