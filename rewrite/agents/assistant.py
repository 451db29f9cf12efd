"""The Verification state (S2): the assistant (QUITE §5.2, the hybrid corrector).

Syntax and result signature by the server's own Parse and Describe, with at most K_max repairs by a model from
the server's message; then the checker; a model's refuted candidate may be corrected from its counterexample,
again and again within a time budget of its own. What is not shown to be the same query is dropped. Must not
know how candidates were found or what they gain.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from rewright.models.api import Model, ModelError, Request, Usage, complaint
from rewright.models.prompts import ErrorText, Instruction, Part, SqlText, messages
from rewright.models.redact import Redactor
from rewright.models.typed import ask
from rewright.rewrite.agents.guard import Guard, NamesGuard
from rewright.rewrite.agents.memory import Example, Memory, VerdictNote
from rewright.rewrite.agents.runs import Runs
from rewright.rewrite.agents.samples import Alike, alike
from rewright.rewrite.machine.states import NOT_FASTER, Fallen, Verified, Verify
from rewright.rewrite.model import (
    TRUST,
    Candidate,
    Checked,
    Deadline,
    Evidence,
    Settings,
    Step,
    canonical,
    digest,
)
from rewright.rewrite.ports import (
    Checker,
    Database,
    DatabaseError,
    Derives,
    NoDerivations,
    NoProver,
    Prover,
    ResultColumn,
)

_REFUTED_WITH = "refuted: it goes on from, or is the same as, a candidate that was refuted"
_SYSTEM = (
    "You correct PostgreSQL queries. A query was rewritten to be faster; it must give exactly what the "
    "original gives:"
    " the same rows with duplicates and NULLs, the same column names, types and order. Change as little as "
    "possible."
)
_REPAIR = "The rewrite does not pass the server. Reply with the corrected rewrite."
_CORRECT = (
    "The rewrite is not equivalent: on a small database the two queries gave different results, shown "
    "above. Reply with"
    " a corrected rewrite that is faster than the original, or with an empty sql when there is none."
)
# how many get the patient check when the short one has shown nothing of any
_PATIENT = 2
# times a candidate's seconds: beyond that another one has nothing to offer
_ABOUT_AS_FAST = 1.15
# seconds of a quick proof
_QUICK = 1.0
# the share of the time left that a round may take when another one follows
_EARLY = 0.5
# seconds for a counterexample to what is proved, even when the time is up
_LAST_LOOK = 0.5


@dataclass(frozen=True, slots=True)
class Correction:
    """What the assistant's model is asked for."""

    sql: str
    what_was_wrong: str = ""


@dataclass(frozen=True, slots=True)
class _Refusal:
    sqlstate: str
    message: str


@dataclass(frozen=True, slots=True)
class _Refuted:
    candidate: Candidate
    evidence: Evidence


@dataclass(slots=True)
class Assistant:
    """The verification agent of one run. ``model`` and ``redactor`` are None without a model."""

    sql: str
    database: Database
    checker: Checker
    memory: Memory
    settings: Settings
    model: Model | None = None
    redactor: Redactor | None = None
    scope: str = ""
    runs: Runs | None = None
    prover: Prover = field(default_factory=NoProver)
    derivations: Derives = field(default_factory=NoDerivations)
    guard: Guard = field(default_factory=NamesGuard)
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    first_passed: float | None = None  # time.monotonic()
    _signature: tuple[ResultColumn, ...] | None = None
    # seconds that are left for corrections in this round
    _correcting: float = 0.0
    _refuted: set[str] = field(default_factory=set)

    def act(self, command: Verify, deadline: Deadline) -> Verified:
        """The candidates that are equivalent to the original, in their order, and complaints about the
        others.

        Where runs are allowed, the rules' candidates are run once before: those that are not faster are not
        checked at all, and the fastest is checked first. Every candidate first gets the short check, which
        settles what is easy to prove or to refute. The patient check is for the candidate that Decision
        chooses (`confirm`); it follows here only if nothing has passed.
        """
        self.usage, self.notes = Usage(), []
        self._correcting = self.settings.correction_seconds
        if not (command.last or self.settings.single_pass):
            # the next round looks further: a stubborn proof here must not take all the time
            deadline = deadline.within(deadline.left() * _EARLY)
        worth, idle = command.candidates, list[Candidate]()
        if self.runs is not None:
            worth, idle = self._sifted(worth, deadline)
        for candidate in worth:
            if candidate.via:
                self.derivations.remember(candidate.sql, candidate.via)
        worth = self._provable_first(worth, deadline)
        like = alike(worth, self.prover, deadline.within(deadline.left() * self.settings.looking))
        worth = like.ordered(worth)
        # what is left of the time is shared with Decision
        enough = deadline.within(deadline.left() * 0.6)
        waiting = dict(enumerate(worth))
        passed: dict[int, Checked] = {}
        complaints: dict[int, str] = {}
        for seconds, most in zip(self._patience(), (len(waiting), _PATIENT), strict=True):
            for number, candidate in list(waiting.items())[:most]:
                if deadline.passed or (passed and enough.passed) or self._suffice(passed.values(), candidate):
                    complaints.setdefault(number, "not checked for lack of time or need")
                    continue
                if self._hopeless(candidate, like):
                    complaints[number] = _REFUTED_WITH
                    del waiting[number]
                    continue
                result = self._verify(candidate, seconds, deadline)
                if isinstance(result, str):
                    complaints[number] = result
                    del waiting[number]
                elif result.evidence.level in TRUST:
                    passed[number] = result
                    waiting[number] = result.candidate
                    self._lead(like.others(candidate), candidate, result)
                    self.first_passed = self.first_passed or time.monotonic()
                else:
                    complaints[number] = f"unknown: {result.evidence.reason}"
                    waiting[number] = result.candidate
                    self.memory.remember(VerdictNote(result.candidate.sql, "unknown"))
            if passed:
                break
        fallen = [Fallen(worth[n], complaints[n]) for n in sorted(complaints) if n not in passed]
        fallen += [self._no_faster(candidate) for candidate in idle]
        told = tuple(one.complaint for one in fallen)
        checked = tuple(passed[n] for n in sorted(passed))
        return Verified(checked, told, tuple(fallen), tuple(self.notes))

    def _hopeless(self, candidate: Candidate, like: Alike) -> bool:
        """Whether a candidate was derived from a refuted text, or is proved to be equivalent to one. It would
        be refuted for the same reason.
        """
        texts = (*candidate.via, *(one.sql for one in like.others(candidate)))
        return any(digest(canonical(text)) in self._refuted for text in texts)

    def _lead(self, others: Iterable[Candidate], candidate: Candidate, result: Checked) -> None:
        """Remember that candidates which are equivalent to a proved one can be proved by way of it."""
        if result.evidence.level == "proved" and result.candidate.key() == candidate.key():
            for one in others:
                self.derivations.remember(one.sql, (*self.derivations.via(candidate.sql), candidate.sql))

    def _provable_first(self, worth: tuple[Candidate, ...], deadline: Deadline) -> tuple[Candidate, ...]:
        """Move the first candidate that is proved quickly to the front, if possible one whose proof leaves
        nothing open. A candidate without a quick proof takes all the time of its check. Only candidates of
        rules are tried.
        """
        looking = deadline.within(deadline.left() * self.settings.looking)
        found: int | None = None
        for number, candidate in enumerate(worth):
            if looking.passed:
                break
            seconds = min(_QUICK, looking.left())
            proof = (
                self.prover.prove(self.sql, candidate.sql, seconds) if candidate.source == "rules" else None
            )
            if proof is None:
                continue
            if proof.counts_as(self.settings.accept) == "proved":
                found = number
                break
            found = number if found is None else found
        if found is None:
            return worth
        return (worth[found], *worth[:found], *worth[found + 1 :])

    def _no_faster(self, candidate: Candidate) -> Fallen:
        """The complaint about a candidate that was run and was no faster, or that has the original's plan."""
        assert self.runs is not None
        return Fallen(
            candidate,
            f"{_last(candidate)}: {NOT_FASTER}",
            self.runs.as_slow_as_the_original(candidate),
            self.runs.estimated(candidate),
        )

    def _sifted(
        self, candidates: Sequence[Candidate], deadline: Deadline
    ) -> tuple[tuple[Candidate, ...], list[Candidate]]:
        """The candidates that are worth a check, and the others. The guard looks at each before it is run."""
        assert self.runs is not None
        safe = [c for c in candidates if c.source != "rules" or self._complaint(c) is None]
        worth, idle = self.runs.sift(safe, deadline)
        return (*worth, *(c for c in candidates if c not in safe)), idle

    def confirm(self, checked: Checked, deadline: Deadline) -> Checked | None:
        """Check the chosen candidate once more; None means that it was refuted. If it was proved, a
        counterexample is looked for; if it passed the short check without a proof, it gets the patient check.
        """
        quick, patient = self._patience()
        if checked.evidence.level == "proved":
            return checked if self._stands(checked, max(deadline.left(), _LAST_LOOK)) else None
        # the time that is left is no longer than that of the check it has passed
        if deadline.left() <= quick:
            return checked
        seconds = min(patient, deadline.left())
        evidence = self.checker.check(self.sql, checked.candidate.sql, seconds)
        if evidence.level in TRUST:
            return Checked(checked.candidate, evidence)
        if evidence.level == "refuted":
            self._remember(checked.candidate, evidence)
            return None
        return checked  # the patient check came to no result, so that of the short one stands

    def _stands(self, checked: Checked, seconds: float) -> bool:
        evidence = self.prover.refute(self.sql, checked.candidate.sql, seconds)
        if evidence is not None:
            self._remember(checked.candidate, evidence)
        return evidence is None

    def _patience(self) -> tuple[float, ...]:
        return self.settings.check_seconds / 2, self.settings.check_seconds

    def _servable(self, checked: Checked) -> bool:
        return checked.evidence.meets(self.settings.trust, self.settings.accept)

    def _suffice(self, passed: Iterable[Checked], following: Candidate) -> bool:
        """Whether another candidate need not be checked: there are as many servable ones as would be run, or
        it was slower in its run than a servable one that is proved, or than one of at least two servable
        ones.
        """
        servable = [c for c in passed if self._servable(c)]
        if len(servable) >= self.settings.run_width:
            return True
        if self.runs is None or not self.runs.of(following):
            return False
        took = self.runs.of(following)[-1].seconds
        return any(
            runs
            and took > _ABOUT_AS_FAST * runs[-1].seconds
            and (len(servable) > 1 or c.evidence.counts_as(self.settings.accept) == "proved")
            for c in servable
            for runs in [self.runs.of(c.candidate)]
        )

    def _verify(self, candidate: Candidate, seconds: float, deadline: Deadline) -> Checked | str:
        """Parse, describe and check a candidate. A refuted one is corrected by the model and checked again
        while there is time. Returns a complaint if the candidate is refused in the end.
        """
        seen = {candidate.key()}
        result = self._checked(candidate, seconds, deadline)
        while isinstance(result, _Refuted):
            self._refuted.add(result.candidate.key())
            self._remember(result.candidate, result.evidence)
            began = deadline.clock()
            corrected = self._correct(result.candidate, result.evidence, deadline.within(self._correcting))
            if corrected is None or corrected.key() in seen:
                self._correcting -= deadline.clock() - began
                return f"refuted: {result.evidence.reason or 'a counterexample was found'}"
            seen.add(corrected.key())
            result = self._checked(corrected, seconds, deadline)
            self._correcting -= deadline.clock() - began
        return result

    def _checked(self, candidate: Candidate, seconds: float, deadline: Deadline) -> Checked | _Refuted | str:
        repaired = self._repair(candidate, deadline)
        if isinstance(repaired, str):
            return repaired
        limit = min(seconds, max(0.05, deadline.left()))
        evidence = self.checker.check(self.sql, repaired.sql, limit)
        refuted = evidence.level == "refuted"
        return _Refuted(repaired, evidence) if refuted else Checked(repaired, evidence)

    # ------------------------------------------------------------------ syntax and signature

    def _repair(self, candidate: Candidate, deadline: Deadline) -> Candidate | str:
        """The candidate, repaired by the model if need be, once the server accepts it and its columns are the
        original's; else a complaint.
        """
        refusal: _Refusal | None = None
        for attempt in range(self.settings.repairs + 1):
            refusal = self._refusal(candidate)
            if refusal is None:
                return candidate
            last = attempt == self.settings.repairs or deadline.passed
            fixed = None if last else self._ask_repair(candidate, refusal, deadline)
            if fixed is None:
                break
            candidate = fixed
        assert refusal is not None
        note = VerdictNote(candidate.sql, "unknown", refusal.sqlstate, refusal.message)
        self.memory.remember(note)
        return f"{refusal.sqlstate}: {refusal.message}"

    def _complaint(self, candidate: Candidate) -> str | None:
        """The guard's complaint. Patterns of knowledge units may contain names that the original does not
        have, so their candidates are not trusted as those of our own rules are.
        """
        ours = candidate.source == "rules" and not candidate.units
        return self.guard.complaint(self.sql, candidate.sql, ours=ours)

    def _refusal(self, candidate: Candidate) -> _Refusal | None:
        if (complaint := self._complaint(candidate)) is not None:
            return _Refusal("42601" if complaint.startswith("syntax error") else "0A000", complaint)
        try:
            columns = self.database.describe(candidate.sql)
        except DatabaseError as error:
            return _Refusal(error.sqlstate, error.message)
        return self._compare(columns)

    def _compare(self, columns: Sequence[ResultColumn]) -> _Refusal | None:
        if self._signature is None:
            self._signature = self.database.describe(self.sql)
        if len(columns) != len(self._signature):
            return _Refusal("42601", f"{len(columns)} columns instead of {len(self._signature)}")
        for number, (new, old) in enumerate(zip(columns, self._signature, strict=True), 1):
            if new.name != old.name:
                return _Refusal("42703", f'column {number} must be named "{old.name}", not "{new.name}"')
            if new.type_oid != old.type_oid:
                return _Refusal("42804", f"column {number} must be {old.type_name}, not {new.type_name}")
        return None

    def _ask_repair(self, candidate: Candidate, refusal: _Refusal, deadline: Deadline) -> Candidate | None:
        if candidate.source != "model":
            return None
        parts = (
            SqlText("Rewrite", candidate.sql),
            ErrorText(refusal.sqlstate, refusal.message),
            Instruction(_REPAIR),
        )
        return self._ask(candidate, parts, deadline, "repair")

    # ------------------------------------------------------------------ equivalence

    def _correct(self, candidate: Candidate, evidence: Evidence, deadline: Deadline) -> Candidate | None:
        if candidate.source != "model" or not self.settings.checker_loop:
            return None
        example = Example.of(evidence)
        shown = () if example is None else (example.part(),)
        parts = (SqlText("Rewrite", candidate.sql), *shown, Instruction(_CORRECT))
        return self._ask(candidate, parts, deadline, "correction")

    def _ask(
        self, candidate: Candidate, parts: Sequence[Part], deadline: Deadline, step: str
    ) -> Candidate | None:
        """A new text from the model, or None when there is no model, no time or no answer."""
        if (
            self.model is None
            or self.redactor is None
            or deadline.passed
            or not self.model.available("assistant")
        ):
            return None
        original = SqlText("Original query", self.sql)
        said = messages((original, *parts), self.redactor, system=_SYSTEM)
        request = Request("assistant", said, max_tokens=4000, seconds=deadline.left(), scope=self.scope)
        try:
            reply = ask(self.model, request, Correction)
        except ModelError as error:
            self.usage = self.usage + error.usage
            self.notes.append(complaint("assistant", error))
            return None
        self.usage = self.usage + reply.usage
        sql = self.redactor.restore(reply.value.sql.strip().rstrip(";").strip())
        if not sql:
            return None
        steps = (*candidate.steps, Step(step, candidate.category, reply.value.what_was_wrong[:300]))
        # it stands for itself: its steps led elsewhere
        return replace(candidate, sql=sql, steps=steps, cost=None, via=())

    def _remember(self, candidate: Candidate, evidence: Evidence) -> None:
        self.memory.remember(VerdictNote(candidate.sql, evidence.level, example=Example.of(evidence)))


def _last(candidate: Candidate) -> str:
    return candidate.steps[-1].name if candidate.steps else candidate.source
