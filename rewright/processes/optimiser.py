"""The optimiser process: takes slow queries from the relays, looks for rewrites, watches how they do.

Owns the socket, the bounded queue and the threads. Its crash costs nobody anything but time: the
supervisor starts it again.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import socket
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tqdm import tqdm

from rewright import logs
from rewright.config.model import Config
from rewright.models.api import Model, NoModel
from rewright.processes.channel import Figures, listen, tell
from rewright.processes.jobs import MAX_LINE, Job, decode, redacted
from rewright.processes.memory_trim import tidy
from rewright.processes.warming import warm_up
from rewright.sql.forms import form_key
from rewright.sql.references import Reference
from rewright.store.api import Store
from rewright.store.errors import StoreError
from rewright.store.life import IllegalTransition, State
from rewright.store.outcomes import rewrite_text
from rewright.store.records import Rewrite
from rewright.wiring.budget import RunBudget
from rewright.wiring.doubting import due, retire_doubted
from rewright.wiring.estimating import Estimator
from rewright.wiring.hint_regressions import drop_losing_hints
from rewright.wiring.optimising import Workbench
from rewright.wiring.priority_gate import PriorityGate
from rewright.wiring.proposals import slower_job
from rewright.wiring.references import BrokenReferences
from rewright.wiring.references import due as keys_due
from rewright.wiring.refusals import Cheap, NotAllowed, NotOptimised, NotYet
from rewright.wiring.regression_monitor import doubt_losers, judge, retire_losers, to_compare
from rewright.wiring.scratch import Scratch
from rewright.wiring.served import missing_for
from rewright.wiring.stores import open_configured

# a query for which nothing was found is looked at again after this many seconds
AGAIN_SECONDS = 1800.0
RECHECK_SECONDS = 10.0
# keys of jobs, some 100 bytes each
REMEMBERED = 20_000
WATCH_SECONDS = 2.0
# 0.2 ms instead of Python's 5 ms
SWITCH_SECONDS = 0.0002
# between two looks whether hints are still worth it, while nothing else is to be done
HINTS_SECONDS = 30.0
# after a held query was answered
WIDEN_SECONDS = 2.0
COMPARE_SECONDS = 20.0
# between two looks for rewrites whose foreign keys are to be looked at
LOOK_SECONDS = 30.0
PRUNE_SECONDS = 3600.0


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


class Inbox:
    """Jobs waiting, each once; bounded. Remembers for a while what was looked at."""

    def __init__(self, capacity: int) -> None:
        self.dropped = 0
        self.received = 0
        self._queue: queue.Queue[Job] = queue.Queue(capacity)
        self._seen: OrderedDict[Any, float] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, job: Job) -> None:
        with self._lock:
            self.received += 1
            now = time.monotonic()
            # a suspicion may be right again soon, a slow query hardly
            pause = RECHECK_SECONDS if job.kind in {"recheck", "suspect"} else AGAIN_SECONDS
            key = job.key
            if now - self._seen.get(key, -pause) < pause:
                return
            try:
                self._queue.put_nowait(job)
            except queue.Full:
                # full: the query comes again, if it is slow
                self.dropped += 1
                return
            self._seen[key] = now
            self._trim()

    def claim(self, job: Job) -> bool:
        """Whether nobody looks, or looked lately, at a held query; from now on somebody does.

        What was looked at in the short time that it could be held may still be looked at as a slow one.
        """
        with self._lock:
            now = time.monotonic()
            # a budget makes another job of the same query
            held = (*job.key, job.budget)
            for key in (held, ("slow", *job.key[1:])):
                if now - self._seen.get(key, -AGAIN_SECONDS) < AGAIN_SECONDS:
                    return False
            self._seen[held] = now
            self._trim()
            return True

    def release(self, job: Job) -> None:
        """Nothing could be done with it this time."""
        with self._lock:
            self._seen.pop((*job.key, job.budget), None)

    # oldest first
    def _trim(self) -> None:
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)

    def forget(self, text: str) -> None:
        """Look at this text again when it is seen again."""
        with self._lock:
            known = form_key(text)
            for key in [key for key in self._seen if key[3] == known]:
                del self._seen[key]

    def get(self, timeout: float) -> Job | None:
        try:
            return self._queue.get(timeout=timeout)
        except queue.Empty:
            return None

    def size(self) -> int:
        return self._queue.qsize()


class _Optimiser:
    def __init__(self, config: Config, job_path: str, pipe: Connection) -> None:
        self.config = config
        self.pipe = pipe
        self.inbox = Inbox(config.optimiser.queue)
        self.log: Any = logs.logger()
        self.scratch = Scratch(
            config.verify.scratch, lambda why: self.log.warning("scratch.failed", reason=why)
        )
        self.budget = RunBudget(config.optimiser.max_runs_per_hour)
        self.outcomes: dict[str, int] = {"found": 0, "nothing": 0, "failed": 0}
        self.path = job_path
        self.estimator = Estimator()
        # one at a time: it is as much work as any job
        # EXPLAIN (REWRITE) by several people would run several searches beside the jobs
        self.explaining = threading.Lock()
        # as many held queries are worked on at a time as there are workers for slow ones; the others wait
        # their budget
        self.widening = threading.Lock()
        self.priority_gate = PriorityGate()
        self.broken = BrokenReferences(self._tell_broken)
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
                        target=self._compare, args=(store,), name="regression-monitor", daemon=True
                    )
                )
            threads.append(threading.Thread(target=self._look, args=(store,), name="facts", daemon=True))
            threads.append(threading.Thread(target=self._warm_up, name="warm-up", daemon=True))
            for thread in threads:
                thread.start()
            try:
                self._watch(store)
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
            connection, _ = listener.accept()
            reader = threading.Thread(
                target=self._read, args=(connection, store), name="inbox-reader", daemon=True
            )
            reader.start()

    def _read(self, connection: socket.socket, store: Store) -> None:
        with connection, connection.makefile("rb") as lines:
            # MAX_LINE bounds what a sender makes us hold; a longer line does not decode
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
            bench = self._bench(store, model)
            standing = bench.standing(job)
            # what was found since the client's query came
            if standing is not None:
                return standing, False
            if not self.inbox.claim(job):
                raise NotOptimised("it is, or lately was, looked at")
            # jobs in the background make way between their steps
            with self.priority_gate.first():
                return self._one(bench, store, job), True
        except (NotOptimised, StoreError) as error:
            why = redacted(error, job)
            self.log.info("optimiser.nothing", database=job.database, role=job.role, reason=why)
            return None, False
        except Exception as error:
            self.log.warning("optimiser.failed", exc_info=error)
            return None, False
        finally:
            self.holding.release()

    def _bench(self, store: Store, model: Model | None = None) -> Workbench:
        return Workbench(
            self.config,
            store,
            self.budget,
            self.scratch,
            model or NoModel(),
            self.estimator,
            self.priority_gate,
            self.broken,
            self.failing,
        )

    def _widen(self, kept: Rewrite, job: Job, store: Store) -> None:
        """What there was no time for while the client waited; one at a time, and not when the next query may
        be on its way.
        """
        with self.widening:
            _stop.wait(WIDEN_SECONDS)
            try:
                wider = self._bench(store).widening.widen(kept, job)
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
                bench = self._bench(store, make_model(self.config))
                answer: dict[str, Any] = {"outcome": bench.explain(job)}
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
        from rewright.wiring.modelling import make_model

        bench = self._bench(store, make_model(self.config))
        looked = time.monotonic()
        while not _stop.is_set():
            job = self.inbox.get(0.5)
            if job is not None:
                self._one(bench, store, job)
                tidy()
            elif time.monotonic() - looked > HINTS_SECONDS:
                looked = time.monotonic()
                # hints are measured only while nothing else is to be done
                with contextlib.suppress(NotOptimised, StoreError):
                    bench.again.measure_hints()
                with contextlib.suppress(NotOptimised, StoreError, IllegalTransition):
                    self._reconsider(bench, store)

    def _one(self, bench: Workbench, store: Store, job: Job) -> Rewrite | None:
        """The rewrite that was kept; whatever happens is remembered, counted and logged."""
        began = time.monotonic()
        log = self.log.bind(database=job.database, role=job.role)
        try:
            kept = self._done(bench, job)
        # not slow any more: no news
        except Cheap as reason:
            log.debug("optimiser.cheap", reason=redacted(reason, job))
        except NotYet as reason:
            # it may be done a little later: not remembered as seen
            self.inbox.release(job)
            why = redacted(reason, job)
            log.info("optimiser.nothing", reason=why, seconds=round(time.monotonic() - began, 2))
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
            if kept is not None and kept.state is State.RETIRED:
                # it may be found again when the query is slow again
                self.inbox.forget(kept.proposal.original)
                log.info("rewrite.retired", rewrite=kept.id, reason=kept.reason)
            elif kept is not None:
                self.outcomes["found"] += 1
                missing = missing_for(kept.proposal, frozenset(self.config.verify.accept))
                self._remember(store, job, "rewritten", rewrite_text(kept, missing))
                log.info(
                    "optimiser.found",
                    rewrite=kept.id,
                    state=kept.state.value,
                    verdict=kept.proposal.level.value,
                    seconds=round(time.monotonic() - began, 2),
                )
            return kept
        return None

    def _done(self, bench: Workbench, job: Job) -> Rewrite | None:
        match job.kind:
            case "recheck":
                return bench.again.recheck(job)
            case "suspect":
                self.log.info("rewrite.doubted", rewrite=job.rewrite_id, role=job.role, sqlstate=job.sqlstate)
                return bench.again.examine(job)
            case _:
                return bench.optimise(job)

    def _reconsider(self, bench: Workbench, store: Store) -> None:
        """Look at one retired rewrite again, if one is due."""
        rewrite = due(store, bench.again.may_reconsider)
        if rewrite is None:
            return
        restored = bench.again.reconsider(rewrite)
        if restored is not None:
            self.log.info(
                "rewrite.restored", rewrite=restored.id, state=restored.state.value, reason=restored.reason
            )

    def _compare(self, store: Store) -> None:
        """Measure originals of what is served again, now and then, on our own connection."""
        bench = self._bench(store)
        tried: dict[int, float] = {}
        while not _stop.wait(COMPARE_SECONDS):
            try:
                rewrite = to_compare(store, time.time(), tried)
                if rewrite is None:
                    continue
                tried[rewrite.id] = time.time()
                lost = judge(store, rewrite, bench.again.compare(rewrite))
                if lost is not None:
                    self.log.info("rewrite.retired", rewrite=lost.id, reason=lost.reason)
            except (StoreError, NotOptimised) as error:
                self.log.info("optimiser.compare_failed", reason=str(error))
            # one failure must not end the thread that compares
            except Exception as error:
                self.log.warning("optimiser.compare_failed", exc_info=error)

    def _look(self, store: Store) -> None:
        """Look again at the rows under what is served."""
        bench = self._bench(store)
        while not _stop.is_set():
            try:
                rewrites = store.rewrites.servable()
                for rewrite in keys_due(store, rewrites, time.time()):
                    self._look_at(bench, rewrite)
            except StoreError as error:
                self.log.info("store.failed", reason=str(error))
            _stop.wait(LOOK_SECONDS)

    def _look_at(self, bench: Workbench, rewrite: Rewrite) -> None:
        try:
            lost = bench.again.look_again(rewrite)
            if lost is not None:
                self.inbox.forget(lost.proposal.original)
                self.log.warning("rewrite.retired", rewrite=lost.id, reason=lost.reason)
        except NotOptimised as error:
            self.log.info("foreign_key.not_looked_at", rewrite=rewrite.id, reason=str(error))
        except IllegalTransition:
            return  # a person was faster
        except StoreError as error:
            self.log.info("store.failed", reason=str(error))
        except Exception as error:
            self.log.warning("optimiser.failed", exc_info=error)

    def _tell_broken(self, database: str, key: Reference, reason: str) -> None:
        self.log.warning("foreign_key.not_relied_on", database=database, key=str(key), reason=reason)

    def _remember(self, store: Store, job: Job, status: str, reason: str) -> None:
        from rewright.wiring.reporting import normalized, template_key

        with contextlib.suppress(StoreError):
            # a text's template, without its literals
            store.queries.set_status(
                job.database, template_key(job.database, normalized(job.text)), status, reason
            )

    # -- watching

    def _watch(self, store: Store) -> None:
        pruned = 0.0
        while not _stop.wait(WATCH_SECONDS):
            with contextlib.suppress(StoreError):
                # losers by what was measured, and by what clients reported
                for rewrite in (*retire_losers(store), *retire_doubted(store)):
                    self.log.info("rewrite.retired", rewrite=rewrite.id, reason=rewrite.reason)
                for rewrite, role in doubt_losers(store):
                    self.inbox.put(slower_job(rewrite, role))
                for rewrite, _ in drop_losing_hints(store):
                    self.log.info("rewrite.retired", rewrite=rewrite.id, reason=rewrite.reason)
                if time.monotonic() - pruned > PRUNE_SECONDS:
                    store.prune()
                    pruned = time.monotonic()
            self._tell(store)

    # figures go by the pipe, not by the store: they are wanted without it, too
    def _tell(self, store: Store) -> None:
        values: dict[Any, float] = {
            ("optimiser_jobs_received_total", ()): self.inbox.received,
            ("optimiser_jobs_dropped_total", ()): self.inbox.dropped,
            ("optimiser_jobs_waiting", ()): self.inbox.size(),
        }
        for outcome, count in self.outcomes.items():
            values["optimiser_jobs_total", (("outcome", outcome),)] = count
        with contextlib.suppress(StoreError):
            for state, count in store.rewrites.counts().items():
                values["rewrites", (("state", state.value),)] = count
        tell(self.pipe, Figures(values))
