"""Advice on SQL: pitfalls, patterns of whole queries, dates.

Owns these tips. Their subjects are those of appendix C of APEX-SQL and of PostgreSQL's manual; the words
and the patterns are ours.
"""

from __future__ import annotations

from rewright.ask.guidance.tip import Tip
from rewright.ask.guidance.wording import EXTREME, EXTREMES

_RATIO = r"\b(ratio|percent\w*|proportion|share of|rate of|fraction|per cent|%)"

TIPS = (
    Tip(
        "no-hard-coding",
        "pitfalls",
        (
            "Don't write into the query what an exploration counted or found to be the extreme: "
            "compute it. Spellings of values the question names are the exception."
        ),
        plan=r"\b(explor\w*|found|look up|first find)\b",
        question=rf"\b(than the average|{EXTREMES})\b",
        weight=1,
    ),
    Tip(
        "nulls",
        "pitfalls",
        ("NULL equals nothing: IS NULL, IS NOT NULL, coalesce; aggregates leave NULLs out."),
        question=(r"\b(null|missing|empty|unknown|no value|not (set|given|recorded)|has no|have no)\b"),
        weight=2,
    ),
    Tip(
        "integer-division",
        "pitfalls",
        "7 / 2 is 3: cast one side, x::numeric / y.",
        question=_RATIO + r"|\b(average|half|times as)\b",
        evidence=r"/",
        weight=1,
    ),
    Tip(
        "mixed-rows",
        "pitfalls",
        (
            "A table with a column that says what a row is (type, metric, kind, event) mixes things: "
            "filter by it before you aggregate."
        ),
        schema=r"\b(metric|event|entity|record|data)_?(id|type|kind|name)\b",
    ),
    Tip(
        "conditional-aggregate",
        "patterns",
        ("Parts of one group side by side: count(*) FILTER (WHERE …), sum(x) FILTER (WHERE …)."),
        plan=r"\bcase when\b|\bfilter \(|\bdifferent\b.*\baggregat",
        question=(
            r"\b(compared (to|with)|versus|vs\.?|respectively|difference between"
            r"|how many .* and how many)\b|" + _RATIO
        ),
        weight=2,
    ),
    Tip(
        "window",
        "patterns",
        (
            "Rank or number rows, or run a total, with a window function: rank() leaves gaps after "
            "ties, dense_rank() none, row_number() breaks ties at will."
        ),
        question=r"\b(rank\w*|running|cumulative|moving|previous|next|consecutive)\b",
        plan=r"\b(rank|row_number|window|lag|lead|running)\b",
        weight=2,
    ),
    Tip(
        "top-per-group",
        "patterns",
        (
            "The first n of each group: rank() OVER (PARTITION BY group ORDER BY …) in a subquery, "
            "then filter by it; rank() keeps ties."
        ),
        question=EXTREME + r".*\b(each|per|every|in each)\b|\b(each|per|every)\b.*" + EXTREME,
        plan=r"\b(top|first|highest|lowest|most|least)\b.*\b(per|each|within)\b|partition",
        weight=3,
    ),
    Tip(
        "dates",
        "dates",
        (
            "Take parts with extract(year from d), or date_trunc('month', d); compare ranges "
            "half-open: d >= '2020-01-01' AND d < '2021-01-01'. A column of type text needs a cast "
            "first."
        ),
        question=(
            r"\b(year|month|quarter|week|day|date|before|after|since|between|in) ?\d{4}\b|\b(years?"
            r"|months?|quarters?|weeks?|days?|dates?)\b"
        ),
        weight=1,
    ),
    Tip(
        "relative-dates",
        "dates",
        ("\"The last 30 days\" counts from current_date: d >= current_date - interval '30 days'."),
        question=(
            r"\b(last|past|previous|next|coming)\s+(\d+|few|two|three|six|twelve)?\s*(days?|weeks?"
            r"|months?|quarters?|years?)\b|\b(today|yesterday|this (week|month|year)|ago)\b"
        ),
        weight=3,
    ),
    Tip(
        "date-difference",
        "dates",
        (
            "date - date is a number of days; timestamp - timestamp an interval: extract(epoch from "
            "…) / 3600 for hours; age() for years and months."
        ),
        question=(
            r"\b(how long|duration|days? between|time between|elapsed|age|how old|how many (days|hours"
            r"|months|years))\b"
        ),
        weight=2,
    ),
    Tip(
        "time-zones",
        "dates",
        (
            "timestamptz is shown and cut into days in the session's time zone: AT TIME ZONE where "
            "the question names one."
        ),
        question=r"\b(time ?zone|utc|gmt|local time|o'clock|midnight)\b",
        schema=r"\btimestamptz\b",
    ),
    Tip(
        "arrays",
        "patterns",
        (
            "x = ANY (array_column) asks whether an array holds x; unnest(array_column) gives its "
            "elements as rows."
        ),
        schema=r"\w(\[\]| _\w+\b)",
        weight=2,
    ),
)
