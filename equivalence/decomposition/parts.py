"""Proofs by parts as objects: which form of a pair was looked at, where it differs, and a proof of each
difference.

Owns the forms (`views`), the differences in each, and replaying: everything but the proofs' own choices is
made again from the two queries, without search, and must give what the proof states. Must not know how proofs
are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rewright.equivalence.decomposition.abstraction import Pair, pairs, shared_failures, without_ctes
from rewright.equivalence.decomposition.columns import columns_apart, looks
from rewright.equivalence.decomposition.congruence import Difference, differences, stripped
from rewright.equivalence.laws.arms import without_cut_arms
from rewright.equivalence.laws.arranging import arranged
from rewright.equivalence.laws.asked_groups import asked_of_groups
from rewright.equivalence.laws.asked_rows import asking_for_rows
from rewright.equivalence.laws.bounds import without_bounds
from rewright.equivalence.laws.calendars import by_calendar
from rewright.equivalence.laws.consecutive import by_numbers
from rewright.equivalence.laws.constants import folded
from rewright.equivalence.laws.counts_less import with_counts_of_others
from rewright.equivalence.laws.eager import without_early_groups
from rewright.equivalence.laws.either import asking_either
from rewright.equivalence.laws.fans import without_fans
from rewright.equivalence.laws.firsts import numbered
from rewright.equivalence.laws.flattening import flattened
from rewright.equivalence.laws.forms import Form
from rewright.equivalence.laws.frames import in_one_frame
from rewright.equivalence.laws.instants import as_instants
from rewright.equivalence.laws.intervals import with_whole_counts
from rewright.equivalence.laws.joined_texts import joined_at_once
from rewright.equivalence.laws.joined_values import as_values
from rewright.equivalence.laws.least_rows import with_least_rows
from rewright.equivalence.laws.limits import without_early_limits
from rewright.equivalence.laws.lists import listed
from rewright.equivalence.laws.lookups import as_lookups
from rewright.equivalence.laws.numbered_pages import as_pages
from rewright.equivalence.laws.numbering import sorted_by_keys
from rewright.equivalence.laws.opened_subqueries import opened
from rewright.equivalence.laws.ordered_ranges import by_bounds
from rewright.equivalence.laws.ordering import without_idle_keys
from rewright.equivalence.laws.padding import unpadded
from rewright.equivalence.laws.pages import without_pages
from rewright.equivalence.laws.partners import by_partners
from rewright.equivalence.laws.patterns import as_patterns
from rewright.equivalence.laws.presence import with_presence
from rewright.equivalence.laws.recursion import as_fixpoints, is_recursive
from rewright.equivalence.laws.restrictions import without_restrictions
from rewright.equivalence.laws.running_totals import without_running_totals
from rewright.equivalence.laws.shifted import without_shifts
from rewright.equivalence.laws.single_rows import of_single_rows
from rewright.equivalence.laws.stepping import without_steps
from rewright.equivalence.laws.tied_groups import without_tied_groups
from rewright.equivalence.laws.zeros import without_zeros
from rewright.equivalence.proof import Flaw, Proof, check_proof
from rewright.equivalence.prover.asked_first import worded_otherwise
from rewright.equivalence.prover.fences import fenced_otherwise
from rewright.equivalence.prover.kept import read_kept
from rewright.equivalence.prover.planned import planned_otherwise
from rewright.equivalence.prover.prepare import same_tree
from rewright.equivalence.prover.translated import Unsupported
from rewright.equivalence.prover.unread import without_unread
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import asks_of_storage
from rewright.sql.facts.local_times import concludes_wrongly
from rewright.sql.facts.policies import policies_differ
from rewright.sql.walk import Fresh, canonical, highest_number, keeps_keys_apart, walk

# how many queries around a difference are looked at with it before the whole is
WIDEST = 2
# the whole with all that both sides share: DISTINCT above makes up for rows that are there more often
ALL = WIDEST + 1
# the rows of both, and each column for itself
COLUMNS = ALL + 1


# the laws of the plain form, in their order
_PLAIN = (
    without_running_totals,
    by_numbers,
    as_pages,
    by_bounds,
    without_shifts,
    with_whole_counts,
    with_counts_of_others,
    without_zeros,
    joined_at_once,
    without_tied_groups,
    with_presence,
    asking_either,
    without_idle_keys,
    in_one_frame,
    sorted_by_keys,
    without_pages,
    without_early_limits,
    without_cut_arms,
)

# and those of lookups
_OF_ROWS = (of_single_rows, with_counts_of_others, asked_of_groups, without_tied_groups)


@dataclass(frozen=True, slots=True)
class View:
    """Both queries in another form, with what that form rests on. ``catalog``: where they are bound;
    ``others``: pairs that must be the same besides; ``read``: both before any law, since what they compute
    may be left out of a form; ``made``: names of relations that stand for recursions, of which what is known
    rests on ``facts``.
    """

    before: a.Query
    after: a.Query
    modulo: frozenset[str]
    facts: tuple[str, ...]
    catalog: Catalog
    others: tuple[tuple[a.Query, a.Query], ...] = ()
    read: tuple[a.Query, ...] = ()
    made: frozenset[str] = frozenset()


def views(before: a.Query, after: a.Query, catalog: Catalog) -> Iterator[View]:
    """Without CTEs, plain subqueries, bounds, idle sort keys and early cuts; without groupings that are put
    together and restrictions that are made further out, with joined groupings as lookups; then with the first
    rows of subqueries numbered, where only one has such.
    """
    plain = _plain_view(before, after, catalog)
    if plain is None:
        return
    catalog = plain.catalog
    if is_same(plain):
        # no law has to leave anything open where nothing differs
        yield plain
    # before pages are put in their places, which restrictions name
    freed = _seen(plain, without_restrictions, catalog)
    wide = _opened(plain)
    plain = _by_plain_laws(plain)
    highest = max(highest_number(plain.before), highest_number(plain.after))
    others = [_by_plain_laws(v) for v in (freed, wide) if v is not None]
    forms = [*_forms(plain, highest), *others]
    forms = [_changed(v, partial(arranged, catalog=v.catalog)) for v in forms]
    # where nothing differs but what the form leaves out, there is nothing to search for
    yield from sorted(forms, key=lambda v: not is_same(v))
    ranked = _seen(plain, lambda q, known: numbered(q, known, Fresh(highest)), catalog)
    if ranked is not None and (ranked.before == plain.before) != (ranked.after == plain.after):
        yield ranked


def _opened(plain: View) -> View | None:
    """Without the plain subqueries that only one of both has; None where neither has any."""
    before, after = opened(plain.before, plain.after)
    if (before, after) == (plain.before, plain.after):
        return None
    return replace(plain, before=before, after=after)


def _by_plain_laws(view: View) -> View:
    for law in _PLAIN:
        view = _seen(view, law, view.catalog) or view
    return view


def _plain_view(before: a.Query, after: a.Query, catalog: Catalog) -> View | None:
    """Without CTEs, plain subqueries and bounds, before any law of the plain form."""
    # neither is a table below a view what it is to who asks, where policies say what each may see
    if policies_differ(before, after, catalog):
        return None
    left_open = chosen(before, after)
    # a form may compute an expression once more, or not at all, and read values from where they are stored
    # otherwise
    if left_open is None or any(_by_chance(q, catalog) or asks_of_storage(q) for q in (before, after)):
        return None
    facts: tuple[str, ...] = ()
    if not same_tree(before, after):
        # the server's answers are no function of the rows
        if any(concludes_wrongly(q, catalog) for q in (before, after)):
            return None
        shared, facts = shared_failures(before, after, catalog)
        left_open |= shared
    try:
        # a part is proved as a query of its own, whose outputs are all computed
        before, after = without_unread(before, catalog), without_unread(after, catalog)
        left_open |= fenced_otherwise(before, after, catalog) | planned_otherwise(before, after, catalog)
        left_open |= worded_otherwise(before, after, catalog)
    except Unsupported:
        return None
    others: tuple[tuple[a.Query, a.Query], ...] = ()
    made: frozenset[str] = frozenset()
    if is_recursive(before, after):
        stepped = [without_steps(q, catalog) for q in (before, after)]
        before, after = (f.query for f in stepped)
        left_open = left_open.union(*(f.modulo for f in stepped))
    if is_recursive(before, after):
        fixpoints = as_fixpoints(before, after, catalog)
        if fixpoints is None:
            return None
        made = frozenset(f"{t.ref.schema}.{t.ref.name}(" for t in fixpoints.tables)
        before, after, catalog, others = fixpoints.before, fixpoints.after, fixpoints.catalog, fixpoints.same
        left_open |= fixpoints.modulo
        facts += fixpoints.facts
    inlined = [q for q in (without_ctes(before), without_ctes(after)) if q is not None]
    if len(inlined) < 2:
        return None
    first, second = (_in_plain_form(q, catalog) for q in inlined)
    read = (first, second)
    if inlined[0] is not before or inlined[1] is not after:
        # only where nothing else differs: one subquery in several places is a table to proofs, with all of
        # its columns
        less = [_in_plain_form(_asked_less(q, catalog), catalog) for q in inlined]
        if canonical(less[0], keep_names=False) == canonical(less[1], keep_names=False):
            first, second = less
    return View(first, second, left_open, facts, catalog, others, read, made)


def _asked_less(inlined: a.Query, catalog: Catalog) -> a.Query:
    """Each CTE in its readers' places without what is not read of it there: others may read more."""
    try:
        return without_unread(inlined, catalog)
    except Unsupported:
        return inlined


def _in_plain_form(inlined: a.Query, catalog: Catalog) -> a.Query:
    made = without_bounds(_plain(inlined, catalog), catalog).query
    return made if keeps_keys_apart(inlined, made) else inlined


def _changed(view: View, form: Callable[[a.Query], a.Query]) -> View:
    """The view in a form that asks for nothing, where that keeps apart what groups are made by."""
    made = [form(q) for q in (view.before, view.after)]
    first, second = (
        m if keeps_keys_apart(q, m) else q for q, m in zip((view.before, view.after), made, strict=True)
    )
    return replace(view, before=first, after=second)


def _forms(plain: View, highest: int) -> list[View]:
    """The plain form by its laws, and those without early groupings, with lookups, least rows and the like,
    each with its restrictions and without them. ``highest``: the highest number of a relation in the plain
    form.
    """
    catalog = plain.catalog
    late = _seen(plain, without_early_groups, catalog)
    if late is not None:
        late = _changed(late, lambda q: flattened(q, catalog))
    looked = _seen(plain, lambda q, known: as_lookups(q, known, Fresh(highest)), catalog)
    if looked is not None:
        # as other subqueries are sorted
        looked = _seen(looked, without_idle_keys, catalog) or looked
        looked = _seen(looked, without_running_totals, catalog) or looked
    existing = _seen(plain, asking_for_rows, catalog)
    counted = _seen(plain, lambda q, known: without_fans(q, known, Fresh(highest)), catalog)
    if counted is not None:
        above = max(highest_number(counted.before), highest_number(counted.after))
        counted = _seen(counted, lambda q, known: as_lookups(q, known, Fresh(above)), catalog) or counted
    least = _seen(plain, with_least_rows, catalog)
    grouped = None if least is None else _row_by_row(least, catalog)
    asked = _seen(plain, asked_of_groups, catalog)
    seen = (plain, _row_by_row(plain, catalog), late, looked, existing, counted, asked, least, grouped)
    bases = [v for v in seen if v is not None]
    return [v for base in bases for v in (base, _seen(base, without_restrictions, catalog)) if v is not None]


def _by_chance(query: a.Query, catalog: Catalog) -> bool:
    return Facts(catalog, query).volatility(query) is a.Volatility.VOLATILE


def _plain(query: a.Query, catalog: Catalog) -> a.Query:
    """A query that holds no CTEs in the form that says what others say in several ways."""
    return as_patterns(
        listed(unpadded(folded(by_calendar(as_instants(flattened(query, catalog))))), Facts(catalog, query))
    )


def chosen(before: a.Query, after: a.Query) -> frozenset[str] | None:
    """The reservation that stands where either query shows which of equal values is kept; None where that
    decides on rows: then the server's answer is no function of them, and nothing is proved of the pair. Read
    of the whole queries: what shows the choice may be left out of a part, and what made it may be rewritten
    there.
    """
    if same_tree(before, after):
        return frozenset()
    kept = [read_kept(q, extremes=True) for q in (before, after)]
    if any(k.decides for k in kept):
        return None
    return frozenset({"tie-order"} if any(k.shown for k in kept) else ())


def _row_by_row(plain: View, catalog: Catalog) -> View | None:
    """Groups and joins as rows with lookups, as far as they are; None where there is none."""
    found = None
    for law in (by_partners, as_values):
        view = found or plain
        above = Fresh(max(highest_number(view.before), highest_number(view.after)))
        made = _seen(view, partial(_numbered, law, above), catalog)
        if made is not None:
            found = _changed(made, lambda q: flattened(q, catalog))
    if found is not None:
        above = Fresh(max(highest_number(found.before), highest_number(found.after)))
        found = _changed(found, lambda q: flattened(q, catalog, above))
    for later in _OF_ROWS:
        found = _seen(found or plain, later, catalog) or found
    return found


def _numbered(
    law: Callable[[a.Query, Catalog, Fresh], Form], fresh: Fresh, query: a.Query, catalog: Catalog
) -> Form:
    return law(query, catalog, fresh)


def is_same(view: View) -> bool:
    """Whether nothing is left that differs."""
    return canonical(view.before, keep_names=False) == canonical(view.after, keep_names=False)


def _seen(view: View, law: Callable[[a.Query, Catalog], Form], catalog: Catalog) -> View | None:
    """Both queries of a view in one more form; None where neither of them changes."""
    whole = (view.before, view.after)
    found = [f if keeps_keys_apart(q, f.query) else Form(q) for q in whole for f in (law(q, catalog),)]
    first, second = (f.query for f in found)
    if (first, second) == whole:
        return None
    modulo = view.modulo.union(*(f.modulo for f in found))
    facts = (*view.facts, *(x for f in found for x in f.assumptions))
    return replace(view, before=first, after=second, modulo=modulo, facts=facts)


def parts_of(view: View, wider: int | None) -> list[Difference]:
    """What differs, with ``wider`` of the queries around; None: the two, without what both have above FROM
    and WHERE; ALL: with it; COLUMNS: by columns.
    """
    others = [Difference(*pair) for pair in view.others]
    whole = Difference(view.before, view.after)
    if wider == ALL:
        return [*others, whole]
    if wider == COLUMNS:
        return [*others, *(columns_apart(whole, view.catalog) or [whole])]
    if wider is None:
        return [*others, stripped(whole, view.catalog)]
    return [*others, *differences(view.before, view.after, wider, view.catalog)]


def ways_of(difference: Difference, wider: int | None, catalog: Catalog) -> Iterator[Pair]:
    """How one difference is looked at."""
    if wider == COLUMNS:
        return looks(difference, catalog)
    return pairs(difference.before, difference.after, catalog)


@dataclass(frozen=True, slots=True)
class Part:
    """A proof of one difference in the ``way``-th look at it."""

    way: int
    proof: Proof

    def to_json(self) -> dict[str, Any]:
        return {"way": self.way, "proof": self.proof.to_json()}


@dataclass(frozen=True, slots=True)
class PartsProof:
    """That two queries are the same, by proofs of what differs in their ``view``-th form. ``facts`` and
    ``modulo``: what all of it rests on and leaves open.
    """

    view: int
    wider: int | None
    parts: tuple[Part, ...]
    facts: tuple[str, ...] = ()
    modulo: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        methods = ", ".join(dict.fromkeys(p.proof.method for p in self.parts))
        return f"parts: {methods}" if self.parts else "same tree"

    def to_json(self) -> dict[str, Any]:
        return {
            "view": self.view,
            "wider": self.wider,
            "parts": [p.to_json() for p in self.parts],
            "facts": list(self.facts),
            "modulo": list(self.modulo),
        }

    def replay(self, q1: a.Query, q2: a.Query, catalog: Catalog) -> Flaw | None:
        """See `rewright.equivalence.proof.check_proof`."""
        if [c.type for c in a.output_columns(q1)] != [c.type for c in a.output_columns(q2)]:
            return Flaw("the columns differ")
        view = next((v for n, v in enumerate(views(q1, q2, catalog)) if n == self.view), None)
        if view is None or self.wider not in (*range(COLUMNS + 1), None):
            return Flaw("there is no such form of the pair")
        found = parts_of(view, self.wider)
        if len(found) != len(self.parts):
            return Flaw(f"{len(found)} parts differ, and {len(self.parts)} are proved")
        looked: list[tuple[Difference, Pair, Proof]] = []
        for number, (part, difference) in enumerate(zip(self.parts, found, strict=True), 1):
            pair = next(
                (p for n, p in enumerate(ways_of(difference, self.wider, view.catalog)) if n == part.way),
                None,
            )
            if pair is None:
                return Flaw(f"part {number}: there is no such look at it")
            if (flaw := check_proof(part.proof, pair.before, pair.after, pair.catalog)) is not None:
                return Flaw(f"part {number}: {flaw.reason}", flaw.step)
            looked.append((difference, pair, part.proof))
        facts, modulo = stated(view, looked)
        if facts != self.facts:
            return Flaw(f"facts should be {facts}")
        return None if modulo == self.modulo else Flaw(f"modulo should be {modulo}")


def stated(
    view: View, looks: Sequence[tuple[Difference, Pair, Proof]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The facts and reservations of the whole."""
    facts = dict.fromkeys(
        fact for _, pair, proof in looks for fact in pair.resting_on(map(str, proof.assumptions))
    )
    facts |= dict.fromkeys(x for difference, pair, _ in looks for x in (*difference.facts, *pair.facts))
    facts = {f: None for f in facts if not any(f" {name}" in f for name in view.made)}
    facts |= dict.fromkeys(view.facts)
    modulo = set(view.modulo)
    for difference, pair, proof in looks:
        modulo |= {*proof.modulo, *difference.modulo, *pair.modulo}
    # where both are seen whole, what arithmetic is done on may be known to be small; what a form leaves out
    # (a key that says nothing, a column of a computed CTE that one of its readers does not read) is in both
    # as they were read
    dropped = view.read if "overflow" in view.modulo else ()
    seen = (view.before, view.after, *dropped, *(q for pair in view.others for q in pair))
    if "overflow" in modulo and not any(Facts(view.catalog).may_overflow(q) for q in seen):
        modulo.remove("overflow")
    return tuple(facts), tuple(sorted(modulo))


def has_parameters(*queries: a.Query) -> bool:
    return any(isinstance(n, a.Param) for q in queries for n in walk(q))
