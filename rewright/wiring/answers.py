"""The proxy's ``LocalAnswers`` port over the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

from rewright import values
from rewright.config.model import Config
from rewright.proxy.answers.api import Answers
from rewright.proxy.answers.calls import Killer
from rewright.proxy.ports import LocalAnswers, SessionView, SqlError
from rewright.proxy.serving.asking_ports import Asker, Augmenter
from rewright.settings import REGISTRY
from rewright.store.api import Store
from rewright.store.errors import NotFound
from rewright.store.outcomes import NO_OPTIMISER, WAITING, outcome_text, rewrite_named, rewrite_text
from rewright.wiring import pausing
from rewright.wiring.explaining import SocketExplainer
from rewright.wiring.proxies import optimises
from rewright.wiring.reporting import normalized, template_key
from rewright.wiring.served import missing_for


def make(
    store: Store,
    config: Config,
    job_path: str = "",
    lakes: Any = None,
    kill: Killer | None = None,
    asker: Asker | None = None,
    augmenter: Augmenter | None = None,
) -> LocalAnswers | None:
    """None where DuckDB, which evaluates queries over our relations, is not installed.

    ``job_path``: the optimiser's socket; empty: there is none. ``kill``: ends a session of whichever worker.
    ``asker``: reads questions; ``augmenter``: searches lakes.
    """
    try:
        from rewright.wiring.ports.evaluating import DuckDbEvaluator
    except ModuleNotFoundError:
        return None
    explainer = SocketExplainer(job_path, config.optimiser.budget + 30) if job_path else None
    return Answers(
        store,
        DuckDbEvaluator(),
        settings_rows,
        explainer,
        partial(rows_beside_store, lakes),
        partial(tell_pause, store, config),
        kill=kill,
        outcome=partial(outcome_of, store, config),
        asker=asker if config.ask.enabled else None,
        augmenter=augmenter,
    )


def tell_pause(store: Store, config: Config, paused: bool, by: str) -> None:
    """Raises SqlError when neither the store nor a file was reached, or the pause goes on all the same."""
    told = pausing.tell(store, config, paused, by)
    if told.still or (not told.store and told.file is None):
        raise SqlError("58030", "; ".join(told.problems))


def outcome_of(store: Store, config: Config, session: SessionView) -> str:
    """Why the session's last query, which was slow, is not rewritten. Blocks; raises StoreError."""
    database, last = session.database, session.last
    if not optimises(config, database):
        # without an optimiser there is nothing to be known of it
        return NO_OPTIMISER
    status, reason = store.queries.outcome(database, template_key(database, normalized(last.text)))
    known = rewrite_named(reason) if status == "rewritten" else None
    if known is None:
        return outcome_text(status, reason)
    try:
        rewrite = store.rewrites.get(known)
    # the rewrite was pruned since
    except NotFound:
        return WAITING
    return rewrite_text(rewrite, missing_for(rewrite.proposal, frozenset(config.verify.accept)))


def rows_beside_store(lakes: Any, relation: str, session: SessionView) -> Sequence[Mapping[str, Any]]:
    """Rows of relations that are not in the store: rewrite knowledge, and the tables
    of the session's lake.
    """
    if relation == "lake_tables":
        rows = [] if lakes is None else lakes.table_rows(session.database)
        # a file's name may tell what its table hides: whose it is, from where, for whom
        return rows if session.is_admin else [{**row, "path": None} for row in rows]
    return _knowledge() if relation == "knowledge" else ()


@cache
def _knowledge() -> Sequence[Mapping[str, Any]]:
    from rewright.knowledge.units import load_units

    return [
        {"title": unit.title, "category": unit.category, "text": unit.answer, "source": unit.source}
        for unit in load_units()
    ]


def settings_rows(session: SessionView) -> Sequence[Mapping[str, Any]]:
    """The rows of rewright.settings."""
    return [
        {
            "name": setting.full_name,
            "setting": _shown(setting.name, getattr(session.settings, setting.name)),
            "boot_val": setting.default,
            "allowed": setting.allowed,
            "short_desc": setting.meaning,
        }
        for setting in REGISTRY
    ]


def _shown(name: str, value: object) -> str:
    if name in {"min_duration", "budget"}:
        assert isinstance(value, float)
        return values.show_duration(value)
    return values.show(value)
