"""What the rows of one side of a ratio have: `flights with stops`, `papers published in journals`, `customers
with orders`, `rides that were tipped`.

Owns turning such words into conditions on the counted rows. Must not know ratios.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Condition, Expression, Known, With
from rewright.ask.reading.joins import direct
from rewright.ask.reading.link import Link
from rewright.sql.algebra import TableRef

_WITHIN = frozenset(("with", "in", "at"))
"""Not `to`: `the proportion of papers to journals` is another question."""
_HAS = 0.95


def had(part: Draft, measured: Expression | None) -> None:
    """Adds what the counted rows are said to have, of what no other form has taken."""
    of = measured.of if isinstance(measured, Aggregate) and measured.function == "count" else None
    if not isinstance(of, TableRef):
        return
    for at, link in enumerate(part.links):
        if link.used:
            continue
        # a participle is a condition only at the end: before more words it relates them
        last = all(other.used for other in part.links[at + 1 :])
        condition = _column_had(link, of, last=last) if link.mark == "column" else _rows_had(part, link, of)
        if condition is not None:
            part.where.append(condition)
            part.scope.doubt("what is said to be had", _HAS)
            part.use(at)


def _column_had(link: Link, of: TableRef, *, last: bool) -> Condition | None:
    """A column that some rows lack, or a number of something, which none may be."""
    deed = link.verb and link.word.endswith("ed") and last
    if not (link.preposition == "with" or link.had or deed):
        return None
    # a nullable column, or a number that may be 0; a key refers to rows instead
    own = [c for c in link.columns if c.table == of and (c.nulls or (c.kind == "number" and not deed))]
    return Known(own[0]) if len(own) == 1 and not own[0].key else None


def _rows_had(part: Draft, link: Link, of: TableRef) -> Condition | None:
    """Rows of another table: those that a key refers to, which some lack, or those that refer here."""
    if link.mark != "table" or not (link.preposition in _WITHIN or link.had):
        return None
    other = part.scope.table(link).ref
    keys: list[ColumnContext] = [
        j.many for j in part.scope.context.joins if j.many.table == of and j.one.table == other and not j.more
    ]
    # a key without nulls is had by all and restricts nothing
    if len(keys) == 1 and keys[0].nulls:
        return Known(keys[0])
    if keys or not (link.preposition == "with" or link.had):
        return None
    steps = direct(part.scope.context, of, other, part.scope.roles)
    # one step that may find no row: farther ones are not what these rows have
    return With(of, other) if len(steps) == 1 and steps[0].multiplies else None
