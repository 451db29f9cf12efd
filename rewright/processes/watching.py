"""What the optimiser keeps an eye on: rewrites that are served, the rows under them, and its own figures.

Owns how often each is looked at. Must not know how rewrites are found.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from rewright import logs
from rewright.processes.channel import Figures, tell
from rewright.processes.inbox import Inbox
from rewright.store.api import Store
from rewright.store.errors import StoreError
from rewright.store.life import IllegalTransition
from rewright.store.records import Rewrite
from rewright.wiring.doubting import retire_doubted
from rewright.wiring.hint_regressions import drop_losing_hints
from rewright.wiring.optimising import JobRunner
from rewright.wiring.proposals import slower_job
from rewright.wiring.refusals import NotOptimised
from rewright.wiring.regression_monitor import doubt_losers, judge, retire_losers, to_compare
from rewright.wiring.row_facts import due as looks_due

WATCH_SECONDS = 2.0
COMPARE_SECONDS = 20.0
# between two looks for rewrites under which rows are to be looked at again
LOOK_SECONDS = 30.0
PRUNE_SECONDS = 3600.0


class Watching:
    """``runner`` makes a runner for a thread; ``stop`` ends all loops; ``outcomes``: how many jobs became
    what; ``look_seconds`` between two times that it sees which looks are due, LOOK_SECONDS at most.
    """

    def __init__(
        self,
        runner: Callable[[Store], JobRunner],
        inbox: Inbox,
        outcomes: Mapping[str, int],
        pipe: Connection,
        stop: threading.Event,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._runner = runner
        self._inbox = inbox
        self._outcomes = outcomes
        self._pipe = pipe
        self._stop = stop
        self._look_seconds = min(look_seconds, LOOK_SECONDS)
        self.log: Any = logs.logger()

    def compare(self, store: Store) -> None:
        """Measure originals of what is served again, now and then, on our own connection."""
        runner = self._runner(store)
        # when each was compared last, so that all have their turn
        tried: dict[int, float] = {}
        while not self._stop.wait(COMPARE_SECONDS):
            try:
                rewrite = to_compare(store, time.time(), tried)
                if rewrite is None:
                    continue
                tried[rewrite.id] = time.time()
                lost = judge(store, rewrite, runner.again.compare(rewrite))
                if lost is not None:
                    self.log.info("rewrite.retired", rewrite=lost.id, reason=lost.reason)
            except (StoreError, NotOptimised) as error:
                self.log.info("optimiser.compare_failed", reason=str(error))
            # one failure must not end the thread that compares
            except Exception as error:
                self.log.warning("optimiser.compare_failed", exc_info=error)

    def look(self, store: Store) -> None:
        """Look again at the rows under what is served."""
        runner = self._runner(store)
        while not self._stop.is_set():
            try:
                rewrites = store.rewrites.servable()
                for rewrite in looks_due(store, rewrites, time.time()):
                    self._look_at(runner, rewrite)
            except StoreError as error:
                self.log.info("store.failed", reason=str(error))
            self._stop.wait(self._look_seconds)

    def _look_at(self, runner: JobRunner, rewrite: Rewrite) -> None:
        try:
            lost = runner.again.look_again(rewrite)
            if lost is not None:
                self._inbox.forget(lost.proposal.original)
                self.log.warning("rewrite.retired", rewrite=lost.id, reason=lost.reason)
        except NotOptimised as error:
            self.log.info("fact.not_looked_at", rewrite=rewrite.id, reason=str(error))
        except IllegalTransition:
            return  # a person was faster
        except StoreError as error:
            self.log.info("store.failed", reason=str(error))
        except Exception as error:
            self.log.warning("optimiser.failed", exc_info=error)

    def watch(self, store: Store) -> None:
        pruned = 0.0
        while not self._stop.wait(WATCH_SECONDS):
            with contextlib.suppress(StoreError):
                # losers by what was measured, and by what clients reported
                for rewrite in (*retire_losers(store), *retire_doubted(store)):
                    self.log.info("rewrite.retired", rewrite=rewrite.id, reason=rewrite.reason)
                for rewrite, role in doubt_losers(store):
                    # a role's clients say it is slower: the optimiser looks for itself before anybody loses
                    # it
                    self._inbox.put(slower_job(rewrite, role))
                for rewrite, _ in drop_losing_hints(store):
                    self.log.info("rewrite.retired", rewrite=rewrite.id, reason=rewrite.reason)
                if time.monotonic() - pruned > PRUNE_SECONDS:
                    store.prune()
                    pruned = time.monotonic()
            self._tell(store)

    # figures go by the pipe, not by the store: they are wanted without it, too
    def _tell(self, store: Store) -> None:
        values: dict[Any, float] = {
            ("optimiser_jobs_received_total", ()): self._inbox.received,
            ("optimiser_jobs_dropped_total", ()): self._inbox.dropped,
            ("optimiser_jobs_waiting", ()): self._inbox.size(),
        }
        for outcome, count in self._outcomes.items():
            values["optimiser_jobs_total", (("outcome", outcome),)] = count
        with contextlib.suppress(StoreError):
            for state, count in store.rewrites.counts().items():
                values["rewrites", (("state", state.value),)] = count
        tell(self._pipe, Figures(values))
