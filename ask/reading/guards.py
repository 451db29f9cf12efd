"""What a reading must not leave out or make up: a second question, units, times to come, the one row or the
sum of all.

Owns what is asked of a whole reading beside `sense`. Must not know the grammar; raises Unclear, or adds
doubts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    During,
    Expression,
    Intent,
    Measured,
    OneOf,
    Portion,
    Ranged,
    Ratio,
    Span,
    Without,
)
from rewright.ask.reading.intent_parts import aggregates_of, columns_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import RELATING
from rewright.ask.reading.link import Link
from rewright.ask.reading.mismatches import places_shown
from rewright.ask.reading.moment import Moment
from rewright.ask.reading.per_units import per_unit
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.unit_names import measures, without_numbered, without_unit
from rewright.ask.reading.words import listed, root, stem
from rewright.lake import names

# `the second largest` is a place in an order, not a unit of time
_PLACE_IN_ORDER = re.compile(r"\bsecond (?=(?:most|least|best|worst|\w+est)\b)", re.IGNORECASE)
_SAYS_WHICH = frozenset({"where", "whose"})
# behind these `where` and `whose` open a question of their own: `and whose is it`
_ASKS_TOO = frozenset(listed("and or in with on of for"))
"""Before a `where` or `whose` that asks for something more."""
_DAY = re.compile(r"date '(\d{4}-\d\d-\d\d)'")
_SECOND = re.compile(
    r"(?:,|\band)\s+(?:(?:since )?(?:when|why|whose|how(?!\s+(?:many|much|long|often)))\b"
    r"|where\s+(?:do|does|did|is|are|was|were|it|they|he|she)\b"
    # `who was born in`, `who is not`: conditions of the rows that are asked for
    r"|who(?:m)?\s+(?:is|was|are|were)\b(?!\s+(?:not|born|from|in|at)\b)"
    r"|(?:who|what|which)\s+\w+\s+(?:it|them)\b)",
    re.IGNORECASE,
)
"""A question within a question, of which nothing would be shown."""
_PARTICIPLES = frozenset(listed("left sold paid built bought sent lent quit begun born held"))
_YES_NO = frozenset(listed("yes no y n true false t f"))
_EXTREMES = frozenset(listed("maximum max minimum min highest lowest average avg mean total"))
_FUTURE = 0.72
_SUMMED = 0.93
_NONE_OF_SEVERAL, _NEARLY_UNIQUE = 0.75, 0.8
ADDITIVE = frozenset(
    map(
        stem,
        listed(
            "revenue sales sale takings amount income turnover quantity stream cost profit spending expense "
            "payment sold visitor attendance volume production consumption download view earning proceeds "
            "budget donation"
        ),
    )
)
"""Of which the sum is meant where no one row is."""
# a comma inside a number groups its digits
_PERCENT = re.compile(r"(\d[\d,.]*)\s*(?:%|per ?cent\b)", re.IGNORECASE)
_PART_OF = re.compile(r"(\d[\d,.]*)\s*(?:%|per ?cent) of (?:the|its|their|his|her)\b", re.IGNORECASE)
_RATE = re.compile(r"(\d[\d,.]*) (?:an?|per|each|every) (hour|day|week|month|year)\b", re.IGNORECASE)
# a fraction of 0.8 and a percentage of 80 look alike until one sees the values
_PERCENT_OR_PART = 0.75
_SAYS_PERCENT = frozenset(listed("pct percent percentage perc"))
_IN_PERCENT = frozenset(
    listed(
        "pct percent percentage perc rate share ratio discount margin growth commission interest tax vat "
        "yield probability proportion score humidity occupancy utilization"
    )
)
_DIMENSIONS = tuple(
    tuple(frozenset(kind.split("/")) for kind in line.split())
    for line in """
millisecond/ms second/sec minute/min hour/hr day week month year
millimeter/millimetre/mm centimeter/centimetre/cm meter/metre kilometer/kilometre/km mile foot/feet/ft inch
gram/g kilogram/kilo/kg tonne/ton pound/lb ounce
litre/liter/l millilitre/milliliter/ml gallon
cent dollar/usd euro/eur
byte kilobyte/kb megabyte/mb gigabyte/gb terabyte/tb
""".strip().splitlines()
)
"""Units that measure the same, one line a dimension."""


_BOTH_KINDS = re.compile(r"\bwith and without\b", re.IGNORECASE)
"""`jobs with and without parts`: two figures, of which a condition gives one."""


def second_question(question: str) -> None:
    """`the dearest album, and whose is it?`: only the first would be answered. Raises Unclear."""
    # at the very start such a word is the question itself
    found = _SECOND.search(question)
    if found is not None and found.start() > 0:
        raise Unclear(f"it is not clear what is meant by {found[0].strip(' ,')}")
    if (both := _BOTH_KINDS.search(question)) is not None:
        raise Unclear(f"it is not clear how those {both[0]} are to be told apart")


def guard(intent: Intent, links: Sequence[Link], scope: Scope, question: str) -> Intent:
    """The intent, its lone number added up where no row is named. Raises Unclear."""
    _times_to_come(scope)
    _no_condition(intent, scope)
    _nothing_listed(intent, links, scope)
    _times_apart(intent)
    _none_of_several(intent, scope)
    _other_units(intent, question, scope)
    _units_of_counts(intent, question, scope)
    intent = per_unit(intent, question, scope)
    # how units, percentages and rates are compared is looked at before anything is added up, as a sum would
    # hide the column
    _percentages(intent, question, scope)
    _rates(intent, question, scope)
    _states_shown(intent, links)
    _of_another(intent, links, scope)
    _flags_shown(intent, links, scope)
    places_shown(intent, links, scope)
    return _added_up(intent, links, scope)


def _no_condition(intent: Intent, scope: Scope) -> None:
    """`accounts where the sales rep is also the manager` read as a list of both. Raises Unclear."""
    first = next((at for at, word in enumerate(scope.roles) if word in _SAYS_WHICH), 0)
    chosen = intent.where or intent.having or intent.order or intent.limit or intent.exists
    # a count with a condition has chosen its rows already: `how many where ..`
    filtered = any(m.where for e in intent.outputs for m in aggregates_of(e) if isinstance(m, Aggregate))
    if first > 0 and scope.roles[first - 1] not in _ASKS_TOO and not chosen and not filtered:
        raise Unclear(f"it is not clear which rows are meant by {' '.join(scope.roles[first:])}")


def _times_to_come(scope: Scope) -> None:
    """`what will our revenue be`: no row tells, but those that say when something ends."""
    said = {root(w) for w in scope.roles}
    dates = [c for t in scope.context.tables for c in t.columns if c.kind == "date"]
    # `which contracts will end in 2030`: a date that the row holds tells it
    told = any(({root(w) for w in scope.words(c)} - {root("date")}) & said for c in dates)
    if "will" in scope.roles and not told:
        scope.doubt("whether what is to come is asked for", _FUTURE)


def _days(moment: Moment) -> tuple[str, str]:
    """Its first day and the day after its last as texts that sort; the widest where today tells them."""
    start, end = (_DAY.search(bound or "") for bound in (moment.start, moment.end))
    low, high = moment.years or (None, None)
    # a time told by today (`last month`) has no literal: only its years bound it, or nothing does
    first = start[1] if start else "" if low is None else f"{low:04}"
    return first, end[1] if end else "9999" if high is None else f"{high + 1:04}"


def _nothing_listed(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`list guests with the number of stays` read as the number of all. Raises Unclear."""
    said = [link for link in links if link.mark not in {"return", "relation", "distinct"}]
    head = said[0] if said and said[0].mark == "table" else None
    # one total for a list that names its rows first: they were meant to be the lines
    if head is None or intent.groups or not all(aggregates_of(e) for e in intent.outputs):
        return
    measured = {m.of for e in intent.outputs for m in aggregates_of(e) if isinstance(m, Aggregate)}
    table = scope.table(head).ref
    if not any(of == table or (isinstance(of, ColumnContext) and of.table == table) for of in measured):
        raise Unclear(f"it is not clear what of {table.name} is to be shown")


def _times_apart(intent: Intent) -> None:
    """`in 2022 and in 2023`: no row is of both. Raises Unclear."""
    held = [c for c in intent.where if isinstance(c, During)]
    for i, one in enumerate(held):
        for other in held[i + 1 :]:
            # equal moments are one condition said twice
            if one.column != other.column or one.moment == other.moment:
                continue
            (low, high), (least, most) = _days(one.moment), _days(other.moment)
            months = {one.moment.month, other.moment.month}
            # two months of no year never meet either
            if high <= least or most <= low or (None not in months and len(months) > 1):
                raise Unclear(f"nothing is {one.moment.said} and {other.moment.said}")


def _none_of_several(intent: Intent, scope: Scope) -> None:
    """`which counties have no restaurant?`, of cities with a county each: a county with one such city is
    listed, though restaurants are in its others.
    """
    kept = {c.kept for c in intent.where if isinstance(c, Without)}
    only = intent.outputs[0] if len(intent.outputs) == 1 else None
    if not isinstance(only, Column) or only.column.table not in kept or only.column.unique:
        return
    table = scope.context.table(only.column.table)
    if only.column in scope.label(table) and any(
        link.mark == "table" and link.tables[0] == table for link in scope.links
    ):
        return  # `which members have no game?`: two of one name are two members
    # a column nearly as varied as its rows tells one row each, so none of several is the same as none
    if only.column.distinct < _NEARLY_UNIQUE * scope.context.table(only.column.table).rows:
        scope.doubt("whether none of several rows is meant", _NONE_OF_SEVERAL)


def _units_in(words: Sequence[str]) -> list[tuple[int, frozenset[str]]]:
    # with and without plural s, as a name may hold `minutes` and a question `minute`
    singles = {*words, *map(stem, words), *(w.removesuffix("s") for w in words)}
    return [(i, unit) for i, kind in enumerate(_DIMENSIONS) for unit in kind if unit & singles]


def _other_units(intent: Intent, question: str, scope: Scope) -> None:
    """`the length in minutes` of a column of seconds; units behind numbers are compared elsewhere. Raises
    Unclear.
    """
    plain = _PLACE_IN_ORDER.sub(" ", without_numbered(question))
    words = (w.strip(".,;:?!\"'()").lower() for w in plain.split())
    # single letters are codes far more often than units: `m`, `g`
    said = _units_in([w for w in words if len(w) > 1])
    measured: list[Expression] = [*intent.outputs, *(e for e, _ in intent.order)]
    measured += [c.left for c in (*intent.where, *intent.having) if isinstance(c, Compared | Ranged)]
    for expression in measured:
        # a span is converted to the unit that was asked for
        if any(isinstance(m, Measured) for m in aggregates_of(expression)):
            continue
        for column in columns_of(expression):
            if column.kind != "number":
                continue
            for dimension, unit in _units_in(scope.words(column)):
                others = [u for d, u in said if d == dimension]
                # only within one dimension: a question in minutes says nothing of a column in metres
                if others and unit not in others:
                    raise Unclear(f"{column.name} is in {min(unit)}s, which the question is not")


def _units_of_counts(intent: Intent, question: str, scope: Scope) -> None:
    """`the number of parcels in minutes`, `the length in kilometers` of a column of seconds: nothing that is
    shown is measured in any such. Raises Unclear.
    """
    wanted = without_unit(question)
    if wanted is None:
        return
    shown = [*intent.outputs, *(e for e, _ in intent.order)]
    counts = [
        m for e in shown for m in aggregates_of(e) if isinstance(m, Aggregate) and m.function == "count"
    ]
    measured = [m for e in shown for m in aggregates_of(e) if m not in counts]
    numbers = [c for e in shown for c in columns_of(e) if c.kind == "number" and not c.key]
    # nothing measurable is shown, so a unit must belong to something that was lost
    if not measured and not numbers and not any(isinstance(e, Span) for e in shown):
        raise Unclear("it is not clear what is to be given in another unit")
    held = {
        c: measures(scope.words(c), wanted[1]) for e in shown for c in columns_of(e) if c.kind == "number"
    }
    if (
        held
        and not any(isinstance(m, Measured) for m in measured)
        # only if each column is known to be in another unit; of an unknown one nothing is claimed
        and all(told is False for told in held.values())
    ):
        raise Unclear(f"nothing that is shown is in {wanted[1][0].name}s")


def _percentages(intent: Intent, question: str, scope: Scope) -> None:
    """`more than 80% of the tickets` read as more than 80 tickets. Raises Unclear."""
    said = {match[1].replace(",", "") for match in _PERCENT.finditer(question)}
    for left, right in _numbers_compared(intent):
        held = left.column if isinstance(left, Column) else getattr(left, "of", None)
        if right not in said or isinstance(left, Ratio | Portion):
            continue
        # `20% of their salary` compares with a part of another column, whatever the number
        of_another = any(match[1].replace(",", "") == right for match in _PART_OF.finditer(question))
        if of_another or not isinstance(held, ColumnContext) or not set(scope.words(held)) & _IN_PERCENT:
            raise Unclear(f"it is not clear of what {right} percent are meant")
        # an integer column of a rate holds percent; one with a fraction may hold parts of one
        if held.type in {"numeric", "float4", "float8"} and not set(scope.words(held)) & _SAYS_PERCENT:
            scope.doubt(f"whether {held.name} holds percent or parts of one", _PERCENT_OR_PART)


def _rates(intent: Intent, question: str, scope: Scope) -> None:
    """`more than 4000 a month` compared with what may be of a year. Raises Unclear."""
    for match in _RATE.finditer(question):
        unit = root(match[2].lower())
        for left, right in _numbers_compared(intent):
            held = [root(w) for c in columns_of(left) for w in scope.words(c)]
            # the column must say the same period: `monthly_fee` for `a month`, where a bare `salary` may be a
            # year's
            if right == match[1].replace(",", "") and unit not in {w.removesuffix("ly") for w in held}:
                raise Unclear(f"it is not clear whether {match[0]} is meant")


def _numbers_compared(intent: Intent) -> Iterator[tuple[Expression, str]]:
    """What is compared with a number, and the number."""
    for condition in (*intent.where, *intent.having):
        match condition:
            case Compared(left, _, right):
                yield left, right
            case OneOf(column, values) if column.kind == "number":
                yield from ((Column(column), value) for value in values)


def _states_shown(intent: Intent, links: Sequence[Link]) -> None:
    """`contracts that have expired` read as the dates at which they do. Raises Unclear."""
    shown = {e.column for e in intent.outputs if isinstance(e, Column) and e.column.kind == "date"}
    for link in links:
        past = link.word.endswith("ed") or link.word in _PARTICIPLES
        # a verb behind its noun that is a date: shown as asked, or the state of the row
        if link.mark == "column" and link.verb and past and shown & set(link.columns):
            raise Unclear(f"it is not clear whether {link.text} is to be shown or says which rows are meant")
    for noun, verb in pairwise(links):
        # `which developers work on a project`, of timesheets with a work_date
        said = verb.mark == "column" and verb.glued and verb.word in RELATING
        # such words only relate (`work on`), whatever date is called like them
        if said and noun.mark in {"table", "value"} and shown & set(verb.columns):
            raise Unclear(f"it is not clear whether {verb.text} is to be shown or says what they do")


def _of_another(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`the population of the capital` read as both of a state. Raises Unclear."""
    shown = {e.column for e in intent.outputs if isinstance(e, Column)}
    for first, second in pairwise(links):
        if scope.roles[:1] not in {("what",), ("what's",)} or second.preposition != "of":
            continue
        if first.mark != "column" or second.mark != "column":
            continue
        both = shown & set(first.columns), shown & set(second.columns)
        # numbers side by side may be wanted both; two texts of one row are a misread `of`
        if all(both) and all(c.kind == "text" and not c.key for c in both[1]):
            raise Unclear(f"it is not clear of what {second.text} the {first.text} is wanted")


def _says_yes_or_no(column: ColumnContext) -> bool:
    return column.kind == "text" and len(column.values) > 0 and {v.lower() for v in column.values} <= _YES_NO


def _flags_shown(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`businesses that are open`, of a number `is_open`; `which fares require a round trip`, of a text `yes`:
    a condition, nothing to show. Raises Unclear.
    """
    shown = {e.column for e in intent.outputs if isinstance(e, Column)}
    for link in links[1:]:
        flags = {c for c in link.columns if names.normal(c.name).split()[:1] in (["is"], ["has"])}
        # `which fares require X` asks for the fares, so a flag of theirs is their condition
        asks = links[0].mark == "table" and scope.roles[:1] in {("which",), ("what",)}
        flags |= {c for c in link.columns if asks and _says_yes_or_no(c)}
        if link.mark == "column" and (link.verb or asks) and shown & flags:
            raise Unclear(f"it is not clear whether {link.text} is to be shown or says which rows are meant")


def _added_up(intent: Intent, links: Sequence[Link], scope: Scope) -> Intent:
    """`what was the revenue in March?`: of many rows, their sum. Raises Unclear where it has none."""
    only = intent.outputs[0] if len(intent.outputs) == 1 else None
    if not isinstance(only, Column) or only.column.kind != "number" or only.column.key:
        return intent
    column = only.column
    # one row was named: its number is the answer, however it is called
    if not intent.order and not _one_row(column, intent, scope):
        _extreme_of_all(column, links)
    # a sum beside groups, limits or an order would change what those are of
    if intent.groups or intent.limit or intent.order or intent.having:
        return intent
    if column.unique or _listed_by_row(column, links, scope) or _one_row(column, intent, scope):
        return intent
    if set(map(stem, scope.words(column))) & ADDITIVE:
        scope.doubt("whether the sum of all is meant", _SUMMED)
        return replace(intent, outputs=(Aggregate("sum", column),), distinct=False)
    # of many rows without a sum that means something there is no one number to give
    if scope.roles[:2] in {("what", "is"), ("what", "was")} or scope.roles[:1] == ("what's",):
        raise Unclear(f"it is not clear of which row the {column.name} is wanted")
    return intent


def _extreme_of_all(column: ColumnContext, links: Sequence[Link]) -> None:
    """`what is the maximum discount amount of coupons?`, of a column of that name: of each, or the highest of
    all. Raises Unclear.
    """
    for link in links:
        # `maximum discounts` are of several rows; `maximum discount` of one, or the highest
        one = link.mark == "column" and not link.word.split(" of ")[0].endswith("s")
        if one and column in link.columns and link.word.split()[0] in _EXTREMES and column.distinct > 1:
            raise Unclear(f"it is not clear whether the {link.text} of each or of all is wanted")


def _listed_by_row(column: ColumnContext, links: Sequence[Link], scope: Scope) -> bool:
    """Whether a value of each of several rows that are spoken of is wanted: `prices of the albums`."""
    named = [link for link in links if link.mark == "column" and column in link.columns]
    several = any(link.word.endswith("s") and not link.word.endswith("ss") for link in named)
    # plural names list, but those that add up mean the total: `the sales in March`
    if several and not {stem(w) for link in named for w in link.word.split()} & ADDITIVE:
        return True
    if any(w in {"all", "each", "every", "list", "different", "distinct"} for w in scope.roles):
        return True
    plural = [t for o in links if o.mark == "table" and o.word.endswith("s") for t in o.tables[:1]]
    # a plural noun whose rows each have one value: `the prices of the albums` is a list
    return any(column.table in scope.told_by(t.ref) for t in plural)


def _one_row(column: ColumnContext, intent: Intent, scope: Scope) -> bool:
    """Whether a condition names the one row that the column is of."""
    for condition in intent.where:
        if not isinstance(condition, OneOf) or condition.negated:
            continue
        own = condition.column
        # what names a row also names the one parent row it leads to
        names = own.unique or own.key or own in scope.label(scope.context.table(own.table))
        if names and column.table in scope.told_by(own.table):
            return True
    return False
