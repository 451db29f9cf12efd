"""A question read without a model: a small grammar of question forms over linked words, to one SELECT, or a refusal that says what was unclear.

Owns the grammar and the confidence. Every word of the question must have found its place in the query: one that has
not makes a refusal, never a guess. Must not run anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rewright.ask.context import ColumnContext, Context, Join, TableContext
from rewright.ask.linking import Link, stem
from rewright.sql.algebra import TableRef
from rewright.sql.printer.names import quote_ident, quote_literal

_LABELS = ("name", "title", "label")
_AGGREGATES = {"avg", "sum", "max", "min"}
_MOST = {"most", "least", "fewest"}
_COMPARISONS = {">", "<", ">=", "<=", "after", "before"}


class Unclear(Exception):
    """The question is not answered; the message says why, in plain words."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A candidate: the query, what it was taken to mean, and how likely that is right (0 to 1)."""

    sql: str
    plain: str
    confidence: float


@dataclass(slots=True)
class _Draft:
    """The query as it grows; every part is text made from quoted names and literals."""

    outputs: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    having: list[str] = field(default_factory=list)
    order: str = ""
    limit: int = 0
    tables: list[TableRef] = field(default_factory=list)
    measured: TableRef | None = None
    distinct: bool = False
    said: list[str] = field(default_factory=list)
    confidence: float = 0.97


def interpret(links: Sequence[Link], context: Context) -> Reading:
    """The one reading of a question. Raises Unclear."""
    _absorb(links)
    unknown = [link.text for link in links if link.mark in {"unknown", "not"}]
    if not any(link.mark in {"table", "column", "value"} for link in links):
        raise Unclear("the data does not say: none of the question's words is in it")
    if unknown:
        raise Unclear(f"the data does not say, or not in these words: {', '.join(unknown)}")
    parser = _Parser(_without_relations(links), context)
    parser.draft.confidence *= 0.98 ** sum(link.mark == "relation" for link in links)
    return parser.reading()


class _Parser:
    def __init__(self, links: list[Link], context: Context) -> None:
        self.links = links
        self.context = context
        self.draft = _Draft()
        self.ranked = ""
        self.grouped_rows: list[TableRef] = []
        self.ordered_by: list[TableRef] = []
        self.mentioned = [link.tables[0] for link in links if link.mark == "table"]
        for link in links:
            owners = {c.table for c in link.columns} if link.mark == "column" else set()
            if len(owners) == 1 and (owner := context.table(next(iter(owners)))) not in self.mentioned:
                self.mentioned.append(owner)

    def reading(self) -> Reading:
        self._without()
        self._comparisons()
        self._values()
        self._order()
        self._first()
        self._ratio()
        self._groups()
        self._aggregates()
        self._superlative()
        self._plain_columns()
        self._remaining()
        return self._finish()

    # -- choosing among columns

    def column(self, link: Link, at: int) -> ColumnContext:
        """The column a phrase means: that of the nearest table named, else the only one there is."""
        if len(link.columns) == 1:
            return link.columns[0]
        said = {stem(word) for word in link.text.lower().split()}
        owners = [c for c in link.columns if {stem(w) for w in self.context.table(c.table).words} <= said]
        if len(owners) == 1 and (owners[0].unique or len(said) > 1):
            return owners[0]
        near = sorted(
            (abs(i - at), i < at, i)
            for i, other in enumerate(self.links)
            if other.mark == "table" and i != at
        )
        for _, _, i in near:
            for column in link.columns:
                if column.table == self.links[i].tables[0].ref:
                    return column
        placed = [c for c in link.columns if c.table in self.draft.tables]
        if len(placed) == 1:
            return placed[0]
        where = ", ".join(sorted({c.table.name for c in link.columns}))
        raise Unclear(f"{link.text} may be of several tables: {where}")

    def label(self, table: TableContext) -> ColumnContext:
        """The column by which a person knows a row: its name or title, else its only text key, else its key."""
        for word in _LABELS:
            for column in table.columns:
                run_together = column.name.lower() == "".join(table.words) + word
                if run_together or column.words in {(word,), (*table.words, word)}:
                    return column
        keys = [c for c in table.columns if c.key] or [c for c in table.columns if c.unique]
        if keys:
            return keys[0]
        raise Unclear(f"nothing names a row of {table.ref.name}")

    def use(self, *tables: TableRef) -> None:
        for table in tables:
            if table not in self.draft.tables:
                self.draft.tables.append(table)

    def spelled(self, column: ColumnContext) -> str:
        self.use(column.table)
        return _spelled(column)

    def _next(self, at: int, *marks: str) -> int | None:
        return (
            at + 1
            if at + 1 < len(self.links) and self.links[at + 1].mark in marks and not self.links[at + 1].used
            else None
        )

    # -- the forms

    def _without(self) -> None:
        for at, link in enumerate(self.links):
            if link.mark != "without":
                continue
            after = self._next(at, "table")
            before = [i for i in range(at) if self.links[i].mark == "table"]
            if after is None or not before:
                raise Unclear(f"it is not clear what is meant by {link.text}")
            kept, gone = self.links[before[-1]].tables[0], self.links[after].tables[0]
            join = self._direct(kept.ref, gone.ref)
            one, many = (join.one, join.many) if join.one.table == kept.ref else (join.many, join.one)
            self.draft.where.append(
                f"not exists (select from {_table(gone.ref)} where {_spelled(many)} = {_spelled(one)})"
            )
            self.draft.confidence *= join.likelihood
            self.use(kept.ref)
            self.draft.said.append(f"without any row of {gone.ref.name}")
            link.used = self.links[after].used = True

    def _comparisons(self) -> None:
        for at, link in enumerate(self.links):
            if link.mark in {"above average", "below average"}:
                self._against_average(at, link)
            if link.mark == "between":
                raise Unclear("ranges are not understood yet")
            if link.mark not in _COMPARISONS:
                continue
            number = self._next(at, "number")
            before = at - 1
            if number is None:
                raise Unclear(f"it is not clear what is meant by {link.text}")
            operator = {"after": ">", "before": "<"}.get(link.mark, link.mark)
            if before >= 0 and self.links[before].mark == "column" and not self.links[before].used:
                held, taken = self.links[before], before
            elif (after := self._next(number, "column")) is not None:
                held, taken = self.links[after], after
            else:
                raise Unclear(f"it is not clear what is {link.text} {self.links[number].text}")
            column = self.column(held, taken)
            if column.kind != "number":
                raise Unclear(f"{held.text} is not a number")
            self.draft.where.append(f"{self.spelled(column)} {operator} {self.links[number].number}")
            self.draft.said.append(f"{_plain(column)} {operator} {self.links[number].number}")
            for i in (at, number, taken):
                self.links[i].used = True

    def _against_average(self, at: int, link: Link) -> None:
        around = [i for i in (at - 1, at + 1) if 0 <= i < len(self.links) and self.links[i].mark == "column"]
        if len(around) != 1:
            raise Unclear("it is not clear what is compared with its average")
        column = self.column(self.links[around[0]], around[0])
        if column.kind != "number":
            raise Unclear(f"{_plain(column)} is not a number")
        operator = ">" if link.mark == "above average" else "<"
        average = f"(select avg({quote_ident(column.name)}) from {_table(column.table)})"
        self.draft.where.append(f"{self.spelled(column)} {operator} {average}")
        self.draft.said.append(f"{_plain(column)} {operator} the average of all")
        link.used = self.links[around[0]].used = True

    def _values(self) -> None:
        for at, link in enumerate(self.links):
            if link.mark == "quoted" and not link.values:
                raise Unclear(f"the data does not say: there is no {link.text} in the values read")
            if link.mark in {"value", "quoted"}:
                self._value(at, link)
            elif link.mark == "number" and not link.used:
                self._number(at, link)
            elif link.mark == "or":
                raise Unclear("`or` is not understood yet")

    def _value(self, at: int, link: Link) -> None:
        named = [
            i
            for i in (at - 1, at + 1)
            if 0 <= i < len(self.links) and not self.links[i].used and self.links[i].columns
        ]
        for i in named:
            held = [(c, v) for c, v in link.values if c in self.links[i].columns]
            if self.links[i].mark == "column" and held:
                self.links[i].used = True
                self._equal(link, held)
                return
        self._equal(link, list(link.values))

    def _equal(self, link: Link, held: list[tuple[ColumnContext, str]]) -> None:
        refs = [t.ref for t in self.mentioned]
        of_mentioned = [(c, v) for c, v in held if c.table in refs]
        chosen = of_mentioned or held
        columns = {(c.table, c.name) for c, _ in chosen}
        if len(columns) != 1:
            where = ", ".join(sorted(f"{t.name}.{n}" for t, n in columns))
            raise Unclear(f"{link.text} is a value of several columns: {where}")
        column = chosen[0][0]
        if len(held) > len(of_mentioned) > 0:
            self.draft.confidence *= 0.95
        spellings = sorted({v for _, v in chosen})
        if len(spellings) == 1:
            condition = f"{self.spelled(column)} = {quote_literal(spellings[0])}"
        else:
            condition = f"{self.spelled(column)} in ({', '.join(map(quote_literal, spellings))})"
        if any(
            w.startswith(quote_ident(column.table.name) + "." + quote_ident(column.name) + " = ")
            for w in self.draft.where
        ):
            raise Unclear(f"two values of one column: {_plain(column)}")
        self.draft.where.append(condition)
        self.draft.said.append(f"{_plain(column)} is {' or '.join(spellings)}")
        link.used = True

    def _number(self, at: int, link: Link) -> None:
        before = at - 1
        if before >= 0 and self.links[before].mark == "first":
            return
        if before >= 0 and self.links[before].mark == "column" and not self.links[before].used:
            column = self.column(self.links[before], before)
            if column.kind == "number":
                self.links[before].used = link.used = True
                self.draft.where.append(f"{self.spelled(column)} = {link.number}")
                self.draft.said.append(f"{_plain(column)} is {link.number}")
                return
        if len(link.number) == 4 and link.number.isdigit():
            years = [
                c for t in self.mentioned for c in t.columns if c.words == ("year",) and c.kind == "number"
            ]
            if len(years) == 1:
                link.used = True
                self.draft.where.append(f"{self.spelled(years[0])} = {link.number}")
                self.draft.said.append(f"{_plain(years[0])} is {link.number}")
                return
            dates = [c for t in self.mentioned for c in t.columns if c.kind == "date"]
            if not years and len(dates) == 1:
                link.used = True
                self.draft.where.append(f"extract(year from {self.spelled(dates[0])}) = {link.number}")
                self.draft.said.append(f"the year of {_plain(dates[0])} is {link.number}")
                return
        raise Unclear(f"it is not clear what {link.text} is")

    def _order(self) -> None:
        for at, link in enumerate(self.links):
            if link.mark != "order":
                continue
            link.used = True
            rest = range(at + 1, len(self.links))
            for i in rest:
                if self.links[i].mark in {"desc", "asc"}:
                    self.links[i].used = True
                    self.draft.order = self.links[i].mark
            if any(self.links[i].mark == "count" for i in rest):
                self.ordered_by = [
                    self.links[i].tables[0].ref for i in rest if self.links[i].mark == "table"
                ][:1]
                for i in rest:
                    self.links[i].used = True
                self.draft.order = f"count {self.draft.order or 'asc'}"
                continue
            columns = [i for i in rest if self.links[i].mark == "column" and not self.links[i].used]
            if len(columns) != 1:
                raise Unclear("it is not clear what the answer is to be ordered by")
            column = self.column(self.links[columns[0]], columns[0])
            self.links[columns[0]].used = True
            self.draft.order = f"{self.spelled(column)} {self.draft.order or 'asc'}"
        for link in self.links:
            if link.mark in {"desc", "asc"} and not link.used:
                link.used = True
                self.draft.order = self.draft.order or link.mark

    def _first(self) -> None:
        """`top 5 T by C`, `top 5 T with the highest C`, `top 3 T by number of U`."""
        for at, link in enumerate(self.links):
            if link.mark not in {"first", "last"} and not (link.mark == "top" and link.text.lower() == "top"):
                continue
            number = self._next(at, "number")
            if number is None or int(float(self.links[number].number)) < 1:
                raise Unclear("it is not clear how many of the top are wanted")
            self.draft.limit = int(float(self.links[number].number))
            link.used = self.links[number].used = True
            direction = "desc" if link.mark == "first" else "asc"
            for i in range(number + 1, len(self.links)):
                if self.links[i].mark in {"each", "top", "bottom"} and not self.links[i].used:
                    if self.links[i].mark == "bottom":
                        direction = "asc"
                    self.links[i].used = True
                    self._rank(i, direction)
                    return
            raise Unclear("it is not clear by what the top is to be found")

    def _rank(self, at: int, direction: str) -> None:
        """What stands after a superlative or `by` orders the rows: a column, a number of rows, or an aggregate."""
        what = next(
            (
                i
                for i in range(at + 1, len(self.links))
                if not self.links[i].used and self.links[i].mark != "comma"
            ),
            None,
        )
        if what is None:
            raise Unclear(f"it is not clear what is meant by {self.links[at].text}")
        link = self.links[what]
        head = next((o for o in self.links[:at] if o.mark == "table" and not o.used), None)
        if link.mark == "count" and (counted := self._next(what, "table")) is not None:
            self._rank_by_rows(head, self.links[counted], direction, link)
            return
        if link.mark == "table" and link is not head and self.links[at].text.lower() in _MOST:
            self._rank_by_rows(head, link, direction, link)
            return
        if link.mark in _AGGREGATES and self._next(what, "column") is not None and head is not None:
            column = self.column(self.links[what + 1], what + 1)
            if column.table == head.tables[0].ref:
                raise Unclear(f"{link.text} {self.links[what + 1].text} is not clear")
            self._group_by_row(head)
            measure = self.measure(link.mark, column)
            self.draft.outputs.append(measure)
            self.draft.order = f"{measure} {direction}"
            link.used = self.links[what + 1].used = True
            return
        if link.mark == "column":
            column = self.column(link, what)
            if column.kind not in {"number", "date"}:
                raise Unclear(f"{_plain(column)} has no order of size")
            if head is not None and column.table != head.tables[0].ref:
                raise Unclear(f"{_plain(column)} belongs to another table than {head.text}")
            link.used = True
            self.draft.order = f"{self.spelled(column)} {direction}"
            self.ranked = _spelled(column)
            self.draft.where.append(f"{_spelled(column)} is not null")
            self.draft.limit = self.draft.limit or 1
            self.draft.said.append(
                f"the {self.draft.limit} with the {'highest' if direction == 'desc' else 'lowest'} {_plain(column)}"
            )
            return
        raise Unclear(f"it is not clear what is meant by {self.links[at].text} {link.text}")

    def _rank_by_rows(self, head: Link | None, counted: Link, direction: str, link: Link) -> None:
        if head is None:
            column = next((o for o in self.links if o.mark == "column" and not o.used), None)
            if column is None:
                raise Unclear("it is not clear what is to be ranked")
            chosen = self.column(column, self.links.index(column))
            column.used = True
            self.draft.outputs.append(self.spelled(chosen))
            self.draft.groups.append(self.spelled(chosen))
        else:
            self._group_by_row(head)
        count = self.rows_of(counted.tables[0])
        whole = self.draft.order in {"desc", "asc"} or self.draft.order.startswith("count ")
        if self.draft.limit > 1 or whole:
            self.draft.outputs.append(count)
        self.draft.order = f"{count} {direction}"
        self.draft.limit = 0 if whole else self.draft.limit or 1
        self.draft.said.append(f"by the number of rows of {counted.tables[0].ref.name}")
        link.used = counted.used = True

    def _group_by_row(self, head: Link) -> None:
        table = head.tables[0]
        label = self.label(table)
        key = _key_of(table) or label
        self.grouped_rows.append(table.ref)
        self.draft.outputs.append(self.spelled(label))
        self.draft.groups += list(dict.fromkeys([self.spelled(key), self.spelled(label)]))
        head.used = True

    def rows_of(self, table: TableContext) -> str:
        self.use(table.ref)
        self._measure_of(table.ref)
        return "count(*)"

    def measure(self, aggregate: str, column: ColumnContext) -> str:
        if aggregate in {"avg", "sum"} and column.kind != "number":
            raise Unclear(f"{_plain(column)} is not a number")
        if aggregate in {"avg", "sum"} and column.key:
            raise Unclear(f"{_plain(column)} is a key, not a measure")
        text = f"{aggregate}({self.spelled(column)})"
        self._measure_of(column.table)
        self.draft.said.append(f"{aggregate} of {_plain(column)}")
        return text

    def _measure_of(self, table: TableRef) -> None:
        if self.draft.measured not in {None, table}:
            raise Unclear("two tables are measured at once")
        self.draft.measured = table

    def _ratio(self) -> None:
        """`ratio of C to D`, row by row, for each row of their table."""
        for at, link in enumerate(self.links):
            if link.mark != "ratio":
                continue
            first = self._next(at, "column")
            second = self._next(first, "column") if first is not None else None
            each = self._next(second, "each") if second is not None else None
            of = self._next(each, "table", "column") if each is not None else None
            if first is None or second is None or of is None or of + 1 != len(self.links):
                raise Unclear("it is not clear of what the ratio is wanted")
            top, below = self.column(self.links[first], first), self.column(self.links[second], second)
            row = self._row_named(self.links[of], top)
            if top.table != below.table or {top.kind, below.kind} != {"number"}:
                raise Unclear("the two sides of the ratio are not numbers of one table")
            quotient = f"{self.spelled(top)}::float8 / nullif({self.spelled(below)}, 0)"
            self.draft.outputs += [self.spelled(row), quotient]
            self.draft.said.append(f"{_plain(top)} / {_plain(below)}")
            for i in range(at, of + 1):
                self.links[i].used = True

    def _row_named(self, link: Link, beside: ColumnContext) -> ColumnContext:
        """The column that names a row of the table of another column."""
        if link.mark == "table" and link.tables[0].ref == beside.table:
            return self.label(link.tables[0])
        held = [c for c in link.columns if c.table == beside.table and c.unique]
        if len(held) != 1:
            raise Unclear(f"{link.text} does not name the rows of {beside.table.name}")
        return held[0]

    def _groups(self) -> None:
        for at, link in enumerate(self.links):
            if link.mark != "each" or link.used:
                continue
            after = self._next(at, "table", "column")
            if after is None:
                raise Unclear(f"it is not clear what is meant by {link.text}")
            link.used = True
            group = self.links[after]
            follows = self._next(after, "column")
            if (
                group.mark == "table"
                and group.columns
                and not any(
                    o.mark == "table" and o is not group and o.tables[0].ref == group.tables[0].ref
                    for o in self.links
                )
                and (
                    held := [
                        c
                        for c in group.columns
                        if c.table in [t.ref for t in self.mentioned if t.ref != group.tables[0].ref]
                    ]
                )
            ):
                # `each city` where the table measured has a column of that name
                self.draft.outputs.append(self.spelled(held[0]))
                self.draft.groups.append(self.spelled(held[0]))
                group.used = True
                self.mentioned = [t for t in self.mentioned if t.ref != group.tables[0].ref]
                if len(held) > 1:
                    raise Unclear(f"{group.text} is a column of several tables")
            elif group.mark == "table" and follows is None:
                self._group_by_row(group)
            elif group.mark == "column":
                column = self.column(group, after)
                self.draft.outputs.append(self.spelled(column))
                self.draft.groups.append(self.spelled(column))
                group.used = True
            else:
                raise Unclear(f"it is not clear how to group by {group.text}")
            self.draft.said.append(f"for each {group.text}")

    def _aggregates(self) -> None:
        for at, link in enumerate(self.links):
            if link.used:
                continue
            if link.mark == "count":
                self._count(at)
            elif link.mark in _AGGREGATES or (
                link.mark in {"top", "bottom"} and self.draft.groups and not self.draft.limit
            ):
                after = self._next(at, "column")
                if after is None:
                    raise Unclear(f"it is not clear of what the {link.text} is wanted")
                aggregate = {"top": "max", "bottom": "min"}.get(link.mark, link.mark)
                column = self.column(self.links[after], after)
                self.draft.outputs.append(self.measure(aggregate, column))
                link.used = self.links[after].used = True

    def _count(self, at: int) -> None:
        distinct = self._next(at, "distinct")
        what = self._next(distinct if distinct is not None else at, "table", "column")
        if what is None:
            raise Unclear("it is not clear what is to be counted")
        counted = self.links[what]
        if counted.mark == "table":
            self.draft.outputs.append(self.rows_of(counted.tables[0]))
            self.draft.said.append(f"the number of rows of {counted.tables[0].ref.name}")
        else:
            column = self.column(counted, what)
            if column.kind == "number" and not (
                column.key or column.unique or column.name.lower().endswith("id")
            ):
                raise Unclear(f"it is not clear whether {counted.text} is to be counted or added up")
            self._measure_of(column.table)
            self.draft.outputs.append(f"count(distinct {self.spelled(column)})")
            self.draft.said.append(f"the number of different {_plain(column)}")
        for i in (at, what, distinct):
            if i is not None:
                self.links[i].used = True

    def _superlative(self) -> None:
        for at, link in enumerate(self.links):
            if link.mark in {"top", "bottom"} and not link.used:
                link.used = True
                direction = "desc" if link.mark == "top" else "asc"
                whole = self.draft.order in {"desc", "asc"}
                self._rank(at, direction)
                if whole:
                    # `the highest ..., from highest to lowest` lists all of them
                    self.draft.limit = 0
                    self.draft.said.append("all, in order")

    def _plain_columns(self) -> None:
        for at, link in enumerate(self.links):
            if link.mark == "column" and not link.used:
                column = self.column(link, at)
                if column.kind == "boolean":
                    raise Unclear(f"it is not clear whether {link.text} is a condition")
                text = self.spelled(column)
                if self.draft.measured is not None and text not in self.draft.groups:
                    raise Unclear(f"{link.text} beside a measure")
                if text not in self.draft.outputs:
                    self.draft.outputs.append(text)
                link.used = True
                self.draft.said.append(_plain(column))

    def _remaining(self) -> None:
        for link in self.links:
            if link.mark == "distinct":
                self.draft.distinct = link.used = True
            elif link.mark == "table" and not link.used:
                if self.draft.outputs in ([], [self.ranked]) and not self.draft.groups:
                    self.draft.outputs.clear()
                    ranked = [self.ranked] if self.ranked and self.draft.limit != 1 else []
                    self.draft.outputs.append(self.spelled(self.label(link.tables[0])))
                    self.draft.outputs += ranked
                    self.draft.said.insert(0, f"the {link.text}")
                self.use(link.tables[0].ref)
                link.used = True
        unused = [link.text for link in self.links if not link.used and link.mark != "comma"]
        if unused:
            raise Unclear(f"it is not clear what is meant by {', '.join(unused)}")
        if not self.draft.outputs:
            raise Unclear("it is not clear what is wanted")

    # -- joins and text

    def _direct(self, a: TableRef, b: TableRef) -> Join:
        found = [j for j in self.context.joins if {j.many.table, j.one.table} == {a, b}]
        best = [j for j in found if j.likelihood == max(k.likelihood for k in found)] if found else []
        if len(best) != 1:
            raise Unclear(f"{'nothing joins' if not best else 'several ways join'} {a.name} and {b.name}")
        return best[0]

    def _path(self) -> list[tuple[TableRef, Join]]:
        """Joins from the first table to all others, by shortest ways. Raises Unclear where there are several."""
        root = self.draft.measured or self.draft.tables[0]
        reached, steps = [root], list[tuple[TableRef, Join]]()
        for target in self.draft.tables:
            for step in self._way(reached, target):
                steps.append(step)
                reached.append(step[0])
        return steps

    def _way(self, reached: list[TableRef], target: TableRef) -> list[tuple[TableRef, Join]]:
        if target in reached:
            return []
        level: list[tuple[TableRef, list[tuple[TableRef, Join]]]] = [(ref, []) for ref in reached]
        seen = set(reached)
        while level:
            after = [
                (new, [*way, (new, join)])
                for ref, way in level
                for join in self.context.joins
                for new in [_other(join, ref)]
                if new is not None and new not in seen
            ]
            ways = [way for ref, way in after if ref == target]
            if ways:
                best = max(_likelihood(way) for way in ways)
                kept = [way for way in ways if _likelihood(way) == best]
                if len(kept) > 1:
                    raise Unclear(f"several ways lead to {target.name}")
                return kept[0]
            seen |= {ref for ref, _ in after}
            level = after
        raise Unclear(f"nothing joins {target.name} to {reached[0].name}")

    def _finish(self) -> Reading:
        draft = self.draft
        draft.outputs = list(dict.fromkeys(draft.outputs))
        if self.ordered_by and draft.measured not in self.ordered_by:
            raise Unclear(f"the number of {self.ordered_by[0].name} is not what is counted")
        if draft.measured in self.grouped_rows:
            raise Unclear(f"each row of {self.grouped_rows[-1].name} would be measured by itself")
        if draft.groups and draft.order and not self._orders_groups():
            raise Unclear("groups in the order of something that is not asked for")
        steps = self._path()
        multiplied = self._multiplied(steps)
        if (
            draft.measured is not None
            and multiplied
            and any("avg(" in o or "sum(" in o for o in draft.outputs)
        ):
            raise Unclear("the joins would count a measured row several times")
        if draft.measured is not None and multiplied:
            self._count_rows_once()
        draft.distinct = draft.distinct or (draft.measured is None and multiplied)
        if draft.measured is None and draft.groups and not draft.order:
            raise Unclear("groups without a measure")
        for _, join in steps:
            draft.confidence *= join.likelihood
        draft.confidence *= 0.97 ** len(steps)
        return Reading(
            self._sql(steps), "; ".join(dict.fromkeys(draft.said)) or "a list", round(draft.confidence, 3)
        )

    def _orders_groups(self) -> bool:
        head = self.draft.order.rsplit(" ", 1)[0]
        return self.draft.order in {"asc", "desc"} or head in {*self.draft.outputs, "count"} or "(" in head

    def _multiplied(self, steps: Sequence[tuple[TableRef, Join]]) -> bool:
        return any(join.many.table == new and not join.many.unique for new, join in steps)

    def _count_rows_once(self) -> None:
        assert self.draft.measured is not None
        table = self.context.table(self.draft.measured)
        key = _key_of(table)
        if key is None:
            raise Unclear(f"{table.ref.name} has no key by which its rows could be counted once")
        once = f"count(distinct {_spelled(key)})"
        self.draft.outputs = [o.replace("count(*)", once) for o in self.draft.outputs]
        self.draft.order = self.draft.order.replace("count(*)", once)

    def _sql(self, steps: Sequence[tuple[TableRef, Join]]) -> str:
        draft = self.draft
        root = draft.measured or draft.tables[0]
        joined = "".join(
            f" join {_table(new)} on {_spelled(join.many)} = {_spelled(join.one)}" for new, join in steps
        )
        text = f"select {'distinct ' * draft.distinct}{', '.join(draft.outputs)} from {_table(root)}{joined}"
        if draft.where:
            text += f" where {' and '.join(dict.fromkeys(draft.where))}"
        if draft.groups:
            text += f" group by {', '.join(dict.fromkeys(draft.groups))}"
        return text + self._ordering()

    def _ordering(self) -> str:
        draft = self.draft
        order = draft.order
        if order in {"asc", "desc"} or order.startswith("count "):
            order = f"{len(draft.outputs)} {order.removeprefix('count ')}"
        if draft.distinct and order and order.split()[0] not in {*draft.outputs, str(len(draft.outputs))}:
            raise Unclear("different rows in the order of something else")
        limit = f" limit {draft.limit}" if draft.limit else ""
        return (f" order by {order} nulls last" if order else "") + limit


def _absorb(links: Sequence[Link]) -> None:
    """`Italian food` beside a column food_type: the noun of a value's column says which column is meant."""
    for value, noun in pairwise(links):
        if value.mark not in {"value", "quoted"} or noun.mark != "unknown":
            continue
        said = stem(noun.text.lower())
        held = tuple((c, v) for c, v in value.values if said in map(stem, c.words))
        if held:
            value.values, noun.mark = held, "relation"


def _without_relations(links: Sequence[Link]) -> list[Link]:
    """Verbs that only relate left out, with the `by` that says whose: `written by`, `paintings by artists`, `by "Bo Lind"`."""
    kept = []
    for at, link in enumerate(links):
        if link.mark == "relation":
            continue
        if link.text.lower() == "by" and _says_whose(links, at):
            continue
        kept.append(link)
    return kept


def _says_whose(links: Sequence[Link], at: int) -> bool:
    if at > 0 and links[at - 1].mark == "relation":
        return True
    after = links[at + 1] if at + 1 < len(links) else None
    ranked = any(link.mark in {"first", "last"} or link.text.lower() == "top" for link in links[:at])
    if after is None or ranked:
        return False
    plural = (
        after.mark == "table" and after.text.lower().endswith("s") and not after.text.lower().endswith("ss")
    )
    return after.mark in {"value", "quoted"} or plural


def _key_of(table: TableContext) -> ColumnContext | None:
    """The declared key of one column, else a unique number or identifier."""
    declared = (c for c in table.columns if c.key)
    found = (c for c in table.columns if c.unique and (c.kind == "number" or c.name.lower().endswith("id")))
    return next(declared, None) or next(found, None)


def _other(join: Join, ref: TableRef) -> TableRef | None:
    if join.many.table == ref:
        return join.one.table
    return join.many.table if join.one.table == ref else None


def _likelihood(way: Sequence[tuple[TableRef, Join]]) -> float:
    product = 1.0
    for _, join in way:
        product *= join.likelihood
    return product


def _table(ref: TableRef) -> str:
    return f"{quote_ident(ref.schema)}.{quote_ident(ref.name)}"


def _spelled(column: ColumnContext) -> str:
    return f"{quote_ident(column.table.name)}.{quote_ident(column.name)}"


def _plain(column: ColumnContext) -> str:
    return f"{column.table.name}.{column.name}"
