"""Runs the original and the candidates of one query, each within its limit, and keeps their times for
the whole job.

Owns when a run is stopped and what runs say of a candidate before anybody has checked it: one that is not
faster need not be proved. Must not know verdicts or reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from rewright.rewrite.agents.report import same_plan
from rewright.rewrite.agents.rungs import SLACK, beside, ladder, shortened, varied
from rewright.rewrite.model import Candidate, Deadline, Explained, Settings, Timed
from rewright.rewrite.ports import Database, DatabaseError

# a run that was stopped after this share of what it was allowed had all of it
_NEARLY = 0.9
# the share of the time left that goes into first runs, and then into more of them where none has gained
_SHARE = 0.35
_LONGER = 0.5
# seconds of the original up to which one run of a candidate says too little against it
_BRIEF = 0.05
# what one run each does not tell apart: times the fastest, or so many seconds (of a short query a share)
_ALIKE = 1.3
_NOISE, _LITTLE = 0.003, 0.1


@dataclass(slots=True)
class Runs:
    """``observed``: seconds the original was seen to run elsewhere; None when nobody has seen it run.
    ``original``: its own runs here, up to the limit on runs; ``rival``: those that were stopped as soon as it
    had lost against a candidate.
    """

    sql: str
    before: Explained | None
    observed: float | None
    database: Database
    settings: Settings
    original: list[Timed] = field(default_factory=list)
    rival: list[Timed] = field(default_factory=list)
    _of: dict[str, list[Timed]] = field(default_factory=dict)
    _costs: dict[str, float] = field(default_factory=dict)

    @property
    def allowed(self) -> bool:
        return self.settings.measure in {"run", "both"}

    def of(self, candidate: Candidate) -> list[Timed]:
        return self._of.setdefault(candidate.key(), [])

    def seconds_before(self) -> float | None:
        """What it takes where we run it; else what others saw, who may have seen it on a busy server."""
        here = self.original or [r for r in self.rival if not r.stopped]
        return median(r.seconds for r in here) if here else self.observed

    @property
    def original_stopped(self) -> bool:
        """Whether what it takes is a lower bound: it came to its end in fewer than half of its runs here."""
        return bool(self.original) and 2 * sum(run.stopped for run in self.original) >= len(self.original)

    def as_slow_as_the_original(self, candidate: Candidate) -> bool:
        """A run that was stopped earlier, for another candidate's sake, does not say so."""
        runs, before = self.of(candidate), self.seconds_before()
        return bool(runs) and before is not None and runs[-1].seconds >= before

    def estimated(self, candidate: Candidate) -> float | None:
        """Its estimated cost as a share of the original's, where both are known."""
        cost = self._costs.get(candidate.key(), candidate.cost)
        if cost is None or self.before is None or not self.before.cost:
            return None
        return cost / self.before.cost

    def limit(self) -> float | None:
        """The time at which a replacement is stopped: where it has become no better than the original."""
        before = self.seconds_before()
        return None if before is None else min(before, self.settings.run_timeout)

    def run_original(self, deadline: Deadline) -> None:
        """At most ``repeats`` times, and not again where it was stopped or would eat
        the time of the others.
        """
        runs = self.original
        if self.settings.measure != "both" or len(runs) >= self.settings.repeats or deadline.passed:
            return
        if runs and (runs[-1].stopped or runs[-1].seconds > deadline.left() / 4):
            return
        if self.observed is not None and self.observed >= self.settings.run_timeout:
            return  # it would be stopped, and say nothing that is not known
        limit = min(self.settings.run_timeout, deadline.left() / 2)
        if (timed := self._measure(self.sql, limit)) is not None:
            runs.append(timed)

    def run(self, candidate: Candidate, limit: float, deadline: Deadline) -> bool:
        """One run, kept if it says something; False where the server refuses the text."""
        if deadline.passed:
            return True
        allowed = min(limit, deadline.left())
        try:
            timed = self.database.measure(candidate.sql, allowed)
        except DatabaseError as error:
            return error.passing
        # stopped for lack of our own time says nothing about the candidate
        if not (timed.stopped and allowed < limit):
            self._keep(self.of(candidate), _stopped_at(timed, allowed))
        return True

    def _run_fairly(self, candidate: Candidate, allowed: float, limit: float, deadline: Deadline) -> bool:
        """One run, or two where the first says no good of a candidate beside a query so short that what a
        text costs when it is new to the server (pages and catalogs read, the busy machine) is as much.
        """
        if not self.run(candidate, allowed, deadline):
            return False
        if limit > _BRIEF or not self.of(candidate) or self._gains(candidate, limit):
            return True
        return self.run(candidate, allowed, deadline)

    @staticmethod
    def _keep(runs: list[Timed], timed: Timed) -> None:
        """A run that was stopped on a lower rung is worth nothing beside one that went further."""
        runs[:] = [r for r in runs if not r.stopped or (timed.stopped and r.seconds >= timed.seconds)]
        runs.append(timed)

    @property
    def lost(self) -> bool:
        """Whether the original was stopped the last time that it ran beside a candidate."""
        return bool(self.rival) and self.rival[-1].stopped

    def cpu_before(self) -> float | None:
        """Seconds of processors that the original takes, where a run of it here came to its end."""
        known = [r.cpu for r in (*self.original, *self.rival) if r.cpu is not None and not r.stopped]
        return median(known) if known else None

    def run_rival(self, candidate: Candidate, deadline: Deadline) -> None:
        """Run the original beside ``candidate``, under the same load, and stop it as soon as it has lost.

        Where it has no run of its own here: what was seen of it elsewhere was seen under another load.
        """
        runs = [max(r.seconds, r.cpu or 0.0) for r in self.of(candidate) if not r.stopped]
        if not self.allowed or self.original or not runs or deadline.passed:
            return
        # the least time at which the candidate has its gain, and a tick for noise
        limit = median(runs) / (1.0 - self.settings.gain) + SLACK
        allowed = min(limit, self.settings.run_timeout, deadline.left())
        timed = self._measure(self.sql, allowed)
        if timed is not None and not (timed.stopped and allowed < limit):
            self.rival.append(_stopped_at(timed, allowed))

    def wants_run(self, candidate: Candidate, limit: float) -> bool:
        """Not run yet, or stopped for another's sake before ``limit``."""
        runs = self.of(candidate)
        return not runs or (runs[-1].stopped and runs[-1].seconds < limit)

    def race(self, candidates: Sequence[Candidate], limit: float, deadline: Deadline) -> set[str]:
        """Run them under limits that grow up to ``limit``, or to the time of one that is known to be faster
        already, until another is faster, and fall to it from then on. Keys of those that the server refuses.
        """
        finished = [self.of(c)[-1].seconds for c in candidates if self.of(c) and self._gains(c, limit)]
        best = known = min(finished, default=limit)
        refused: set[str] = set()
        waiting = sum(self.wants_run(c, limit) for c in candidates)
        scarce = waiting * limit > deadline.left()
        standing = varied(candidates) if scarce else list(candidates)
        # that one gains a half says nothing of others: short runs of all come first, where they are shorter
        scarce = scarce and (not finished or shortened(beside(best, limit)))
        for longest in ladder(beside(best, limit), scarce=scarce):
            for candidate in standing:
                if deadline.passed:
                    return refused
                allowed = beside(best, longest)
                if not self.wants_run(candidate, allowed):
                    continue
                if not self._run_fairly(candidate, allowed, limit, deadline):
                    refused.add(candidate.key())
                elif self.of(candidate) and self._gains(candidate, limit):
                    best = min(best, self.of(candidate)[-1].seconds)
            if best < known:
                break
            standing = varied([c for c in standing if c.key() not in refused and self.wants_run(c, limit)])
        return refused

    def try_out(self, candidates: Sequence[Candidate], deadline: Deadline) -> None:
        """Run them against each other in the share of the time that first runs have, where it is known what
        the original takes.
        """
        if not self.allowed or not candidates:
            return
        self.run_original(deadline)
        if (limit := self.limit()) is not None:
            self.race(candidates, limit, deadline.within(deadline.left() * _SHARE))

    def sift(
        self, candidates: Sequence[Candidate], deadline: Deadline
    ) -> tuple[list[Candidate], list[Candidate]]:
        """Those worth a check, the fastest and simplest first, and those that are not: they have the
        original's plan, or are no faster.

        What was stopped for a faster one's sake comes last. A model's candidates are checked before they are
        run.
        """
        limit = self.limit()
        if not self.allowed or (limit is None and self.settings.measure != "both"):
            return list(candidates), []
        self.run_original(deadline)
        limit = self.limit()
        if limit is None:
            return list(candidates), []
        share = deadline.within(deadline.left() * _SHARE)
        ours = [c for c in candidates if c.source == "rules"]
        same = {c.key() for c in ours if not share.passed and self._same_plan(c)}
        useless = same | self.race([c for c in ours if c.key() not in same], limit, share)
        left = [c for c in ours if c.key() not in useless and self.wants_run(c, limit)]
        if left and not any(self.of(c) and self._gains(c, limit) for c in ours):
            # a proof of one that is not known to gain is most likely one of the wrong one
            useless |= self.race(left, limit, deadline.within(deadline.left() * _LONGER))
        gained, outrun, unknown, dropped = (list[Candidate]() for _ in range(4))
        for candidate in candidates:
            if candidate.key() in useless:
                dropped.append(candidate)
            elif not self.of(candidate):
                unknown.append(candidate)
            elif self._gains(candidate, limit):
                gained.append(candidate)
            elif self.wants_run(candidate, limit):
                outrun.append(candidate)
            else:
                dropped.append(candidate)
        return [*self._simple_first(gained, limit), *unknown, *outrun], dropped

    def _simple_first(self, gained: Sequence[Candidate], limit: float) -> list[Candidate]:
        """Fastest first; among those that one run each does not tell from the fastest, fewest steps first:
        each step has to be proved, and the last ones often gain nothing but noise.
        """
        took = {c.key(): self.of(c)[-1].seconds for c in gained}
        best = min(took.values(), default=0.0)
        near = max(_ALIKE * best, best + min(_NOISE, _LITTLE * limit))
        alike = [c for c in gained if took[c.key()] <= near]
        alike.sort(key=lambda c: (len(c.steps), took[c.key()]))
        return alike + sorted((c for c in gained if took[c.key()] > near), key=lambda c: took[c.key()])

    def _same_plan(self, candidate: Candidate) -> bool:
        """The same plan is the same work: any difference would be noise."""
        if self.before is None:
            return False
        try:
            planned = self.database.explain(candidate.sql)
        except DatabaseError:
            return False
        self._costs[candidate.key()] = planned.cost
        return same_plan(self.before, planned)

    def _gains(self, candidate: Candidate, limit: float) -> bool:
        """Whether a candidate may still turn out to be better by enough."""
        runs = self.of(candidate)
        # half of the wanted gain: two runs of the same text differ by that
        return not runs[-1].stopped and runs[-1].seconds <= limit * (1.0 - self.settings.gain / 2)

    def _measure(self, sql: str, seconds: float) -> Timed | None:
        try:
            return self.database.measure(sql, seconds)
        except DatabaseError:
            return None


def _stopped_at(timed: Timed, allowed: float) -> Timed:
    """A cancellation may come late: all that is known is that it would have taken more than it was allowed;
    or less, where the server was busier than it seemed.
    """
    if not timed.stopped:
        return timed
    # cut off before its time was up: the server was stretched by others, and its seconds are what they are
    return replace(timed, seconds=allowed if timed.seconds > _NEARLY * allowed else timed.seconds)
