"""Estimates judged without running the query: from what the server knows, and does not know, of the columns.

Owns the reading of pg_stats (most common values, n_distinct, correlation, histogram bounds), of extended
statistics and of changes since the last ANALYZE, and what follows for one scan or join: a range in which the
true row count may lie, with the reason. Nothing is executed. Must not know hints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewright.engines.postgres.hinting import HintingSession
from rewright.hints.cardinality import Judgement
from rewright.hints.conditions import Condition, columns_of, orderable, plain, read_condition
from rewright.hints.levels import Names, level_aliases
from rewright.sql.plans import Node, Plan

# a range wider than this, seen from the estimate, is worth a word
WIDE = 10.0
# of the rows, changed since the last ANALYZE
STALE_SHARE = 0.1
# |correlation| from which a column follows the order in which rows were written; two such follow each other
ORDERED = 0.95
# rows from which on a wrong estimate matters
SMALL = 1000.0

_COLUMNS = """
select attname::text, null_frac::float8, n_distinct::float8, coalesce(correlation, 0)::float8,
       coalesce(most_common_vals::text::text[], '{}'), coalesce(most_common_freqs::float8[], '{}'),
       (histogram_bounds::text::text[])[array_upper(histogram_bounds::text::text[], 1)]
from pg_stats where schemaname = %s and tablename = %s and not inherited"""
# Of a table that only grew, what ANALYZE has not seen follows from its size: the counters of a session that
# loads and analyzes at once arrive late, and count what was analyzed as changed.
_TABLE = """
select c.reltuples::float8,
       case when s.n_tup_upd + s.n_tup_del = 0 and c.relpages > 0 and c.reltuples > 0
            then least(s.n_mod_since_analyze, greatest(0, c.reltuples *
                 (pg_relation_size(c.oid) / current_setting('block_size')::float8 / c.relpages - 1)))
            else coalesce(s.n_mod_since_analyze, 0) end::float8,
       coalesce(s.n_live_tup, 0)::float8
from pg_class c join pg_namespace n on n.oid = c.relnamespace left
  join pg_stat_all_tables s on s.relid = c.oid
where n.nspname = %s and c.relname = %s"""
_EXTENDED = (
    "select attnames::text[] from pg_stats_ext where schemaname = %s and tablename = %s and attnames is not "
    "null"
)
_EXPRESSIONS = """
select expr from pg_stats_ext_exprs where schemaname = %s and tablename = %s
union all select pg_get_indexdef(i.indexrelid) from pg_index i where i.indexprs is not null and i.indrelid =
  (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = %s
    and c.relname = %s)"""


@dataclass(frozen=True, slots=True)
class Column:
    """Statistics of one column; ``distinct`` as pg_stats gives it (negative: a share of the rows)."""

    nulls: float
    distinct: float
    correlation: float
    common: Mapping[str, float]
    last_bound: str | None

    def distinct_of(self, rows: float) -> float:
        # negative: a share of the rows, which grows with them
        return max(1.0, self.distinct if self.distinct > 0 else -self.distinct * rows)

    def share(self, value: str | None, rows: float) -> float:
        """The share of rows that equal ``value`` (None: an unknown one)."""
        if value is not None and value in self.common:
            return self.common[value]
        # As eqsel does: what is left is shared evenly by the values that are not common.
        rest = max(0.0, 1.0 - self.nulls - sum(self.common.values()))
        return rest / max(1.0, self.distinct_of(rows) - len(self.common))


@dataclass(frozen=True, slots=True)
class Table:
    """What is known of one relation; ``analyzed`` False when it never was."""

    rows: float
    modified: float
    analyzed: bool
    columns: Mapping[str, Column]
    together: tuple[frozenset[str], ...]
    expressions: tuple[str, ...]

    @property
    def stale(self) -> bool:
        """Never analyzed, or changed much since."""
        return not self.analyzed or self.modified > STALE_SHARE * max(self.rows, 1.0)


def judge(session: HintingSession, plan: Plan, names: Names) -> tuple[Judgement, ...]:
    """The scans and joins of a plan whose estimate the statistics cannot carry, lowest first."""
    tables: dict[tuple[str, str], Table | None] = {}

    def table_of(node: Node) -> Table | None:
        key = (node.schema or "public", node.relation)
        # a table that several nodes read is asked about once
        if key not in tables:
            tables[key] = read_table(session, *key)
        return tables[key]

    found: list[Judgement] = []
    for node in reversed(list(plan.walk())):
        if node.relation and node.alias:
            table = table_of(node)
            if table is not None and (aliases := level_aliases(node, names)):
                found += judge_scan(node, aliases, table)
        elif node.is_join and (aliases := level_aliases(node, names)):
            found += _judge_join(node, aliases, table_of)
    return tuple(found)


def read_table(session: HintingSession, schema: str, name: str) -> Table | None:
    """None for what is no table that can be read."""
    size = session.ask(_TABLE, [schema, name])
    if not size:
        return None
    # -1 rows: never analysed before 14, when the number of live rows is what is known
    ((reltuples, modified, live),) = size
    columns = {
        str(row[0]): Column(row[1], row[2], row[3], dict(zip(row[4], row[5], strict=False)), row[6])
        for row in session.ask(_COLUMNS, [schema, name])
    }
    return Table(
        rows=reltuples if reltuples > 0 else live,
        modified=modified,
        analyzed=reltuples >= 0 or bool(columns),
        columns=columns,
        together=tuple(frozenset(row[0]) for row in session.ask(_EXTENDED, [schema, name])),
        expressions=tuple(str(row[0]) for row in session.ask(_EXPRESSIONS, [schema, name, schema, name])),
    )


def judge_scan(node: Node, aliases: frozenset[str], table: Table) -> Iterator[Judgement]:
    """At most one judgement: the reason that leaves the widest range."""
    # Of a small table even a wrong estimate is cheap.
    if table.rows < SMALL:
        return
    conditions = [
        c for role in ("Filter", "Index Cond", "Recheck Cond") for c in read_condition(node.condition(role))
    ]
    ranges = [*_unknown(node, table), *_guessed(table, conditions), *_beyond(node, table, conditions)]
    ranges += _multiplied(node, table, conditions)
    # narrow ranges are the planner's own uncertainty
    wide = [r for r in ranges if r[1] >= WIDE * max(node.rows, 1.0)]
    if wide:
        low, high, reason = max(wide, key=lambda r: r[1])
        yield Judgement(aliases, node.operator, node.rows, low, high, reason, "statistics")


_Range = tuple[float, float, str]


def _unknown(node: Node, table: Table) -> Iterator[_Range]:
    if not table.analyzed:
        yield 0.0, table.rows, f"{node.relation} was never analyzed"
    elif table.stale:
        yield (
            0.0,
            min(table.rows, node.rows + table.modified),
            (
                f"{table.modified:,.0f} of {table.rows:,.0f} rows of {node.relation} changed since its last "
                f"ANALYZE"
            ),
        )


def _guessed(table: Table, conditions: Sequence[Condition]) -> Iterator[_Range]:
    """Expressions without statistics get a constant share (eqsel's and scalarineqsel's defaults)."""
    unknown = [
        c
        for c in conditions
        # statistics on an expression come from CREATE STATISTICS or from an index on it
        if c.expression and not any(plain(c.expression) in plain(e) for e in table.expressions)
    ]
    if unknown:
        which = ", ".join(sorted({c.expression for c in unknown}))
        known = min((_share(c, table) for c in conditions if c.column), default=1.0)
        yield (
            0.0,
            known * table.rows,
            f"there are no statistics on {which}: a fixed share of the rows is assumed",
        )


def _beyond(node: Node, table: Table, conditions: Sequence[Condition]) -> Iterator[_Range]:
    """Above the histogram's end, where new rows are."""
    for condition in conditions:
        column = table.columns.get(condition.column)
        if (
            column is None
            or condition.operator not in {">", ">="}
            or condition.value is None
            or not table.modified
        ):
            continue
        # lower bounds are not looked at: new rows are mostly the largest
        if column.last_bound is not None and orderable(condition.value) >= orderable(column.last_bound):
            yield (
                0.0,
                node.rows + table.modified,
                (
                    f"{condition.column} is asked for beyond the end of its histogram, {table.modified:,.0f} "
                    f"rows are newer"
                ),
            )


def _multiplied(node: Node, table: Table, conditions: Sequence[Condition]) -> Iterator[_Range]:
    """Equalities on several columns: independent is assumed, the smallest share
    alone is the other extreme.
    """
    equal = {c.column: c for c in conditions if c.column in table.columns and c.operator in {"=", "~~"}}
    # Extended statistics over two of the columns say how they go together.
    if len(equal) < 2 or any(len(known & set(equal)) >= 2 for known in table.together):
        return
    high = min(_share(c, table) for c in equal.values()) * table.rows
    ordered = [name for name in equal if abs(table.columns[name].correlation) >= ORDERED]
    which = ", ".join(sorted(equal))
    why = (
        f"{', '.join(sorted(ordered))} follow the order of the rows, and so each other"
        if len(ordered) > 1
        else "nothing says whether they go together"
    )
    yield (
        min(node.rows, high),
        high,
        f"the shares of {which} were multiplied, without extended statistics; {why}",
    )


def _share(condition: Condition, table: Table) -> float:
    column = table.columns.get(condition.column)
    # other operators than = leave all rows possible
    return column.share(condition.value, table.rows) if column and condition.operator == "=" else 1.0


def _judge_join(node: Node, aliases: frozenset[str], table_of: Any) -> Iterator[Judgement]:
    """An equality on a column with a few very frequent values: the planner takes an average one."""
    scans = {scan.alias: scan for scan in node.walk() if scan.relation and scan.alias}
    for role in ("Hash Cond", "Merge Cond", "Join Filter", "Index Cond"):
        texts = [n.condition(role) for n in (node, *node.inputs)]
        for alias, column_name in columns_of(texts):
            scan = scans.get(alias)
            table = table_of(scan) if scan else None
            column = table.columns.get(column_name) if table else None
            if table is None or column is None or not column.common:
                continue
            most, average = max(column.common.values()), 1.0 / column.distinct_of(table.rows)
            if most >= WIDE * average and most * table.rows >= SMALL:
                yield Judgement(
                    aliases,
                    node.operator,
                    node.rows,
                    node.rows,
                    node.rows * most / average,
                    f"{alias}.{column_name} has {column.distinct_of(table.rows):,.0f} values, one of them "
                    f"in {most:.0%}"
                    " of the rows; the join is estimated with an average one",
                    "statistics",
                )
                # the first one found is reason enough to doubt the join
                return
