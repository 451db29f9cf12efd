"""Instructions about the answer rather than its rows: rounding, percentages, missing values, empty groups.

Owns finding them in the words of a question and doing them to an intent. What it does not know stays in the
question, where an unread word makes a refusal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rewright.ask.reading.intent import (
    Aggregate,
    Change,
    Column,
    Difference,
    Expression,
    Intent,
    Measured,
    Ratio,
    Rounded,
    Running,
    Span,
)
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import Unclear

_NUMBERS = {"no": 0, "zero": 0, "one": 1, "a": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNT = r"(?P<digits>\d|no|zero|one|a|two|three|four|five|six)"
_POINTS = (
    r"(?:decimal\s+(?:places?|points?|digits?)|decimals?|d\.?p\.?|digits?\s+after\s+the\s+decimal\s+point)"
)
_TO = (
    rf"(?:{_COUNT}\s+{_POINTS}"
    r"|(?:the\s+)?(?:nearest\s+)?(?:an?\s+)?(?:whole\s+numbers?|integers?|full\s+numbers?))"
)
_WHAT = (
    r"(?:\s+(?:(?:it|them|all|each|both|this|these|the|your|of|every)\s+)*(?:it|them|everything|results?"
    r"|answers?|values?|figures?|numbers?|averages?|amounts?|totals?|rates?|shares?|ratios?|percentages?|sums?"
    r"|prices?|costs?))?"
)
# words that lead into an instruction go with it, or they would be left unread
_LEAD = (
    r"[,;(]?\s*(?:(?:and|please|all|values?|numbers?|figures?|results?|each|both)\s+)*(?:(?:which|that)\s+)?"
    r"(?:(?:should|must)\s+be\s+|are\s+|is\s+)?\b"
)
_ROUNDINGS = tuple(
    re.compile(rf"{_LEAD}{form}\)?", re.IGNORECASE)
    for form in (
        rf"round(?:ed|ing)?{_WHAT}(?:\s+off)?\s+to\s+{_TO}",
        rf"(?:give|return|show|express|report)\s+(?:it|them|the\s+(?:answer|result))\s+(?:as|with|to)\s+{_TO}",
        rf"(?:to|with|using|at)\s+{_COUNT}\s+{_POINTS}",
        r"as\s+(?:an?\s+)?(?:whole\s+numbers?|integers?)",
    )
)
_PERCENT = re.compile(
    r"[,(]?\s*\b(?:(?:expressed|given|shown|reported|written)\s+)?(?:as\s+(?:a\s+|an\s+)?(?:percentages?|percent|%)|in\s+(?:percent(?:ages?)?|per\s+cent|%))(?!\w|\s+points?)\)?"
    r"|\s*\(\s*(?:%|in\s+%|percent(?:age)?)\s*\)",
    re.IGNORECASE,
)
_MISSING = r"(?:missing|nulls?|absent|unknown|empty|blank)"
_ZERO = re.compile(
    rf"[,(]?\s*(?:(?:and|please)\s+)?\b(?:(?:treat|count|consider|take|read|regard)(?:ing)?\s+(?:an?\s+|any\s+|the\s+|all\s+)?"
    rf"{_MISSING}(?:\s+(?!as\b)\w+){{0,3}}\s+as\s+(?:0|zero|a\s+zero)|with\s+{_MISSING}(?:\s+(?!as\b|counted\b)\w+){{0,3}}\s+(?:counted\s+)?as\s+(?:0|zero))\)?",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"[,;(.]?\s*(?:(?:also|please|and)\s+)*\b(?:"
    r"(?:including|include|also\s+show(?:ing)?|show(?:ing)?\s+also|keep(?:ing)?)\s+(?:(?:the|those|all|any|also)\s+)*(?:\w+\s+)?"
    r"(?:with(?:out)?|that\s+have|having|who\s+have|which\s+have|that\s+had|who\s+had)\s+(?:no|none|zero|0|any)(?:\s+(?:of\s+)?(?:either|them|both|\w+))?(?:\s+(?:or|and|nor)\s+\w+)?"
    r"|even\s+(?:if|when|those\s+with)\s+(?:there\s+(?:are|is)\s+|they\s+have\s+|it\s+has\s+|it\s+is\s+)?(?:none|no\s+\w+|zero|0)"
    r"|(?:\w+\s+)?with(?:out)?\s+(?:any\s+|no\s+)?\w+(?:\s+(?:or|and)\s+(?:any\s+)?\w+)?\s+(?:should|must|are\s+to)\s+(?:also\s+)?(?:be\s+)?(?:show(?:n)?|appear|count(?:ed)?|listed|included)(?:\s+(?:as|with))?\s*(?:(?:a\s+count\s+of\s+)?(?:0|zero))?"
    r")(?=\s*(?:[.,;:)?!]|$))\)?",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"[,;(.]?\s*(?:(?:and|please|but)\s+)*\b(?:limit(?:ed)?(?:\s+(?:the|your|this|it))?"
    r"(?:\s+(?:results?|output|list|answer|rows?))?\s+to(?:\s+the\s+(?:first|top))?\s+(\d+|two|three|four|five|ten)"
    r"(?:\s+(?:rows|results|records|entries|lines))?"
    r"|(?:(?:return|show|give|list)\s+)?(?:only\s+|just\s+)?the\s+first\s+(\d+|two|three|four|five|ten)"
    r"\s+(?:rows|results|records|entries|lines))\b\)?(?=\s*(?:[.,;?!)]|$))",
    re.IGNORECASE,
)
_EXISTS = re.compile(
    # `is there any more`, `do all ..` ask for a number or for all: no mere existence
    r"^(?:(?:is|are|was|were) there (?:currently )?(?:any |an? |some )?|(?:do|does|did|has|have|had) any )"
    r"(?!(?:more|fewer|less|other|difference|relation|correlation|way)\b)(?!.*\bor\b.*\bmore\b)"
    r"(?!.*\b(?:each|every|all|both)\b)",
    re.IGNORECASE,
)
_ONCE = re.compile(
    r"[,(.]?\s*(?:(?:please|but|and)\s+)*\b(?:without\s+(?:any\s+)?(?:duplicates|repetition|repeats)|no\s+duplicates"
    r"|(?:do\s+not|don't)\s+(?:return|show|include|list|give)\s+(?:any\s+)?duplicates"
    r"|(?:list|show|give|return|name)\s+each(?:\s+\w+)?\s+(?:only\s+|just\s+)?once"
    r"|each\s+(?:one\s+)?(?:only|just)\s+once|(?:only|just)\s+once\s+each)\b\)?",
    re.IGNORECASE,
)


_HOW_MUCH = re.compile(
    r",?\s*(?:and|with)\s+how\s+(?:much|many|large|big|high|low|long|small|old|great)\s+(?:was|is|were|are)"
    r"\s+(?:it|that|this|they)(?=\W*$)",
    re.IGNORECASE,
)
"""`which season had the largest prize, and how large was it?`"""


@dataclass(frozen=True, slots=True)
class Modifiers:
    """``digits``: behind the point, None for as they are; ``zero``: what is missing counts as 0; ``every``:
    groups without anything to measure are shown too; ``once``: no row twice; ``limit``: so many rows;
    ``exists``: whether there is any; ``ranked``: what the best are ranked by is shown, too.
    """

    digits: int | None = None
    percent: bool = False
    zero: bool = False
    every: bool = False
    once: bool = False
    limit: int = 0
    exists: bool = False
    ranked: bool = False


_FLAGS = (("percent", _PERCENT), ("zero", _ZERO), ("every", _EVERY), ("once", _ONCE), ("ranked", _HOW_MUCH))


def modifiers(question: str) -> tuple[str, Modifiers]:
    """The question without its instructions about the answer, and these."""
    # rounding first: `to two decimals` holds a number that later patterns would take for a limit
    rest, digits = _rounding(question)
    plain = _EXISTS.sub("", rest)
    exists, rest = plain != rest, plain
    rest, limit = _limited(rest)
    flags: dict[str, bool] = {}
    for name, pattern in _FLAGS:
        rest, found = pattern.subn(_kept_stop, rest)
        flags[name] = bool(found)
    return " ".join(rest.split()), Modifiers(digits, limit=limit, exists=exists, **flags)


def _kept_stop(match: re.Match[str]) -> str:
    """A sentence that went with its words still ends the one before it."""
    return ". " if match[0].lstrip().startswith(".") else " "


def _rounding(question: str) -> tuple[str, int | None]:
    rest, asked = question, set[int]()
    for form in _ROUNDINGS:
        asked |= {_digits(match) for match in form.finditer(rest)}
        rest = form.sub(" ", rest)
    # two different roundings stay where they are, unread
    return (rest, asked.pop()) if len(asked) == 1 else (question, None)


def _limited(question: str) -> tuple[str, int]:
    found = [match[1] or match[2] for match in _LIMIT.finditer(question)]
    # two limits contradict each other, and unread they make a refusal
    if len(found) != 1:
        return question, 0
    said = found[0].lower()
    limit = int(said) if said.isdigit() else {**_NUMBERS, "ten": 10}[said]
    return _LIMIT.sub(_kept_stop, question), limit


def _digits(match: re.Match[str]) -> int:
    said = match.groupdict().get("digits")
    if said is None:
        return 0
    return int(said) if said.isdigit() else _NUMBERS[said.lower()]


def modified(intent: Intent, asked: Modifiers) -> Intent:
    """The intent with what was asked done to it. Raises Unclear where there is nothing to do it to."""
    outputs = _with_rank(intent) if asked.ranked else intent.outputs
    if asked.percent:
        # as a share times 100, before zeros and rounding are put around it
        outputs = _percent(outputs)
    if asked.zero:
        outputs = tuple(_zero(e) for e in outputs)
        if outputs == intent.outputs:
            raise Unclear("it is not clear what would count as 0 where it is missing")
    # the order follows the changed outputs, as it may be by one of them; rounding stays out of it, or values
    # that differ would tie
    order = tuple((_like(e, intent.outputs, outputs), way) for e, way in intent.order)
    if asked.digits is not None:
        outputs = _rounded(outputs, asked.digits)
    # a list has no groups that could be empty
    if asked.every and not (intent.groups and any(aggregates_of(e) for e in outputs)):
        raise Unclear("it is not clear of what those without any are to be shown")
    measured = any(aggregates_of(e) for e in outputs)
    # DISTINCT beside a measure would drop groups that measure the same
    distinct = intent.distinct or (asked.once and not measured)
    if asked.exists and (measured or intent.groups or intent.limit):
        raise Unclear("it is not clear of what it is asked whether there is any")
    # the first rows of no order are any rows
    if asked.limit and (intent.limit or not order):
        raise Unclear("it is not clear which rows are the first")
    limit = asked.limit or intent.limit
    every = intent.every or asked.every
    made = replace(intent, outputs=outputs, order=order, every=every, distinct=distinct)
    return replace(made, exists=asked.exists, limit=limit)


def _with_rank(intent: Intent) -> tuple[Expression, ...]:
    """What is shown, with what it is ranked by. Raises Unclear."""
    if len(intent.order) != 1 or not intent.limit:
        raise Unclear("it is not clear how much of what is asked")
    by = intent.order[0][0]
    return intent.outputs if by in intent.outputs else (*intent.outputs, by)


def _like(
    expression: Expression, before: tuple[Expression, ...], after: tuple[Expression, ...]
) -> Expression:
    return after[before.index(expression)] if expression in before else expression


def _percent(outputs: tuple[Expression, ...]) -> tuple[Expression, ...]:
    # only ratios and changes are parts of something
    made = tuple(replace(e, percent=True) if isinstance(e, Ratio | Change) else e for e in outputs)
    if not any(isinstance(e, Ratio | Change) for e in made):
        raise Unclear("it is not clear what is to be a percentage")
    return made


def _zero(what: Expression) -> Expression:
    match what:
        case Aggregate("sum" | "avg"):
            # a count never lacks; the highest of missing values is missing
            return replace(what, zero=True)
        case Ratio(top, below):
            return replace(what, top=_zero(top), below=_zero(below))
        case Running() | Change() | Rounded():
            return replace(what, of=_zero(what.of))
        case _:
            return what


def _rounded(outputs: tuple[Expression, ...], digits: int) -> tuple[Expression, ...]:
    """Measures that may be broken numbers are rounded; where there is none, columns of such numbers."""
    made = tuple(Rounded(e, digits) if _broken(e) else e for e in outputs)
    # measures that are whole numbers stay as they are; else columns with fractions are what is meant
    if made != outputs or any(aggregates_of(e) for e in outputs):
        return made
    return tuple(
        Rounded(e, digits)
        if isinstance(e, Column) and e.column.type in {"numeric", "float4", "float8"}
        else e
        for e in outputs
    )


def _broken(what: Expression) -> bool:
    match what:
        case Aggregate(function):
            return function != "count"
        # a span without a unit is an interval, which round() does not take
        case Measured(_, Span(unit="")):
            return False
        case Ratio() | Measured() | Span():
            return True
        case Difference(left, right):
            return _broken(left) or _broken(right)
        case Running(of) | Change(of):
            return _broken(of) or (isinstance(what, Change) and what.percent)
        case _:
            return False
