"""Every form of a pair by the name that certificates give it, and a pair seen in some of them.

Must not know how one of them is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from rewright.equivalence.prover.asked_first import worded_otherwise
from rewright.equivalence.prover.fences import fenced_otherwise
from rewright.equivalence.prover.kept import read_kept
from rewright.equivalence.prover.planned import planned_otherwise
from rewright.equivalence.prover.prepare import same_tree
from rewright.equivalence.prover.translated import Unsupported
from rewright.equivalence.prover.unread import without_unread
from rewright.equivalence.recheck.outcome import Refused
from rewright.equivalence.recheck.views.asking import asking
from rewright.equivalence.recheck.views.bounds import bounds
from rewright.equivalence.recheck.views.calendars import calendars
from rewright.equivalence.recheck.views.columns import columns
from rewright.equivalence.recheck.views.constants import constants
from rewright.equivalence.recheck.views.counts import counts
from rewright.equivalence.recheck.views.cuts import cuts
from rewright.equivalence.recheck.views.early import early
from rewright.equivalence.recheck.views.either import either
from rewright.equivalence.recheck.views.fixpoints import fixpoints
from rewright.equivalence.recheck.views.frames import frames
from rewright.equivalence.recheck.views.groups import groups
from rewright.equivalence.recheck.views.instants import instants
from rewright.equivalence.recheck.views.keys import keys
from rewright.equivalence.recheck.views.least import least
from rewright.equivalence.recheck.views.lists import lists
from rewright.equivalence.recheck.views.lookups import lookups
from rewright.equivalence.recheck.views.moments import moments
from rewright.equivalence.recheck.views.neighbours import neighbours
from rewright.equivalence.recheck.views.numbers import numbers
from rewright.equivalence.recheck.views.opening import opening
from rewright.equivalence.recheck.views.ordered import ordered
from rewright.equivalence.recheck.views.orders import orders
from rewright.equivalence.recheck.views.others import others
from rewright.equivalence.recheck.views.padding import padding
from rewright.equivalence.recheck.views.pages import pages
from rewright.equivalence.recheck.views.partners import partners
from rewright.equivalence.recheck.views.patterns import patterns
from rewright.equivalence.recheck.views.places import places
from rewright.equivalence.recheck.views.plain import asked, plain
from rewright.equivalence.recheck.views.presence import presence
from rewright.equivalence.recheck.views.restrictions import restrictions
from rewright.equivalence.recheck.views.shifts import shifts
from rewright.equivalence.recheck.views.single import single
from rewright.equivalence.recheck.views.stating import Law, View, of_each, of_trees
from rewright.equivalence.recheck.views.successors import successors
from rewright.equivalence.recheck.views.texts import texts
from rewright.equivalence.recheck.views.totals import totals
from rewright.equivalence.recheck.views.values import values
from rewright.equivalence.recheck.views.zeros import zeros
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import asks_of_storage
from rewright.sql.facts.local_times import concludes_wrongly
from rewright.sql.facts.policies import policies_differ

# in the order in which they are looked for
VIEWS: Mapping[str, Law] = MappingProxyType(
    {
        "orders": orders,
        "successors": of_each(successors),
        "fixpoints": fixpoints,
        "asked": of_each(asked),
        "plain": of_each(plain),
        "opening": opening,
        "instants": of_trees(instants),
        "calendars": of_trees(calendars),
        "constants": of_trees(constants),
        "padding": of_trees(padding),
        "lists": of_each(lists),
        "patterns": of_trees(patterns),
        "moments": of_each(moments),
        "bounds": of_each(bounds),
        "totals": of_each(totals),
        "neighbours": of_each(neighbours),
        "places": of_each(places),
        "ordered": of_each(ordered),
        "shifts": of_each(shifts),
        "counts": of_each(counts),
        "zeros": of_each(zeros),
        "texts": of_each(texts),
        "least": of_each(least),
        "groups": of_each(groups),
        "presence": of_each(presence),
        "either": of_each(either),
        "keys": of_each(keys),
        "frames": of_each(frames),
        "pages": of_each(pages),
        "cuts": of_each(cuts),
        "early": of_each(early),
        "asking": of_each(asking),
        "lookups": of_each(lookups),
        "restrictions": of_each(restrictions),
        "numbers": of_each(numbers),
        "partners": of_each(partners),
        "values": of_each(values),
        "single": of_each(single),
        "others": of_each(others),
        "columns": columns,
    }
)


def seen(first: a.Query, second: a.Query, catalog: Catalog, names: Iterable[str]) -> View:
    """The pair in the forms, one after the other. Raises Refused where one changes nothing or is not needed
    any more, or where none may be taken of the pair.
    """
    view = begun(first, second, catalog)
    for number, name in enumerate(names):
        if one_tree(view):
            raise Refused(f"nothing is left for the form {name[:40]} to show")
        if name not in VIEWS:
            raise Refused(f"no such form: {name[:40]}")
        made = changed(view if number else opened(view), name)
        if made is None:
            raise Refused(f"the form {name} changes nothing")
        view = made
    return view


def begun(first: a.Query, second: a.Query, catalog: Catalog) -> View:
    """The pair without the outputs that neither query computes. Raises Refused where that can't be told."""
    if policies_differ(first, second, catalog):
        raise Refused("row-level security below a view")
    try:
        return View(((without_unread(first, catalog), without_unread(second, catalog)),), catalog)
    except Unsupported as why:
        raise Refused(str(why)) from None


def one_tree(view: View) -> bool:
    """Whether nothing is left to be shown."""
    return all(same_tree(*pair) for pair in view.pairs)


def changed(view: View, name: str) -> View | None:
    """The view in one more form; None where that changes nothing."""
    made = VIEWS[name](view)
    if made.pairs == view.pairs:
        return None
    if len(made.pairs) == len(view.pairs) and _types(made) != _types(view):
        raise Refused(f"the form {name} changes the columns")
    return made


def opened(view: View) -> View:
    """The pair as it is, with what any form of it leaves open: what shows which of equal values is kept may
    be left out of a form, and what made it. Of chance nothing may be computed once more.
    """
    try:
        modulo = set(fenced_otherwise(*view.pairs[0], view.catalog))
        modulo |= planned_otherwise(*view.pairs[0], view.catalog)
        modulo |= worded_otherwise(*view.pairs[0], view.catalog)
    except Unsupported as why:
        raise Refused(str(why)) from None
    for query in view.pairs[0]:
        if concludes_wrongly(query, view.catalog):
            raise Refused("instants are equated with local times")
        if Facts(view.catalog, query).volatility(query) is a.Volatility.VOLATILE:
            raise Refused("volatile functions are seen in no other form")
        if asks_of_storage(query):
            raise Refused("how values are stored is seen in no other form")
        kept = read_kept(query, extremes=True)
        if kept.decides:
            raise Refused(
                "which of equal values is kept, or which key of a grouping set is found, decides on rows"
            )
        if kept.shown:
            modulo.add("tie-order")
    return replace(view, modulo=view.modulo | modulo)


def _types(view: View) -> list[list[object]]:
    return [[c.type for c in a.output_columns(q)] for pair in view.pairs for q in pair]
