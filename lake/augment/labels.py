"""Labels before a column's values that its name says already: `Plot C-12` in `plot_id`, `P0031` of a picker.

Owns which label all values of a column have, and when two columns are compared without theirs. Must not know
tables beyond a column, or scores.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache

from rewright.engines.duckdb.quoting import literal
from rewright.lake import names
from rewright.lake.catalog.model import Column, Family

_FEWEST = 3
"""Values that a column must have, at least."""
_LABEL = re.compile(r"([^\W\d_]+)(?:[\W_]|(?=\d))")


@lru_cache(maxsize=8192)
def label_of(column: Column) -> str:
    """The letters before all of its values, folded, if a word of its name, or of its table's, begins so; '':
    there are none.

    What the least and the greatest value begin with, all between them begin with.
    """
    least, most = column.minimum or "", column.maximum or ""
    if column.family is not Family.TEXT or column.distinct < _FEWEST:
        return ""
    pairs = zip(least, most, strict=False)
    shared = "".join(a for a, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    after = least[len(shared) :][:1] + most[len(shared) :][:1]
    # one digit more: what follows the label is a digit in all of them
    found = _LABEL.match(shared + (after[:1] if len(after) == 2 and after.isdigit() else ""))
    if found is None or len(least) <= found.end() - 1:
        return ""
    label = found[1].casefold()
    words = (*names.words(column.name), *names.words(column.table))
    return label if any(word.startswith(label) for word in words) else ""


def labelled_apart(a: Column, b: Column) -> bool:
    """Are their values the same, if any are, without the labels alone?"""
    one, two = label_of(a), label_of(b)
    if one == two:
        return False
    return not (_some_begin(b, one) or _some_begin(a, two))


def without_label(column: Column, text: str) -> str:
    """SQL of a text without the column's label."""
    label = label_of(column)
    if not label:
        return text
    pattern = literal(rf"^{label}[^\pL\pN]*")
    return f"regexp_replace(CAST({text} AS VARCHAR), {pattern}, '', 'i')"


def _some_begin(column: Column, label: str) -> bool:
    if not label:
        return False
    values = (column.minimum, column.maximum, *column.samples)
    return any((value or "").strip().casefold().startswith(label) for value in values)
