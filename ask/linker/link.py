"""Schema linking from end to end: a small database goes along whole, a large one is planned for, pruned,
profiled and chosen from.

Owns the order, and the parts that can be left out. Must not know prompts.
"""

from __future__ import annotations

from rewright.ask.asking import Asking
from rewright.ask.describe import Description, Pairs
from rewright.ask.disclosure import Disclosure
from rewright.ask.linker.planning import plan
from rewright.ask.linker.pruning import prune
from rewright.ask.linker.records import Linking, TableRole
from rewright.ask.linker.roles import profile, semantic_roles
from rewright.ask.linker.synthesis import synthesise
from rewright.ask.ports import Runner
from rewright.ask.subject import Subject
from rewright.ask.tokens import tokens_of


def link(
    asking: Asking,
    description: Description,
    subject: Subject,
    runner: Runner,
    disclosure: Disclosure,
    likely: Pairs = frozenset(),
) -> Linking:
    """The columns that the query may need. Never fails: what can't be decided stays. ``likely``: columns that
    the deterministic reader names, which no pass deletes.
    """
    settings = asking.settings
    # with few values of each column
    # everything fits, so that no model can lose a column by choosing
    if tokens_of(description.text(fullest=2)) <= settings.small_tokens:
        return Linking(description.everything(), whole=True)
    steps = plan(asking, subject) if settings.uses("planning") else ()
    left = prune(asking, description, subject, steps, likely)
    asking.note("linked", "pruning", f"{sum(map(len, left.values()))} columns of {len(left)} tables are left")
    if settings.uses("semantic-linking"):
        roles = semantic_roles(asking, description, subject, steps, left)
    else:
        roles = {table: TableRole(table, "target", tuple(columns)) for table, columns in left.items()}
    seen = (
        profile(asking, description, subject, runner, disclosure, left, roles)
        if settings.uses("profiling")
        else {}
    )
    if settings.uses("synthesis"):
        selection, rejected = synthesise(asking, description, subject, runner, disclosure, left, roles, seen)
    else:
        marked = {table: list(role.columns) or list(left[table]) for table, role in roles.items()}
        selection, rejected = description.connected(marked), ()
    for rejection in rejected:
        asking.note("rejected", "synthesis", f"{rejection.column}: {rejection.reason}")
    asking.note("linked", "synthesis", ", ".join(f"{t} ({len(c)})" for t, c in selection.items()))
    return Linking(selection, tuple(steps), seen, rejected)
