"""Semantic linking and the profiling of tables (APEX-SQL, section 3.2.3): a role for each table, then queries
that test it.

Owns both prompts. Must not know the final choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from rewright.ask.asking import Asking
from rewright.ask.compression import WITHHELD
from rewright.ask.describe import Description
from rewright.ask.disclosure import Disclosure
from rewright.ask.exploring import explore
from rewright.ask.linker.records import Probes, Roles, TableRole
from rewright.ask.ports import Runner
from rewright.ask.quoting import one_line
from rewright.ask.subject import Subject, prompt
from rewright.models.api import ModelError

_LINK = (
    "Say what each table of the schema is for in this question: target (holds what is asked for), "
    "filter (holds what a condition is "
    "about), bridge (only joins two others; why says which) or none; and which of its columns may be "
    "needed. Where several columns may "
    "serve the same purpose name them all. Don't assume what kind of thing a name is: mark every "
    "column that may hold it."
)
_PROFILE = (
    "Test whether one table fits its supposed role in this question, by 3 to 8 short PostgreSQL SELECTs "
    "over this table alone: what its "
    "codes and categories look like, what one row stands for, whether its keys are filled, how texts "
    "and dates are written. "
)
_SEEN = "Use LIMIT, DISTINCT and counts; results of more than 30 rows are summarised."
# queries for a table, and tables that are looked at: each is a query on the user's server
MOST = 8
MOST_TABLES = 8
_SCHEMA_TOKENS = 8_000
# characters of what was seen of a table; more would crowd out the schema
_OBSERVED = 1_200


def semantic_roles(
    asking: Asking,
    description: Description,
    subject: Subject,
    steps: Sequence[str],
    left: Mapping[str, Sequence[str]],
) -> dict[str, TableRole]:
    """The roles by table; where none could be had every table of ``left`` is a target with all columns."""
    plan = "Plan:\n" + "\n".join(f"- {step}" for step in steps) if steps else ""
    schema = "Schema:\n" + description.text(left, budget=_SCHEMA_TOKENS)
    try:
        found = asking.form(
            "semantic-linking", prompt("semantic linking", _LINK, schema, plan, subject.text()), Roles
        )
    except ModelError:
        return {table: TableRole(table, "target", tuple(columns)) for table, columns in left.items()}
    roles: dict[str, TableRole] = {}
    for role in found.tables:
        table = description.find_table(role.table)
        # a table that is no longer left was pruned: a role does not bring it back
        if table is not None and table in left and role.role != "none":
            columns = (description.find_column(f"{table}.{c.rpartition('.')[2]}") for c in role.columns)
            named = tuple(pair[1] for pair in columns if pair is not None and pair[1] in left[table])
            roles[table] = TableRole(table, role.role, named, one_line(role.why, 200))
    # a reply that names no table at all says nothing: as if there had been none
    return roles or {table: TableRole(table, "target", tuple(columns)) for table, columns in left.items()}


def profile(
    asking: Asking,
    description: Description,
    subject: Subject,
    runner: Runner,
    disclosure: Disclosure,
    left: Mapping[str, Sequence[str]],
    roles: Mapping[str, TableRole],
) -> dict[str, str]:
    """What was seen, by table. Tables are looked at side by side, targets first, ``MOST_TABLES`` of them."""

    def one(table: str) -> str:
        return _profiled(asking, description, subject, runner, disclosure, {table: left[table]}, roles[table])

    order = ("target", "filter", "bridge", "none")
    looked_at = sorted(roles, key=lambda table: order.index(roles[table].role))[:MOST_TABLES]
    with ThreadPoolExecutor(asking.settings.parallel, thread_name_prefix="ask-profile") as pool:
        seen = list(pool.map(one, looked_at))
    return {table: text for table, text in zip(looked_at, seen, strict=True) if text}


def _profiled(
    asking: Asking,
    description: Description,
    subject: Subject,
    runner: Runner,
    disclosure: Disclosure,
    table: Mapping[str, Sequence[str]],
    role: TableRole,
) -> str:
    messages = prompt(
        "profile a table",
        _PROFILE + (WITHHELD if disclosure.hides else _SEEN),
        description.text(table, budget=2_000),
        f"Supposed role: {role.role}. {role.why}",
        subject.text(),
    )
    try:
        probes = asking.form("profiling", messages, Probes).queries[:MOST]
    except ModelError:
        return ""
    lines: list[str] = []
    for probe in probes:
        finding = explore(runner, disclosure, probe.sql, seconds=min(10.0, asking.left()))
        asking.note("explored", "profiling", finding.told, finding.sql)
        lines.append(f"{one_line(disclosure.query(probe.sql), 300)}\n{finding.told}")
    return "\n".join(lines)[:_OBSERVED]
