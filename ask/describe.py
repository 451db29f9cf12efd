"""Describes a database in a prompt: as many tables, columns, joins and values as fit a budget of tokens.

Owns the text, how tables and columns are written in SQL, and finding them by what a model calls them. Reads
the context through its tables, columns and joins alone. Tables with the same columns stand in one entry. At
the levels of sharing that hide values there are none here, nor comments (they may quote some). Must not know
questions.
"""

from __future__ import annotations

import statistics
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rewright.ask.context import ColumnContext, Context, Join, TableContext
from rewright.ask.quoting import one_line, quoted
from rewright.ask.tokens import tokens_of
from rewright.sql.printer.names import quote_ident

Selection = Mapping[str, Collection[str]]
"""Columns by table, both as `Description` writes them."""
Pairs = frozenset[tuple[str, str]]
"""Tables and columns, both as `Description` writes them."""
_PLAIN_SCHEMAS = frozenset({"", "public", "main"})
_SHARED_AT_LEAST = 2
_MANY, _FEW = 4, 3
"""A column with so many times more values than are shown shows half of them, at least a few."""


_LONG, _OF_LONG = 20, 2
"""Of a column whose values have more characters than this on average so many are shown."""


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a column a description shows: ``values`` at most so many, comments up to ``comment``
    characters; ``lean``: names by type, keys, nothing of NULLs and uniqueness.
    """

    values: int = 8
    value: int = 40
    comment: int = 120
    lean: bool = False


DETAILS = (
    Detail(),
    Detail(5, 30, 80),
    Detail(3, 24, 50),
    Detail(0, 0, 40),
    Detail(0, 0, 40, lean=True),
    Detail(0, 0, 0, lean=True),
)
"""From the fullest to the leanest."""
_TOGETHER = 4
"""So many joins to one column are told together."""
_NO_VALUES = 3
"""From here on they hold none."""


@dataclass(slots=True)
class Description:
    """One context in words. ``hides``: no values, no comments."""

    context: Context
    hides: bool = False
    tables: dict[str, TableContext] = field(default_factory=dict)
    _columns: dict[str, dict[str, ColumnContext]] = field(default_factory=dict)
    _folded: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        folded = defaultdict(list)
        for table in self.context.tables:
            name = self.table_name(table)
            self.tables[name] = table
            self._columns[name] = {column.name: column for column in table.columns}
            folded[table.ref.name.lower()].append(name)
            folded[f"{table.ref.schema}.{table.ref.name}".lower()].append(name)
        self._folded = dict(folded)

    # -- names

    @staticmethod
    def table_name(table: TableContext) -> str:
        """As SQL writes it; the schema is left out where every session finds the table without."""
        if table.ref.schema in _PLAIN_SCHEMAS:
            return quote_ident(table.ref.name)
        return f"{quote_ident(table.ref.schema)}.{quote_ident(table.ref.name)}"

    def column_name(self, column: ColumnContext) -> str:
        """``table.column``, as SQL writes them."""
        owner = next((n for n, t in self.tables.items() if t.ref == column.table), column.table.name)
        return f"{owner}.{quote_ident(column.name)}"

    def find_table(self, called: str) -> str | None:
        """The table a model means: exactly, or in another case, or with its schema or quotes; None when there
        is no such one.
        """
        wanted = called.strip().strip("`")
        if wanted in self.tables:
            return wanted
        found = self._folded.get(wanted.replace('"', "").lower(), [])
        # two schemas may have a table of one name
        return found[0] if len(found) == 1 else None

    def find_column(self, called: str) -> tuple[str, str] | None:
        """The table and column of ``table.column``; of a bare name where only one table has it."""
        owner, dot, name = called.strip().strip("`").rpartition(".")
        wanted = name.strip('"')
        if not dot:
            owners = [table for table in self.tables if self._column_in(table, wanted) is not None]
            table = owners[0] if len(owners) == 1 else None
        else:
            table = self.find_table(owner)
        if table is None:
            return None
        column = self._column_in(table, wanted)
        return None if column is None else (table, column)

    def _column_in(self, table: str, wanted: str) -> str | None:
        columns = self._columns[table]
        if wanted in columns:
            return wanted
        return next((name for name in columns if name.lower() == wanted.lower()), None)

    def column(self, table: str, name: str) -> ColumnContext:
        return self._columns[table][name]

    def everything(self) -> dict[str, list[str]]:
        return {table: list(columns) for table, columns in self._columns.items()}

    # -- text

    def text(
        self,
        selection: Selection | None = None,
        *,
        budget: int = 10**9,
        fullest: int = 0,
        likely: Pairs = frozenset(),
    ) -> str:
        """Tables and joins, in the fullest detail that fits ``budget`` tokens, at best that of
        ``DETAILS[fullest]``; in the leanest when none fits. Before all values are left out those of columns
        that are not ``likely`` to be needed are, if any are.
        """
        chosen = selection if selection is not None else self.everything()
        some = [(detail, likely) for detail in DETAILS[fullest:_NO_VALUES] if likely]
        alike: list[tuple[Detail, Pairs]] = [(detail, frozenset()) for detail in DETAILS[fullest:]]
        at = max(_NO_VALUES - fullest, 0)
        text = ""
        for detail, told in (*alike[:at], *some, *alike[at:]):
            text = self._text(chosen, detail, told)
            if tokens_of(text) <= budget:
                break
        return text

    def pairs(self, columns: Iterable[ColumnContext]) -> Pairs:
        """Columns as selections have them."""
        names = {table.ref: name for name, table in self.tables.items()}
        return frozenset((names[c.table], c.name) for c in columns if c.table in names)

    def _text(self, chosen: Selection, detail: Detail, likely: Pairs = frozenset()) -> str:
        entries = [self._entry(names, columns, detail, likely) for names, columns in self.groups(chosen)]
        return "\n".join([*entries, *self._joins_told(chosen)])

    def _joins_told(self, chosen: Selection) -> Iterator[str]:
        """Declared joins, then those found in the data; those of many tables to one column in one place."""
        joins = [(join, equal) for join, equal in self.joins(chosen)]
        for head, declared in (("Joins", True), ("Joins found in the data", False)):
            told: dict[str, list[str]] = {}
            for join, equal in joins:
                if (join.likelihood >= 1) == declared:
                    column, _, target = equal.partition(" = ") if len(join.pairs) == 1 else (equal, "", "")
                    told.setdefault(target or equal, []).append(column)
            if told:
                yield f"{head}: " + "; ".join(
                    text for target, columns in told.items() for text in _equalities(columns, target)
                )

    def groups(self, chosen: Selection | None = None) -> Iterator[tuple[list[str], list[str]]]:
        """Tables with the same columns together, in the order of the first."""
        groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for table, names in (chosen if chosen is not None else self.everything()).items():
            mine = [c for c in self._columns[table].values() if c.name in names]
            groups.setdefault(tuple((c.name, c.held_type) for c in mine), []).append(table)
        for columns, tables in groups.items():
            yield tables, [name for name, _ in columns]

    def _entry(
        self, tables: Sequence[str], columns: Sequence[str], detail: Detail, likely: Pairs = frozenset()
    ) -> str:
        first = self.tables[tables[0]]
        head = f"table {tables[0]}"
        if len(tables) >= _SHARED_AT_LEAST:
            head = f"tables {', '.join(tables)} (the same columns; values are those of {tables[0]})"
        told = [] if first.rows else ["empty"]
        # a key is told whole or not at all
        if first.composed and {c.name for c in first.composed} <= set(columns):
            told.append("key " + ", ".join(quote_ident(c.name) for c in first.composed))
        if first.comment and detail.comment and not self.hides:
            told.append(f'"{one_line(first.comment, detail.comment)}"')
        head += f" [{'; '.join(told)}]" if told else ""
        found = [self._columns[tables[0]][name] for name in columns]
        if detail.lean:
            return f"{head}: {self._by_type(found, detail)}"
        if not detail.values:
            return f"{head}: {', '.join(self._column(c, detail) for c in found)}"
        if not likely:
            return "\n".join([f"{head}:", *(f"  {self._column(c, detail)}" for c in found)])
        needed = [c for c in found if any((table, c.name) in likely for table in tables)]
        rest = ", ".join(self._column(c, DETAILS[_NO_VALUES]) for c in found if c not in needed)
        lines = [f"  {self._column(c, detail)}" for c in needed]
        return "\n".join([f"{head}:", *lines, *([f"  {rest}"] if rest else [])])

    def _by_type(self, columns: Sequence[ColumnContext], detail: Detail) -> str:
        """`int4 a (key), b; text c`."""
        told: dict[str, list[str]] = {}
        for column in columns:
            said = ["key"] if column.key else []
            if column.comment and detail.comment and not self.hides:
                said.append(f'"{one_line(column.comment, detail.comment)}"')
            name = quote_ident(column.name) + (f" ({'; '.join(said)})" if said else "")
            told.setdefault(column.held_type, []).append(name)
        return "; ".join(f"{held} {', '.join(names)}" for held, names in told.items())

    def _column(self, column: ColumnContext, detail: Detail) -> str:
        told = ["key"] if column.key else ["unique"] if column.unique and _tells_rows(column) else []
        if column.comment and detail.comment and not self.hides:
            told.append(f'"{one_line(column.comment, detail.comment)}"')
        if column.values and detail.values and not self.hides:
            told.append(self._values(column, detail))
        if column.nulls:
            told.append("has NULLs")
        return f"{quote_ident(column.name)} {column.held_type}" + (f" ({'; '.join(told)})" if told else "")

    @staticmethod
    def _values(column: ColumnContext, detail: Detail) -> str:
        # of many values a few show how they are written, of long ones (texts, addresses) fewer still
        many = column.distinct > _MANY * detail.values
        most = max(_FEW, detail.values // 2) if many else detail.values
        if column.values and statistics.fmean(map(len, column.values)) > _LONG:
            most = min(most, _OF_LONG)
        shown = [quoted(value, detail.value) for value in column.values[:most]]
        # of an enumerated type more labels are known than occur
        more = max(column.distinct, len(column.values)) - len(shown)
        return (
            ("values " if more <= 0 else "e.g. ")
            + ", ".join(shown)
            + (f" and {more} more" if more > 0 else "")
        )

    # -- joins

    def joins(self, chosen: Selection) -> Iterator[tuple[Join, str]]:
        """Those between tables of the selection, and their conditions as SQL writes them."""
        names = {table.ref: name for name, table in self.tables.items()}
        for join in self.context.joins:
            many, one = names.get(join.many.table), names.get(join.one.table)
            if many in chosen and one in chosen:
                equal = (f"{many}.{quote_ident(a.name)} = {one}.{quote_ident(b.name)}" for a, b in join.pairs)
                yield join, " and ".join(equal)

    def connected(self, chosen: Selection) -> dict[str, list[str]]:
        """The selection with the tables and key columns that join its parts, along the shortest paths of
        known joins.
        """
        result = {table: list(columns) for table, columns in chosen.items()}
        for table in list(chosen)[1:]:
            for join in self._path(next(iter(chosen)), table):
                for column in (column for pair in join.pairs for column in pair):
                    owner = next(n for n, t in self.tables.items() if t.ref == column.table)
                    columns = result.setdefault(owner, [])
                    if column.name not in columns:
                        columns.append(column.name)
        # tables that paths brought in may be joined to others, too
        for join, _ in list(self.joins(result)):
            for column in (column for pair in join.pairs for column in pair):
                owner = next(n for n, t in self.tables.items() if t.ref == column.table)
                if column.name not in result[owner]:
                    result[owner].append(column.name)
        return result

    def _path(self, start: str, end: str) -> list[Join]:
        names = {table.ref: name for name, table in self.tables.items()}
        edges: dict[str, list[tuple[str, Join]]] = defaultdict(list)
        for join in self.context.joins:
            many, one = names[join.many.table], names[join.one.table]
            edges[many].append((one, join))
            edges[one].append((many, join))
        came: dict[str, tuple[str, Join] | None] = {start: None}
        waiting = deque([start])
        while waiting and end not in came:
            at = waiting.popleft()
            for neighbour, join in edges[at]:
                if neighbour not in came:
                    came[neighbour] = (at, join)
                    waiting.append(neighbour)
        path: list[Join] = []
        at = end
        while (step := came.get(at)) is not None:
            at = step[0]
            path.append(step[1])
        return path

    # -- batches

    def batches(self, budget: int, chosen: Selection | None = None) -> list[dict[str, list[str]]]:
        """The selection in parts of about ``budget`` tokens each, tables with the same columns in one part; a
        table that is larger alone stands in several.
        """
        parts: list[dict[str, list[str]]] = []
        size = 0
        for tables, columns in self.groups(chosen):
            for piece in self._pieces(tables, columns, budget):
                cost = tokens_of(self._text(piece, DETAILS[-1]))
                # halves of one table stand in two parts: in one the second would replace the first
                if not parts or size + cost > budget or not piece.keys().isdisjoint(parts[-1]):
                    parts.append({})
                    size = 0
                parts[-1].update(piece)
                size += cost
        return parts

    def _pieces(
        self, tables: Sequence[str], columns: Sequence[str], budget: int
    ) -> Iterator[dict[str, list[str]]]:
        whole = {table: list(columns) for table in tables}
        if tokens_of(self._text(whole, DETAILS[-1])) <= budget or len(columns) <= 1:
            yield whole
            return
        half = len(columns) // 2
        yield from self._pieces(tables, columns[:half], budget)
        yield from self._pieces(tables, columns[half:], budget)


def selection_of(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """A selection from pairs of table and column, in their order."""
    found: dict[str, list[str]] = {}
    for table, column in pairs:
        columns = found.setdefault(table, [])
        if column not in columns:
            columns.append(column)
    return found


def _equalities(columns: Sequence[str], target: str) -> Iterator[str]:
    """`a.x = b.y`, or `x of a, c, d = b.y` where many tables join by columns of one name."""
    by_name: dict[str, list[str]] = {}
    for column in columns:
        by_name.setdefault(column.rpartition(".")[2], []).append(column)
    for name, alike in by_name.items():
        if alike == [target]:
            yield target  # of several columns
        elif len(alike) < _TOGETHER:
            yield from (f"{column} = {target}" for column in alike)
        else:
            yield f"{name} of {', '.join(c.rpartition('.')[0] for c in alike)} = {target}"


def _tells_rows(column: ColumnContext) -> bool:
    """That all dates or amounts of today's rows differ says nothing of a row."""
    return column.kind == "text" or column.type in {"int2", "int4", "int8", "uuid"}
