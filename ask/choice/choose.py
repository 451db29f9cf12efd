"""The choice: groups by proof and by rows, what tells two readings apart, majority, the selecting judge.

Owns the order of these (APEX-SQL votes by result and lets a model break ties; here the checker goes first).
Must not make candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewright.ask.asking import Asking
from rewright.ask.choice.grouping import Groups
from rewright.ask.choice.prompts import pick, select
from rewright.ask.disclosure import Disclosure
from rewright.ask.outcome import Alternative, Candidate
from rewright.ask.ports import Choice, Chooser, Comparer, Option
from rewright.ask.subject import Subject

# more alternatives than this nobody reads, and each costs a comparison by the checker
_ALTERNATIVES = 3


@dataclass(frozen=True, slots=True)
class Chosen:
    """``share`` of the candidates that give its rows; ``agreed``: a model's query and the reader's are the
    same or give the same.
    """

    candidate: Candidate
    candidates: tuple[Candidate, ...]
    alternatives: tuple[Alternative, ...] = ()
    share: float = 1.0
    agreed: bool = False


@dataclass(slots=True)
class Choosing:
    """What a choice needs. ``question`` is the asker's own words, for the chooser."""

    asking: Asking
    disclosure: Disclosure
    subject: Subject
    schema: str
    comparer: Comparer | None
    question: str
    chooser: Chooser | None = None

    def choose(self, candidates: Sequence[Candidate]) -> Chosen | None:
        """None where none ran."""
        groups = Groups(self.comparer if self.asking.settings.uses("checker") else None)
        groups.sort(candidates)
        heads = groups.heads()
        if not heads:
            return None
        if groups.compared:
            self.asking.note("compared", "choice", f"{groups.compared} pairs, {len(heads)} groups")
        best = self._best(groups, heads)
        # a failed query votes for nothing
        ran = [c for c in groups.candidates if c.group >= 0]
        same = [c for c in ran if c.result == best.result]
        others = [head for head in heads if head.group != best.group][:_ALTERNATIVES]
        # at least one ran, as there are heads, so the shares below never divide by nothing
        alternatives = tuple(
            Alternative(
                h.sql, h.reading, groups.votes(h) / len(ran), groups.difference(best, h, ask=h is others[0])
            )
            for h in others
        )
        # agreement counts between the two ways of reading, not between two tries of one model
        agreed = {c.origin for c in same} == {"model", "reader"}
        return Chosen(best, tuple(groups.candidates), alternatives, len(same) / len(ran), agreed)

    def _best(self, groups: Groups, heads: list[Candidate]) -> Candidate:
        first = heads[0]
        if len(heads) == 1:
            return first
        # a person who is there is asked before any count decides: votes only stand in for one
        if self.chooser is not None:
            return self._asked(groups, heads)
        # those with as many votes as the first, counted by the rows they give
        tied = [h for h in heads if groups.votes_of_result(h) == groups.votes_of_result(first)]
        # reversed twice: of each result the first head is kept, in the order of the heads
        results = list({h.result: h for h in reversed(tied)}.values())[::-1]
        if len(results) > 1:
            first = self._of_results(groups, results)
        return self._within(groups, [h for h in heads if h.result == first.result])

    def _of_results(self, groups: Groups, tied: list[Candidate]) -> Candidate:
        """Different rows here, as many votes each: what tells two apart, or the judge of several; else a
        model's.
        """
        if len(tied) == 2:
            found = self._pick(groups, tied[0], tied[1])
        else:
            # of three and more results pairs would have to be settled one by one, which need not end in one
            # answer
            found = select(self.asking, self.disclosure, self.subject, self.schema, tied)
        return found or next((h for h in tied if h.origin == "model"), tied[0])

    def _within(self, groups: Groups, heads: list[Candidate]) -> Candidate:
        """The same rows here, yet not proved equal: where a database tells them apart it is the question."""
        best = heads[0]
        for other in heads[1:]:
            # without a database that parts them there is nothing to decide by, and the first stays
            if groups.difference(best, other) is not None:
                # unsure leaves the best so far: the order is by votes
                best = self._pick(groups, best, other) or best
        return best

    def _pick(self, groups: Groups, first: Candidate, second: Candidate) -> Candidate | None:
        difference = groups.difference(first, second)
        said = pick(self.asking, self.disclosure, self.subject, self.schema, first, second, difference)
        return {"first": first, "second": second, None: None}[said]

    def _asked(self, groups: Groups, heads: list[Candidate]) -> Candidate:
        """The user decides between the best and each other in turn."""
        assert self.chooser is not None
        best = heads[0]
        for other in heads[1 : 1 + _ALTERNATIVES]:
            difference = groups.difference(best, other)
            # the same rows, and nothing known tells them apart: there is nothing to ask
            if difference is None and best.result == other.result:
                continue
            choice = Choice(
                self.question, Option(best.reading, best.sql), Option(other.reading, other.sql), difference
            )
            said = self.chooser(choice)
            self.asking.note("chose", "user", said or "no choice")
            if said == "second":
                best = other
        return best
