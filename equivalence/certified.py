"""A pair of queries shown to be the same in the recheck's own words: which stages, by which facts.

Owns finding the facts that each stage needs, and the forms of a pair that are worth a try. Must not know
documents or servers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rewright.engines import clock
from rewright.equivalence.prover.fresh import numbering
from rewright.equivalence.prover.prepare import same_tree
from rewright.equivalence.prover.remembered import Memory
from rewright.equivalence.prover.replay import Stages, stages
from rewright.equivalence.prover.terms import Bag
from rewright.equivalence.prover.translated import Unsupported
from rewright.equivalence.proving import Binding, prove_both
from rewright.equivalence.recheck import deriving
from rewright.equivalence.recheck.chance import left_to_chance
from rewright.equivalence.recheck.deriving import Facts, Pair, Reading
from rewright.equivalence.recheck.laws.table import LAWS
from rewright.equivalence.recheck.outcome import Refused
from rewright.equivalence.recheck.views.stating import View, stated
from rewright.equivalence.recheck.views.table import VIEWS, begun, changed, one_tree, opened
from rewright.equivalence.recheck.writing import written
from rewright.equivalence.records import Assumption, Proof
from rewright.equivalence.solving import solver_alone

# forms that leave something open, or help few pairs: first without them, then with one kind or the other
_APART = frozenset({"partners", "values", "single", "columns", "least", "asked", "opening"})
_RARE: tuple[frozenset[str], ...] = (
    frozenset({"orders", "numbers", "lookups", "early", "restrictions"}) | _APART,
    frozenset({"orders", "numbers", "early", "restrictions"}) | _APART,
    frozenset({"orders", "numbers", "lookups", "early"}) | _APART,
    frozenset({"orders", "numbers", "lookups", "restrictions"}) | _APART,
    frozenset({"orders", "lookups", "early", "restrictions"}) | _APART,
    frozenset({"early", "restrictions"}) | _APART,
    frozenset({"orders", "numbers", "lookups", "early", "restrictions", "least"}),
    frozenset({"orders", "numbers", "lookups", "early", "restrictions", "asked"}),
    frozenset({"orders", "numbers", "lookups", "early", "restrictions"}) | _APART - {"least"},
)
# what a page is asked for by others is told before the page is put in its place
_NAMES = tuple(VIEWS)
_PAGES = _NAMES.index("places")
_PAGES_KEPT = (*_NAMES[:_PAGES], "restrictions", *_NAMES[_PAGES:])
_ORDERS = (
    *((_NAMES, left_out) for left_out in _RARE),
    (_NAMES, frozenset({"orders", "numbers", "lookups", "early", "restrictions"}) | _APART - {"opening"}),
    (_PAGES_KEPT, frozenset({"orders", "numbers", "lookups", "early"}) | _APART),
    (_NAMES, frozenset({"orders", "numbers", "lookups", "early", "restrictions"}) | _APART - {"asked"}),
    # of a first row that is joined
    ((*_NAMES, "totals"), frozenset({"orders", "numbers", "early", "restrictions"}) | _APART),
)


class NotDerived(Exception):
    """A stage that the recheck cannot derive."""


class Late(NotDerived):
    """A stage that was not derived in time: with more of it, it may be."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a certificate states of one pair of queries."""

    document: dict[str, Any]
    modulo: frozenset[str]
    facts: frozenset[Assumption]


def ways(binding: Binding) -> Iterator[tuple[str, ...]]:
    """The forms to look at a pair in: those that change it, and none. First those in which both queries are
    one tree: there is nothing to look for.
    """
    try:
        start = opened(begun(binding.original, binding.candidate, binding.catalog))
    except Refused:
        yield ()
        return
    # the view that each row of forms leads to, and whether it is one tree: many ways begin alike
    whole = one_tree(start)
    reached: dict[tuple[str, ...], tuple[View, bool] | None] = {}
    found: dict[tuple[str, ...], bool] = {}
    for order, left_out in _ORDERS:
        names: tuple[str, ...] = ()
        view, shown = start, whole
        for name in order:
            if shown:
                break
            if name in left_out:
                continue
            if (step := (*names, name)) not in reached:
                made = _changed(view, name)
                reached[step] = None if made is None else (made, one_tree(made))
            if (there := reached[step]) is not None:
                names, (view, shown) = step, there
        found |= {names: shown, (): whole}
    yield from sorted(found, key=lambda names: not found[names])


def _changed(view: View, name: str) -> View | None:
    try:
        return changed(view, name)
    except Refused:
        return None


def part_of(
    pair: Pair,
    proof: Proof | None,
    seconds: float,
    *,
    positions: bool | None = None,
    memory: Memory | None = None,
) -> Part:
    """The pair as the recheck shows it to be the same: by the proof, or by one that is looked for.

    Raises NotDerived with the name of the stage, Busy and OutOfTime.
    """
    if proof is None and same_tree(pair.original, pair.candidate):
        modulo, basis = left_to_chance(pair.original, pair.catalog)
        facts = frozenset(stated(c, pair.catalog) for c in basis)
        return Part({"method": "same tree"}, modulo, facts)
    with solver_alone(seconds):
        proof = proof or _found(pair, seconds / 2, positions, memory)
        with numbering():
            found = stages(proof, pair.original, pair.candidate, pair.catalog, pair.deadline)
            if found is None:
                raise (Late if clock.now() > pair.deadline else NotDerived)("more time")
            return _Written(pair, proof, found).part()


def _found(pair: Pair, seconds: float, positions: bool | None, memory: Memory | None) -> Proof:
    both = Binding(pair.original, pair.candidate, pair.catalog)
    found = prove_both(both, pair.catalog, seconds, positions=positions, memory=memory)
    if found.late:
        raise Late(found.reason)
    if found.proved is None or not isinstance(found.proved.proof, Proof):
        raise NotDerived(found.reason)
    return found.proved.proof


class _Written:
    """What a proof of a pair comes to."""

    def __init__(self, pair: Pair, proof: Proof, found: Stages) -> None:
        self.pair, self.pool, self.pairing = pair, proof.assumptions, proof.matching.blocks
        self.found = found

    def part(self) -> Part:
        pair, pool = self.pair, self.pool
        try:
            reading = deriving.read(pair, pool)
        except (Unsupported, Refused) as why:
            raise NotDerived(str(why)) from None
        last, steps = self.steps(reading)
        ends = deriving.ends(pair, reading, last, self.pairing, pool)
        if ends is None:
            raise NotDerived("the order of rows")
        pairing = self.pairing
        read = deriving.needed(pool, lambda fewer: deriving.reads_alike(pair, reading, last, ends, fewer))
        paired = needed(
            pool,
            lambda fewer: deriving.matched(pair, ends.forms, pairing, fewer),
            "the comparison of the last forms",
        )
        document = {
            "method": "forms",
            "readings": reading.forms,
            "reading_facts": [f.to_json() for f in read],
            "steps": [document for document, _ in steps],
            "pairing": [{"block": j, "rows": list(rows)} for j, rows in pairing],
            "pairing_facts": [f.to_json() for f in paired],
        }
        facts = frozenset({*read, *paired, *(f for _, facts in steps for f in facts)})
        return Part(document, ends.modulo, facts)

    def steps(self, reading: Reading) -> tuple[tuple[Bag, Bag], list[tuple[dict[str, Any], Facts]]]:
        if reading.forms != [written(f) for f in self.found.readings]:
            raise NotDerived("other readings")
        forms = [p.bag for p in reading.prepared]
        made: list[tuple[dict[str, Any], Facts]] = []
        for s in self.found.steps:
            form, gives = forms[s.step.side - 1], written(s.form)

            def derived(fewer: Facts, form: Bag = form, gives: Any = gives, s: Any = s) -> bool:
                return (
                    deriving.step(self.pair, form, s.step.rule, s.step.path, s.step.at, gives, fewer)
                    is not None
                )

            if s.step.rule not in LAWS:
                raise NotDerived(s.step.rule)
            facts = needed(self.pool, derived, s.step.rule)
            forms[s.step.side - 1] = s.form
            document = {
                "side": s.step.side,
                "law": s.step.rule,
                "path": list(s.step.path),
                "bindings": list(s.step.at),
                "facts": [f.to_json() for f in facts],
                "gives": gives,
            }
            made.append((document, facts))
        return (forms[0], forms[1]), made


def needed(pool: Facts, stands: Callable[[Facts], bool], stage: str) -> Facts:
    """The facts of the pool that it takes. Raises NotDerived where even all do not do."""
    if not stands(pool):
        raise NotDerived(stage)
    return deriving.needed(pool, stands)
