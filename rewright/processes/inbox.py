"""Jobs that wait for the optimiser: each once, and not more than it can do.

Owns what counts as seen lately. Must not know what is done with a job.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import OrderedDict
from typing import Any

from rewright.processes.jobs import Job
from rewright.sql.forms import form_key, shape_key

# a query for which nothing was found is looked at again after this many seconds
AGAIN_SECONDS = 1800.0
RECHECK_SECONDS = 10.0
# texts that differ in literals alone of which so many are looked at in AGAIN_SECONDS: what is found for one
# mostly serves all, and where nothing was found for some there is little hope for others
VARIANTS = 5
# keys of jobs, some 100 bytes each
REMEMBERED = 20_000


class Inbox:
    """Jobs waiting, each once; bounded. Remembers for a while what was looked at."""

    def __init__(self, capacity: int) -> None:
        self.dropped = 0
        self.received = 0
        self._queue: queue.Queue[Job] = queue.Queue(capacity)
        self._seen: OrderedDict[Any, float] = OrderedDict()
        # of each shape: when the first of its texts was taken, and how many were since
        self._variants: OrderedDict[Any, tuple[float, int]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, job: Job) -> None:
        with self._lock:
            self.received += 1
            now = time.monotonic()
            # a suspicion may be right again soon, a slow query hardly
            pause = RECHECK_SECONDS if job.kind in {"recheck", "suspect"} else AGAIN_SECONDS
            key = job.key
            # a thousand texts that differ in a literal are one query
            if now - self._seen.get(key, -pause) < pause or self._is_enough(job, now):
                return
            try:
                self._queue.put_nowait(job)
            except queue.Full:
                # full: the query comes again, if it is slow
                self.dropped += 1
                return
            self._seen[key] = now
            self._count(job, now)
            self._trim()

    def _is_enough(self, job: Job, now: float) -> bool:
        began, count = self._variants.get(job.shape, (now, 0))
        return job.kind == "slow" and now - began < AGAIN_SECONDS and count >= VARIANTS

    def _count(self, job: Job, now: float, one: int = 1) -> None:
        began, count = self._variants.pop(job.shape, (now, 0))
        if now - began >= AGAIN_SECONDS:
            began, count = now, 0
        self._variants[job.shape] = began, max(count + one, 0)

    def claim(self, job: Job) -> bool:
        """Whether nobody looks, or looked lately, at a held query; from now on somebody does.

        What was looked at in the short time that it could be held may still be looked at as a slow one.
        """
        with self._lock:
            now = time.monotonic()
            # a budget makes another job of the same query
            held = (*job.key, job.budget)
            # looked at lately as a slow one, it has had its chance
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
            # what was counted for its shape is taken back, too
            if self._seen.pop(job.key, None) is not None:
                self._count(job, time.monotonic(), -1)

    def found(self, job: Job) -> None:
        """What was found may be for its literals alone: others of its shape are looked at as well."""
        with self._lock:
            self._count(job, time.monotonic(), -1)

    # oldest first
    def _trim(self) -> None:
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        while len(self._variants) > REMEMBERED:
            self._variants.popitem(last=False)

    def forget(self, text: str) -> None:
        """Look at this text again when it is seen again."""
        with self._lock:
            for known, remembered in ((form_key(text), self._seen), (shape_key(text), self._variants)):
                # the fourth of a key is the text's form, whatever the job's kind
                for key in [key for key in remembered if key[3] == known]:
                    del remembered[key]

    def get(self, timeout: float) -> Job | None:
        try:
            return self._queue.get(timeout=timeout)
        except queue.Empty:
            return None

    def size(self) -> int:
        return self._queue.qsize()
