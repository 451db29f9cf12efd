"""Augmenting a table of the lake: the public API.

Owns the request, the report, and the augmented table as SQL. Must not know the command line or the wire.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import duckdb

from rewright.engines.duckdb.quoting import literal, quoted
from rewright.lake.api import Lake
from rewright.lake.augment.base import AugmentError, Base, BaseSpec
from rewright.lake.augment.candidates import Candidates
from rewright.lake.augment.encoding import Aggregates, key_form
from rewright.lake.augment.evaluator import Block, Evaluator
from rewright.lake.augment.leakage import Leak
from rewright.lake.augment.metric import Evaluation
from rewright.lake.augment.paths import STRATEGIES, Strategy, explore
from rewright.lake.augment.selection import SELECTORS, Budget, Pick, Search, SelectorName

__all__ = [
    "SELECTORS",
    "STRATEGIES",
    "AugmentError",
    "BaseSpec",
    "Options",
    "Report",
    "Strategy",
    "augment",
    "save",
]


_PORTION = 10_000
"""Rows carried over at once."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to search. `seconds` and `evaluations`: the budget; `hops`: the longest chain of joins; `strategy`: how chains of
    more than one join are searched.
    """

    tables: int = 5
    seconds: float | None = 60.0
    evaluations: int | None = None
    selector: SelectorName = "ours"
    aggregates: Aggregates = "all"
    hops: int = 1
    strategy: Strategy = "mcts"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Added:
    """One table of the best set. R² before and after it; the gain's 95 % interval; whether it beats it."""

    table: str
    join_path: str
    columns: tuple[str, ...]
    r2_before: float
    r2_after: float
    low: float
    high: float
    coverage: float
    recommended: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "table": self.table,
            "join_path": self.join_path,
            "added_columns": list(self.columns),
            "r2_before": round(self.r2_before, 6),
            "r2_after": round(self.r2_after, 6),
            "interval": [round(self.low, 6), round(self.high, 6)],
            "coverage": round(self.coverage, 4),
            "recommended": self.recommended,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What was found. `r2_best`: with all tables listed; `r2_after`: with the recommended ones, which `sql` joins."""

    table: str
    target: str
    kind: Literal["number", "classes"]
    rows: int
    selector: str
    r2_before: float
    r2_after: float
    r2_best: float
    auc_before: float | None
    auc_after: float | None
    added: tuple[Added, ...]
    leaks: tuple[Leak, ...]
    candidates: int
    not_tried: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    ended: Literal["complete", "budget"]
    evaluations: int
    estimates: int
    seconds: float
    sql: str
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The document of `--json`."""
        return {
            "table": self.table,
            "target": self.target,
            "kind": self.kind,
            "rows": self.rows,
            "selector": self.selector,
            "r2_before": round(self.r2_before, 6),
            "r2_after": round(self.r2_after, 6),
            "r2_best": round(self.r2_best, 6),
            "auc_before": self.auc_before,
            "auc_after": self.auc_after,
            "tables": [added.to_json() for added in self.added],
            "leakage": [
                {"table": x.table, "column": x.column, "reason": x.reason, "correlation": x.correlation}
                for x in self.leaks
            ],
            "candidates": self.candidates,
            "not_tried": list(self.not_tried),
            "failed": [{"join_path": path, "reason": reason} for path, reason in self.failed],
            "ended": self.ended,
            "evaluations": self.evaluations,
            "estimates": self.estimates,
            "seconds": round(self.seconds, 3),
            "sql": self.sql,
            "notes": list(self.notes),
        }


def augment(
    lake: Lake,
    spec: BaseSpec,
    options: Options | None = None,
    *,
    stop: Callable[[], bool] = lambda: False,
    told: Callable[[str, float], None] = lambda _table, _r2: None,
) -> Report:
    """Find tables that make the prediction of the target better.

    `stop` is asked between steps; `told` hears the table just looked at and the best R² so far. Interrupted by Ctrl-C it
    still returns the best set so far. Nothing is left behind in the lake.

    :raises AugmentError: the table cannot be augmented for this target.
    :raises LakeError: the lake cannot be read.
    """
    options = options or Options()
    started = time.monotonic()
    with _cursor(lake) as cursor:
        base = Base(lake, cursor, spec)
        evaluator = Evaluator(base, options.aggregates)
        budget = Budget(options.seconds, options.evaluations, stop, started)
        search = Search(evaluator, budget, options.tables, told)
        candidates = Candidates(lake, base.table.name)
        single = candidates.single(base.keys)
        search.run(options.selector, single)
        if options.hops > 1 and not search.ended:
            explore(search, candidates, options.hops, options.strategy, options.seed)
        return _report(search, options, len(single), started)


def save(lake: Lake, report: Report, path: Path) -> int:
    """Write the augmented table as Parquet, whole or not at all; returns its rows.

    :raises AugmentError: the file cannot be written.
    """
    lake.database.load(list(lake.index.tables))
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        return _write(lake, report.sql, unfinished, path)
    except (OSError, duckdb.IOException) as error:
        raise AugmentError(f"{path} cannot be written: {error}", sqlstate="58030") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _write(lake: Lake, sql: str, unfinished: Path, path: Path) -> int:
    """The lake's own connection may write nothing: its rows go through a text file to one that may.

    Each value is written as DuckDB's text of it behind a letter, so that an empty text is not NULL.
    """
    rows = unfinished.with_name(unfinished.name + ".csv")
    try:
        with _cursor(lake) as cursor:
            described = [(quoted(row[0]), row[1]) for row in cursor.execute(f"DESCRIBE {sql}").fetchall()]
            texts = ", ".join(f"'t' || CAST({name} AS VARCHAR)" for name, _ in described)
            found = cursor.execute(f"SELECT {texts} FROM ({sql})")
            with rows.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                while portion := found.fetchmany(_PORTION):
                    writer.writerows(portion)
        columns = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(described)))
        values = ", ".join(
            f"CAST(substr(c{i}, 2) AS {kind}) AS {name}" for i, (name, kind) in enumerate(described)
        )
        read = f"read_csv({literal(rows)}, columns={{{columns}}}, header=false, auto_detect=false, delim=',', quote='\"', escape='\"', nullstr='')"
        with duckdb.connect() as connection:
            count = connection.execute(
                f"COPY (SELECT {values} FROM {read}) TO {literal(unfinished)} (FORMAT parquet)"
            ).fetchall()[0][0]
    finally:
        rows.unlink(missing_ok=True)
    unfinished.replace(path)
    return int(count)


@contextmanager
def _cursor(lake: Lake) -> Iterator[Any]:
    """A cursor of its own: what it makes is temporary and gone with it."""
    cursor = lake.database.cursor("SELECT 1")
    try:
        yield cursor
    finally:
        cursor.close()


def _report(search: Search, options: Options, candidates: int, started: float) -> Report:
    evaluator, base = search.evaluator, search.evaluator.base
    assert search.initial is not None
    told = search.recommended()
    kept = [pick.block for pick in told]
    after: Evaluation = told[-1].after if told else search.initial
    others = [pick for pick in search.picks if all(pick.block is not block for block in kept)]
    added = (*(_added(p, recommended=True) for p in told), *(_added(p, recommended=False) for p in others))
    leaks = {(x.table, x.column): x for b in search.blocks for x in b.leaks}
    notes = list(base.notes)
    if not candidates:
        notes.append("no table of the lake joins with this one")
    elif not added:
        notes.append("no table makes the prediction better")
    elif not kept:
        notes.append("no table's gain beats its interval: nothing is recommended")
    return Report(
        base.table.name,
        base.target.name,
        "classes" if base.classes else "number",
        base.rows,
        options.selector,
        search.initial.r2,
        after.r2,
        search.best.r2,
        evaluator.auc((), search.initial),
        evaluator.auc(kept, after),
        added,
        tuple(leaks.values()),
        candidates,
        tuple(search.pending),
        tuple(search.failed),
        "budget" if search.ended else "complete",
        evaluator.evaluations,
        evaluator.estimates,
        time.monotonic() - started,
        augmented_sql(base, kept),
        tuple(notes),
    )


def _added(pick: Pick, *, recommended: bool) -> Added:
    _, low, high = pick.after.gain_over(pick.before)
    block = pick.block
    return Added(
        block.candidate.table,
        block.candidate.path,
        tuple(f.name for f in block.features),
        pick.before.r2,
        pick.after.r2,
        low,
        high,
        block.coverage,
        recommended,
    )


def augmented_sql(base: Base, blocks: Sequence[Block]) -> str:
    """A SELECT over the lake: the base's rows, each once, with the blocks' columns (NULL where nothing joins)."""
    index = base.lake.index
    source = base.source()
    if not blocks:
        return source
    shown, joins = [], []
    taken = {c.name.lower() for c in base.table.columns}
    for n, block in enumerate(blocks):
        for feature, column in zip(block.features, block.columns, strict=True):
            shown.append(f"a{n}.{column} AS {quoted(_free(feature.name, taken))}")
        hop = block.candidate.hops[0]
        forms = []
        for i, (a, _, kind) in enumerate(hop.pairs):
            found = base.column(a)
            assert found is not None
            forms.append(f"{key_form(index, found, kind)} = a{n}.k{i}")
        joins.append(f"LEFT JOIN ({block.sql}) AS a{n} ON {' AND '.join(forms)}")
    return f"SELECT base.*, {', '.join(shown)}\nFROM ({source}) AS base\n" + "\n".join(joins)


def _free(name: str, taken: set[str]) -> str:
    found, n = name, 2
    while found.lower() in taken:
        found, n = f"{name} {n}", n + 1
    taken.add(found.lower())
    return found
