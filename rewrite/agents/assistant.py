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
from rewright.rewrite.agents.estimates import ESTIMATED
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
from rewright.rewrite.weighing import about_as_fast

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
# the share of a verified candidate's estimated cost below which another is worth a check, where neither ran
_FAR_CHEAPER = 0.5
# seconds of a quick proof of each step, first of all candidates and then once more: what is proved at once
# does not wait for what is not
_QUICK = (0.3, 1.0)
# of the fastest, the second time: a check without a proof takes longer and says less
_LONG = 2.0
# times as long may be looked for quick proofs of the fastest, and beside a candidate that is proved
_BESIDE = 2.0
# the share of the time left that a round may take when another one follows
_EARLY = 0.5
# the share of the time left in which the first candidates are looked at while others are searched for
_WHILE_SEARCHING = 0.1
_NO_NEED = "not checked for lack of time or need"
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
class _Review:
    """What has become of the candidates of one round, by their keys.

    ``proofs``: quick ones; ``repaired``: the text that the server accepts; ``settled``: those that no further
    check is made of.
    """

    passed: dict[str, Checked] = field(default_factory=dict)
    complaints: dict[str, str] = field(default_factory=dict)
    proofs: dict[str, Evidence] = field(default_factory=dict)
    repaired: dict[str, Candidate] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)

    def settle(self, candidate: Candidate, complaint: str) -> None:
        self.complaints[candidate.key()] = complaint
        self.settled.add(candidate.key())

    def proved_first(self, worth: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """Those with a quick proof before the others: their checks cost next to nothing."""
        return tuple(sorted(worth, key=lambda c: c.key() not in self.proofs))


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
    _stood_back: tuple[Candidate, ...] = ()
    _refuted: set[str] = field(default_factory=set)
    # seconds of the last check of a text
    _given: dict[str, float] = field(default_factory=dict)
    # of candidates that were looked at before the search had ended
    _begun: _Review = field(default_factory=_Review)

    def look_early(self, candidates: Sequence[Candidate], deadline: Deadline) -> None:
        """Run the first candidates and prove one, if that is quick, before the search goes on: most that gain
        do so by one step, and what is verified stays so however the search ends.
        """
        if self.runs is None or not self.runs.allowed:
            return
        # a tenth of what is left: the search itself goes on after it
        looking = deadline.within(deadline.left() * _WHILE_SEARCHING)
        worth, _ = self._sifted(candidates, looking)
        # what has not come to its end in a run is not known to gain
        ran = [c for c in worth if any(not run.stopped for run in self.runs.of(c))]
        self._prove_quickly(ran, self._begun, looking, looking)

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
        review, self._begun = self._begun, _Review()
        for candidate in worth:
            if candidate.via:
                # by which steps a candidate was found: each may be proved by itself
                self.derivations.remember(candidate.sql, candidate.via)
        # a model is asked where rules have gained nothing: its proofs do not wait for more runs of theirs
        self._look([c for c in worth if c.source == "model"], review, deadline)
        self._run_proved(review, deadline)
        if self.runs is not None:
            worth, idle = self._sifted(worth, deadline)
        self._look([c for c in worth if c.source == "rules"], review, deadline)
        like = alike(worth, self.prover, deadline.within(deadline.left() * self.settings.looking))
        worth = like.ordered(review.proved_first(worth))
        self._check_all(worth, review, like, deadline)
        open_ones = [c for c in worth if c.key() in review.complaints and c.key() not in review.passed]
        self._stood_back = tuple(c for c in open_ones if review.complaints[c.key()] == _NO_NEED)
        fallen = [Fallen(c, review.complaints[c.key()]) for c in open_ones]
        fallen += [self._no_faster(candidate) for candidate in idle]
        told = tuple(one.complaint for one in fallen)
        keys = dict.fromkeys((*(c.key() for c in worth), *review.passed))
        checked = tuple(review.passed[key] for key in keys if key in review.passed)
        return Verified(checked, told, tuple(fallen), tuple(self.notes))

    def stood_back(self) -> tuple[Candidate, ...]:
        """Candidates of the last round that were not checked for the sake of others, each told once: they
        have their turn where those others gained nothing.
        """
        found, self._stood_back = self._stood_back, ()
        return found

    def _look(self, worth: Sequence[Candidate], review: _Review, deadline: Deadline) -> None:
        """Quick proofs of candidates of one source, in a share of the time that is left."""
        looking = deadline.within(deadline.left() * self.settings.looking)
        longer = deadline.within(deadline.left() * self.settings.looking * _BESIDE)
        self._prove_quickly(worth, review, deadline, looking, longer)

    def _run_proved(self, review: _Review, deadline: Deadline) -> None:
        """Run at once what of a model's candidates is proved and may be served. Checks of the others may take
        the rest of the time, and what has not come to its end in a run gains nothing in Decision.
        """
        if self.runs is None:
            return
        proved = [c.candidate for c in review.passed.values() if self._sure(c) and self._servable(c)]
        self.runs.try_out([c for c in proved if c.source == "model"], deadline)

    def _prove_quickly(
        self,
        worth: Sequence[Candidate],
        review: _Review,
        deadline: Deadline,
        looking: Deadline,
        longer: Deadline | None = None,
    ) -> None:
        """Look for quick proofs, each candidate briefly before any gets longer, and check what has one at
        once where it may be served: the first verified candidate does not wait for the proofs of others.

        After one that is proved without reservations only those are tried that ran faster than it, or are
        estimated far below it; of these a check without a proof would say less, so that they may take
        ``longer``. So may the first few, which ran fastest: of what is not proved here, they are what is
        checked next.
        """
        ours = self._stops_first(worth)
        for again, seconds in enumerate(_QUICK):
            for place, candidate in enumerate(ours):
                sure = any(map(self._sure, review.passed.values()))
                # beside a proved candidate a longer look costs nobody the first answer
                until = longer if longer is not None and (sure or (again and place < _PATIENT)) else looking
                if until.passed:
                    break
                # slower than what is proved: a proof would not be served
                if candidate.key() in review.proofs or not self._faster(candidate, review.passed.values()):
                    continue
                patient = again and until is longer and (place == 0 or self._nearly(candidate, review))
                most = _LONG if patient else seconds
                proof = self.prover.prove(self.sql, candidate.sql, min(most, until.left()))
                if proof is None:
                    continue
                review.proofs[candidate.key()] = proof
                # what may be served is checked at once, before others are proved
                if proof.meets(self.settings.trust, self.settings.accept):
                    self._check(candidate, self._patience()[0], review, Alike(), deadline)

    def _nearly(self, candidate: Candidate, review: _Review) -> bool:
        """Whether of a model's way to a candidate the last step alone is not proved. Models go a short way,
        and mostly for the sake of its end.
        """
        proved = {c.candidate.sql for c in review.passed.values() if self._sure(c)}
        return candidate.source == "model" and bool(proved & {*candidate.via[-1:]})

    def _stops_first(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Each after those that lie on the way to it: their steps are proved for its sake anyway, and may be
        all that is proved in time.
        """
        by_text = {c.sql: c for c in candidates}
        ordered = (
            by_text[sql]
            for c in candidates
            for sql in (*self.derivations.via(c.sql), c.sql)
            if sql in by_text
        )
        return list(dict.fromkeys(ordered))

    def _check_all(
        self, worth: Sequence[Candidate], review: _Review, like: Alike, deadline: Deadline
    ) -> None:
        """The short check of every candidate, and the patient one of a few where nothing has passed."""
        # what is left of the time is shared with Decision
        enough = deadline.within(deadline.left() * 0.6)
        for seconds, most in zip(self._patience(), (len(worth), _PATIENT), strict=True):
            # in the second round only the first few: the patient check takes seconds each
            for candidate in [c for c in worth if c.key() not in review.settled][:most]:
                passed, proved = review.passed.values(), candidate.key() in review.proofs
                suffice = self._suffice(passed, candidate, proved=proved)
                # one that has passed lets the others wait, when more than half of the time is gone
                if deadline.passed or suffice or (passed and enough.passed):
                    review.complaints.setdefault(candidate.key(), _NO_NEED)
                # derived from what is refuted, it would fail on the same rows
                elif self._hopeless(candidate, like):
                    review.settle(candidate, _REFUTED_WITH)
                else:
                    # beside one that has passed, a check does not take the time that Decision needs
                    until = enough if review.passed else deadline
                    self._check(candidate, seconds, review, like, until)
            if review.passed:
                break

    def _check(
        self, candidate: Candidate, seconds: float, review: _Review, like: Alike, deadline: Deadline
    ) -> None:
        key = candidate.key()
        result = self._verify(review.repaired.get(key, candidate), seconds, deadline)
        if isinstance(result, str):
            review.settle(candidate, result)
            return
        # the text that the server accepts is what the patient check looks at
        review.repaired[key] = result.candidate
        if result.evidence.level in TRUST:
            review.passed[key] = result
            review.settled.add(key)
            self._lead(like.others(candidate), candidate, result)
            self.first_passed = self.first_passed or time.monotonic()
        else:
            review.complaints[key] = f"unknown: {result.evidence.reason}"
            self.memory.remember(VerdictNote(result.candidate.sql, "unknown"))

    def _hopeless(self, candidate: Candidate, like: Alike) -> bool:
        """Whether a candidate was derived from a refuted text, or is proved to be equivalent to one. It would
        be refuted for the same reason.
        """
        texts = (*candidate.via, *(one.sql for one in like.others(candidate)))
        return any(digest(canonical(text)) in self._refuted for text in texts)

    def _lead(self, others: Iterable[Candidate], candidate: Candidate, result: Checked) -> None:
        """Remember that candidates which are equivalent to a proved one can be proved by way of it."""
        # a repaired candidate is another text than the one that was proved to be like others
        if result.evidence.level == "proved" and result.candidate.key() == candidate.key():
            for one in others:
                self.derivations.remember(one.sql, (*self.derivations.via(candidate.sql), candidate.sql))

    def _faster(self, candidate: Candidate, passed: Iterable[Checked]) -> bool:
        """Whether a candidate ran clearly faster than all that are proved without reservations, or is
        estimated far below those where nothing ran.
        """
        proved = [c for c in passed if self._sure(c) and not self._far_below(candidate, c.candidate)]
        took = self._took(candidate)
        if not proved or took is None:
            return not proved
        others = [self._took(c.candidate) for c in proved]
        # one that did not run is not known to be slower
        return all(other is not None and _ABOUT_AS_FAST * took < other for other in others)

    def _far_below(self, candidate: Candidate, other: Candidate) -> bool:
        """Whether estimates, where they are all that is known of both, put a candidate far below another, or
        show a gain that the other one lacks: what is proved first may be a small or a blind step.
        """
        if self.runs is None or self._took(candidate) or self._took(other):
            return False
        share, theirs = self.runs.estimated(candidate), self.runs.estimated(other)
        needed = 1.0 - ESTIMATED * self.settings.gain
        if share is None or share > needed:
            return False
        return theirs is None or theirs > needed or share < _FAR_CHEAPER * theirs

    def _sure(self, checked: Checked) -> bool:
        """Whether it is proved without a reservation that is not accepted."""
        return checked.evidence.counts_as(self.settings.accept) == "proved"

    def _took(self, candidate: Candidate) -> float | None:
        """Seconds of its last run, None where it was not run."""
        runs = self.runs.of(candidate) if self.runs is not None else []
        return runs[-1].seconds if runs else None

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
        # what the guard refuses keeps its place: the check says what is wrong with it
        return (*worth, *(c for c in candidates if c not in safe)), idle

    def confirm(self, checked: Checked, deadline: Deadline) -> Checked | None:
        """Check the chosen candidate once more; None means that it was refuted. If it was proved, a
        counterexample is looked for; if it passed the short check without a proof, it gets the patient check.
        """
        if checked.evidence.level == "proved":
            if not self._stands(checked, max(deadline.left(), _LAST_LOOK)):
                return None
            return self._with_least(checked, deadline)
        # the time that is left is no longer than that of the check it has passed
        if deadline.left() <= self._given.get(checked.candidate.key(), 0.0):
            return checked
        seconds = min(self._patience()[1], deadline.left())
        evidence = self.checker.check(self.sql, checked.candidate.sql, seconds)
        if evidence.level in TRUST:
            return Checked(checked.candidate, evidence)
        if evidence.level == "refuted":
            self._remember(checked.candidate, evidence)
            return None
        return checked  # the patient check came to no result, so that of the short one stands

    def _with_least(self, checked: Checked, deadline: Deadline) -> Checked:
        """What counts as tested for its reservations may have a proof with fewer."""
        evidence = checked.evidence
        if deadline.passed or evidence.counts_as(self.settings.accept) == "proved":
            return checked
        least = self.prover.least(self.sql, checked.candidate.sql, evidence, deadline.left())
        return Checked(checked.candidate, least)

    def _stands(self, checked: Checked, seconds: float) -> bool:
        evidence = self.prover.refute(self.sql, checked.candidate.sql, seconds)
        if evidence is not None:
            self._remember(checked.candidate, evidence)
        return evidence is None

    # half of the time first, so that each candidate has its turn
    def _patience(self) -> tuple[float, ...]:
        return self.settings.check_seconds / 2, self.settings.check_seconds

    def _servable(self, checked: Checked) -> bool:
        return checked.evidence.meets(self.settings.trust, self.settings.accept)

    def _suffice(self, passed: Iterable[Checked], following: Candidate, *, proved: bool) -> bool:
        """Whether another candidate need not be checked: there are as many servable ones as would be run, or
        it was slower in its run than one of at least two servable ones, or no faster than one that is proved,
        beside which weaker evidence would not be chosen. ``proved``: it has a quick proof, so that its check
        costs little.
        """
        servable = [c for c in passed if self._servable(c) and not self._far_below(following, c.candidate)]
        took = self._took(following)
        if took is None:
            return len(servable) >= self.settings.run_width
        before = None if self.runs is None else self.runs.seconds_before()
        # a run that is not known counts as no slower
        seconds = [self._took(c.candidate) or took for c in servable]
        # those that are slower are no reason not to look at this one, however many
        if sum(about_as_fast(other, took, before) for other in seconds) >= self.settings.run_width:
            return True
        # what has a proof is looked at where it is nearly as good, too: its evidence may be the stronger
        slower = [
            c
            for c, other in zip(servable, seconds, strict=True)
            if took > _ABOUT_AS_FAST * other and not (proved and about_as_fast(took, other, before))
        ]
        # one servable candidate may still be refuted in the end; two, or a proved one, are enough
        if slower and (len(servable) > 1 or any(map(self._sure, slower))):
            return True
        return not proved and not self._faster(following, servable)

    def _verify(self, candidate: Candidate, seconds: float, deadline: Deadline) -> Checked | str:
        """Parse, describe and check a candidate. A refuted one is corrected by the model and checked again
        while there is time. Returns a complaint if the candidate is refused in the end.
        """
        seen = {candidate.key()}
        result = self._checked(candidate, seconds, deadline)
        # the loop ends: the model repeats itself, has no answer, or its seconds are spent
        while isinstance(result, _Refuted):
            self._refuted.add(result.candidate.key())
            self._remember(result.candidate, result.evidence)
            began = deadline.clock()
            corrected = self._correct(result.candidate, result.evidence, deadline.within(self._correcting))
            # the model gave a text that was refuted before
            if corrected is None or corrected.key() in seen:
                # correcting has a budget for the whole round, whichever candidate spends it
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
        self._given[repaired.key()] = limit
        evidence = self.checker.check(self.sql, repaired.sql, limit)
        if evidence.level == "refuted":
            return _Refuted(repaired, evidence)
        # proved with a reservation that is not accepted: another proof may do without it
        if evidence.level == "proved" and not self._servable(Checked(repaired, evidence)):
            evidence = self.prover.least(self.sql, repaired.sql, evidence, max(0.05, deadline.left()))
        return Checked(repaired, evidence)

    # ------------------------------------------------------------------ syntax and signature

    def _repair(self, candidate: Candidate, deadline: Deadline) -> Candidate | str:
        """The candidate, repaired by the model if need be, once the server accepts it and its columns are the
        original's; else a complaint.
        """
        refusal: _Refusal | None = None
        # the first look is free, each repair is one call
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
        # syntax is what a model can repair; what the guard refuses otherwise it should not try again
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
            # a client reads columns by name, or by number: both must stay
            if new.name != old.name:
                return _Refusal("42703", f'column {number} must be named "{old.name}", not "{new.name}"')
            if new.type_oid != old.type_oid:
                return _Refusal("42804", f"column {number} must be {old.type_name}, not {new.type_name}")
        return None

    def _ask_repair(self, candidate: Candidate, refusal: _Refusal, deadline: Deadline) -> Candidate | None:
        # our own rules' texts are printed by us: what the server refuses there is a bug, and no call for a
        # model
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
        # without the loop (settings) a refuted text is dropped at once
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
        # models end statements with a semicolon, or answer with blanks
        sql = self.redactor.restore(reply.value.sql.strip().rstrip(";").strip())
        # an empty sql says that there is no correction
        if not sql:
            return None
        steps = (*candidate.steps, Step(step, candidate.category, reply.value.what_was_wrong[:300]))
        # it stands for itself: its steps led elsewhere
        return replace(candidate, sql=sql, steps=steps, cost=None, via=())

    def _remember(self, candidate: Candidate, evidence: Evidence) -> None:
        self.memory.remember(VerdictNote(candidate.sql, evidence.level, example=Example.of(evidence)))


def _last(candidate: Candidate) -> str:
    return candidate.steps[-1].name if candidate.steps else candidate.source
