"""Words of lengths of time: whether a question speaks of one, its units and verbs.

Owns telling `3 days`, a length, from `in the past 3 days`, a time, and from a group by days.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rewright.ask.reading.words import Token, listed

_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?)"
_TIMED = re.compile(
    rf"\bhow long\b|\bdurations?\b"
    # words before a unit that ask for a length of it: `number of days`, `time in hours`
    rf"|\b(?:number of|how many|average|total|difference in|time in)\s+{_UNIT}\b"
    rf"|\b(?:longer|shorter|more|less|fewer)\s+than\s+\w+\s+{_UNIT}\b"
    rf"|\b(?:at least|at most|over|under|within|exceed\w*|up to)\s+\w+\s+{_UNIT}\b",
    re.IGNORECASE,
)
_UNITS = frozenset(listed("second seconds minute minutes hour hours day days week weeks"))
_VERBS = frozenset(
    listed(
        "stay stays stayed last lasts lasted lasting take takes took pass passes passed elapse elapsed "
        "remain remains remained start end beginning finish"
    )
)
_GROUPING = frozenset(listed("per each every by past last previous next"))


def is_timed(question: str) -> bool:
    """Whether a question speaks of how long something lasts."""
    return _TIMED.search(question) is not None


def time_mark(words: Sequence[Token], at: int) -> str:
    """`seconds` for a unit of a length of time, `lasting` for a verb that says one; nothing for others."""
    word = words[at].word
    # `per day` groups and `last 3 days` is a time: no length of anything
    if word in _UNITS and (at == 0 or words[at - 1].word not in _GROUPING):
        return "seconds"
    return "lasting" if word in _VERBS else ""
