"""The Decision state (S3): decides whether a verified candidate is better and another round worth its time.

Weighs candidates by EXPLAIN and, where `[optimiser] measure` allows, by running them: the replacement alone,
stopped at the original's observed time, or both. A gain of 10 % is needed; an estimate never overrules a
measurement. Several candidates are run, the best two again in turn. A model may be asked whether to go on,
never whether to accept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from rewright.models.api import Model, ModelError, Request, Usage
from rewright.models.prompts import Instruction, messages
from rewright.models.redact import Redactor
from rewright.models.typed import ask
from rewright.rewrite.agents.estimates import ESTIMATED, Estimates
from rewright.rewrite.agents.memory import BOUNDS, KnowledgeNote, Memory, ReportNote
from rewright.rewrite.agents.report import remarks, report, same_plan
from rewright.rewrite.agents.runs import Runs
from rewright.rewrite.machine.states import Decide, Decided
from rewright.rewrite.model import Checked, Deadline, Explained, Settings, Step, Timed, Weighed
from rewright.rewrite.ports import Database, DatabaseError, Gating, Knowledge, NoGates
from rewright.rewrite.weighing import TICK, as_good, standing

_SYSTEM = (
    "You decide whether looking for a still faster equivalent of a PostgreSQL query is worth another attempt."
)
_QUESTION = (
    "Given the plans and figures above: is there a substantial cost left that another rewrite could remove? "
    "Reply with"
    " go_on true or false, and why in one sentence."
)
# below this ratio of times a gain is far above what a busy machine does to a run
_CLEAR_OF_NOISE = 0.6
# so much faster than the best servable one that its evidence is worth another look
_MUCH_FASTER = 0.7
# the share of the time left that patient checks may take before a model has been asked
_ASKING = 0.5
# patient checks of one round: each takes seconds, and the third best seldom wins
_LOOKS = 3
# reservations that a look at the rows may answer (`rewright.equivalence.gates`)
_FAILING = frozenset({"errors", "overflow"})
_LOOKS_FIRST = Step(
    "look-first", "predicate", "the rows are looked at first, for values that would make it fail"
)
UNITS = BOUNDS["knowledge"]
_CLEAR = 0.1  # a ratio that needs no third run


@dataclass(frozen=True, slots=True)
class Opinion:
    go_on: bool
    why: str = ""


@dataclass(slots=True)
class _Contender:
    checked: Checked
    explained: Explained | None
    runs: list[Timed]

    @property
    def cost(self) -> float:
        return self.explained.cost if self.explained else float("inf")

    @property
    def seconds(self) -> float | None:
        return median(r.seconds for r in self._counted) if self.runs else None

    @property
    def cpu(self) -> float | None:
        known = [r.cpu for r in self._counted if r.cpu is not None]
        # processor time of some runs alone would be compared with wall time of all
        return median(known) if known and len(known) == len(self._counted) else None

    @property
    def stopped(self) -> bool:
        """Whether at least half of its runs were stopped before they ended."""
        return bool(self.runs) and 2 * sum(r.stopped for r in self.runs) >= len(self.runs)

    @property
    def _counted(self) -> list[Timed]:
        # stopped runs only say "at least": they count where there are no others
        return [r for r in self.runs if not r.stopped] or self.runs


@dataclass(slots=True)
class Decision:
    """The decision agent of one run. ``runs`` holds the runs that verification has made already. ``confirm``
    checks the chosen candidate patiently; it returns None where the candidate is refuted.
    """

    sql: str
    before: Explained | None
    runs: Runs
    database: Database
    knowledge: Knowledge
    memory: Memory
    settings: Settings
    model: Model | None = None
    redactor: Redactor | None = None
    scope: str = ""
    confirm: Callable[[Checked, Deadline], Checked | None] | None = None
    gates: Gating = field(default_factory=NoGates)
    usage: Usage = field(default_factory=Usage)
    # keys of candidates that were tried behind a look at the rows
    _looked_first: set[str] = field(default_factory=set)

    def act(self, command: Decide, deadline: Deadline) -> Decided:
        self.usage = Usage()
        if not command.checked:
            # nothing was verified: another round makes sense only with advice from the knowledge base
            advice = self._advice()
            return Decided((), None, satisfied=not advice, advice=advice)
        contenders = self._contenders(command.checked)
        if self.runs.allowed:
            self._race(contenders, deadline)
        contenders = [c for c in contenders if not self._differs(c)]
        weighed = tuple(self._weigh(c) for c in contenders)
        confirming = self._confirming(weighed, deadline, last=command.last)
        # a patient check seldom shows that what might fail does not: a look at the rows comes first
        weighed += self._behind_a_gate(weighed, confirming)
        weighed, best = self._confirmed(weighed, confirming)
        if found := self._behind_a_gate(weighed, confirming):
            weighed, best = self._confirmed(weighed + found, confirming)
        for one in weighed:
            self._remember(one, contenders)
        satisfied, ask = self._satisfied(best, deadline)
        advice = () if satisfied else self._advice()
        servable = best is not None and self._servable(best.checked)
        return Decided(weighed, best, satisfied, advice, ask, servable)

    def _confirming(self, weighed: Sequence[Weighed], deadline: Deadline, *, last: bool) -> Deadline:
        """How long patient checks may take. Where nothing that may be served gains, a model that can still be
        asked has its share of the time left: what a patient check does not prove in half of it, it seldom
        proves in all.
        """
        asked = self.model is not None and self.model.available("reasoning")
        served = any(self._servable(w.checked) and self._gains(w, weighed) for w in weighed)
        return deadline if last or served or not asked else deadline.within(deadline.left() * _ASKING)

    # ------------------------------------------------------------------ measuring

    def _contenders(self, checked: Sequence[Checked]) -> list[_Contender]:
        """The candidates in the order in which they are run: servable ones first, each group by estimated
        cost. The first candidate whose gain estimates cannot show is moved to second place.
        """
        found = [_Contender(c, self._explain(c.candidate.sql), self.runs.of(c.candidate)) for c in checked]
        # the same plan is the same work: any difference would be noise
        found = [c for c in found if self.before is None or not same_plan(self.before, c.explained)]
        found.sort(key=lambda c: (not self._servable(c.checked), c.cost))
        # a blind rule's candidate has no price that could put it first: it gets the second run in any case
        blind = [c for c in found if c.checked.candidate.cost is None]
        if blind and found[:1] != blind[:1]:
            found.remove(blind[0])
            found.insert(1, blind[0])
        return found

    def _differs(self, contender: _Contender) -> bool:
        """Whether the runs of the original and of the candidate returned different rows. Either the checker
        was wrong, or a table was written to in between; the candidate is dropped in both cases.
        """
        ours, theirs = ({r.digest for r in runs if r.digest} for runs in (self.runs.original, contender.runs))
        # proved modulo an order that is free: two digests may differ with nothing wrong
        free = set(contender.checked.evidence.modulo) & {"tie-order", "float-order"}
        # no digest of either (stopped runs) says nothing
        return bool(ours and theirs and not free and ours != theirs)

    def _explain(self, sql: str) -> Explained | None:
        if self.settings.measure == "off":
            # without measuring, not even the plan is asked for: candidates are proposed as they come
            return None
        try:
            return self.database.explain(sql)
        except DatabaseError:
            return None

    def _race(self, contenders: Sequence[_Contender], deadline: Deadline) -> None:
        """Run each candidate under a growing limit, then the best two again, in turn with the original where
        that is allowed.
        """
        runs = self.runs
        if not runs.original:
            runs.run_original(deadline)
        # the original was not run here and was seen by nobody: there is nothing to be faster than
        limit = runs.limit()
        if limit is None:
            return
        racing = contenders[: self.settings.run_width]
        # one that may only be proposed, however fast, is no reason to stop one that may be served
        runs.race([c.checked.candidate for c in racing if self._servable(c.checked)], limit, deadline)
        runs.race([c.checked.candidate for c in racing], limit, deadline)
        leaders = sorted(
            (c for c in contenders if c.seconds is not None and not c.stopped), key=lambda c: c.seconds or 0.0
        )[:2]
        for _ in range(self.settings.repeats - 1):
            # the original has no run here but an observed time: it is run beside the leader, under the same
            # load
            if leaders and not runs.lost:
                runs.run_rival(leaders[0].checked.candidate, deadline)
                limit = runs.limit() or limit
            # a clear winner needs no further run of the slow original
            if all((c.seconds or 0.0) <= _CLEAR * limit and len(c.runs) > 1 for c in leaders):
                break
            runs.run_original(deadline)
            for contender in leaders:
                runs.run(contender.checked.candidate, limit, deadline)

    # ------------------------------------------------------------------ judging

    def _weigh(self, contender: _Contender) -> Weighed:
        before = self.runs.seconds_before()
        # a run that was stopped shows no gain, however early it was stopped
        after = before if contender.stopped else contender.seconds
        ran = after is not None and before is not None
        believed = ran or self._believed(contender)
        weighed = Weighed(
            checked=contender.checked,
            cost_before=self.before.cost if self.before else None,
            cost_after=contender.explained.cost if contender.explained else None,
            seconds_before=before if ran else None,
            seconds_after=after if ran else None,
            runs=len(contender.runs),
            cpu_after=contender.cpu,
            believed=believed,
        )
        document = report(
            self.before,
            contender.explained,
            seconds=(before, after),
            stopped=ran and self.runs.original_stopped,
            other=remarks(contender.checked.candidate.steps, weighed),
        )
        return replace(weighed, report=document)

    def _believed(self, contender: _Contender) -> bool:
        """Whether estimates are all that is known, and may be believed."""
        if self.before is None or contender.explained is None:
            # measuring is off: whoever asked for that takes the proposal as it is
            return True
        estimates = Estimates(self.sql, self.database, ESTIMATED * self.settings.gain)
        return estimates.believed(contender.checked.candidate, self.before, contender.explained)

    def _confirmed(
        self, weighed: tuple[Weighed, ...], deadline: Deadline
    ) -> tuple[tuple[Weighed, ...], Weighed | None]:
        """The best candidate that passes the patient check; refuted ones are dropped. Much faster candidates
        whose evidence is too weak to be served are checked first, because the patient check may prove what
        the short one could not.
        """
        looked: set[str] = set()
        for much_faster in self._promising(weighed):
            weighed = self._look(weighed, much_faster, looked, deadline)
        while (best := self._best(weighed)) is not None:
            # the best was looked at patiently already: it stands
            following = best if best.checked.candidate.key() not in looked else None
            if following is None and not self._servable(best.checked):
                # this one can only be proposed: look for one that can be proved and served
                following = self._next(weighed, looked)
            elif following is None and self._reserved(best):
                # it leaves something open: one that is as good may not, when it is looked at
                following = self._next([w for w in weighed if as_good(w, best)], looked)
            # the best itself always gets its look before it is chosen, however many there were
            if following is None or (len(looked) >= _LOOKS and following is not best):
                return weighed, best
            weighed = self._look(weighed, following, looked, deadline)
        return weighed, None

    def _behind_a_gate(self, weighed: Sequence[Weighed], deadline: Deadline) -> tuple[Weighed, ...]:
        """The best of the candidates that are not served since they might fail elsewhere, as a text that
        looks at the rows first; none where that is not proved, was tried before, or is no faster than what is
        served.
        """
        good = [w for w in weighed if self._gains(w, weighed)]
        served = min((w.ratio or 1.0 for w in good if self._servable(w.checked)), default=None)
        first = min((w for w in good if self._might_fail(w.checked)), key=self._rank, default=None)
        if first is None or (served is not None and (first.ratio or 1.0) > _MUCH_FASTER * served):
            return ()
        if first.checked.candidate.key() in self._looked_first:
            return ()
        self._looked_first.add(first.checked.candidate.key())
        found = self._gated(first.checked, deadline)
        if found is None:
            return ()
        contender = _Contender(found, self._explain(found.candidate.sql), self.runs.of(found.candidate))
        limit = self.runs.limit() if self.runs.allowed else None
        for _ in range(max(self.settings.repeats - 1, 1) if limit is not None else 0):
            self.runs.run(found.candidate, limit or 0.0, deadline)
        return () if self._differs(contender) else (self._weigh(contender),)

    def _might_fail(self, checked: Checked) -> bool:
        """Whether that it may fail is all that keeps a proved candidate from being served."""
        evidence = checked.evidence
        left = set(evidence.reserved(self.settings.accept))
        return evidence.level == "proved" and bool(left) and left <= _FAILING and not self._servable(checked)

    def _gated(self, checked: Checked, deadline: Deadline) -> Checked | None:
        candidate = checked.candidate
        seconds = min(deadline.left(), self.settings.check_seconds)
        found = None if seconds <= 0 else self.gates.gate(self.sql, candidate.sql, seconds)
        if found is None:
            return None
        text, evidence = found
        gated = Checked(replace(candidate, sql=text, steps=(*candidate.steps, _LOOKS_FIRST)), evidence)
        return gated if self._servable(gated) else None

    def _next(self, weighed: Sequence[Weighed], looked: set[str]) -> Weighed | None:
        good = [w for w in weighed if self._gains(w, weighed) and w.checked.candidate.key() not in looked]
        return min(good, key=self._rank, default=None)

    # candidates that may only be proposed now, but would beat the servable ones by far if proved
    def _promising(self, weighed: Sequence[Weighed]) -> list[Weighed]:
        good = [w for w in weighed if self._gains(w, weighed)]
        servable = min((w.ratio or 1.0 for w in good if self._servable(w.checked)), default=None)
        others = [w for w in good if not self._servable(w.checked)]
        if servable is None or not others:
            # nothing servable gains: the loop that follows looks at the best anyway
            return []
        others.sort(key=lambda w: w.ratio or 1.0)
        return [w for w in others if (w.ratio or 1.0) < _MUCH_FASTER * servable][:2]

    def _look(
        self, weighed: tuple[Weighed, ...], one: Weighed, looked: set[str], deadline: Deadline
    ) -> tuple[Weighed, ...]:
        """``weighed`` with the evidence that the patient check of ``one`` gave, or without ``one`` if it was
        refuted.
        """
        looked.add(one.checked.candidate.key())
        checked = one.checked if self.confirm is None else self.confirm(one.checked, deadline)
        if checked is None:
            return tuple(w for w in weighed if w is not one)
        return tuple(replace(w, checked=checked) if w is one else w for w in weighed)

    def _best(self, weighed: Sequence[Weighed]) -> Weighed | None:
        """The best candidate that gains enough, or None. Servable candidates come before those that may only
        be proposed, and measured ones before estimated ones. Among those that are about as fast as the
        fastest, the one with the strongest evidence wins.
        """
        good = [w for w in weighed if self._gains(w, weighed)]
        if not good:
            return None
        first = min(good, key=self._rank)
        # the same standing and kind of evidence about time: only the ratio may differ
        close = [w for w in good if self._rank(w)[:2] == self._rank(first)[:2]]
        close = [w for w in close if as_good(w, first)]
        accept = self.settings.accept
        return min(close, key=lambda w: (standing(w.checked.evidence, accept), self._rank(w)))

    def _rank(self, one: Weighed) -> tuple[bool, bool, float]:
        return not self._servable(one.checked), not one.measured, 1.0 if one.ratio is None else one.ratio

    def _gains(self, one: Weighed, weighed: Sequence[Weighed]) -> bool:
        # with decision off (settings) every verified candidate counts as a gain
        if not self.settings.decision:
            return True
        if not one.measured and any(w.measured for w in weighed):
            return False  # others were run; this one was not worth a run, or failed in it
        ratio = one.ratio
        if ratio is None or ratio > 1.0 - self.settings.gain:
            return False
        return not self._doubtful(one, ratio) if one.measured else one.believed

    def _doubtful(self, one: Weighed, ratio: float) -> bool:
        """Whether a gain in wall time is doubtful because the server's processor time does not show it: it
        may be noise of a busy machine, or the same work spread over more processes. A gain that is far above
        noise is doubted only if the candidate takes more processor time than the original. A gain of a few
        milliseconds is never above noise.
        """
        before = self.runs.cpu_before()
        if before is None or one.cpu_after is None:
            # no processor time known (a remote server): the wall clock is believed
            return False
        saved = (one.seconds_before or 0.0) - (one.seconds_after or 0.0)
        # far above noise: doubted only for clearly more work, by a tenth and by more than a tick
        if ratio <= _CLEAR_OF_NOISE and saved >= TICK:
            return one.cpu_after > max(1.1 * before, before + 0.02)
        return one.cpu_after > 0.95 * before

    def _reserved(self, one: Weighed) -> bool:
        return one.checked.evidence.counts_as(self.settings.accept) != "proved"

    def _servable(self, checked: Checked) -> bool:
        return checked.evidence.meets(self.settings.trust, self.settings.accept)

    def _satisfied(self, best: Weighed | None, deadline: Deadline) -> tuple[bool, bool]:
        """Whether to stop; if not, whether a model may be asked for the next round. A servable result of the
        rules does not wait for a model, unless what it gains is so little that a busy machine could make it.
        """
        # one pass, no say, or no time: whatever was found is the end
        if self.settings.single_pass or not self.settings.decision or deadline.passed:
            return True, False
        # nothing to serve: another round, and a model may be asked
        if best is None or not self._servable(best.checked):
            return False, True
        # fast enough that another round could not save much
        if best.ratio is not None and best.ratio <= self.settings.enough:
            return True, False
        # rules go on by themselves in the next round; a model is not paid to wait for
        if best.checked.candidate.source == "rules":
            return False, best.ratio is not None and best.ratio > _CLEAR_OF_NOISE
        again = self._opinion(deadline).go_on
        return not again, again

    def _opinion(self, deadline: Deadline) -> Opinion:
        if self.model is None or self.redactor is None or not self.model.available("decision"):
            return Opinion(True)
        parts = (*self.memory.parts("decision"), Instruction(_QUESTION))
        said = messages(parts, self.redactor, system=_SYSTEM)
        request = Request(
            "decision", said, max_tokens=300, seconds=min(30.0, deadline.left()), scope=self.scope
        )
        try:
            reply = ask(self.model, request, Opinion)
        except ModelError as error:
            self.usage = self.usage + error.usage
            return Opinion(True)
        self.usage = self.usage + reply.usage
        return reply.value

    # ------------------------------------------------------------------ remembering

    def _remember(self, one: Weighed, contenders: Sequence[_Contender]) -> None:
        same = one.checked.candidate
        explained = next((c.explained for c in contenders if c.checked.candidate == same), None)
        costs = one.cost_before, one.cost_after
        # a cost of 0 (a constant result) must not divide
        cost_ratio = costs[1] / max(costs[0], 1e-9) if costs[0] is not None and costs[1] is not None else None
        self.memory.remember(
            ReportNote(
                same.sql,
                cost_ratio,
                one.ratio if one.measured else None,
                explained,
                one.checked.evidence.counts_as(self.settings.accept),
                one.checked.evidence.modulo,
                same,
            )
        )

    def _advice(self) -> tuple[str, ...]:
        if not self.settings.knowledge:
            return ()
        units = self.knowledge.search(self.sql, UNITS, self.before.plan if self.before else None)
        for unit in units:
            self.memory.remember(KnowledgeNote(unit))
        return tuple(unit.title for unit in units)
