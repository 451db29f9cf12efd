"""Numbers of an intent in the units that its question speaks of: `in minutes` of a column of seconds,
`heavier than 1.5 kg` of one of grams.

Owns turning what is shown or compared from one unit into another. Must not know the grammar; raises Unclear
where a question speaks of a unit that nothing read is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from rewright.ask.context import ColumnContext
from rewright.ask.reading.comments import unit_in
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    Condition,
    Converted,
    Expression,
    Intent,
    Ranged,
    Rounded,
)
from rewright.ask.reading.intent_parts import columns_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.unit_names import SHOWN, UNITS, Unit, factor, numbers_with_units, unit_of
from rewright.lake import names

# a unit is told by a column's name alone, which may be wrong
_CONVERTED = 0.97
_UNSAID = 0.75
_SCALES = {
    **dict.fromkeys(("thousand", "thousands"), 1000),
    **dict.fromkeys(("million", "millions", "mio", "mn"), 10**6),
    **dict.fromkeys(("billion", "billions", "bn"), 10**9),
}
"""Last words of names of columns that count in thousands or more."""


# ------------------------------------------------------------------ what is shown


def shown_in(intent: Intent, wanted: Sequence[Unit], scope: Scope) -> Intent:
    """The intent with what it shows in the unit asked for. Raises Unclear where nothing is measured so."""
    made = {e: _converted(e, wanted, scope) for e in intent.outputs}
    # one of several outputs is enough: names beside a length are not converted
    if all(e is None for e in made.values()):
        raise Unclear(f"nothing that is shown can be given in {wanted[0].name}s")
    if any(e is not None and e != of for of, e in made.items()):
        scope.doubt("a unit that is worked out", _CONVERTED)
    outputs = tuple(made[e] or e for e in intent.outputs)
    order = tuple((made.get(e) or e, way) for e, way in intent.order)
    return replace(intent, outputs=outputs, order=order)


def _converted(shown: Expression, wanted: Sequence[Unit], scope: Scope) -> Expression | None:
    """The expression in the unit; None where it is of another kind."""
    match shown:
        case Column(column) | Aggregate("sum" | "avg" | "min" | "max" | "median", ColumnContext() as column):
            # of these functions the unit is that of the column; a count has none
            found = factor(unit_of(scope.words(column)), wanted) if column.kind == "number" else None
        case Rounded(of, digits):
            inner = _converted(of, wanted, scope)
            return None if inner is None else Rounded(inner, digits)
        case _:
            # a ratio or a span has a unit that no column's name tells
            return None
    if found is None:
        return None
    times, unit = found
    return shown if times == 1 else Converted(shown, times, f"{SHOWN.get(unit.name, unit.name)}s")


# ------------------------------------------------------------------ what is compared


def compared_in(intent: Intent, question: str, scope: Scope) -> Intent:
    """The intent with its numbers in the units of the columns that they are compared with. Raises Unclear
    for a column that measures something else: `longer than 10 km` of a duration.
    """
    where, having = (tuple(map(_in_its_scale, tests)) for tests in (intent.where, intent.having))
    intent = replace(intent, where=where, having=having)
    said = numbers_with_units(question)
    if not said:
        return intent
    where = tuple(_in_its_unit(c, said, scope) for c in intent.where)
    having = tuple(_in_its_unit(c, said, scope) for c in intent.having)
    return replace(intent, where=where, having=having)


def _in_its_scale(condition: Condition) -> Condition:
    """`more than 100 million people`, of a column population_millions: more than 100 of them."""
    match condition:
        case Compared(Column() | Aggregate() as left, _, number):
            by = _scale(left, number)
            return condition if by == 1 else replace(condition, right=_times(number, by))
        case Ranged(Column() | Aggregate() as left, low, high):
            by = _scale(left, low)
            if by == 1:
                return condition
            return replace(condition, low=_times(low, by), high=_times(high, by))
        case _:
            return condition


def _scale(left: Expression, number: str) -> Fraction:
    """What a number is multiplied by to be counted as a column's name says; 1 where it may be so counted."""
    columns = columns_of(left)
    last = names.normal(columns[0].name).split()[-1:] if len(columns) == 1 else []
    scale = _SCALES.get(last[0], 1) if last else 1
    told = number.replace(".", "", 1).isdigit()
    return Fraction(1, scale) if told and scale > 1 and float(number) >= scale else Fraction(1)


def _in_its_unit(condition: Condition, said: dict[str, tuple[Unit, ...]], scope: Scope) -> Condition:
    match condition:
        case Compared(Column() | Aggregate() as left, _, number):
            times = _to_columns(left, number, said, scope)
            return condition if times == 1 else replace(condition, right=_times(number, times))
        case Ranged(Column() | Aggregate() as left, low, high):
            times = _to_columns(left, high, said, scope)
            if times == 1:
                return condition
            return replace(condition, low=_times(low, times), high=_times(high, times))
        case _:
            return condition


def _to_columns(left: Expression, number: str, said: dict[str, tuple[Unit, ...]], scope: Scope) -> Fraction:
    """By how much a number is multiplied to be in the unit of what it is compared with. Raises Unclear."""
    columns = columns_of(left)
    # a number without a unit is in whatever the column holds
    if number not in said or len(columns) != 1:
        return Fraction(1)
    held = unit_of(scope.words(columns[0])) or UNITS.get(unit_in(columns[0].comment), ())
    if not held:
        # `longer than 2 hours`, of a playing_time: its numbers may be minutes
        if not {unit.name for unit in said[number]} & set(scope.words(columns[0])):
            scope.doubt(f"in what unit {columns[0].name} is", _UNSAID)
        return Fraction(1)
    found = factor(said[number], held)
    if found is None:
        # a bound in another dimension would compare kilometres with minutes
        raise Unclear(
            f"{columns[0].name} is in {held[0].name}s, which {number} {said[number][0].name}s is not"
        )
    return found[0]


def _times(number: str, by: Fraction) -> str:
    made = Fraction(number) * by
    # ten digits: more than any unit's factor needs, fewer than a float's noise shows
    return str(made.numerator) if made.denominator == 1 else f"{float(made):.10g}"
