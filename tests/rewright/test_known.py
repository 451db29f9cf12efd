"""A query that is slow although there is a rewrite of it stays one that has a rewrite."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewright.config.model import Config
from rewright.processes.jobs import job_of
from rewright.processes.optimiser import _Optimiser
from rewright.store.api import open_store
from rewright.store.life import Action
from rewright.store.writer import BufferedWriter
from rewright.wiring.refusals import Known
from rewright.wiring.reporting import StoreReporter
from tests.rewright.test_wiring import NEW, SLOW, Sent


def test_it_is_not_told_as_one_for_which_nothing_was_found(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.db")) as store:
        kept = store.rewrites.act(store.rewrites.add(NEW).id, Action.ACTIVATE)
        writer = BufferedWriter(store)
        StoreReporter(writer, Sent()).put(SLOW)  # type: ignore[arg-type] # jobs are only kept
        writer.close()

        class Bench:
            def optimise(self, job: object) -> None:
                raise Known(kept)

        process = _Optimiser(Config(), str(tmp_path / "jobs"), multiprocessing.Pipe()[0])
        bench: Any = Bench()
        assert process._one(bench, store, job_of(SLOW)) is None
        (seen,) = store.queries.read()
        assert (seen.status, seen.reason) == ("rewritten", f"rewrite {kept.id} is active")
        assert store.browse.unimproved() == []
        # the log tells what ran then, and that the rewrite came later
        (line,) = store.log.read()
        assert (line.route, line.reason) == ("original", f"found since: rewrite {kept.id} is active")
        assert process.outcomes["nothing"] == 0


def test_what_was_served_is_not_looked_at_and_is_no_second_line_of_the_log(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.db")) as store:
        sent = Sent()
        writer = BufferedWriter(store)
        reporter = StoreReporter(writer, sent)  # type: ignore[arg-type] # jobs are only kept
        reporter.put(replace(SLOW, is_served=True))
        assert sent.jobs == []
        reporter.put(SLOW)
        writer.close()
        assert (len(store.log.read()), len(sent.jobs)) == (1, 1)
        # both took their time
        assert [one.calls for one in store.queries.read()] == [2]
