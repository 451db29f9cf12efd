"""The deterministic strategy: implements the `Proposer` port by binding a query, searching and printing.

Owns the choice of the few candidates that are handed on. They are varied by the rule that made them, because
estimates tend to be wrong for a whole family at once. Must not know how candidates are checked or run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rewright.engines import clock
from rewright.rewrite.model import Candidate, Category, Deadline, Step
from rewright.rewrite.ports import Database, Early, Unit
from rewright.rewrite.rules import RULES, Rule
from rewright.rewrite.search.chains import Derivations
from rewright.rewrite.search.explore import FAR_CHEAPER, Limits, propose
from rewright.rewrite.search.explore import Candidate as Found
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.printing import to_sql
from rewright.sql.walk import is_closed, walk

# how many of what single steps lead to are looked at before the search goes on
_EARLY = 2


@dataclass(frozen=True, slots=True)
class RuleProposer:
    """Finds candidates by rules over one catalog. ``width``: how many are handed on; ``seconds``: how long a
    search may take.
    """

    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    width: int = 12
    seconds: float = 5.0
    limits: Limits = field(default_factory=Limits)
    rules: Sequence[Rule] = RULES
    derivations: Derivations = field(default_factory=Derivations)
    # rules that failed for this query before: tried last
    later: frozenset[str] = frozenset()

    def propose(
        self,
        sql: str,
        database: Database,
        deadline: Deadline,
        advice: Sequence[Unit],
        early: Early | None = None,
    ) -> Sequence[Candidate]:
        """At most ``width`` candidates, best first; none for a query that cannot be bound."""
        rules = (*self.rules, *(unit.rule for unit in advice if unit.rule is not None))
        try:
            query = bind(sql, self.catalog, search_path=self.search_path)
            start = database.explain(to_sql(query, catalog=self.catalog, search_path=self.search_path)).cost
        # what cannot be bound is left to models
        except (BindError, Unsupported):
            return ()
        categories = {r.name: r.category for r in rules}

        def handed(picked: Sequence[Found]) -> list[Candidate]:
            for one in picked:
                # by which steps it was reached, for its proof
                self.derivations.remember(one.sql, one.via)
            return [replace(_handed(c, categories, start), units=helped(c, advice)) for c in picked]

        def first(found: Sequence[Found]) -> None:
            # a dearer one may still be faster, but not as the first thing to be looked at
            cheaper = sorted((c for c in found if c.cost < start), key=lambda c: c.cost)
            if early is not None and cheaper:
                least = _least_nested(cheaper)
                early(handed([*least, *(c for c in cheaper if c not in least)][:_EARLY]))

        found = propose(
            query,
            self.catalog,
            cost=lambda text: database.explain(text).cost,
            deadline=clock.now() + min(self.seconds, deadline.left()),
            # the width chooses among what was found; the search ends by time
            limit=1000,
            limits=self.limits,
            rules=rules,
            prefer=preferred(advice),
            later=self.later,
            search_path=self.search_path,
            first=first,
        )
        return handed(chosen(list(found), self.width, start))


def preferred(advice: Sequence[Unit]) -> tuple[str, ...]:
    """The names of the rules to try first: the patterns of knowledge units, and the rules that do what a unit
    shows.
    """
    names = [name for unit in advice for name in (*((unit.rule.name,) if unit.rule else ()), *unit.prefer)]
    return tuple(dict.fromkeys(names))


def helped(found: Found, advice: Sequence[Unit]) -> tuple[str, ...]:
    """The units whose pattern, or a rule that they put first, made one of a candidate's steps."""
    steps = {name for name, _ in found.steps}
    return tuple(unit.id for unit in advice if unit.id and steps & set(preferred([unit])))


def chosen(found: Sequence[Found], width: int, start: float | None = None) -> list[Found]:
    """At most ``width`` candidates: the cheapest of those that look up least for each row, the cheapest that
    each first rule leads to, up to half of all, then the cheapest for each last rule, then the cheapest of
    the others. A quarter of the places is for blind ones, and up to half where there are not so many others.
    Where none looks far cheaper than the original, whose estimated cost is ``start``, blind ones have half
    too, and what the others leave, and those of the fewest steps come before what else first or last rules
    lead to.

    Estimates of candidates that different rules made can hardly be compared, so each rule gets a place first.
    What a first rule leads to shares what is wrong in its estimates: one that looks far too cheap would have
    all places with what can be done after it.
    """
    seen, twins = _told_apart([c for c in found if not c.blind])
    near = start is not None and not any(c.cost < FAR_CHEAPER * start for c in seen[:1])
    room = width - len(seen) - len(twins)
    share = max(width // 4, max(width // 2, room) if near else min(width // 2, room), 1)
    hidden = [c for c in found if c.blind]
    blind = _varied(sorted(hidden, key=lambda c: len(c.steps)) if near else hidden, share)
    places = width - len(blind)
    # rounded up: with an odd number of places first rules get the odd one
    picked = _least_nested(seen)
    picked += [c for c in _cheapest_by(seen, _shared(seen)) if c not in picked]
    picked = picked[: (places + 1) // 2]
    # what estimates hardly tell apart is told apart by runs: those that are proved soonest
    fewest = min((len(c.steps) for c in seen), default=0)
    single = [c for c in seen if len(c.steps) == fewest] if near else []
    for more in (single, _cheapest_by(seen, -1), seen, twins):
        picked += [c for c in more if c not in picked][: places - len(picked)]
    # a blind one has the cost of the state before: behind what is known to cost as much
    return sorted([*picked, *blind], key=lambda c: (c.cost, c.blind))


def _told_apart(seen: Sequence[Found]) -> tuple[list[Found], list[Found]]:
    """Those of the fewest steps for each estimate, the cheapest first, and the others: what has the same
    estimate to the last digit has the same plan, and a run of each would say the same.
    """
    ordered = sorted(seen, key=lambda c: (c.cost, len(c.steps)))
    least: dict[float, Found] = {}
    for candidate in ordered:
        least.setdefault(candidate.cost, candidate)
    first = list(least.values())
    return first, [c for c in ordered if least[c.cost] is not c]


def _least_nested(seen: Sequence[Found]) -> list[Found]:
    """The cheapest of those with the fewest subqueries that are computed for each row, and the cheapest in
    the fewest steps, whose proof is the shortest: the planner takes subqueries to be computed for few rows,
    so that all that leave one look cheaper than those that leave none.
    """
    left = [_lookups(c.query) for c in seen]
    least = [c for c, n in zip(seen, left, strict=True) if n == min(left)]
    # cheapest first: where the cheapest of all is one of them, it has its place
    if not least or least[0] is seen[0]:
        return []
    soonest = min(least, key=lambda c: len(c.steps))
    return [soonest] if soonest is least[0] else [soonest, least[0]]


def _lookups(query: a.Query) -> int:
    """How many scalar subqueries and LATERAL items ask an outer row."""
    asking = (
        n for n in walk(query) if isinstance(n, a.ScalarSubquery) or (isinstance(n, a.Derived) and n.lateral)
    )
    return sum(not is_closed(n.query) for n in asking)


def _shared(seen: Sequence[Found]) -> int:
    """How many steps all begin with, as those of an original that was sealed first do."""
    count = 0
    while seen and all(len(c.steps) > count + 1 and c.steps[count] == seen[0].steps[count] for c in seen):
        count += 1
    return count


def _cheapest_by(seen: Sequence[Found], place: int) -> list[Found]:
    """The cheapest candidate for each rule in one place of the steps. ``seen``: cheapest first."""
    firsts: dict[str, Found] = {}
    for candidate in seen:
        # cheapest first, so the first of each rule is its cheapest
        firsts.setdefault(candidate.steps[place][0], candidate)
    return list(firsts.values())


def _varied(blind: Sequence[Found], places: int) -> list[Found]:
    """At most ``places`` blind candidates, one for each last rule first, in the order in which they come,
    then one for each way in which a rule applied, by itself rather than after others.
    """
    rules: dict[str, Found] = {}
    ways: dict[tuple[str, str], Found] = {}
    for candidate in blind:
        rules.setdefault(candidate.steps[-1][0], candidate)
    for candidate in sorted(blind, key=lambda c: len(c.steps)):
        ways.setdefault(candidate.steps[-1], candidate)
    picked = list(rules.values())[:places]
    for more in (ways.values(), blind):
        picked += [c for c in more if c not in picked][: places - len(picked)]
    return picked


def _handed(found: Found, categories: dict[str, Category], start: float) -> Candidate:
    steps = [Step(rule, categories[rule], why) for rule, why in found.steps]
    last = steps[-1]
    # what a blind rule gains the estimate does not know
    gain = None if found.blind else start - found.cost
    steps[-1] = Step(last.name, last.category, last.note, gain)
    cost = None if found.blind else found.cost
    assumed = tuple(sorted(found.assumptions))
    return Candidate(found.sql, tuple(steps), "rules", cost, assumed, lookups=_lookups(found.query))
