"""Times of a question: `in April 2021`, `on or after Jan 1, 2023`, `in the past 7 days`, `between 2018 and
2020`.

Owns the grammar of times and their bounds as SQL; a moment is a span, its end exclusive. Must not know
columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from rewright.ask.reading.moment import Moment
from rewright.ask.reading.relative_times import INSIDE, relates, relative
from rewright.ask.reading.spans import MONTHS, Span, month_of, part_of_year, skip, span_at, word_at, year_at
from rewright.ask.reading.words import Token

# before these a bare number is an amount: `over 2000 members`
_DAYS_ONLY = {"over", "on"}
"""Before these a number is no year."""


def moment_at(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """The moment that begins at a token, and how many tokens it takes."""
    found = _bounded(words, at) or relative(words, at)
    if found is None:
        return None
    moment, end = found
    # relative to another time: nothing here could say from which day to count
    if relates(moment) and word_at(words, end) in {"of", "in"} and span_at(words, end + 1) is not None:
        return None  # `the last 6 months of 2023` are not the last six months
    text = " ".join(t.text for t in words[at:end])
    return replace(moment, said=text), end - at


# ------------------------------------------------------------------ bounds


def _bounded(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    word, after = word_at(words, at), word_at(words, at + 1)
    # closed ranges first: their first half reads as an open bound by itself
    if (word in {"between", "from"}) and (pair := _pair(words, at + 1)) is not None:
        return pair
    if word == "on" and after == "or" and word_at(words, at + 2) in {"after", "before"}:
        return _open(words, at + 3, word_at(words, at + 2), inclusive=True)
    if word in {"after", "before"} and after == "or" and word_at(words, at + 2) in {"on", "in", "during"}:
        return _open(words, at + 3, word, inclusive=True)
    # `all through March 2023` lies in it, `through March 2023` ends with it
    through = word == "through" and word_at(words, at - 1) not in {"all", "right"}
    if through or word in {"since", "after", "before", "until", "till"}:
        kind = "after" if word in {"since", "after"} else "before"
        return _open(words, at + 1, kind, inclusive=word not in {"after", "before"})
    if word in {"later", "earlier"} and after == "than":
        return _open(words, at + 2, "after" if word == "later" else "before", inclusive=False)
    # a preposition, or a word that can only be a time; a bare number is none
    inside = word in INSIDE
    found = span_at(words, at + inside)
    begins = word in {*MONTHS, "year"} or words[at].kind == "iso" or part_of_year(words, at) is not None
    if found is None or not (inside or begins):
        return None
    span, end = found
    # the week of a day is not that day
    if word == "of" and word_at(words, at - 1) == "week" and _is_day(span):
        return None
    # `over 2010` compares with a number
    if word in _DAYS_ONLY and year_at(words, at + 1) is not None:
        return None
    if (opened := _opened(words, at + inside, end)) is not None:
        return opened
    # `for 2000 dollars` is money, not the year
    if (
        inside
        and word in {"for", "of", "from", "over"}
        and year_at(words, at + 1) is not None
        and _noun(words, end)
    ):
        return None
    return _inside(span), end


def _opened(words: Sequence[Token], at: int, end: int) -> tuple[Moment, int] | None:
    """`in 2020 or later`, `from March 2023 on`: what begins or ends with the span between two places."""
    said = word_at(words, end)
    # `on` may begin something else: `from March 2023 on the Amber`
    alone = end + 1 >= len(words) or words[end + 1].kind in {"stop", "comma"}
    if said in {"onward", "onwards"} or (said == "on" and alone):
        opened, end = _open(words, at, "after", inclusive=True), end + 1
        return (opened[0], end) if opened is not None else None
    onwards = word_at(words, end + 1) if said == "or" else ""
    if onwards not in {"later", "after", "newer", "earlier", "before"}:
        return None
    kind = "before" if onwards in {"earlier", "before"} else "after"
    opened = _open(words, at, kind, inclusive=True)
    return (opened[0], end + 2) if opened is not None else None


def _is_day(span: Span) -> bool:
    return span.first is not None and span.after == span.first + timedelta(days=1)


def _noun(words: Sequence[Token], at: int) -> bool:
    return word_at(words, at) in {"dollars", "euros", "points", "people", "meters", "miles", "km"}


def _pair(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    first = span_at(words, at)
    if first is None:
        return None
    joint = skip(words, first[1], {","})
    if word_at(words, joint) not in {"and", "to", "until", "through", "till"}:
        return None
    second = span_at(words, joint + 1)
    # the end knows its year: a beginning that is only a month is of the same one
    if second is not None and second[0].first is not None and first[0].month is not None:
        # `between January and March 2023`: the year is said once, and November is of the one before
        month, year = second[0].first.month, second[0].first.year
        first = Span(*month_of(year - (first[0].month > month), first[0].month)), first[1]
    if second is None or first[0].first is None or second[0].first is None:
        return None
    begins, ends, end = first[0], second[0], second[1]
    if first[0].first > second[0].first:
        # `between 2023 and 2020` holds the years between them; `from 2023 to 2020` is no span of time
        if word_at(words, at - 1) != "between":
            return None
        begins, ends = ends, begins
    if word_at(words, end) == "(" and word_at(words, end + 1) in {"inclusive", "included"}:
        while end < len(words) and words[end].word != ")":
            end += 1
        end += 1
    elif word_at(words, end) == "inclusive":
        end += 1
    # `after` is exclusive, so the last day is the one before it
    assert begins.first is not None
    assert ends.after is not None
    years = (begins.first.year, (ends.after - timedelta(days=1)).year)
    return Moment("", _literal(begins.first), _literal(ends.after), years), end


def _open(words: Sequence[Token], at: int, kind: str, *, inclusive: bool) -> tuple[Moment, int] | None:
    found = span_at(words, at)
    if found is None or found[0].first is None or found[0].after is None:
        return None
    span, end = found
    first, after = found[0].first, found[0].after
    assert span.after is not None
    last = (after - timedelta(days=1)).year
    # `after 2020` begins behind the year, `since 2020` with it
    if kind == "after":
        return Moment(
            "",
            start=_literal(first if inclusive else after),
            years=(first.year if inclusive else last + 1, None),
        ), end
    return Moment(
        "", end=_literal(after if inclusive else first), years=(None, last if inclusive else first.year - 1)
    ), end


def _inside(span: Span) -> Moment:
    # `in April` of every year has no bounds, only a month
    if span.first is None or span.after is None:
        return Moment("", month=span.month)
    # spans of a month's length serve columns that hold month numbers
    month = span.first.month if 28 <= (span.after - span.first).days <= 31 else None
    years = (span.first.year, (span.after - timedelta(days=1)).year)
    return Moment("", _literal(span.first), _literal(span.after), years, month)


def _literal(day: date) -> str:
    return f"date '{day.isoformat()}'"
