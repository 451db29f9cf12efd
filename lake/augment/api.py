"""Augmenting a table of the lake: the public API.

Owns the request, the report, and the augmented table as SQL. Must not know the command line or the wire.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.api import Lake
from rewright.lake.augment.asking import Asking, Chooser, Chosen
from rewright.lake.augment.base import AugmentError, Base, BaseSpec
from rewright.lake.augment.blocks import Block
from rewright.lake.augment.candidates import Candidates
from rewright.lake.augment.encoding import key_form
from rewright.lake.augment.evaluator import Evaluator
from rewright.lake.augment.features import features_of
from rewright.lake.augment.history import Helped, History
from rewright.lake.augment.kept import is_kept
from rewright.lake.augment.leakage import Leak
from rewright.lake.augment.metric import Evaluation
from rewright.lake.augment.options import MODEL_SELECTORS, SELECTORS, STRATEGIES, Options, Strategy
from rewright.lake.augment.outside import Brought
from rewright.lake.augment.paths import explore
from rewright.lake.augment.selection import Budget, Pick, Search

__all__ = [
    "MODEL_SELECTORS",
    "SELECTORS",
    "STRATEGIES",
    "Asking",
    "AugmentError",
    "BaseSpec",
    "Brought",
    "Options",
    "Report",
    "Strategy",
    "augment",
]


T = TypeVar("T")
_REJECTED = 10
_NAMED = 8
"""Columns that a note names, at most."""
NOT_INDEXED = (
    "the lake was not indexed since it changed: tables are read now, and keys that are only spelled "
    "differently are not seen (rewright lake index)"
)


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
    beside: str = ""
    """The table beside which alone it is recommended."""
    of_seen_keys: bool = False
    """Its gain does not hold for keys that were not seen."""

    def evidence(self) -> str:
        """In words: whether it is recommended, and on what it rests."""
        if self.recommended:
            told = "the gain beats its interval"
            if self.beside:
                told += f" beside {self.beside}, not alone"
        elif self.of_seen_keys:
            told = (
                "not recommended: it tells the keys apart, the gain does not hold for keys that were not seen"
            )
        elif self.low > 0:
            told = "not recommended: the best of so many columns gain as much by chance"
        else:
            told = "not recommended: the gain does not beat its interval"
        return f"{told}; {self.coverage:.0%} of the rows find a partner"

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
    """What was found. `r2_best`: with all tables listed; `r2_after`: with the recommended ones, which `sql`
    joins.
    """

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
    rejected: tuple[tuple[str, str, float], ...] = ()
    """Tables that were looked at and not chosen: name, join path, the gain estimated for each alone."""
    tokens: int = 0
    chains: int = 0
    """Chains of joins that were judged; a look on a few of the rows counts as their share."""
    built: int = 0
    """Joins and chains whose features were made for all rows."""

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
            "tokens": self.tokens,
            "chains": self.chains,
            "built": self.built,
        }


def augment(
    lake: Lake,
    spec: BaseSpec,
    options: Options | None = None,
    *,
    stop: Callable[[], bool] = lambda: False,
    told: Callable[[str, float], None] = lambda _table, _r2: None,
    earlier: Sequence[Helped] = (),
    model: Asking | None = None,
    brought: Brought | None = None,
) -> Report:
    """Find tables that make the prediction of the target better.

    `stop` is asked between steps; `told` hears the table just looked at and the best R² so far. Interrupted
    by Ctrl-C it still returns the best set so far. Nothing is left behind in the lake. `earlier`: what helped
    in earlier searches, looked at first. `brought`: the base table's rows, where they are not the lake's.

    :raises AugmentError: the table cannot be augmented for this target.
    :raises LakeError: the lake cannot be read.
    """
    options = options or Options()
    if options.selector in MODEL_SELECTORS and model is None:
        raise AugmentError(
            f"the selector {options.selector} needs a model, and none is configured", sqlstate="0A000"
        )
    started = time.monotonic()
    with _cursor(lake) as cursor, features_of(lake).kept():
        base = Base(lake, cursor, spec, brought)
        if not is_kept(lake):
            base.notes.append(NOT_INDEXED)
        lake = base.lake
        evaluator = Evaluator(base, options.aggregates)
        budget = Budget(options.seconds, options.evaluations, stop, started)
        search = Search(evaluator, budget, options.tables, told)
        candidates = Candidates(lake, base.table.name, base.table_rows, base.key_hashes, base.not_keys)
        single = candidates.single(base.keys)
        history = History(lake.index, base.table.name, base.target.name, earlier if options.history else ())
        search.prior = history.evidence
        # what helped before is looked at first, in case the budget ends early
        offered, chosen = sorted(single, key=lambda c: -history.prior(c.table)), Chosen([])
        if options.selector in MODEL_SELECTORS and model is not None:
            tables = list(dict.fromkeys(c.table for c in offered))
            chosen = _chosen(search, model, options, history, tables)
            offered = chosen.joins(offered)
        # where chains are counted, joins of one step are counted among them
        counted = options.hops > 1 and options.chains is not None
        search.run(options.selector, [] if counted else offered, more=options.hops > 1)
        # tables that the model was never shown were not judged
        search.pending += [c.path for c in single if c.table in chosen.not_shown]
        base.notes += chosen.notes
        if options.hops > 1:
            explore(search, candidates, options.hops, options.strategy, options.seed, options.chains)
        search.failed += candidates.failed
        return _report(search, options, len(single), started, chosen.tokens)


def _chosen(
    search: Search, model: Asking, options: Options, history: History, tables: Sequence[str]
) -> Chosen:
    """The tables that a model leaves of these; none, and all of them to be told as not shown, where Ctrl-C
    ends the asking.
    """
    try:
        chooser = Chooser(search.evaluator.base, model, options, history)
        return chooser.choose(tables, lambda: not search.budget.left)
    except KeyboardInterrupt:
        search.ended = True
        return Chosen([], list(tables))


@contextmanager
def _cursor(lake: Lake) -> Iterator[Any]:
    """A cursor of its own: what it makes is temporary and gone with it."""
    cursor = lake.database.cursor("SELECT 1")
    try:
        yield cursor
    finally:
        cursor.close()


def _report(search: Search, options: Options, candidates: int, started: float, tokens: int) -> Report:
    evaluator, base = search.evaluator, search.evaluator.base
    before = search.initial
    assert before is not None
    told = _while_nobody_interrupts(search, search.recommended, search.surely_recommended())
    kept = [pick.block for pick in told]
    after: Evaluation = told[-1].after if told else before
    others = [pick for pick in search.picks if all(pick.block is not block for block in kept)]
    seen = search.of_seen_keys
    added = (*(_added(p, recommended=True) for p in told), *(_added(p, id(p.block) in seen) for p in others))
    notes = _notes(search, candidates, (*told, *others), recommends=bool(kept))
    return Report(
        base.table.name,
        base.target.name,
        "classes" if base.classes else "number",
        base.rows,
        options.selector,
        before.r2,
        after.r2,
        search.best.r2,
        _while_nobody_interrupts(search, lambda: evaluator.auc((), before), None),
        _while_nobody_interrupts(search, lambda: evaluator.auc(kept, after), None),
        added,
        _leaks(search, kept),
        candidates,
        tuple(search.pending),
        tuple(search.failed),
        "budget" if search.ended or search.pending else "complete",
        evaluator.evaluations,
        evaluator.estimates,
        time.monotonic() - started,
        augmented_sql(base, kept),
        tuple(notes),
        _rejected(search),
        tokens,
        search.looked,
        len(search.blocks),
    )


def _leaks(search: Search, kept: Sequence[Block]) -> tuple[Leak, ...]:
    """What gives the target away, in the base table and in the tables that were built."""
    # of a table that is recommended, what would be a leak if it were joined by another key is none
    chosen = {block.candidate.table: block.candidate.path for block in kept}
    judged = [b for b in search.blocks if chosen.get(b.candidate.table, b.candidate.path) == b.candidate.path]
    found = (search.evaluator.base.leaks, *(b.leaks for b in judged))
    return tuple({(leak.table, leak.column): leak for leaks in found for leak in leaks}.values())


def _notes(search: Search, candidates: int, picks: Sequence[Pick], *, recommends: bool) -> list[str]:
    """Notes of the base table and of the tables added, and why there are none, or none recommended."""
    notes = [*search.evaluator.base.notes, *(note for pick in picks for note in _unused(pick.block))]
    if not candidates:
        notes.append("no table of the lake joins with this one")
    elif not picks:
        notes.append(
            "no table makes the prediction better"
            if not (search.ended or search.pending)
            else "the budget ended before a table was found that makes the prediction better"
        )
    elif not recommends:
        notes.append("no table's gain beats its interval: nothing is recommended")
    return notes


def _unused(block: Block) -> list[str]:
    """Columns of a table that are no features, by reason: its keys, what is empty."""
    by_reason: dict[str, list[str]] = {}
    for column, reason in block.left_out:
        by_reason.setdefault(reason, []).append(column)
    return [
        f"{block.candidate.table}: not used: {', '.join(columns[:_NAMED])}"
        f"{f' and {len(columns) - _NAMED} more' if len(columns) > _NAMED else ''}: {reason}"
        for reason, columns in by_reason.items()
    ]


def _while_nobody_interrupts(search: Search, make: Callable[[], T], otherwise: T) -> T:
    """What `make` gives, or `otherwise` if Ctrl-C comes meanwhile: what was found is still reported."""
    try:
        return make()
    except KeyboardInterrupt:
        search.ended = True
        return otherwise


def _rejected(search: Search) -> tuple[tuple[str, str, float], ...]:
    """The best and the worst of those that were not chosen."""
    chosen = {pick.block.candidate.table for pick in search.picks}
    left = sorted((gain, c.table, c.path) for c, gain in search.estimated if c.table not in chosen)
    # sorted by gain: the worst stand first, the best last
    few = left if len(left) <= 2 * _REJECTED else [*left[:_REJECTED], *left[-_REJECTED:]]
    return tuple((table, path, round(gain, 6)) for gain, table, path in few)


def _added(pick: Pick, of_seen_keys: bool = False, *, recommended: bool = False) -> Added:
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
        pick.beside,
        of_seen_keys,
    )


def augmented_sql(base: Base, blocks: Sequence[Block]) -> str:
    """A SELECT over the lake: the base's rows, each once, with the blocks' columns (NULL where nothing
    joins).
    """
    index = base.lake.index
    source = base.source()
    if not blocks:
        return source
    shown, joins = [], []
    # names of columns are the same whatever their case
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
        how = "LEFT JOIN"
        if block.made.as_of:
            # of a key's days the latest that is not after the row's own
            how = "ASOF LEFT JOIN"
            forms.append(f"{base.day_form()} >= a{n}.day__")
        joins.append(f"{how} ({block.sql}) AS a{n} ON {' AND '.join(forms)}")
    return f"SELECT base.*, {', '.join(shown)}\nFROM ({source}) AS base\n" + "\n".join(joins)


def _free(name: str, taken: set[str]) -> str:
    found, n = name, 2
    while found.lower() in taken:
        found, n = f"{name} {n}", n + 1
    taken.add(found.lower())
    return found
