"""A question as it is read: its links, and the intent as it grows.

Owns the state that the passes share, and moving among links. Must not know any one form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rewright.ask.context import TableContext
from rewright.ask.reading.intent import Condition, Direction, Expression
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.moments import Moment
from rewright.ask.reading.scope import Scope
from rewright.sql.algebra import TableRef


@dataclass(slots=True)
class Draft:
    """``outputs`` stand in the order of the question; every pass marks the links it has taken as used."""

    links: list[Link]
    scope: Scope
    outputs: list[tuple[int, Expression]] = field(default_factory=list)
    groups: list[Expression] = field(default_factory=list)
    where: list[Condition] = field(default_factory=list)
    having: list[Condition] = field(default_factory=list)
    order: list[tuple[Expression, Direction]] = field(default_factory=list)
    limit: int = 0
    skipped: int = 0
    ties: bool = False
    distinct: bool = False
    whole: bool = False
    # how the rows are told: the table that FROM begins with, if a pass chose it
    head: TableContext | None = None
    # rows of these tables are the groups: their label is shown, their key keeps namesakes apart
    grouped_rows: list[TableRef] = field(default_factory=list)
    rows: list[TableRef] = field(default_factory=list)
    measured: Expression | None = None
    returned: bool = False
    listed: bool = False
    """Whether a verb behind a comma opens a list of what is wanted: `for each ticker, show the symbol`."""
    best_of: tuple[Expression, ...] = ()
    over: str = ""
    """``running``, ``change`` or ``percent`` where something is measured from one time to the next."""
    unit: str = ""
    times: tuple[Moment, Moment] | None = None

    def next(self, at: int, *marks: str, unused: bool = True) -> int | None:
        """The next place if it has one of the marks."""
        after = at + 1
        if after >= len(self.links) or (unused and self.links[after].used):
            return None
        return after if self.links[after].mark in marks else None

    def before(self, at: int, *marks: str) -> int | None:
        if at < 1 or self.links[at - 1].used or self.links[at - 1].mark not in marks:
            return None
        return at - 1

    def use(self, *places: int | None) -> None:
        for place in places:
            if place is not None:
                self.links[place].used = True

    def table_before(self, at: int) -> int | None:
        """The nearest table before a place, used or not."""
        return next((i for i in range(at - 1, -1, -1) if self.links[i].mark == "table"), None)

    def table_after(self, at: int) -> int | None:
        return next((i for i in range(at + 1, len(self.links)) if self.links[i].mark == "table"), None)

    def about(self, at: int) -> TableContext:
        """The table that something said at a place is about. Raises Unclear."""
        # what is said before its noun (`the oldest act`) is about the one behind
        place = self.table_before(at)
        place = self.table_after(at) if place is None else place
        if place is not None:
            return self.scope.table(self.links[place])
        if self.head is not None:
            return self.head
        if len(self.scope.mentioned) == 1:
            return self.scope.mentioned[0]
        raise Unclear(f"it is not clear what {self.links[at].text} is said of")

    def unused(self) -> Sequence[int]:
        return [i for i, link in enumerate(self.links) if not link.used]
