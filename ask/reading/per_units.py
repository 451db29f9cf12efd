"""`voters per square kilometre`, `price per kilo`: a rate, by a column that is one or by two of a row.

Owns that form. Must not know the grammar; raises Unclear where what was read is no rate.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rewright.ask.context import ColumnContext
from rewright.ask.reading.intent import Column, Expression, Intent, Measured, Ratio
from rewright.ask.reading.intent_parts import columns_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root

_PER = re.compile(
    r"\bper (?:(?P<power>square|sq|cubic) )?"
    r"(?P<unit>kilomet(?:er|re)|km|met(?:er|re)|mile|foot|hectare|acre|lit(?:er|re)|kilo(?:gram)?|kg|gram)s?\b",
    re.IGNORECASE,
)
_RATES = frozenset(
    listed("density rate per yield intensity consumption concentration pressure price cost fare charge unit")
)
"""Words of columns that hold one number for so much of another."""
_SPELLED = {
    "kilometer": "km", "kilometre": "km", "meter": "m", "metre": "m", "mile": "mi", "foot": "ft",
    "hectare": "ha", "acre": "acre",
}  # fmt: skip
_WORKED_OUT = 0.93


def per_unit(intent: Intent, question: str, scope: Scope) -> Intent:
    """The intent, with a number by the area of its row where that is asked for. Raises Unclear."""
    said = _PER.search(question)
    # `per meter`, where a meter is a thing with rows
    if said is None or _is_a_thing(said, scope):
        return intent
    measured: list[Expression] = [*intent.outputs, *(e for e, _ in intent.order)]
    if any(_is_rate(e, scope) for e in measured):
        # a rate is there already: to divide it again would be another unit
        return intent
    numbers = [
        e for e in measured if isinstance(e, Column) and e.column.kind == "number" and not e.column.key
    ]
    made: dict[Expression, Expression] = {
        e: Ratio(e, Column(area)) for e in numbers if (area := _area(e.column, said, scope)) is not None
    }
    # none or two numbers that could be divided: which one is not said
    if len(made) != 1:
        raise Unclear(f"it is not clear what there is {said[0]}")
    scope.doubt("a number by the area of its row", _WORKED_OUT)
    outputs = tuple(made.get(e, e) for e in intent.outputs)
    return replace(intent, outputs=outputs, order=tuple((made.get(e, e), way) for e, way in intent.order))


def _is_a_thing(said: re.Match[str], scope: Scope) -> bool:
    """`total kwh per meter`, of meters that are read."""
    return not said["power"] and any(root(said["unit"]) in map(root, t.words) for t in scope.context.tables)


def _is_rate(shown: Expression, scope: Scope) -> bool:
    if isinstance(shown, Ratio) or (isinstance(shown, Measured) and isinstance(shown.of, Ratio)):
        return True
    return any(set(scope.words(c)) & _RATES for c in columns_of(shown))


def _area(column: ColumnContext, said: re.Match[str], scope: Scope) -> ColumnContext | None:
    """The one column of the row that holds an area in the unit."""
    unit = _SPELLED.get(said["unit"].lower(), said["unit"].lower())
    # an area is named `area_km2` or `area_sq_km`; lengths by the unit alone
    named = {f"{unit}2", f"sq{unit}", unit} if said["power"] else {unit, f"{unit}s"}
    areas = [
        c
        for c in scope.context.table(column.table).columns
        if c.kind == "number" and {"area", "surface"} & set(scope.words(c)) and _ends(c, named)
    ]
    # a column divided by itself is 1 for each row
    return areas[0] if len(areas) == 1 and areas[0] != column else None


def _ends(column: ColumnContext, named: set[str]) -> bool:
    return re.split(r"[_\W]+", column.name.lower())[-1] in named
