"""Values worth putting into columns: constants of the queries, their neighbours, and troublemakers.

Owns candidate values as texts of PostgreSQL's input functions; which of them a type takes, the
server says (`accepted`). Must not know tables beyond the types of their columns.
"""

from __future__ import annotations

import calendar
import contextlib
import datetime as dt
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import islice, pairwise
from typing import Any

from rewright.equivalence.generator.constants import Constants
from rewright.equivalence.generator.schema import ColumnShape, Family, Shape
from rewright.equivalence.generator.variants import (
    along_paths,
    as_long,
    of_words,
    with_gaps,
    with_gaps_of_days,
)
from rewright.equivalence.generator.zones import local_times_of_one_moment, moments_of_zone

# ends of months after which a shorter one comes, of a leap year and of another
_MONTH_ENDS = ("2024-01-31", "2023-01-31", "2024-05-31")
# intervals that are moved by at most
_MOST_MONTHS = 600
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_ -]{0,30}")
_TIME = re.compile(r"\d\d:\d\d(:\d\d)?")
# zones whose changes of clocks are looked up
_MOST_ZONES = 2
# time zones by their region; how far from UTC they are, and that a day after
_ZONE = re.compile(r"[A-Z][A-Za-z]+/[A-Za-z_/+-]+")
_HOURS_IN_ZONES = range(-14, 37)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MONTH = re.compile(r"[1-9]\d{3}-(0[1-9]|1[0-2])")
# an array of one dimension, without texts that are quoted
_FLAT = re.compile(r"\{[^{}\"]+\}")
# what a regular expression says of itself
_FLAGS = re.compile(r"\A\(\?[a-z]+\)")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")
# what texts that only few values pass for may be: digits, words, with something around them
_RARE_TEXTS = (
    "01", "0", "2", "10", "001", "99999999999", "aa", "AA", "abc", "ABC", "Abc", "a1", "A1", "a-b", "a_b",
    "a b", "a@b.cc", "1.5", "-1", "+1", "2024-01-01", "#a", "(1)",
)  # fmt: skip
_FEW_TEXTS = 4
# characters of a JSON constant that is varied
_LONGEST_DOCUMENT = 200
# so many of a document's neighbours are tried below each key
_MOST_VARIED = 6
# (type as format_type prints it, candidate texts) -> those that the type's input function takes
Accepted = Callable[[Mapping[str, Iterable[str]]], dict[str, frozenset[str]]]

_BASIC: dict[Family, tuple[str, ...]] = {
    "int": ("0", "1", "2", "3", "-1"),
    # halves of cents are rounded
    "numeric": ("0", "1", "1.00", "2", "2.5", "-1", "0.005"),
    # sums of three tenths depend on their order
    "float": ("0", "1", "2", "0.5", "-1", "0.1", "1.5", "2.5", "0.2", "0.3", "-0"),
    "text": ("a", "b", "", "A", "a ", "ab", "1"),
    "bool": ("t", "f"),
    # ends of months, of years and of ISO years, leap days
    "date": (
        "2000-01-01", "2000-01-02", "1999-12-31", "2020-02-29",
        "2024-01-31", "2023-02-28", "2024-03-31", "2021-01-03", "1970-01-01",
    ),
    # with the hours around changes to and from summer time
    "timestamp": (
        "2000-01-01 00:00:00", "2000-01-01 12:30:00", "2000-01-02 00:00:00", "1999-12-31 23:59:59.7",
        "2024-01-31 10:00:00", "2024-02-29 00:00:00", "2024-07-01 03:15:00", "2024-03-09 12:00:00",
        "2024-03-10 06:30:00", "2024-11-03 05:30:00", "1970-01-01 00:00:00",
    ),
    "time": ("00:00:00", "12:30:00", "23:59:59"),
    "interval": (
        "0", "1 day", "24:00:00", "1 mon", "30 days", "1 year", "1 mon -29 days", "40 days", "1 day 25:00:00",
        "-1 mon",
    ),
    "enum": (),
    "other": (
        "{}", "[]", "null", '{"a": 1}', '{"a": 1.0}', "{1}", "{1,2}", "{1,2,3}", "{NULL}", "{a}", "a", "b",
        '{"a": 1, "a": 2}',
        '{"a": "x"}', '{"a": null, "b": 2}', '{"b": 1, "a": 1}', "[1, 1]", "{1,NULL}", "{2,1}", "[0:1]={1,2}",
        "{{1,2},{3,4}}", "{{1,2}}", "{a,NULL}", "{b,a,a}", "{0,-1}",
        "10.0.0.1/8", "001", "010", "[1,)", "(,3)", "(,)",
        "\\x00", "\\x61",
        "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002",
        "0000000a-0000-0000-0000-000000000000", "10.0.0.1", "10.0.0.0/8",
        "[2000-01-01,2000-02-01)", "[2000-02-01,2000-03-01)", "[2000-01-01,)", "[2000-01-01,infinity)",
        "[2000-01-01,infinity]", "[-infinity,2000-02-01)", '{"b": 1, "aa": 2}',
        "1", "0", "101", "(0,0)", "(1,1)", "(1,1.0)", "empty", "[1,2)", "[1,3)", "[1.0,2)", "$1.00",
        "08:00:2b:01:02:03",
        # rows of other fields
        "(1,a)", "(a,1)", "(a,b)", "(1,2000-01-01)", "(1,1,1)", "(1,a,1)", "(,,)",
    ),
}  # fmt: skip
_EXTREME: dict[str, tuple[str, ...]] = {
    "int2": ("32767", "-32768"),
    # one more than a float4 holds exactly
    "int4": ("2147483647", "-2147483648", "16777216", "16777217"),
    # one more than a float8 holds exactly
    "int8": ("9223372036854775807", "-9223372036854775808", "9007199254740992", "9007199254740993"),
    # the last ones are others as a type with fewer digits has them
    "numeric": (
        "NaN",
        "1.0",
        "0.000001",
        "99999999999999999999",
        "Infinity",
        "-1.5",
        "2.5000000000000000000001",
    ),
    "float4": ("-0", "NaN", "Infinity", "-Infinity"),
    "float8": ("-0", "NaN", "Infinity", "-Infinity", "1e20", "-1e20", "0.10000000000000002", "0.5000000001"),
    "text": (" ", "Z", "é", "a  ", "ab cd", "a\tb", " a", "-a", "a\\", "\tb", "99999999999"),
    "citext": (" ", "Z", "a  ", "Ab", "aB"),
    "varchar": (" ", "Z", "é", "a  ", "ab cd", " a"),
    "bpchar": (" ", "Z", "a"),
    "date": ("infinity", "-infinity", "0001-01-01", "0001-12-31 BC", "0044-03-15 BC", "9999-12-31"),
    "timestamp": ("infinity", "-infinity", "0044-03-15 00:00:00 BC"),
    # half past one, before and after clocks are put back
    "timestamptz": (
        "infinity",
        "-infinity",
        "0044-03-15 00:00:00 BC",
        "2024-11-03 01:30:00-04",
        "2024-11-03 01:30:00-05",
    ),
    "interval": ("infinity", "-infinity", "00:00:00.5", "-1 day"),
    "time": ("12:30:00.7", "23:59:59.9", "24:00:00"),
}
# of types that take hardly a text of the others
_OF_TYPE: dict[str, tuple[str, ...]] = {
    # halves and thirds of which are rounded
    "money": ("0.01", "0.03", "2.05", "1234.5"),
    "timetz": ("10:00:00+01", "09:00:00+00", "09:00:00+02"),
    "box": ("(1,1),(0,0)", "(2,0.5),(0,0)", "(2,2),(0,0)"),
    "circle": ("<(0,0),1>", "<(1,0),1>", "<(0,0),2>"),
    "line": ("{1,1,1}", "{2,2,2}", "{1,0,0}"),
    "lseg": ("[(0,0),(1,1)]", "[(0,0),(1,2)]", "[(1,1),(0,0)]"),
    "pg_lsn": ("0/1", "0/2", "1/0"),
    "pg_snapshot": ("1:2:", "1:3:2"),
    "hstore": ("", "a=>1", "a=>NULL", "b=>a", "a=>1, b=>2", "a=>2"),
    "ltree": ("", "a", "b", "a.b", "a.b.c", "b.a", "A"),
    "cube": ("(0)", "(1)", "(1,2)", "(1,2),(0,0)", "(0,0),(1,2)"),
    "seg": ("1", "1.0", "1 .. 2", "1(+-)1", "0 .. 1"),
    "xml": ("<a/>", "<a>1</a>", "x"),
}


@dataclass(frozen=True, slots=True)
class Pool:
    """Texts for one column: ``near`` it in the queries, of its ``family``, ``extreme`` ones."""

    near: tuple[str, ...]
    family: tuple[str, ...]
    extreme: tuple[str, ...]


def pools_for(shape: Shape, constants: Constants, accepted: Accepted) -> tuple[tuple[Pool, ...], ...]:
    """A pool for each column of each table."""
    wide = _wide_candidates(constants)
    wanted: dict[str, set[str]] = {}
    for table in shape.tables:
        for column in table.columns:
            near = neighbours(column, constants.near.get(column.name.lower(), ()))
            candidates = [*_usual(column), *_EXTREME.get(column.base, ()), *near]
            candidates += [*wide.get(column.family, ()), *column.labels]
            wanted.setdefault(column.type, set()).update(candidates)
            if column.family == "text" and column.domain:
                wanted[column.type].update(_RARE_TEXTS)
    good = accepted(wanted)
    return tuple(
        tuple(_pool(column, constants, wide, good[column.type]) for column in table.columns)
        for table in shape.tables
    )


def pool_of_type(column: ColumnShape, constants: Constants, accepted: Accepted) -> Pool:
    """A pool for a value of the column's type that stands in no table."""
    wide = _wide_candidates(constants)
    wanted = {*_usual(column), *_EXTREME.get(column.base, ()), *wide.get(column.family, ())}
    return _pool(column, constants, wide, accepted({column.type: wanted})[column.type])


def _pool(
    column: ColumnShape, constants: Constants, wide: Mapping[Family, tuple[str, ...]], good: frozenset[str]
) -> Pool:
    near = neighbours(column, constants.near.get(column.name.lower(), ()))
    family = [*_usual(column), *wide.get(column.family, ()), *column.labels]
    usual = tuple(dict.fromkeys(v for v in family if v in good))
    if column.domain and len(usual) < _FEW_TEXTS:
        usual = tuple(dict.fromkeys((*usual, *(v for v in _RARE_TEXTS if v in good))))
    return Pool(
        tuple(dict.fromkeys(v for v in near if v in good)),
        usual,
        tuple(v for v in _EXTREME.get(column.base, ()) if v in good),
    )


def _usual(column: ColumnShape) -> tuple[str, ...]:
    if column.base == "bit":
        # as many as there must be
        width = max(column.typmod, 1)
        return "0" * width, "1" * width, "1".ljust(width, "0"), "1".rjust(width, "0")
    return (*_BASIC[column.family], *_OF_TYPE.get(column.base, ()))


def neighbours(column: ColumnShape, texts: Iterable[str]) -> list[str]:
    """Constants and what lies beside them in the column's type."""
    found: list[str] = []
    for text in sorted(texts):
        found.append(text)
        if column.family in {"int", "numeric", "float"}:
            found += _around_number(text, 1 if column.family == "int" else "0.01")
        if column.family == "float" and text.lstrip("-").rstrip("0").rstrip(".") in {"", "0"}:
            found.append("-0")
        if column.family == "float":
            found += _next_floats(text)
        if column.family == "numeric":
            found += _rescaled(text) if column.typmod == -1 else _around_number(text, _last_place(column))
        elif column.family == "time":
            found += _around_time(text)
        elif column.family in {"date", "timestamp"}:
            found += _around_date(text) + _of_calendar(text, clock=column.family == "timestamp")
            # what is added to infinity leaves it where it is
            found += [] if _DAY.match(text) else ["infinity", "-infinity"]
        elif column.family == "text":
            found += [text + " ", text.swapcase(), text.capitalize(), *_in_lines(text)] if text else []
        elif column.family == "other":
            found += [*_rescaled(text), *_from_zero(text)]
    return found


def _next_floats(text: str) -> list[str]:
    """The floats beside a number, which have more digits than are kept where it is made a numeric."""
    with contextlib.suppress(ValueError, OverflowError):
        number = float(text)
        if math.isfinite(number):
            return [repr(math.nextafter(number, end)) for end in (math.inf, -math.inf)]
    return []


def _last_place(column: ColumnShape) -> str:
    """The least step of numeric(p, s), whose modifier is (p << 16 | s) + 4."""
    scale = (column.typmod - 4) & 0x7FF
    # a scale below 0 is written in two's complement
    return _plain(Decimal(1).scaleb(-scale)) if scale < 1 << 10 else "1"


def _in_lines(pattern: str) -> list[str]:
    """Texts of more than one line that a regular expression may match, or may not."""
    if not set(pattern) & set("^.$"):
        return []
    bare = _FLAGS.sub("", pattern).strip("^$")
    return [bare.replace(".", "\n", 1), f"{bare}\n", f"{bare}\na", f"a\n{bare}"]


def _from_zero(text: str) -> list[str]:
    """An array of one dimension with its elements at other places, which is not equal to it."""
    return [f"[0:{text.count(',')}]={text}"] if _FLAT.fullmatch(text) else []


def _around_number(text: str, step: int | str) -> list[str]:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return []
    if not number.is_finite() or abs(number) > 10**17:
        return []
    return [_plain(number + Decimal(step)), _plain(number - Decimal(step)), _plain(number + 1)]


def _rescaled(text: str) -> list[str]:
    """The same number with other decimals: equal, and not shown alike."""
    if not text.lstrip("-").replace(".", "", 1).isdigit():
        return []
    return [f"{text}0", f"{text}00"] if "." in text else [f"{text}.0", f"{text}.00"]


def _plain(number: Decimal) -> str:
    return format(number, "f")


def _around_date(text: str) -> list[str]:
    try:
        day = dt.datetime.fromisoformat(text)
    except ValueError:
        return []
    if not dt.datetime(2, 1, 1) < day.replace(tzinfo=None) < dt.datetime(9990, 1, 1):  # noqa: DTZ001 - bounds of timestamps without time zone
        return []
    one, half = dt.timedelta(days=1), dt.timedelta(minutes=30)
    last = dt.datetime.combine(day.date(), dt.time(23, 59, 59, 500_000))
    near = [
        day - one,
        day + one,
        day,
        day + dt.timedelta(hours=5),
        day + dt.timedelta(milliseconds=500),
        day - half,
        # a day with 23 or 25 hours begins or ends between
        day - one + half,
        day + one - half,
        last,
    ]
    return [str(moment) for moment in near]


def _around_time(text: str) -> list[str]:
    """Times of day beside one, before and after it in its hour and in the ones around."""
    found = _CLOCK.match(text)
    if found is None:
        return []
    minutes = 60 * int(found[1]) + int(found[2])
    beside = (minutes + step for step in (-30, -1, 0, 1, 30) if 0 <= minutes + step < 1440)
    return [f"{at // 60:02}:{at % 60:02}{more}" for at in beside for more in (":00", ":00.5")]


def _of_calendar(text: str, *, clock: bool) -> list[str]:
    """Days and moments of which a number may be the year, month, day or hour; moments at a time of day."""
    if clock and _TIME.fullmatch(text):
        return [f"2001-01-01 {text}", f"2001-01-01 {text}.5", "2001-01-01 23:59:59"]
    if _MONTH.fullmatch(text):
        # to_char writes a month before Christ alike
        return [f"{text}-01", f"{text}-15", f"{text}-15 BC"]
    if not text.isdigit() or int(text) > 9998:
        return []
    number = int(text)
    found: list[str] = []
    if number > 31:
        return [
            f"{number:04}-01-01",
            f"{number:04}-12-31",
            f"{number - 1:04}-12-31",
            f"{number + 1:04}-01-01",
            # what to_char writes alike
            f"{number:04}-06-15 BC",
        ]
    if 1 <= number <= 12:
        found += [f"2001-{number:02}-01", f"2001-{number:02}-15", f"2001-{number:02}-28"]
    if number >= 1:
        found += [f"2001-01-{number:02}", f"2001-12-{number:02}"]
    if clock and number < 24:
        found += [f"2001-01-01 {number:02}:00:00", f"2001-01-01 {number:02}:30:00"]
    return found


def _wide_candidates(constants: Constants) -> dict[Family, tuple[str, ...]]:
    """Constants of a family wherever they stand, with sums, halves and shifted dates."""
    numbers = sorted(constants.numbers | {s for s in constants.strings if _around_number(s, 1)})
    integers = sorted({int(n) for n in numbers if n.lstrip("-").isdigit() and abs(int(n)) < 10**15})[:24]
    ints = [str(v) for n in integers for v in (n, n + 1, n - 1)]
    ints += [str(n + m) for n in integers[:6] for m in integers[:6]]
    ints += [str(n // d) for n in integers for d in (2, 3, 4, 5, 10) if abs(n) >= d]
    ints += [str(-n) for n in integers]
    exact = [*numbers, *(v for n in numbers for v in _around_number(n, "0.01"))]
    dates = [v for s in sorted(constants.strings) for v in (s, *_around_date(s))]
    dates += [
        v for s in sorted(constants.strings) for i in sorted(constants.intervals) for v in _shifted(s, i)
    ]
    # two columns that are a month apart, where the shorter month cuts one off
    dates += [
        v
        for i in sorted(constants.intervals)
        for s in _MONTH_ENDS
        for v in (*_clipped(s, i), *_shifted(s, i))
    ]
    dates += _in_zones(sorted(constants.strings))
    strings = [v for s in sorted(constants.strings) for v in (s, s + " ", s.swapcase(), s.capitalize())]
    strings += _around_separators(sorted(constants.strings))
    strings += of_words(sorted(constants.strings)) if constants.words else []
    few = [s for s in sorted(constants.strings) if 0 < len(s) <= 20][:6]
    strings += [v for a in few for b in few if a != b for v in (a + b, a[:1] + b + a[1:])]
    # more than one of what a function may find
    strings += [s + s for s in few if s.isalnum()]
    days = [s for s in sorted(constants.strings) if _DAY.fullmatch(s)]
    strings += _documents(sorted(constants.strings)) if constants.documents else []
    strings += _one_way_cases(sorted(constants.strings)) if constants.folded else []
    return {
        "int": tuple(dict.fromkeys(ints)),
        "numeric": tuple(dict.fromkeys(exact + ints)),
        "float": tuple(dict.fromkeys(n for n in exact if len(n) < 8)),
        "text": tuple(dict.fromkeys(strings)),
        "date": tuple(dict.fromkeys(dates)),
        "timestamp": tuple(dict.fromkeys(dates)),
        "time": tuple(sorted(constants.strings)),
        "interval": (
            *sorted(constants.intervals | constants.strings),
            *as_long(sorted(constants.intervals), numbers),
        ),
        "other": (
            *sorted(constants.strings),
            *_documents(sorted(constants.strings)),
            *_in_extensions(sorted(constants.strings)),
            *_documents_like(sorted(constants.strings)),
            *_documents_within(sorted(constants.strings)),
            *along_paths(sorted(constants.strings)),
            *_arrays(sorted(constants.strings)),
            *_arrays(numbers),
            *_spans(numbers),
            *with_gaps(numbers),
            *with_gaps_of_days(days),
            *_spans(days),
            *_spans_of_days(days),
        ),
    }


def _documents(strings: Iterable[str]) -> list[str]:
    """JSON objects with the constants as keys and as values, a key's null among them; arrays and strings of
    the constants, in which jsonb's ``?`` finds them as it does keys, and ``->`` does not.
    """
    names = [s for s in strings if _NAME.fullmatch(s)][:4]
    found = [
        f'{{"{n}": {value}}}'
        for n in names
        for value in ("null", "1", "1e2", '"1"', "true", "[]", '["x", 1]', "[2, 1, 2]")
    ]
    nested = ('"{}"', '{{"{}": 1}}', '{{"{}": null}}')
    found += [f'{{"{n}": {value.format(m)}}}' for n in names for m in names if n != m for value in nested]
    whole = ('["{}"]', '"{}"', '[{{"{}": 1}}]', '["{}", null]')
    return found + [value.format(n) for n in names for value in whole]


def _one_way_cases(strings: Iterable[str]) -> list[str]:
    """Letters of which only the upper case (dotless i, long s) or the lower one (kelvin's sign) is ASCII,
    alone and in the constants.
    """
    odd = {"i": "\u0131", "k": "\u212a", "s": "\u017f"}
    found = [letter for pair in odd.items() for letter in pair]
    for text in strings:
        found += [text.lower().replace(plain, odd[plain]) for plain in odd if plain in text.lower()]
    return found


def _in_extensions(strings: Iterable[str]) -> list[str]:
    """The constants as keys and as values of hstore, and as labels of an ltree's path."""
    names = [s for s in strings if _NAME.fullmatch(s)][:4]
    patterns = ('"{}"=>1', '"{}"=>NULL', 'a=>"{}"', '"{}"=>1, b=>2', "a.{}", "{}.a")
    return [pattern.format(name) for name in names for pattern in patterns]


def _in_zones(strings: Iterable[str]) -> list[str]:
    """Moments that a date or time of some zone may be, the hours around it and those of its day, where a zone
    is named: clocks are put forward and back in some of them.
    """
    texts = list(strings)
    zones = [text for text in texts if _ZONE.fullmatch(text)][:_MOST_ZONES]
    if not zones:
        return []
    found = [moment for zone in zones for moment in moments_of_zone(zone)]
    # of which the first is a local time that the zone leaves out
    found += [text for zone in zones for text in local_times_of_one_moment(zone) or ()]
    for text in texts:
        try:
            start = dt.datetime.fromisoformat(text)
            found += [
                f"{start + dt.timedelta(hours=h, minutes=10)}" for h in _HOURS_IN_ZONES if not start.tzinfo
            ]
        except (ValueError, OverflowError):
            continue
    return found


def _around_separators(strings: Iterable[str]) -> list[str]:
    """Texts that hold what may be put between texts."""
    short = [s for s in strings if 0 < len(s) <= 2 and not s.isalnum()][:3]
    return [value for s in short for value in (f"a{s}b", f"b{s}a", f"a{s}", f"{s}a", f"a{s}b{s}a")]


def _documents_like(strings: Iterable[str]) -> list[str]:
    """JSON documents that have more, or less, than those among the constants; those that hold a constant."""
    found: list[str] = []
    for document in _documents_among(strings):
        more = _varied(document) if isinstance(document, dict | list) else ([document, None],)
        found += [json.dumps(d) for d in (*more, [document], [document, document])]
    return list(dict.fromkeys(found))


def _documents_within(strings: Iterable[str]) -> list[str]:
    """The constants' documents below the constants that may be keys, as they are, in an array, and the
    elements the other way round: what is asked of ``j->'k'`` is asked of no whole document.
    """
    texts = list(strings)
    found: list[str] = []
    for name in [s for s in texts if _NAME.fullmatch(s)][:3]:
        for document in _documents_among(texts)[:4]:
            turned = [document[::-1], [*document, *document]] if isinstance(document, list) else []
            others = islice(_varied(document), _MOST_VARIED)
            found += [json.dumps({name: value}) for value in (document, [document], *turned, *others)]
            # 1.50 is the number 1.5 and another text
            found += [f'{{"{name}": {document}0}}'] if isinstance(document, float) else []
    return list(dict.fromkeys(found))


def _documents_among(strings: Iterable[str]) -> list[Any]:
    """The texts that are JSON documents, read."""
    found: list[Any] = []
    for text in strings:
        # a text that is no document is one of the other constants; NaN is one for Python alone
        with contextlib.suppress(ValueError):
            document = json.loads(text[: _LONGEST_DOCUMENT + 1])
            json.dumps(document, allow_nan=False)
            found.append(document)
    return found


def _varied(document: Any) -> Iterator[Any]:
    """The document with one member or element more, or less, or another, at each place."""
    if isinstance(document, dict):
        yield from ({**document, "other": value} for value in (2, None))
        for key, value in document.items():
            yield {k: v for k, v in document.items() if k != key}
            yield from ({**document, key: v} for v in _varied(value))
    elif isinstance(document, list):
        yield [*document, 2]
        yield [*document, *document]
        yield from document
        for at, value in enumerate(document):
            yield [v for n, v in enumerate(document) if n != at]
            yield from ([*document[:at], v, *document[at + 1 :]] for v in _varied(value))
    else:
        yield from (None, [document], str(document))


def _spans(texts: Iterable[str]) -> list[str]:
    """Ranges with the constants as bounds, of each kind, two of them with a gap between, and rows of the
    constants with a field that is NULL.
    """
    bounds = list(texts)[:5]
    found = [pattern.format(b) for b in bounds for pattern in ("({},)", "(,{})", "[{0},{0}]", "[{},)")]
    for low, high in ((a, b) for a in bounds for b in bounds if a != b):
        found += [f"[{low},{high}]", f"[{low},{high})", f"({low},{high})", f"({low},{high}]"]
        # a row with a number that is equal and looks unlike
        found += [f"({low},{high}.0)"]
        found += [f"{{[{low},{low}],[{high},{high}]}}", f"{{[{low},{high})}}"]
    return found


def _spans_of_days(texts: Iterable[str]) -> list[str]:
    """Ranges that reach beyond the constants on both sides, and such as lie within those of two."""
    days: list[dt.date] = []
    for text in texts:
        with contextlib.suppress(ValueError):
            days.append(dt.date.fromisoformat(text))
    few, two = days[:5], dt.timedelta(days=2)
    with contextlib.suppress(OverflowError):
        found = [f"[{low - two},{high + two})" for low in few for high in few if low <= high]
        found += [f"[{low + two},{low + two + two})" for low, high in pairwise(few)]
        found += [f"[{low + two},{high - two}]" for low, high in pairwise(few) if high - low > 2 * two]
        return found + [f"{{{one}}}" for one in found]
    return []


def _arrays(texts: Iterable[str]) -> list[str]:
    """Arrays with the constants, alone, repeated, in the other case, beside a NULL and beside each other
    (array_in's syntax).
    """
    quoted = ['"' + t.replace("\\", r"\\").replace('"', r"\"") + '"' for t in texts if len(t) <= 20][:5]
    found = [pattern.format(q) for q in quoted for pattern in ("{{{0}}}", "{{{0},NULL}}", "{{{0},{0}}}")]
    found += [f"{{{q.swapcase()}}}" for q in quoted if q.swapcase() != q]
    return found + [f"{{{a},{b}}}" for a in quoted for b in quoted if a != b]


def _shifted(text: str, interval: str) -> list[str]:
    """``text`` as a date moved by ``interval`` (a number and a unit) both ways, and the days around."""
    words = interval.split()
    days = {"day": 1, "days": 1, "month": 30, "months": 30, "mon": 30, "year": 365, "years": 365, "week": 7}
    if len(words) != 2 or not words[0].lstrip("-").isdigit() or words[1].lower() not in days:
        return []
    try:
        start = dt.date.fromisoformat(text[:10])
    except ValueError:
        return []
    count, unit = int(words[0]), words[1].lower().rstrip("s")
    found = []
    for sign in (1, -1):
        moved = _move(start, sign * count, unit)
        if moved is not None:
            found += [str(moved), str(moved - dt.timedelta(1)), str(moved + dt.timedelta(1))]
            found += [str(moved.replace(day=last)) for last in (29, 30, 31) if _has_day(moved, last)]
    return found


def _clipped(text: str, interval: str) -> list[str]:
    """A month's end, and where PostgreSQL gets from it by an interval of months or years, either way."""
    count, _, unit = interval.partition(" ")
    months = {"month": 1, "mon": 1, "year": 12}.get(unit.lower().rstrip("s"))
    if months is None or not count.lstrip("-").isdigit() or abs(int(count)) > _MOST_MONTHS:
        return []
    day, found = dt.date.fromisoformat(text), [text]
    for step in (int(count) * months, -int(count) * months):
        number = day.year * 12 + day.month - 1 + step
        year, month = number // 12, number % 12 + 1
        found.append(f"{year}-{month:02}-{min(day.day, calendar.monthrange(year, month)[1]):02}")
    return found


def _has_day(month: dt.date, day: int) -> bool:
    return day <= calendar.monthrange(month.year, month.month)[1]


def _move(day: dt.date, count: int, unit: str) -> dt.date | None:
    try:
        if unit in {"day", "week"}:
            return day + dt.timedelta(days=count * (7 if unit == "week" else 1))
        months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
        return day.replace(year=months // 12, month=months % 12 + 1, day=min(day.day, 28))
    except (ValueError, OverflowError):
        return None
