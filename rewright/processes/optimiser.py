"""The optimiser process: takes slow queries from the relays, looks for rewrites, watches how they do.

Owns the socket, the bounded queue and the threads. A crash costs only time: the supervisor starts it again.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tqdm import tqdm

from rewright import logs
from rewright.config.model import Config
from rewright.models.api import Model, NoModel
from rewright.processes.channel import listen
from rewright.processes.inbox import Inbox
from rewright.processes.jobs import MAX_LINE, Job, decode, redacted
from rewright.processes.memory_trim import tidy
from rewright.processes.warming import warm_up
from rewright.processes.watching import Watching
from rewright.sql.row_facts import RowFact
from rewright.store.api import Store
from rewright.store.errors import StoreError
from rewright.store.life import IllegalTransition, State
from rewright.store.outcomes import rewrite_text
from rewright.store.records import QueryStatus, Rewrite
from rewright.wiring.budget import RunBudget
from rewright.wiring.doubting import due
from rewright.wiring.estimating import Estimator
from rewright.wiring.optimising import JobRunner
from rewright.wiring.priority_gate import PriorityGate
from rewright.wiring.refusals import Cheap, Known, NotAllowed, NotOptimised, NotYet
from rewright.wiring.row_facts import FactMemory, every
from rewright.wiring.scratch import Scratch
from rewright.wiring.served import missing_for
from rewright.wiring.stores import open_configured

# 0.2 ms instead of Python's 5 ms
SWITCH_SECONDS = 0.0002
# between two looks whether hints are still worth it, while nothing else is to be done
HINTS_SECONDS = 30.0
# after a held query was answered
WIDEN_SECONDS = 2.0
# after a relay could not be let in
ACCEPT_AGAIN_SECONDS = 1.0


def run(config: Config, job_path: str, pipe: Connection) -> None:
    """The process's main function."""
    logs.set_up(config.log.format, config.log.level, "optimiser")
    signal.signal(signal.SIGTERM, lambda *_: _stop.set())
    # ten steps: relays and servers get the processor first
    # below the relays in the kernel's eyes, too
    with contextlib.suppress(OSError):
        os.nice(10)
    # each call of the solver gives the interpreter away and waits so long for it while another thread
    # computes
    sys.setswitchinterval(SWITCH_SECONDS)
    process = _Optimiser(config, job_path, pipe)
    listen(pipe, lambda _: None, _stop.set)
    process.run()


_stop = threading.Event()


class _Optimiser:
    def __init__(self, config: Config, job_path: str, pipe: Connection) -> None:
        self.config = config
        self.inbox = Inbox(config.optimiser.queue)
        self.log: Any = logs.logger()
        self.scratch = Scratch(
            config.verify.scratch, lambda why: self.log.warning("scratch.failed", reason=why)
        )
        self.budget = RunBudget(config.optimiser.max_runs_per_hour)
        self.outcomes: dict[str, int] = {"found": 0, "nothing": 0, "failed": 0}
        self.watching = Watching(
            self._runner, self.inbox, self.outcomes, pipe, _stop, look_seconds=every(config) / 2
        )
        self.path = job_path
        self.estimator = Estimator()
        # one at a time: it is as much work as any job
        # EXPLAIN (REWRITE) by several people would run several searches beside the jobs
        self.explaining = threading.Lock()
        # as many held queries are worked on at a time as there are workers for slow ones; the others wait
        # their budget
        self.widening = threading.Lock()
        self.priority_gate = PriorityGate()
        self.memory = FactMemory(self._tell_broken, seconds=every(config))
        self.failing: dict[int, Job] = {}
        self.holding = threading.BoundedSemaphore(max(config.optimiser.concurrency, 1))

    def run(self) -> None:
        # bars of libraries (which show nothing here) would make a lock across processes, which nobody frees
        # at our end
        tqdm.set_lock(threading.RLock())
        store = self._store()
        if store is None:
            return
        with store:
            # daemons: nothing waits for them at the end
            threads = [threading.Thread(target=self._listen, args=(store,), name="inbox", daemon=True)]
            threads += [
                threading.Thread(target=self._work, args=(store,), name=f"optimiser-{n}", daemon=True)
                for n in range(self.config.optimiser.concurrency)
            ]
            # measure = "both" alone allows runs of our own
            if self.config.optimiser.measure == "both":
                threads.append(
                    threading.Thread(
                        target=self.watching.compare, args=(store,), name="regression-monitor", daemon=True
                    )
                )
            threads.append(
                threading.Thread(target=self.watching.look, args=(store,), name="facts", daemon=True)
            )
            threads.append(threading.Thread(target=self._warm_up, name="warm-up", daemon=True))
            for thread in threads:
                thread.start()
            try:
                self.watching.watch(store)
            finally:
                self.scratch.close()
                # a running proof or query is not waited for; its session ends with us
                # without cleaning up: threads may be inside of the solver or libpq
                os._exit(0)

    def _warm_up(self) -> None:
        """So that the first held query is not held for what the process needs once."""
        try:
            # inline queries need a scratch database at once; others start one when first needed
            if any(d.get("mode") == "inline" for d in self._defaults()):
                self.scratch.at_once()
            warm_up()
        except Exception as error:
            self.log.warning("optimiser.failed", exc_info=error)

    def _defaults(self) -> Iterator[Mapping[str, str]]:
        yield self.config.defaults
        for database in self.config.databases.values():
            yield database.defaults

    def _store(self) -> Store | None:
        while not _stop.is_set():
            try:
                return open_configured(self.config)
            except StoreError as error:
                self.log.warning("store.failed", reason=str(error))
                # the store may come back, and the relays serve without us meanwhile
                _stop.wait(5)
        return None

    # -- jobs in

    def _listen(self, store: Store) -> None:
        # left by a process that was killed
        Path(self.path).unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self.path)
        listener.listen(64)
        while True:
            try:
                connection, _ = listener.accept()
            except OSError as error:
                # no descriptor is left for a moment: without this thread nothing would ever be heard again
                self.log.warning("optimiser.accept_failed", reason=str(error))
                _stop.wait(ACCEPT_AGAIN_SECONDS)
                continue
            reader = threading.Thread(
                target=self._read, args=(connection, store), name="inbox-reader", daemon=True
            )
            reader.start()

    def _read(self, connection: socket.socket, store: Store) -> None:
        with connection, connection.makefile("rb") as lines:
            # MAX_LINE bounds what a sender makes us hold; a longer line does not decode
            # readline returns what there is at MAX_LINE, so that a longer line fails to decode
            while line := lines.readline(MAX_LINE):
                try:
                    job = decode(line)
                except ValueError as error:
                    # the exception's text may repeat the client's
                    self.log.warning("job.refused", reason=type(error.__cause__ or error).__name__)
                    return
                if job.kind == "explain":
                    with contextlib.suppress(OSError):
                        connection.sendall(self._explain(job))
                    tidy()
                    return
                if job.kind == "inline":
                    found, is_new = self._inline(job, store)
                    number = None if found is None else found.id
                    with contextlib.suppress(OSError):
                        # the relay waits for this line while its client does; a broken pipe means that it
                        # gave up
                        connection.sendall(json.dumps({"rewrite": number}).encode() + b"\n")
                    if found is not None and is_new:
                        self._widen(found, job, store)
                    tidy()
                    return
                self.inbox.put(job)

    def _inline(self, job: Job, store: Store) -> tuple[Rewrite | None, bool]:
        """A held query: its rewrite and whether that was found now; None when there is none or no time for
        it.
        """
        from rewright.wiring.modelling import make_model

        # all workers busy for as long as the client can be held
        if not self.holding.acquire(timeout=max(job.budget, 0.0)):
            return None, False
        try:
            model = make_model(self.config)
            runner = self._runner(store, model)
            standing = runner.standing(job)
            # what was found since the client's query came
            if standing is not None:
                return standing, False
            if not self.inbox.claim(job):
                raise NotOptimised("it is being looked at, or was a short time ago")
            # jobs in the background make way between their steps
            with self.priority_gate.first():
                return self._one(runner, store, job), True
        except (NotOptimised, StoreError) as error:
            why = redacted(error, job)
            self.log.info("optimiser.nothing", database=job.database, role=job.role, reason=why)
            return None, False
        except Exception as error:
            self.log.warning("optimiser.failed", exc_info=error)
            return None, False
        finally:
            self.holding.release()

    def _runner(self, store: Store, model: Model | None = None) -> JobRunner:
        return JobRunner(
            self.config,
            store,
            self.budget,
            self.scratch,
            model or NoModel(),
            self.estimator,
            self.priority_gate,
            self.memory,
            self.failing,
        )

    def _widen(self, kept: Rewrite, job: Job, store: Store) -> None:
        """What there was no time for while the client waited; one at a time, and not when the next query may
        be on its way.
        """
        with self.widening:
            _stop.wait(WIDEN_SECONDS)
            try:
                wider = self._runner(store).widening.widen(kept, job)
            except (NotOptimised, StoreError) as error:
                # redacted: texts of errors repeat literals
                self.log.info("optimiser.not_widened", rewrite=kept.id, reason=redacted(error, job))
            except Exception as error:
                self.log.warning("optimiser.failed", exc_info=error)
            else:
                if wider is not None:
                    self.log.info("rewrite.widened", rewrite=kept.id, by=wider.id, state=wider.state.value)

    def _explain(self, job: Job) -> bytes:
        """EXPLAIN (REWRITE): the outcome's document, or an error, as one line."""
        from rewright.wiring.modelling import make_model

        try:
            with self.explaining, open_configured(self.config) as store:
                runner = self._runner(store, make_model(self.config))
                answer: dict[str, Any] = {"outcome": runner.explain(job)}
        except NotAllowed as error:
            answer = {"error": ["42501", str(error)]}
        except NotOptimised as error:
            answer = {"error": ["55000", str(error)]}
        # the log says more than a client may be told
        except Exception as error:
            self.log.warning("optimiser.failed", exc_info=error)
            answer = {"error": ["58000", "the optimiser failed; its log says why"]}
        return json.dumps(answer, default=str).encode() + b"\n"

    # -- work

    def _work(self, store: Store) -> None:
        from rewright.wiring.modelling import make_model, warming

        model = make_model(self.config)
        runner = self._runner(store, model)
        importing: threading.Thread | None = None
        looked = time.monotonic()
        while not _stop.is_set():
            job = self.inbox.get(0.5)
            if job is not None:
                self._one(runner, store, job)
                tidy()
            elif importing is None and (importing := warming(model)) is not None:
                # the model's library, which most jobs do without and which takes seconds of a processor
                continue
            elif time.monotonic() - looked > HINTS_SECONDS:
                looked = time.monotonic()
                # hints are measured only while nothing else is to be done
                with contextlib.suppress(NotOptimised, StoreError):
                    runner.again.measure_hints()
                with contextlib.suppress(NotOptimised, StoreError, IllegalTransition):
                    self._reconsider(runner, store)

    def _one(self, runner: JobRunner, store: Store, job: Job) -> Rewrite | None:
        """The rewrite that was kept; whatever happens is remembered, counted and logged."""
        began = time.monotonic()
        log = self.log.bind(database=job.database, role=job.role)
        try:
            kept = self._done(runner, job)
        # not slow any more: no news
        except Cheap as reason:
            log.debug("optimiser.cheap", reason=redacted(reason, job))
        except NotYet as reason:
            # it may be done a little later: not remembered as seen
            self.inbox.release(job)
            why = redacted(reason, job)
            log.info("optimiser.nothing", reason=why, seconds=round(time.monotonic() - began, 2))
        except Known as known:
            # that the query was slow again takes nothing from what was found
            self._remember_rewrite(store, job, known.rewrite)
            log.debug("optimiser.known", rewrite=known.rewrite.id)
        except NotOptimised as reason:
            self.outcomes["nothing"] += 1
            # a suspicion that led to nothing says nothing of the query
            if job.kind != "suspect":
                self._remember(store, job, "nothing", redacted(reason, job))
            why = redacted(reason, job)
            log.info("optimiser.nothing", reason=why, seconds=round(time.monotonic() - began, 2))
        except Exception as error:
            # whatever a query does to us, the next one has its turn
            self.outcomes["failed"] += 1
            self._remember(store, job, "failed", type(error).__name__)
            log.warning("optimiser.failed", exc_info=error)
        else:
            if kept is not None:
                self._kept(store, job, kept, round(time.monotonic() - began, 2))
            return kept
        return None

    def _kept(self, store: Store, job: Job, kept: Rewrite, seconds: float) -> None:
        log = self.log.bind(database=job.database, role=job.role)
        if kept.state is State.RETIRED:
            # it may be found again when the query is slow again
            self.inbox.forget(kept.proposal.original)
            log.info("rewrite.retired", rewrite=kept.id, reason=kept.reason)
            return
        self.outcomes["found"] += 1
        self.inbox.found(job)
        self._remember_rewrite(store, job, kept)
        verdict = kept.proposal.level.value
        log.info("optimiser.found", rewrite=kept.id, state=kept.state.value, verdict=verdict, seconds=seconds)

    def _done(self, runner: JobRunner, job: Job) -> Rewrite | None:
        match job.kind:
            case "recheck":
                return runner.again.recheck(job)
            case "suspect":
                self.log.info("rewrite.doubted", rewrite=job.rewrite_id, role=job.role, sqlstate=job.sqlstate)
                return runner.again.examine(job)
            case _:
                return runner.optimise(job)

    def _reconsider(self, runner: JobRunner, store: Store) -> None:
        """Look at one retired rewrite again, if one is due."""
        # one at a time, so that slow queries do not wait behind old ones
        rewrite = due(store, runner.again.may_reconsider)
        if rewrite is None:
            return
        restored = runner.again.reconsider(rewrite)
        if restored is not None:
            self.log.info(
                "rewrite.restored", rewrite=restored.id, state=restored.state.value, reason=restored.reason
            )

    def _tell_broken(self, database: str, fact: RowFact, reason: str) -> None:
        self.log.warning("fact.not_relied_on", database=database, fact=str(fact), reason=reason)

    def _remember_rewrite(self, store: Store, job: Job, found: Rewrite) -> None:
        missing = missing_for(found.proposal, frozenset(self.config.verify.accept))
        self._remember(store, job, "rewritten", rewrite_text(found, missing))

    def _remember(self, store: Store, job: Job, status: QueryStatus, reason: str) -> None:
        from rewright.wiring.reporting import normalized, template_key

        with contextlib.suppress(StoreError):
            # a text's template, without its literals
            store.queries.set_status(
                job.database, template_key(job.database, normalized(job.text)), status, reason
            )
