"""Words that say the role of a key: `started at` of a start_station_id, `picked up` of a pickup_point.

Owns which words say the same role. Must not know a schema.
"""

from __future__ import annotations

from rewright.ask.reading.words import listed, root

_SAME_ROLES = {
    "start": "start started starts starting begin began begun begins beginning departure departures depart "
    "departed departs departing leave leaves leaving origin source",
    "end": "end ended ends ending finish finished finishes destination arrival arrivals arrive arrived "
    "arrives arriving target",
}
SAID_BEFORE = {"from": "start", "to": "end", "into": "end"}
"""Prepositions that say a role of the name right behind them: `from A to B`."""
_ROLES = {word: said for said, words in _SAME_ROLES.items() for word in listed(words)}


def role(word: str) -> str:
    """One form for the words that say a role: `ended`, `arrival` and `destination`."""
    return _ROLES.get(word, root(word))
