"""`rewright bench augment --history --data DIR`: what earlier searches are worth to a search with little budget.

Each case is searched with what `ours` found on the other cases (its own is left out) and without. The budget
is a share of the tables that the whole search prepares, as a limit of seconds that ends so early leaves it,
or of the evaluations it makes.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from rewright.lake.api import Lake
from rewright.lake.augment.api import BaseSpec, Options, Report, augment
from rewright.lake.augment.history import Helped, helped_by

SHARES = (0.10, 0.25, 0.50)


def history_runs(
    open_it: Callable[[], Lake], cases: Sequence[tuple[str, BaseSpec]], tables: int
) -> dict[str, Any]:
    """Mean R² of the best sets found, by budget, with and without what helped before; and each case's."""
    with open_it() as lake:
        lake.graph()
        whole = {name: augment(lake, spec, _options(tables)) for name, spec in cases}
        learned = {name: helped_by(report) for name, report in whole.items()}
        rows = [_case(lake, name, spec, tables, whole[name], _others(learned, name)) for name, spec in cases]
    found: dict[str, Any] = {
        "baseline": round(statistics.fmean(r.r2_before for r in whole.values()), 4),
        "whole search": round(statistics.fmean(r.r2_best for r in whole.values()), 4),
    }
    for budget in (key for key in rows[0] if key != "id"):
        found[budget] = {
            told: round(statistics.fmean(r[budget][told] for r in rows), 4) for told in rows[0][budget]
        }
        print(f"history, {budget}: {found[budget]}")
    return {"summary": found, "cases": rows}


def _case(
    lake: Lake, name: str, spec: BaseSpec, tables: int, whole: Report, earlier: Sequence[Helped]
) -> dict[str, Any]:
    row: dict[str, Any] = {"id": name}
    for share in SHARES:
        prepared = max(1, round(share * whole.built))
        evaluations = max(1, round(share * whole.evaluations))
        runs: dict[str, Callable[..., Any]] = {
            f"{share:.0%} of the tables": lambda told, n=prepared: _prepared(lake, spec, tables, n, told),
            f"{share:.0%} of the evaluations": lambda told, n=evaluations: augment(
                lake, spec, _options(tables, n), earlier=told
            ),
        }
        for budget, run in runs.items():
            row[budget] = {
                "with": round(run(earlier).r2_best, 4),
                "without": round(run(()).r2_best, 4),
            }
    return row


def _prepared(lake: Lake, spec: BaseSpec, tables: int, most: int, earlier: Sequence[Helped]) -> Report:
    """A search that may prepare so many tables, and choose among them as long as it likes."""
    seen: list[str] = []
    stopped: list[bool] = []

    def stop() -> bool:
        if len(seen) < most or stopped:
            return False
        stopped.append(True)
        return True

    return augment(
        lake,
        spec,
        _options(tables),
        stop=stop,
        told=lambda table, _r2: seen.append(table),
        earlier=earlier,
    )


def _options(tables: int, evaluations: int | None = None) -> Options:
    return Options(tables, None, evaluations, aggregates="standard")


def _others(learned: dict[str, tuple[Helped, ...]], name: str) -> list[Helped]:
    return [one for other, helped in learned.items() if other != name for one in helped]
