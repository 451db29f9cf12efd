"""AUGMENT in a lake session: binding the statement, searching in the process that is lent for it, the rows it
answers.

Owns what AUGMENT, EXPLAIN AUGMENT and CREATE VIEW ... AS AUGMENT say to a client. Must not know how tables
are found, nor where views and searches are kept: what is to be kept is the answer of the search.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rewright.engines.duckdb.errors import LakeError, Timeout
from rewright.proxy.duckdb_backend.ports import Prepared
from rewright.proxy.ports import ResultColumn, SqlError

if TYPE_CHECKING:
    from rewright.config.model import Models
    from rewright.lake.augment.api import Asking, Brought, Report
    from rewright.lake.augment.history import Helped
    from rewright.lake.augment.statement import Statement

_FIRST = re.compile(
    r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*(?:explain\s+|create\s+(?:or\s+replace\s+)?view\s[^;]{1,200}?\sas\s+)?augment\s",
    re.IGNORECASE,
)
_TEXT, _INT8, _FLOAT8 = 25, 20, 701
COLUMNS = (
    ResultColumn("rank", _INT8),
    ResultColumn("table", _TEXT),
    ResultColumn("join_path", _TEXT),
    ResultColumn("added_columns", _TEXT),
    ResultColumn("r2_before", _FLOAT8),
    ResultColumn("r2_after", _FLOAT8),
    ResultColumn("interval", _TEXT),
    ResultColumn("leakage", _TEXT),
    ResultColumn("evidence", _TEXT),
)
_PLAN = (ResultColumn("QUERY PLAN", _TEXT),)
_NOT_TRIED = 5


@dataclass(frozen=True, slots=True)
class Augmentation:
    """A search that is to be made; ``earlier``: what helped before, for this role; ``model``: whether a model
    may be asked.
    """

    statement: Statement
    earlier: tuple[Helped, ...] = ()
    model: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """What of a search is kept, and the notices beside its rows. ``sql``: the augmented table."""

    helped: tuple[Helped, ...]
    notices: tuple[str, ...]
    sql: str


def is_augment(text: str) -> bool:
    """Does the text begin as one of these statements?"""
    return _FIRST.match(text) is not None


def prepared_augmentation(lake: Any, text: str, views: Mapping[str, str]) -> Prepared:
    """The statement, read and checked against the lake; the search begins when it runs.

    :raises LakeError: it is not written so, or names what is not there.
    """
    from rewright.lake.augment.statement import statement_of

    statement = statement_of(text)
    if statement.view:
        _require_free(lake, statement, views)
    if statement.lake:
        raise LakeError("LAKE is for sessions with a PostgreSQL database", sqlstate="0A000")
    if statement.explain and statement.view:
        raise LakeError("EXPLAIN takes AUGMENT TABLE itself", sqlstate="0A000")
    return Prepared(
        (), columns_of(statement), Augmentation(statement), tag="CREATE VIEW" if statement.view else ""
    )


def columns_of(statement: Statement) -> tuple[ResultColumn, ...]:
    """What its rows are."""
    return _PLAN if statement.explain else () if statement.view else COLUMNS


def _require_free(lake: Any, statement: Statement, views: Mapping[str, str]) -> None:
    name = statement.view.lower()
    if name in {view.lower() for view in views} and not statement.replaces:
        raise LakeError(f'relation "{statement.view}" already exists', sqlstate="42P07")
    if lake.index.table(name) is not None or lake.database.definition(name) is not None:
        raise LakeError(f'relation "{statement.view}" is a table of the lake', sqlstate="42P07")


class Augmenting:
    """One search that is being made; stands where a running query stands otherwise. ``models``: [models];
    None: there is no model to ask. ``brought``: the base table's rows, where they are not the lake's.
    """

    def __init__(self, lake: Any, models: Models | None = None, brought: Brought | None = None) -> None:
        self._lake = lake
        self._models = models
        self._brought = brought
        self._stopped = False
        self._rows: list[tuple[object, ...]] = []

    def search(self, augmentation: Augmentation) -> Found:
        """Make it; its rows are there afterwards.

        :raises LakeError: it cannot be made; 57014, it was interrupted.
        """
        from rewright.lake.augment.api import augment
        from rewright.lake.augment.history import helped_by

        statement = augmentation.statement
        try:
            report = augment(
                self._lake,
                statement.spec,
                statement.options,
                stop=lambda: self._stopped,
                earlier=augmentation.earlier,
                model=self._asking(augmentation),
                brought=self._brought,
            )
        except KeyboardInterrupt as error:
            raise Timeout("canceling statement due to user request") from error
        if self._stopped:
            raise Timeout("canceling statement due to user request")
        self._rows = _rows(report, statement)
        return Found(helped_by(report), tuple(_notices(report)), report.sql)

    def _asking(self, augmentation: Augmentation) -> Asking | None:
        """The model that a selector needs; None: none is configured, or needed. Raises LakeError: the session
        wants none asked.
        """
        from rewright.lake.augment.asking import Asking
        from rewright.lake.augment.options import MODEL_SELECTORS

        selector = augmentation.statement.options.selector
        if selector not in MODEL_SELECTORS:
            return None
        if not augmentation.model:
            raise LakeError(
                f"the selector {selector} asks a model, and rewright.model is off", sqlstate="0A000"
            )
        if self._models is None or not self._models.of("lake"):
            return None
        from rewright.config.model import Config
        from rewright.wiring.modelling import make_model, warmed

        return Asking(warmed(make_model(Config(models=self._models))), self._models.share)  # type: ignore[arg-type] # [models] share is checked when it is read

    def begin(self, augmentation: Augmentation, parameters: Sequence[Any] = ()) -> None:
        """The rows are there since the search."""

    def take(self, rows: int) -> list[tuple[object, ...]]:
        taken, self._rows = self._rows[:rows], self._rows[rows:]
        return taken

    def close(self) -> None:
        self._stopped = True

    def interrupt(self) -> None:
        self._stopped = True


def _rows(report: Report, statement: Statement) -> list[tuple[object, ...]]:
    if statement.view:
        return []
    if statement.explain:
        return [(line,) for line in explained(report)]
    from rewright.lake.augment.listing import rows

    return rows(report)


def _notices(report: Report) -> list[str]:
    from rewright.lake.augment.listing import ended

    told = list(report.notes)
    if report.auc_before is not None and report.auc_after is not None:
        told.append(f"AUC {report.auc_before:.3f} by itself, {report.auc_after:.3f} with what is recommended")
    if report.ended == "budget":
        paths = "; ".join(report.not_tried[:_NOT_TRIED])
        more = "; ..." if len(report.not_tried) > _NOT_TRIED else ""
        told.append(f"{ended(report)}{': ' if paths else ''}{paths}{more}")
    return told


def explained(report: Report) -> list[str]:
    """How the search went, and the augmented table as SQL."""
    counted = f"joins: {report.candidates}; evaluations: {report.evaluations}; estimates: {report.estimates}"
    lines = [
        f"Augment {report.table} for {report.target}: R² {report.r2_before:.4f} -> {report.r2_after:.4f}",
        f"  Selector: {report.selector}; {counted}; {report.seconds * 1000:.0f} ms",
    ]
    for rank, added in enumerate(report.added, 1):
        lines += [
            f"  {rank}. {added.join_path}",
            (
                f"     R² {added.r2_before:.4f} -> {added.r2_after:.4f}, gain in [{added.low:.4f}, "
                f"{added.high:.4f}]: {added.evidence()}"
            ),
            f"     Columns: {', '.join(added.columns)}",
        ]
    lines += [f"  Left out: {leak.table}.{leak.column}: {leak.reason}" for leak in report.leaks]
    lines += [f"  Failed: {path}: {reason}" for path, reason in report.failed]
    lines += [f"  Note: {note}" for note in _notices(report)]
    return [*lines, "SQL:", *report.sql.splitlines()]


def refused_on_spark(text: str) -> SqlError | None:
    """A lake on Spark answers no AUGMENT."""
    return SqlError("0A000", "AUGMENT is for lakes that DuckDB reads") if is_augment(text) else None
