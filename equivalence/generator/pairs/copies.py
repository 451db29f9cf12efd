"""A scheme for what may fail and is computed of a copy of the rows, looked up by its key: with what the rows
themselves are asked first, and without.
"""

from __future__ import annotations

import random

from rewright.equivalence.generator.pairs.worlds import World

Made = tuple[str, list[str], list[str]]
# terms that fail for some values, and comparisons after which they do not
_FAILING = (("100 / {}.w", "{}.w > 0"), ("{}.w::int + 2147483644", "{}.w < 3"), ("7 % {}.w", "{}.w >= 1"))


def asked_copies(rnd: random.Random, w: World) -> Made:
    """M7: the copy fails for rows that the original never asks."""
    t = w.child
    term, first = rnd.choice(_FAILING)
    meets = "s.pid = {0}.pid and s.id <> {0}.id and s.w <= {1}"
    copied = f"select c.id from {t} c join {t} s on {meets.format('c', term.format('c'))}"
    rows = f"select r.id, r.pid from {t} r where {first.format('r')}"
    asked = rnd.choice(
        [
            f"{rows} and exists (select 1 from {t} s where {meets.format('r', term.format('r'))})",
            f"{rows} and r.id in ({copied} where {first.format('c')})",
        ]
    )
    sound = f"{rows} and r.id in ({copied} where {first.format('c')})"
    computed = f"with q as materialized ({copied}) {rows} and r.id in (select q.id from q)"
    broken = (f"{rows} and r.id in ({copied})", computed)
    # in an order they stay as they are: the other way round the replacement only fails less
    return f"{asked} order by 1", [f"{sound} order by 1"], [f"{x} order by 1" for x in broken]


COPIES = (asked_copies,)
