"""Many pairs from a file of JSON lines, in parallel processes, whatever happens to any of them.

Owns the workers, their deadlines, resuming, and the one line written for each line read. Must not know how a
verdict is made.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import multiprocessing.connection
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import psycopg

from rewright import interrupts
from rewright.engines.postgres.cpu import cpu_seconds
from rewright.equivalence.api import Checker
from rewright.equivalence.certificates import NoCertificate
from rewright.equivalence.options import Options
from rewright.equivalence.pair_lines import Pair, finished
from rewright.equivalence.refuter.server import AddressLike, SharedServer
from rewright.equivalence.verdicts import Proved, Stamp, Unknown, to_json

# schemas (scratch databases) a worker keeps open
_KEPT = 3
_CERTIFICATE = "certificate"
# pairs a worker judges before a new one takes its place, so that nothing piles up
_PAIRS_A_WORKER = 400
# beyond its time a pair is given this long to come back by itself
_GRACE_SECONDS = 2.0
# a worker that needs so many times its time on the wall is ended, however little of the processor it got
_CEILING = 4.0


def run_batch(
    pairs: Iterable[Pair],
    out: Path,
    address: AddressLike,
    *,
    jobs: int = 2,
    timeout: float = 10.0,
    options: Options | None = None,
    progress: Callable[[int], object] = lambda _: None,
    certificates: Path | None = None,
) -> Counter[str]:
    """Judge every pair that ``out`` does not have yet; append a line each, and for a proof one to
    ``certificates``. Returns verdicts counted.
    """
    done = finished(out)
    waiting: deque[Pair] = deque()
    for pair in pairs:
        key = json.dumps(pair.id)
        if done[key]:
            done[key] -= 1
            progress(1)
        else:
            waiting.append(pair)
    share = 0.85 if certificates is None else 0.6  # what is left is for the certificate
    options = replace(options or Options(), seconds=share * timeout, certificates=certificates is not None)
    counts: Counter[str] = Counter()
    with out.open("a", encoding="utf-8") as file, _appended(certificates) as proofs:
        pool = _Pool(address, options, min(jobs, max(1, len(waiting))), timeout)
        try:
            for pair, document in pool.work(waiting):
                proof = document.pop(_CERTIFICATE, None)
                if proofs is not None and proof is not None:
                    _write(proofs, pair, {_CERTIFICATE: proof})
                _write(file, pair, document)
                counts[document["verdict"]] += 1
                progress(1)
        finally:
            pool.close()
    return counts


def _appended(path: Path | None) -> AbstractContextManager[TextIO | None]:
    return contextlib.nullcontext() if path is None else path.open("a", encoding="utf-8")


def _write(file: TextIO, pair: Pair, document: dict[str, Any]) -> None:
    file.write(json.dumps({"id": pair.id} | document) + "\n")
    file.flush()


def _unknown(reason: str, seconds: float = 0.0) -> dict[str, Any]:
    return to_json(Unknown(reason, stamp=Stamp(seconds=seconds)))


class _Worker:
    """One process, what it works on, and until when."""

    def __init__(self, address: AddressLike, options: Options) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, address, options), daemon=True)
        with interrupts.held_back():
            self.process.start()
        theirs.close()
        self.pair: Pair | None = None
        self.schema_key = ""
        self.started = self.worked = 0.0
        self.fresh = True
        self.pairs = 0

    def give(self, pair: Pair) -> None:
        self.pair, self.schema_key, self.started = pair, pair.schema_key, time.monotonic()
        self.worked = self.cpu() or 0.0
        self.pairs += 1
        self.pipe.send(pair)

    def cpu(self) -> float | None:
        """Seconds that it has been on a processor; None where nobody tells."""
        return cpu_seconds(self.process.pid or 0)

    def is_late(self, limit: float) -> bool:
        """Whether its pair has had ``limit`` seconds of work, or several times that on the wall: what others
        do on the machine decides no verdict.
        """
        wall, worked = time.monotonic() - self.started, self.cpu()
        if worked is None:
            return wall > limit
        return worked - self.worked > limit or wall > _CEILING * limit

    def end(self) -> None:
        """Let it clear up and go; it has nothing to do."""
        self.pipe.close()
        self.process.join(_GRACE_SECONDS)
        self.process.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


class _Pool:
    def __init__(self, address: AddressLike, options: Options, jobs: int, timeout: float) -> None:
        self.address, self.options, self.timeout = address, options, timeout
        self.workers = [_Worker(address, options) for _ in range(jobs)]

    def close(self) -> None:
        for worker in self.workers:
            self._end(worker)

    def work(self, waiting: deque[Pair]) -> Iterator[tuple[Pair, dict[str, Any]]]:
        """Every pair with its document, in the order they are done."""
        while waiting or any(worker.pair for worker in self.workers):
            for worker in list(self.workers):
                if worker.pair is None and waiting:
                    if worker.pairs >= _PAIRS_A_WORKER:
                        number = self.workers.index(worker)
                        worker.end()
                        worker = self.workers[number] = _Worker(self.address, self.options)
                    pair = _next_for(worker, waiting)
                    if pair.problem:
                        yield pair, _unknown(pair.problem)
                    else:
                        worker.give(pair)
            yield from self._collect()

    def _collect(self) -> Iterator[tuple[Pair, dict[str, Any]]]:
        busy = {worker.pipe: number for number, worker in enumerate(self.workers) if worker.pair}
        if not busy:
            return
        ready = multiprocessing.connection.wait(list(busy), timeout=0.25)
        for pipe, number in busy.items():
            worker = self.workers[number]
            assert worker.pair is not None
            seconds = time.monotonic() - worker.started
            if pipe in ready:
                pair, worker.pair, worker.fresh = worker.pair, None, False
                try:
                    yield pair, pipe.recv()
                except (EOFError, OSError):
                    yield pair, _unknown("the worker died", seconds)
                    self._replace(number)
            # a fresh worker is also importing
            elif worker.is_late(self.timeout + _GRACE_SECONDS + (10.0 if worker.fresh else 0.0)):
                yield worker.pair, _unknown("timeout", seconds)
                self._replace(number)

    def _replace(self, number: int) -> None:
        self._end(self.workers[number])
        self.workers[number] = _Worker(self.address, self.options)

    def _end(self, worker: _Worker) -> None:
        worker.kill()
        # a server that others use keeps nothing of who could not clear up
        with contextlib.suppress(psycopg.Error):
            SharedServer(self.address).drop_databases_of(worker.process.pid or 0)


def _next_for(worker: _Worker, waiting: deque[Pair]) -> Pair:
    """A pair over the schema the worker has at hand, if there is one near the front."""
    for place in range(min(len(waiting), 200)):
        if waiting[place].schema_key == worker.schema_key:
            pair = waiting[place]
            del waiting[place]
            return pair
    return waiting.popleft()


def _serve(pipe: Any, address: AddressLike, options: Options) -> None:
    """The worker: pairs in, documents out, until the pipe closes. Ctrl-C is for who started it."""
    interrupts.ignore()
    server = SharedServer(address)
    checkers: OrderedDict[str, Checker] = OrderedDict()
    while True:
        try:
            pair = pipe.recv()
        except (EOFError, OSError):
            for checker in checkers.values():
                checker.close()
            return
        started = time.monotonic()
        try:
            document = _judged(_checker(checkers, pair, server, options), pair, options)
        except Exception as error:  # noqa: BLE001 - one pair must not end the others
            checkers.pop(pair.schema_key, None)
            document = _unknown(
                f"internal error: {type(error).__name__}: {error}", time.monotonic() - started
            )
        if document["verdict"] == "unknown" and document["seconds"] >= options.seconds:
            document["reason"] = f"timeout: {document['reason']}"
        pipe.send(document)


def _judged(checker: Checker, pair: Pair, options: Options) -> dict[str, Any]:
    """The document on a pair, with the certificate of a proof where certificates are asked for."""
    verdict = checker.check(pair.q1, pair.q2)
    document = to_json(verdict)
    if options.certificates and isinstance(verdict, Proved):
        with contextlib.suppress(NoCertificate):
            document[_CERTIFICATE] = checker.certificate(verdict, pair.q1, pair.q2, options.seconds / 2)
    return document


def _checker(
    checkers: OrderedDict[str, Checker], pair: Pair, server: SharedServer, options: Options
) -> Checker:
    found = checkers.pop(pair.schema_key, None)
    if found is None:
        found = Checker(scratch=server, options=options, schema_sql=pair.schema_sql)
    checkers[pair.schema_key] = found
    while len(checkers) > _KEPT:
        checkers.popitem(last=False)[1].close()
    return found
