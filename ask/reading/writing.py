"""An intent to one SELECT for PostgreSQL: joins, rows counted once, NULLs last, ties kept.

Owns the text of the query; every name is quoted and every value a literal. Raises Unclear where rows would be
counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rewright.ask.context import ColumnContext, Context
from rewright.ask.reading.apart import by_row, over_all
from rewright.ask.reading.conditions_text import Spelling
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    Condition,
    Difference,
    Expression,
    Gap,
    Intent,
    Measured,
    Named,
    Ranged,
    Ratio,
)
from rewright.ask.reading.intent_parts import aggregates_of, tables_of
from rewright.ask.reading.joins import Step, Unclear, path
from rewright.ask.reading.query_text import QueryText
from rewright.ask.reading.rows import key_of, measured_once, measured_tables, needed
from rewright.sql.algebra import TableRef


@dataclass(frozen=True, slots=True)
class Written:
    """``likelihood`` is that of the joins."""

    sql: str
    likelihood: float
    tables: tuple[TableRef, ...]


def write(
    intent: Intent, context: Context, roles: Sequence[str] = (), said: Sequence[TableRef] = ()
) -> Written:
    """The query of an intent; ``said``: tables in the order of the question. Raises Unclear."""
    return _Writer(intent, context, roles, said).written()


_PAIR = 2  # a table of pairs joins two others


class _Writer:
    def __init__(
        self, intent: Intent, context: Context, roles: Sequence[str], said: Sequence[TableRef] = ()
    ) -> None:
        self.said = said
        self.intent = intent
        self.context = context
        self.roles = roles
        self.spelling = Spelling(context, roles, said)
        self.measures = [a for e in self._shown() for a in aggregates_of(e)]

    def _shown(self) -> list[Expression]:
        intent = self.intent
        compared = [c.left for c in intent.having if isinstance(c, Compared | Ranged)]
        return [*intent.outputs, *intent.groups, *intent.best_of, *(e for e, _ in intent.order), *compared]

    def written(self) -> Written:
        if not self.intent.outputs:
            raise Unclear("it is not clear what is wanted")
        if self.intent.exists:
            # an order inside EXISTS is only work; a limit may be asked for
            found = write(replace(self.intent, exists=False, order=()), self.context, self.roles)
            return replace(found, sql=f"select exists ({found.sql}) as found")
        if (named := self._of_named_rows()) is not None:
            return named
        # a window over rows cannot stand beside an aggregate, so it gets a query of its own
        if any(isinstance(m, Measured) and isinstance(m.of, Gap) for m in self.measures):
            return self._between_rows()
        self._compose()
        if (apart := self._apart()) is not None:
            return apart
        # what is shown decides the joins; what is only tested may be asked in a subquery
        root, shown = self._root(), self._shown_tables()
        steps, likelihood = path(self.context, root, shown, self.roles, self.said)
        others = [t for t in self._tested_tables() if t not in (root, *(s.new for s in steps))]
        # from what is reached already, so that conditions do not choose another way to a shown table
        targets = [*(s.new for s in steps), *others] if others else shown
        more, chance = path(self.context, root, targets, self.roles, self.said)
        # what is tested may lead another way: `people who passed each course`, by attendances
        steps = steps if more[: len(steps)] == steps else more
        rest = more[len(steps) :]
        # a condition that would repeat rows asks whether there is one that meets it
        if any(s.multiplies for s in rest) and (key := self.key(root)) is not None:
            where = self._only(root, key, steps, more)
        else:
            steps, where = [*steps, *rest], list(self.intent.where)
        self._count_once(root, steps)
        # a row met several times has several places in its group
        if self.intent.best_of and any(s.multiplies for s in steps):
            raise Unclear("the joins would rank a row several times")
        # without a measure DISTINCT restores what the joins repeated
        distinct = self.intent.distinct or (not self.measures and self._repeats(root, steps))
        text = QueryText(self.intent, self.spelling, measured=bool(self.measures)).select(
            root, steps, where, distinct=distinct
        )
        return Written(text, min(likelihood, chance), (root, *(s.new for s in more)))

    def _of_named_rows(self) -> Written | None:
        """What is worked out of named rows alone needs no table beside them."""
        only = self.intent.outputs[0]
        match only:
            case Difference(Named(column), Named()) | Ratio(Named(column), Named()):
                # a second output needs rows to be shown of
                if len(self.intent.outputs) > 1:
                    return None
                return Written(f"select {self.spelling.expression(only)}", 1.0, (column.table,))
            case _:
                return None

    def _between_rows(self) -> Written:
        """Times between rows are worked out of all rows first. Raises Unclear beside anything else."""
        intent = self.intent
        measured = [m for m in intent.outputs if isinstance(m, Measured) and isinstance(m.of, Gap)]
        shown = [e for e in (*intent.groups, *intent.outputs) if e not in measured]
        # groups, order and limits would be of rows, not of the times between them
        alone = not (intent.having or intent.order or intent.limit or intent.best_of or intent.every)
        if len(measured) != 1 or not alone or any(aggregates_of(e) for e in shown):
            raise Unclear("it is not clear what is wanted beside the time between rows")
        gap, plain = measured[0].of, list(dict.fromkeys(shown))
        assert isinstance(gap, Gap)
        rows = replace(intent, outputs=(*plain, gap), groups=(), head=gap.column.table, distinct=False)
        found = write(rows, self.context, self.roles, self.said)
        # names of its own, as outputs may share a column's name
        names = [f"c{number}" for number in range(len(plain))]
        wanted = [name for name, e in zip(names, plain, strict=True) if e in intent.outputs]
        text = f"select {', '.join([*wanted, self.spelling.called(measured[0].function, 'gap')])}"
        text += f" from ({found.sql}) as rows({', '.join([*names, 'gap'])})"
        if names:
            text += f" group by {', '.join(names)}"
        return replace(found, sql=text)

    def _apart(self) -> Written | None:
        """Measures that no join relates, or that a join would count several times."""
        intent = self.intent
        if intent.best_of or intent.exists:
            return None
        several = self._several_measured()
        apart = over_all(intent, self.spelling, self._whole) if several else None
        # measures of tables that no one row relates: apart, or refused by `_root`
        if apart is None and (intent.every or several):
            apart = by_row(intent, self.context, self.spelling, self.key)
            if apart is None and intent.every:
                raise Unclear("it is not clear of what those without any are to be shown")
        return None if apart is None else Written(*apart)

    def _whole(self, intent: Intent) -> tuple[str, float, tuple[TableRef, ...]]:
        written = write(intent, self.context, self.roles)
        return written.sql, written.likelihood, written.tables

    def _several_measured(self) -> bool:
        counted = {t for a in self.measures for t in measured_tables(a)}
        # one measured table is never counted by another's join
        if len(counted) < 2:
            return False
        try:
            self._outermost(counted)
        except Unclear:
            return True
        return False

    # -- the tables

    # FROM begins with what is measured, so that each of its rows is met
    def _root(self) -> TableRef:
        counted = {t for a in self.measures for t in measured_tables(a)}
        if len(counted) > 1:
            counted = self._outermost(counted)
        if counted:
            return next(iter(counted))
        tables = [t for e in self._shown() for t in tables_of(e)]
        return self.intent.head or tables[0]

    def _outermost(self, tables: set[TableRef]) -> set[TableRef]:
        """Of several measured tables the one from which all others are reached without multiplying."""
        for table in sorted(tables, key=lambda t: t.name):
            steps, _ = path(self.context, table, sorted(tables - {table}, key=lambda t: t.name), self.roles)
            others = [a for a in self.measures if table not in measured_tables(a)]
            # max, min and count(distinct) do not mind being met again
            if not any(s.multiplies for s in steps) and all(measured_once(a) for a in others):
                return {table}
        raise Unclear("two tables are measured at once: " + ", ".join(sorted(t.name for t in tables)))

    def _shown_tables(self) -> list[TableRef]:
        shown = [t for e in self._shown() for t in tables_of(e)]
        filtered = [
            t for a in self.measures if isinstance(a, Aggregate) for w in a.where for t in tables_of(w)
        ]
        return list(dict.fromkeys([*shown, *filtered]))

    def _tested_tables(self) -> list[TableRef]:
        tested = [t for c in self.intent.where for t in tables_of(c)]
        head = [self.intent.head] if self.intent.head else []
        found = list(dict.fromkeys([*tested, *head, *self.intent.rows]))
        # in the order of the question, by which one of several ways is chosen
        places = {table: i for i, table in reversed(list(enumerate(self.said)))}
        return sorted(found, key=lambda table: places.get(table, len(places)))

    def key(self, ref: TableRef) -> ColumnContext | None:
        return key_of(self.context.table(ref))

    # -- rows once

    def _compose(self) -> None:
        """Groups by what is shown beside a measure."""
        intent = self.intent
        # nothing measured is shown or ordered by: rows are listed as they are
        # a list in an order that is measured still needs groups
        if not self.measures or (
            not any(aggregates_of(e) for e in [*intent.outputs, *(e for e, _ in intent.order)])
            and not intent.having
        ):
            return
        plain = [e for e in intent.outputs if not aggregates_of(e)]
        missing = [e for e in plain if e not in intent.groups]
        ordered = [e for e, _ in intent.order if not aggregates_of(e) and e not in intent.groups]
        self.intent = replace(intent, groups=(*intent.groups, *missing, *ordered))

    def _only(
        self, root: TableRef, key: ColumnContext, steps: list[Step], more: list[Step]
    ) -> list[Condition | str]:
        """Conditions beyond a multiplying join hold for a row if one of the joined rows meets them."""
        near = {root, *(s.new for s in steps)}
        inside = [c for c in self.intent.where if not set(tables_of(c)) <= near]
        outside: list[Condition | str] = [c for c in self.intent.where if set(tables_of(c)) <= near]
        steps_needed = needed(
            root, more, {t for c in inside for t in tables_of(c)} | set(self._tested_tables()) - near
        )
        tests = [self.spelling.condition(c) for c in inside]
        found = f"select {self.spelling.column(key)} from {self.spelling.tables(root, steps_needed)}"
        if tests:
            found += f" where {' and '.join(tests)}"
        return [*outside, f"{self.spelling.column(key)} in ({found})"]

    def _count_once(self, root: TableRef, steps: Sequence[Step]) -> None:
        """Rows of a measured table that a join multiplies are counted by their key."""
        for measure in self.measures:
            of = measured_tables(measure)
            # what is worked out of several tables is measured once for each row of the outermost
            of = [root] if isinstance(measure, Measured) and root in of else of
            for table in of:
                # reached without being repeated: plain COUNT and SUM are right
                if not self._multiplied(table, root, steps):
                    continue
                # what a join only repeats does not change it
                if measured_once(measure):
                    continue
                key = self.key(table)
                if isinstance(measure, Aggregate) and measure.function == "count" and key is not None:
                    self.spelling.once.add(table)
                    continue
                # a sum or average over repeated rows has no DISTINCT that would save it
                raise Unclear("the joins would count a measured row several times")

    def _multiplied(self, table: TableRef, root: TableRef, steps: Sequence[Step]) -> bool:
        if table == root:
            # within the group of one row's key the rows of a link table are met once
            grouped = {
                e.column.table
                for e in self.intent.groups
                if isinstance(e, Column) and e.column == self.key(e.column.table)
            }
            to_groups = [s for s in needed(root, steps, grouped) if self._links(s, steps, grouped)]
            return any(s.multiplies for s in steps if s not in to_groups)
        # reached from many rows its own are met several times, or something else multiplies
        return any(not s.multiplies for s in steps if s.new == table) or any(s.multiplies for s in steps)

    def _links(self, step: Step, steps: Sequence[Step], grouped: set[TableRef]) -> bool:
        """Whether a step leads through a table of pairs to a group: further on, the rows of one group may
        share a row, as the authors of one organization a publication.
        """
        beside = {j.join.one.table for j in steps if j.join.many.table == step.new}
        if len({j.one.table for j in self.context.joins if j.many.table == step.new}) > _PAIR:
            # a third reference makes triples, where a pair comes again for each third
            return False  # who took which course in which term: a student is met several times in a term
        return key_of(self.context.table(step.new)) is None and bool(beside & grouped)

    def _repeats(self, root: TableRef, steps: Sequence[Step]) -> bool:
        """Whether a row of the head is listed more than once."""
        head = self.intent.head or root
        shown = {t for e in self.intent.outputs for t in tables_of(e)}
        extra = [s for s in steps if s.new not in shown]
        if any(s.multiplies for s in extra):
            # rows of a table that is not shown give the same row of the head again
            return True
        # a head that is not in FROM's first table comes once for each of its rows
        return head != root and root not in shown
