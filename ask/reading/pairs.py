"""Two dates of a row that begin and end something: `admitted_at` and `discharged_at`.

Owns which words of dates belong together. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root

# one line for each way in which dates are called: beginnings before the colon, ends behind it
_FORWARD = """
start started begin began begun starts: end ended finish finished stop stopped complete completed restored
start started begin began begun starts: resolved expire
open opened opens: close closed closes
alarmed alerted called dispatched: ended finished closed completed returned
admitted admission: discharged discharge
check_in checked_in checkin arrival arrived arrive: check_out checked_out checkout departure departed
hired hire joined employed: terminated termination left fired resigned retired exit
signed: ended expired expires terminated
from: to until till thru
since effective: until expiry expiration expires
first: last
departure departed departs depart: arrival arrived arrives arrive
ordered order placed: shipped delivered delivery ship shipment
shipped sent dispatched: delivered arrived received delivery
requested reported created raised opened submitted logged: resolved closed completed approved decided
requested reported created raised opened submitted logged: fixed restored
requested reported created raised submitted logged received filed: answered replied
filed lodged submitted: resolved closed settled decided
borrowed loaned lent rented issued taken loan: returned return
issued issue invoiced invoice: paid payment
sale sold: paid payment received
joined registered enrolled subscribed: left cancelled graduated
installed: removed
login logged_in: logout logged_out
pickup picked: dropoff dropped
departed departure left: returned return
birth born: death died
in: out
""".strip()


def _pairs() -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    for line in _FORWARD.splitlines():
        first, _, last = line.partition(":")
        yield frozenset(map(root, _words(first))), frozenset(map(root, _words(last)))


def _words(text: str) -> list[str]:
    return [part for word in text.split() for part in _stripped(word)]


def _stripped(word: str) -> list[str]:
    """`check_in` without its end, which says only which of two it is."""
    parts = word.split("_")
    return [part for part in parts if len(parts) == 1 or part not in {"in", "out"}]


_PAIRS = tuple(_pairs())
# words that dates share tell none of them apart; `at`, `in` and `out` only do where nothing else is left
DULL = frozenset(map(root, listed("date time day at on dt ts in out timestamp datetime")))


def lasting(scope: Scope, table: TableContext) -> tuple[ColumnContext, ColumnContext] | None:
    """The dates at which a row begins and ends; None where that is not just one pair."""
    dates = [c for c in scope.times(table) if c.kind == "date"]
    found = {
        pair for first in dates for last in dates if first != last and (pair := _ordered(scope, first, last))
    }
    # the same two dates in either order: both words stand on both sides of some lines
    if len({frozenset(pair) for pair in found}) == 1 and len(found) > 1:
        # `departed` and `arrived`, of a guest or of a ship: what some lack is the end, else what is told last
        first, last = sorted(next(iter(found)), key=lambda c: (bool(c.nulls), dates.index(c)))
        return first, last
    return next(iter(found)) if len(found) == 1 else None


def _ordered(
    scope: Scope, first: ColumnContext, last: ColumnContext
) -> tuple[ColumnContext, ColumnContext] | None:
    a, b = (({root(w) for w in scope.words(c)}) for c in (first, last))
    shared = a & b
    # shared words say nothing; dull ones only where nothing else would be left
    own, other = (a - shared - DULL) or (a - shared), (b - shared - DULL) or (b - shared)
    return (first, last) if any(own & begins and other & ends for begins, ends in _PAIRS) else None
