"""Proofs of pairs out of proofs of what differs in them, found without what both sides share.

Owns the order in which ways of looking at a pair are tried, how long each may take, and the call of the
prover on each. What it finds is checked again by `parts`, which shares none of its choices. Must not know
servers, nor how a pair came about.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rewright.engines import clock
from rewright.equivalence.decomposition.abstraction import Pair
from rewright.equivalence.decomposition.congruence import Difference, differences
from rewright.equivalence.decomposition.parts import (
    ALL,
    COLUMNS,
    WIDEST,
    Part,
    PartsProof,
    View,
    has_parameters,
    is_same,
    parts_of,
    stated,
    views,
    ways_of,
)
from rewright.equivalence.proof import Proof
from rewright.equivalence.prover.prepare import same_tree
from rewright.equivalence.prover.remembered import Memory
from rewright.equivalence.proving import Binding, prove_both
from rewright.equivalence.verdicts import Proved
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.walk import walk

# how long one attempt may take at first, in seconds, and how much longer each time that it is made again:
# most that prove anything take less than a tenth of a second
_FIRST = 0.2
_LONGER = 4.0
# more parts than differ in any pair
_MANY = 1_000_000
# times the seconds in which a way proved nothing: in less than that it is not looked at again
_HARDLY_MORE = 1.25
# the share of the time left that one look at a part may take
_SHARE = 0.5
# times the seconds in which it proved nothing: how long it is looked at in a round that has no more for it
_ONCE_MORE = 2.0
# how many times as long the first attempt may take that is looked at in a round: what differs least is proved
# most often, and what it needs more is less than what all others take that time and again
_FIRST_LONGER = 4.0
# times the seconds that one part of an attempt took, another gets: they are alike as a rule
_ALIKE = 2.5
# the share of the time that a look with positions gets where the one without them ran out of time: it takes
# longer as a rule
AFTER_LATE = 0.25


def at_once() -> None:
    """Nobody else has to be let go first."""


@dataclass(slots=True)
class Rounds:
    """How many seconds one attempt may take, and whether positions are looked at
    (`rewright.equivalence.prover.prove`), round by round: what one attempt proves quickly does not wait for
    what takes long in another, and no attempt takes the others' time.
    """

    seconds: float = _FIRST
    positions: bool = False

    def until(self, deadline: float) -> Iterator[tuple[float, bool]]:
        """From the round that was cut short the last time, or the first, until the deadline."""
        while clock.now() < deadline:
            yield self.seconds, self.positions
            # a round that the deadline has cut short is begun again, no longer one
            if clock.now() < deadline:
                self._following()

    def _following(self) -> None:
        if self.positions:
            self.seconds *= _LONGER
        self.positions = not self.positions


@dataclass(slots=True)
class Idle:
    """Tells when what is left until the deadline is too short for all that could still be looked at."""

    deadline: float
    _looks: int = -1
    _rounds: int = 0

    def after(self, limit: float, looks: int) -> bool:
        """Whether neither a round without positions nor one with them looked at anything, though no later
        one could take longer. ``looks``: how many were made so far.
        """
        # no look was made, and no more time than was given is left: the next round would be idle, too
        idle = looks == self._looks and limit >= self.deadline - clock.now()
        self._rounds = self._rounds + 1 if idle else 0
        self._looks = looks
        return self._rounds > 1


def proved_by_parts(
    before: a.Query,
    after: a.Query,
    catalog: Catalog,
    seconds: float,
    between: Callable[[], None] = at_once,
) -> Proved | None:
    """A proof of two bound queries out of proofs of what differs in them; its ``proof`` is a `PartsProof`."""
    deadline = clock.now() + seconds
    search = PartsSearch(before, after, catalog, between)
    idle = Idle(deadline)
    for limit, positions in Rounds().until(deadline):
        found = search.round(limit, deadline, positions=positions)
        if found is not None:
            return found
        if search.settled or idle.after(limit, search.looks):
            return None
    return None


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What differs in the ``number``-th view, with ``wider`` of the queries around."""

    number: int
    view: View
    wider: int | None
    parts: list[Difference]
    size: int  # nodes of all parts: the smaller ones are proved or given up sooner


_Look = tuple[Difference, Pair, Part]


class PartsSearch:
    """The search for a proof of one pair by its parts. What was found or ruled out in one round is kept for
    the next.
    """

    def __init__(
        self,
        before: a.Query,
        after: a.Query,
        catalog: Catalog,
        between: Callable[[], None] = at_once,
        memory: Memory | None = None,
    ) -> None:
        self.before, self.after, self.between = before, after, between
        self._memory = memory or Memory()
        # whether the last round without positions, and the last with them, gave something up for lack of time
        self._late = {False: True, True: True}
        alike = [c.type for c in a.output_columns(before)] == [c.type for c in a.output_columns(after)]
        self._making = _attempts(before, after, catalog) if alike else iter(())
        self._made: list[_Attempt] = []
        # by the number of the attempt and of the part in it
        self._ways: dict[tuple[int, int], list[Pair]] = {}
        self._found: dict[tuple[int, int], _Look] = {}
        # ways that lead nowhere however long they are looked at, without positions or with them
        self._hopeless: set[tuple[int, int, int, bool]] = set()
        # how long it took to find the parts of an attempt, by the attempt and the way
        self._took: dict[tuple[int, int], float] = {}
        # how long others were looked at in vain
        self._tried: dict[tuple[int, int, int, bool], float] = {}
        self._best: Proved | None = None
        self.looks = 0  # how many were made, whatever came of them

    @property
    def settled(self) -> bool:
        """Whether another round would find no more."""
        return not any(self._late.values())

    def round(self, seconds: float, deadline: float, *, positions: bool) -> Proved | None:
        """Every attempt once, for at most ``seconds`` for each of its parts: what was found is kept. Where
        that leaves something open, those that may leave less open have their turn in this and in later
        rounds.
        """
        # found already, or nothing was given up for lack of time
        if (self._best is not None and not self._best.modulo) or not self._late[positions]:
            return self._best
        self._late[positions] = False
        longer = _FIRST_LONGER
        for n in self._in_turn():
            if clock.now() >= deadline:
                self._late[positions] = True
                break
            attempt = self._attempt(n)
            if attempt is None:
                break
            # a proof that leaves no less open is none to look for
            if self._best is not None and attempt.view.modulo >= set(self._best.modulo):
                continue
            most, before = seconds * longer, self.looks
            looks = self._all(n, attempt, most, deadline, positions=positions)
            # where nothing is left that differs no time was spent
            if (self.looks > before or self._late[positions]) and not is_same(attempt.view):
                longer = 1.0
            if looks is None:
                continue
            found = _proved_as(self.before, self.after, attempt, looks)
            if self._best is None or set(found.modulo) < set(self._best.modulo):
                self._best = found
            if not found.modulo:
                break
        return self._best

    def _in_turn(self) -> Iterator[int]:
        """The numbers of the attempts, those first of which some parts are proved and fewest are left, then
        the small ones.
        """
        made = len(self._made)
        proved = Counter(n for n, _ in self._found)

        def standing(n: int) -> tuple[int, int]:
            attempt = self._made[n]
            return (len(attempt.parts) - proved[n] if proved[n] else _MANY), attempt.size

        yield from sorted(range(made), key=standing)
        yield from itertools.count(made)

    def _attempt(self, n: int) -> _Attempt | None:
        if n == len(self._made) and (following := next(self._making, None)) is not None:
            self._made.append(following)
        return self._made[n] if n < len(self._made) else None

    def _all(
        self, n: int, attempt: _Attempt, seconds: float, deadline: float, *, positions: bool
    ) -> list[_Look] | None:
        for k in range(len(attempt.parts)):
            if (n, k) not in self._found and not self._proved(
                n, k, attempt, seconds, deadline, positions=positions
            ):
                return None
        return [self._found[n, k] for k in range(len(attempt.parts))]

    def _proved(
        self, n: int, k: int, attempt: _Attempt, most: float, deadline: float, *, positions: bool
    ) -> bool:
        """Look at a part in one way after the other: first in those that another part was proved in."""
        until = clock.now() + most
        difference, catalog = attempt.parts[k], attempt.view.catalog
        if (n, k) not in self._ways:
            self._ways[n, k] = list(ways_of(difference, attempt.wider, catalog))
        ways = self._ways[n, k]
        for number, pair in sorted(enumerate(ways), key=lambda way: (n, way[0]) not in self._took):
            look = n, k, number, positions
            if look in self._hopeless:
                continue
            self.between()
            now, alike = clock.now(), _ALIKE * self._took.get((n, number), 0.0)
            left = min(max(until - now, alike), deadline - now)
            if left <= 0:
                self._late[positions] = True
                return False
            # the last way may use all that is left
            seconds = left if number == len(ways) - 1 else max(left * _SHARE, min(alike, left))
            if positions and (n, k, number, False) not in self._hopeless:
                seconds *= AFTER_LATE
            enough = _HARDLY_MORE * self._tried.get(look, 0.0)
            # what ran out of time is looked at for longer, in a round that has no more for it
            if seconds <= enough and not positions:
                seconds = min(_ONCE_MORE * self._tried[look], deadline - now)
            if seconds <= enough:
                self._late[positions] = True
                continue
            self.looks += 1
            binding = Binding(pair.before, pair.after, pair.catalog)
            said = prove_both(binding, pair.catalog, seconds, positions=positions, memory=self._memory)
            if said.proved is not None and isinstance(said.proved.proof, Proof):
                self._found[n, k] = difference, pair, Part(number, said.proved.proof)
                self._took[n, number] = max(self._took.get((n, number), 0.0), clock.now() - now)
                return True
            # late ones may be settled by a longer look, others never
            if said.late:
                self._late[positions] = True
                self._tried[look] = seconds
            else:
                self._hopeless.add(look)
        return False


def _attempts(before: a.Query, after: a.Query, catalog: Catalog) -> Iterator[_Attempt]:
    """Small parts first, view by view, none twice; where anything differs the first two views' small parts
    before either's whole.
    """
    seen: list[list[Difference]] = []
    late: list[_Attempt] = []
    for place, (number, view) in enumerate(_by_difference(list(views(before, after, catalog)))):
        same = same_tree(view.before, view.after)
        # another text may have another plan: ties are left open even where nothing differs
        for wider in (0,) if same else (COLUMNS, *range(WIDEST + 1), None, ALL):
            parts = parts_of(view, wider)
            if parts in seen:
                continue
            whole = parts[-1] == Difference(view.before, view.after)
            if whole and wider == COLUMNS:
                continue  # there are no columns apart
            seen.append(parts)
            attempt = _Attempt(number, view, wider, parts, _size(parts))
            # a whole takes long, and the next view's small parts may do
            if place == 0 and (whole or wider is None) and not same:
                late.append(attempt)
            else:
                yield attempt
        if place:
            yield from late
            late = []
    yield from late


def _by_difference(found: Sequence[View]) -> list[tuple[int, View]]:
    """The views with their numbers: those in which nothing differs, then those in which least does, as it is
    proved or given up soonest; such that leave more open than others after them.
    """
    least = frozenset[str].intersection(*(v.modulo for v in found)) if found else frozenset[str]()
    return sorted(
        enumerate(found),
        key=lambda one: (not is_same(one[1]), len(one[1].modulo - least), _differing(one[1])),
    )


def _differing(view: View) -> int:
    """How much differs in a view, in nodes."""
    return _size(differences(view.before, view.after, 0, view.catalog))


def _size(parts: Sequence[Difference]) -> int:
    return sum(1 for part in parts for query in (part.before, part.after) for _ in walk(query))


def _proved_as(before: a.Query, after: a.Query, attempt: _Attempt, looks: list[_Look]) -> Proved:
    view, parts = attempt.view, tuple(part for _, _, part in looks)
    facts, modulo = stated(view, [(d, pair, part.proof) for d, pair, part in looks])
    proof = PartsProof(attempt.number, attempt.wider, parts, facts, modulo)
    return Proved(
        method=proof.method,
        assumptions=facts,
        scope="any" if has_parameters(before, after) else "these",
        modulo=modulo,
        steps=tuple(str(step) for part in parts for step in part.proof.steps),
        proof=proof,
    )
