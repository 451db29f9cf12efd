"""The Reasoning state (S1): rules and a model, one pool of candidates.

The deterministic strategy asks the proposer (rules and search); the model strategy, where one is configured,
gives a chain of proposals, the rewrite agent enhances the best, and rules continue from what a model
proposed. All meet in one pool: told apart by canonical text, priced by EXPLAIN, best first. Must not know
verification or Decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from rewright.models.api import Usage
from rewright.rewrite.agents.guard import Guard, NamesGuard
from rewright.rewrite.agents.mdp import ModelStrategy, Thought, by_cost, grouped
from rewright.rewrite.agents.memory import (
    BOUNDS,
    KnowledgeNote,
    Memory,
    Proposal,
    QueryFacts,
    ReportNote,
    VerdictNote,
)
from rewright.rewrite.machine.states import Reason, Reasoned
from rewright.rewrite.model import Candidate, Deadline, Explained, Settings, canonical, digest
from rewright.rewrite.ports import (
    Database,
    DatabaseError,
    Derives,
    Inspector,
    Knowledge,
    NoDerivations,
    NoInspector,
    NoKnowledge,
    Proposer,
    Unit,
)

# a model may propose many, each EXPLAIN takes a round trip
_PRICED_AT_MOST = 40
# the share of the time left that a model has to answer, where rules look further after it
_ANSWERING = 0.6
# the share of the time left in which the original may be executed for its plan
_EXECUTED = 0.25
# units that are looked up for one query
UNITS = BOUNDS["knowledge"]


def _none() -> tuple[Candidate, ...]:
    return ()


def _settled(note: VerdictNote | ReportNote) -> bool:
    """Whether of what the note tells of no other proof is needed or to be had."""
    if isinstance(note, ReportNote):
        return note.level == "proved" and not note.modulo
    return note.level == "refuted"


def _later(found: Sequence[Candidate], deadline: Deadline) -> None:
    """Nobody looks at candidates before the search has ended."""
    del found, deadline


@dataclass(slots=True)
class Reasoning:
    """The agent of one run; remembers which texts were already proposed. ``stood_back``: candidates that
    were not checked for the sake of others. ``early``: looks at the first ones while the search goes on.
    """

    sql: str
    cost: float | None
    database: Database
    proposer: Proposer
    strategy: ModelStrategy | None
    memory: Memory
    settings: Settings
    knowledge: Knowledge = field(default_factory=NoKnowledge)
    inspector: Inspector = field(default_factory=NoInspector)
    derivations: Derives = field(default_factory=NoDerivations)
    guard: Guard = field(default_factory=NamesGuard)
    stood_back: Callable[[], tuple[Candidate, ...]] = _none
    early: Callable[[Sequence[Candidate], Deadline], None] = _later
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    # by key of what was proposed: the ways by which a model came there
    _ways: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    _gone_on: set[str] = field(default_factory=set)
    _looked: bool = False

    def __post_init__(self) -> None:
        # the original itself is no proposal
        self._seen.add(digest(canonical(self.sql)))

    def act(self, command: Reason, deadline: Deadline) -> Reasoned:
        """New candidates, at most ``settings.width``, no text twice in a run but for those that stood back
        for others which gained nothing. A model is asked where rules have nothing, and when what they had
        gained nothing that may be served.
        """
        self.usage, self.notes = Usage(), []
        said: list[Candidate] = []
        if self.strategy is not None and command.ask and command.round > 1:
            self._advice()
            # before the deeper search, which would leave a model no time to answer
            said = self._by_model(self.strategy, deadline.within(deadline.left() * _ANSWERING))
        ranked = self._rank([*self._by_rules(command, deadline), *said])
        if command.round > 1 and self.strategy is not None:
            ranked = self._rank([*ranked, *self._continued(deadline)])
        # a model costs: not in the first round where rules have something to check
        alone = command.ask and command.round == 1 and not ranked
        if self.strategy is not None and alone and not deadline.passed:
            ranked = self._rank(self._by_model(self.strategy, deadline))
        # a later round with nothing new takes up what waited for others
        waiting = self.stood_back() if command.round > 1 and command.ask else ()
        picked = self._choose(ranked)
        # what a model was paid for is not crowded out by them
        models = [c for c in picked if c.source == "model"]
        others = [c for c in picked if c.source != "model"]
        chosen = [*models, *waiting, *others][: self.settings.width]
        for candidate in chosen:
            self._seen.add(candidate.key())
            self._ways.setdefault(candidate.key(), set()).add(candidate.via)
            note = candidate.steps[-1].name if candidate.steps else ""
            self.memory.remember(Proposal(candidate.category, note, candidate.sql, candidate.cost))
        return Reasoned(tuple(chosen), "" if chosen else "no opportunity was found", tuple(self.notes))

    def _by_rules(self, command: Reason, deadline: Deadline) -> list[Candidate]:
        """A quick search first: a round that gains enough needs no deeper one."""
        # half the time that is left: the rest is for checking and measuring
        share = deadline.within(deadline.left() / 2)
        if command.round == 1 and self.settings.rounds > 1:
            quick = share.within(self.settings.quick_search)

            def early(first: Sequence[Candidate]) -> None:
                self.early(first, deadline)

            # nothing found with time left: a longer search would not find more in the first round
            found = list(self.proposer.propose(self.sql, self.database, quick, (), early))
            if found or not quick.passed:
                return found
        advice = self._advice() if command.round > 1 else ()
        return list(self.proposer.propose(self.sql, self.database, share, advice))

    def _by_model(self, strategy: ModelStrategy, deadline: Deadline) -> list[Candidate]:
        self._look(deadline)
        found = self._take(strategy.chain(self.memory, deadline))
        # the enhancement builds on the best of the chain
        if found and not deadline.passed:
            thought = strategy.enhance(found[0], self.memory, deadline, self._planned(found[0]))
            found += self._take(thought)
        return found

    def _planned(self, candidate: Candidate) -> Explained | None:
        """The plan of a candidate that has a price, and so may be planned."""
        if candidate.cost is None:
            return None
        try:
            return self.database.explain(candidate.sql)
        except DatabaseError:
            return None

    def _look(self, deadline: Deadline) -> None:
        """What a DBA would look at first, once: figures, and the plan with what its nodes really do where
        there is time for it.
        """
        facts = self.memory.recall("query")
        # once a run: the figures do not change by asking again
        if self._looked or not facts or not isinstance(facts[0], QueryFacts):
            return
        self._looked, known = True, facts[0]
        try:
            figures = tuple(self.inspector.figures(self.sql))
            # one executed plan of the original is worth more than all estimates, where it ends in time
            executed = self._executed(deadline)
        except DatabaseError:
            return
        # replaces the note of the first look
        self.memory.remember(replace(known, explained=executed or known.explained, figures=figures))

    def _executed(self, deadline: Deadline) -> Explained | None:
        if self.settings.measure not in {"run", "both"}:
            return None
        return self.inspector.executed(self.sql, min(self.settings.run_timeout, deadline.left() * _EXECUTED))

    def _take(self, thought: Thought) -> list[Candidate]:
        self.usage = self.usage + thought.usage
        self.notes += thought.complaints
        # what a model was shown may have helped it
        shown = [n.unit.id for n in self.memory.recall("knowledge") if isinstance(n, KnowledgeNote)]
        return self._rank(replace(c, units=tuple(filter(None, shown))) for c in thought.candidates)

    def _continued(self, deadline: Deadline) -> list[Candidate]:
        """Rules applied to what a model proposed and the checker passed, each once; the steps of both are
        kept. Of what nobody has checked there would be many wrong ones in place of one.
        """
        share = deadline.within(deadline.left() / 4)
        found: list[Candidate] = []
        for note in self.memory.recall("reports"):
            start = note.of if isinstance(note, ReportNote) else None
            # rules go on from models' texts; from rules' own the search went on already
            if start is None or start.source != "model" or start.sql in self._gone_on:
                continue
            self._gone_on.add(start.sql)
            # the way to the model's text is part of the way to what rules make of it
            before = (*self.derivations.via(start.sql), start.sql)
            for one in self.proposer.propose(start.sql, self.database, share, ()):
                via = (*before, *self.derivations.via(one.sql))
                self.derivations.remember(one.sql, via)
                steps = (*start.steps, *one.steps)
                # source stays "model": its text was no product of rules, and is guarded as such
                found.append(replace(one, steps=steps, source="model", units=start.units, via=via))
        return found

    def _rank(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Told apart, priced (a candidate that the server refuses keeps no price), best first."""
        pool: dict[str, Candidate] = {}
        for candidate in candidates:
            known = pool.setdefault(candidate.key(), candidate)
            # of a model's ways to one text the one of more steps is likelier proved
            if known.source == candidate.source == "model" and len(known.via) < len(candidate.via):
                pool[candidate.key()] = candidate
        # seen in an earlier round, or the original
        fresh = [c for key, c in pool.items() if key not in self._seen or self._another_way(c)]
        return sorted((self._priced(c) for c in fresh[:_PRICED_AT_MOST]), key=by_cost)

    def _another_way(self, candidate: Candidate) -> bool:
        """Whether a model came to a proposed text, neither proved nor refuted, by steps that it had not given
        before: they are what its proof may go by.
        """
        ways = self._ways.get(candidate.key())
        # the original has no ways: what leads back to it is no proposal
        if candidate.source != "model" or ways is None or candidate.via in {(), *ways}:
            return False
        notes = (*self.memory.recall("verdicts"), *self.memory.recall("reports"))
        settled = {
            digest(canonical(n.sql)) for n in notes if isinstance(n, VerdictNote | ReportNote) and _settled(n)
        }
        return candidate.key() not in settled

    def _priced(self, candidate: Candidate) -> Candidate:
        """With EXPLAIN's cost, for a model's proposal. Rules come priced, or unpriced where the proposer
        holds that the estimate can't see the gain.
        """
        # measured by nobody, an estimate is asked for only where it decides something
        if candidate.cost is not None or candidate.source == "rules" or self.settings.measure == "off":
            return candidate
        # planning can run functions: a model's text is not even planned before it has been looked at
        if self.guard.complaint(self.sql, candidate.sql) is not None:
            return candidate
        try:
            cost = self.database.explain(candidate.sql).cost
        except DatabaseError:
            return candidate
        gain = None if self.cost is None else self.cost - cost
        steps = candidate.steps
        # the gain is that of the last step; earlier ones brought theirs already
        if steps and steps[-1].gain is None:
            steps = (*steps[:-1], replace(steps[-1], gain=gain))
        return replace(candidate, cost=cost, steps=steps)

    def _choose(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        """The cheapest of each category, models' own and unpriced ones have places of their own, then by
        cost: estimates err, and they err differently on different families.
        """
        # the best of each kind: a family that EXPLAIN flatters does not fill the list alone
        firsts = sorted((group[0] for group in grouped(ranked).values()), key=by_cost)
        rest = [c for c in ranked if c not in firsts]
        models = [c for c in rest if c.source == "model"][:2]
        unpriced = [c for c in rest if c.cost is None and c not in models][:2]
        others = [c for c in rest if c not in models and c not in unpriced]
        return [*firsts, *models, *unpriced, *others][: self.settings.width]

    def _advice(self) -> tuple[Unit, ...]:
        """Units looked up so far; in a later round, where Decision had no say
        before, they are looked up now.
        """
        if not self.memory.recall("knowledge") and self.settings.knowledge:
            for unit in self.knowledge.search(self.sql, UNITS):
                self.memory.remember(KnowledgeNote(unit))
        return tuple(n.unit for n in self.memory.recall("knowledge") if isinstance(n, KnowledgeNote))
