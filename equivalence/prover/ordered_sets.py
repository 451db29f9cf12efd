"""Aggregates WITHIN GROUP of the values that they sort.

    percentile_cont(0.5) WITHIN GROUP (ORDER BY x)    the middle of all x but NULLs
    percentile_disc(0.9) WITHIN GROUP (ORDER BY x)    one of them
    mode() WITHIN GROUP (ORDER BY x)                  the first of those that are there most often

Each leaves NULLs out, is NULL without values, and is a function of the sorted values: rows that tie give the
same where equal values are. A fraction outside of 0 to 1 raises an error even of no rows, so that only
constants within are read. Must not know terms.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.facts.aggregates import WITHIN_GROUP

from .translated import Unsupported

_FRACTION = re.compile(r"0|1|[01]\.0+|0?\.\d{1,15}")
_NUMBERS = frozenset({"numeric", "float8"})


def of_sorted_values(e: a.Aggregate) -> tuple[a.Aggregate, str]:
    """The aggregate with what it sorts as its argument, and its fraction, '' for none.

    :raises Unsupported: another ordered-set aggregate, several fractions, or one that is no constant in 0
        to 1.
    """
    if not e.func.is_builtin or e.func.name not in WITHIN_GROUP or len(e.order_by) != 1 or e.args:
        raise Unsupported("ordered-set aggregate")
    fraction = "" if e.func.name == "mode" else _fraction(e)
    return replace(e, args=(e.order_by[0].expr,), direct=()), fraction


def _fraction(e: a.Aggregate) -> str:
    (x,) = e.direct if len(e.direct) == 1 else (None,)
    while isinstance(x, a.Cast) and x.type.is_builtin and x.type.name in _NUMBERS and x.type.typmod == -1:
        x = x.arg
    # an array asks for several; NULL gives NULL, and what is read from rows has no value here
    if not isinstance(x, a.Const) or not _FRACTION.fullmatch(str(x.value)) or e.func.arg_types[0] != "float8":
        raise Unsupported("fraction of an ordered-set aggregate")
    # 0.5, .5 and 0.50 are one float8
    return repr(float(str(x.value)))
