"""What the optimiser does, in a word and a sentence for people. Pure: figures in, words out."""

from __future__ import annotations

from rewright.processes.exporting import Values

# figures come every two seconds: later than this, something holds the process up
_SILENT_SECONDS = 30.0


def optimiser_told(
    alive: bool, problem: str, restarts: int, figures: Values, age: float | None
) -> dict[str, str]:
    """``state`` and ``told``. ``age``: seconds since the figures came, None where none came yet.

    >>> optimiser_told(True, "", 0, {}, None)
    {'state': 'starting', 'told': 'Nothing was heard of it yet.'}
    """
    again = f" It was started again {restarts} times." if restarts else ""
    if not alive:
        return {"state": "starting", "told": f"It is not running{f': {problem}' if problem else ''}.{again}"}
    if age is None:
        return {"state": "starting", "told": f"Nothing was heard of it yet.{again}"}
    # figures that never came count as 0: what waits then is nothing
    waiting = figures.get(("optimiser_jobs_waiting", ()), 0)
    ended = {
        name: figures.get(("optimiser_jobs_total", (("outcome", name),)), 0)
        for name in ("found", "nothing", "failed")
    }
    told = (
        f"{waiting:,.0f} {'query waits' if waiting == 1 else 'queries wait'}; since it started: "
        f"{ended['found']:,.0f} rewritten, {ended['nothing']:,.0f} without anything faster, "
        f"{ended['failed']:,.0f} failed.{again}"
    )
    if age > _SILENT_SECONDS:
        return {"state": "silent", "told": f"Nothing was heard of it for {age:,.0f} s. Then: {told}"}
    return {"state": "running", "told": told}
