"""The judges of a query: an interpreter, which costs nothing, and a model that reads it against the question.

Owns what each looks at. The interpreter's: it ran; it gives as many columns as were asked for, of kinds that
fit; it is not empty where its tables hold rows (an empty table tells nothing). Must not mend anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pglast
from pglast import ast

from rewright.ask.asking import Asking
from rewright.ask.compression import compress
from rewright.ask.describe import Description
from rewright.ask.disclosure import Disclosure, kind_of
from rewright.ask.generation.generate import Made
from rewright.ask.reflection.records import Judgement, Plan
from rewright.ask.subject import Subject, prompt
from rewright.models.api import ModelError
from rewright.sql.parsing import nodes_of

_JUDGE = (
    "Does the query answer exactly the question? Take every constraint of the question in turn "
    "(things, conditions, ranges, grouping, "
    "order, number of rows, columns asked for) and look for it in the query; then every condition, "
    "join, limit and column of the "
    "query and look for it in the question. What the evidence or the plan settles is settled. Style "
    "and speed don't matter, nor does "
    "an empty result. Judge the meaning on any data, not these rows alone."
)
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """``syntactic``: it ran. ``complaints`` of the interpreter are hints to the judge; they count where there
    was none (``judgement`` is None), unless another reader of the question vouches for the query.
    """

    syntactic: bool
    complaints: tuple[str, ...] = ()
    judgement: Judgement | None = None
    vouched: bool = False

    @property
    def passes(self) -> bool:
        if self.judgement is not None:
            # a judge that read the query counts for more than signs of its result
            return self.syntactic and self.judgement.faithful
        return self.syntactic and (self.vouched or not self.complaints)

    @property
    def score(self) -> tuple[int, int, int]:
        """Better is greater: ran, faithful, fewer faults."""
        faults = len(self.complaints)
        if self.judgement is not None:
            faults += len(self.judgement.missing) + len(self.judgement.invented)
        # ran before faithful before fewer faults: a query that fails answers nothing
        return int(self.syntactic), int(self.passes), -faults

    def told(self) -> str:
        """For the critic."""
        lines = list(self.complaints)
        if self.judgement is not None:
            lines += [f"missing: {text}" for text in self.judgement.missing]
            lines += [f"not in the question: {text}" for text in self.judgement.invented]
        return "\n".join(f"- {line}" for line in lines)


def interpret(made: Made, plan: Plan, description: Description) -> Verdict:
    """The interpreter's word."""
    if not made.sql or made.rows is None:
        return Verdict(syntactic=False, complaints=(made.error or "no query that runs",))
    complaints = []
    wanted, given = len(plan.schema.outputs), len(made.rows.columns)
    if wanted and given != wanted:
        complaints.append(f"the plan returns {wanted} columns, the query {given}")
    counts = plan.schema.outputs and plan.schema.outputs[0].lower().startswith(
        ("number", "count", "how many")
    )
    # only the first value is looked at: one column of one kind
    if counts and given == 1 and made.rows.rows and kind_of(made.rows.rows[0][0]) == "text":
        complaints.append("a number was asked for, the query returns text")
    if not made.rows.rows and not _on_empty_tables(made.sql, description):
        complaints.append("the query returns no rows, and its tables are not empty")
    # NULL alone usually comes of a join or a subquery that found nothing
    if made.rows.rows and all(value is None for row in made.rows.rows for value in row):
        complaints.append("the query returns nothing but NULL")
    return Verdict(syntactic=True, complaints=tuple(complaints))


def _on_empty_tables(sql: str, description: Description) -> bool:
    """Whether a table the query reads is empty: then no rows say nothing."""
    try:
        tree = pglast.parse_sql(sql)
    except (pglast.Error, RecursionError):
        # what cannot be parsed cannot be read here, and has failed elsewhere
        return False
    for node in nodes_of(tree):
        if isinstance(node, ast.RangeVar):
            called = f"{node.schemaname}.{node.relname}" if node.schemaname else str(node.relname)
            table = description.find_table(called)
            if table is not None and not description.tables[table].rows:
                return True
    return False


def judge(
    asking: Asking,
    subject: Subject,
    schema: str,
    plan: Plan,
    made: Made,
    disclosure: Disclosure,
    noticed: Sequence[str] = (),
) -> Judgement | None:
    """The model's word; None where it gave none."""
    shown = compress(made.rows, disclosure, whole=_SHOWN) if made.rows is not None else ""
    messages = prompt(
        "judge the query",
        _JUDGE,
        f"Schema:\n{schema}",
        f"Taken to mean: {plan.reading}" if plan.reading else "",
        f"Query:\n{disclosure.query(made.sql)}",
        f"Its result: {shown}",
        "Noticed: " + "; ".join(noticed) if noticed else "",
        subject.text(),
    )
    try:
        found = asking.form("semantic-judge", messages, Judgement)
    except ModelError:
        return None
    asking.note(
        "judged",
        "semantic-judge",
        "faithful" if found.faithful else "; ".join((*found.missing, *found.invented)),
    )
    return found
