"""What the words of an imagined name announce (a code, a year, a quantity), and whether a real column is of
that kind.

Owns these words and the scores of types. Must not compare names or values.
"""

from __future__ import annotations

import re

from rewright.lake import names
from rewright.lake.catalog.model import Column, Family
from rewright.lake.noise.numbers import number_of
from rewright.lake.resolve.dimensions import asks_money
from rewright.lake.resolve.imagined import ImaginedColumn
from rewright.lake.resolve.likeness import head_of

CODES = frozenset({"code", "id", "abbreviation", "abbr", "iso", "symbol", "key", "identifier"})
YEAR = frozenset({"year"})
DATE = frozenset({"date", "day", "birthday", "timestamp", "datetime"})
TEXTUAL = frozenset(
    [
        "name",
        "title",
        "city",
        "country",
        "state",
        "region",
        "category",
        "type",
        "kind",
        "label",
        "person",
        "description",
        "party",
        "club",
        "team",
        "player",
        "company",
        "airport",
        "airline",
        "artist",
        "author",
        "nation",
        "land",
        "town",
        "district",
        "province",
        "county",
        "brand",
        "model",
        "color",
        "colour",
        "language",
        "genre",
        "style",
        "species",
        "breed",
        "occupation",
        "job",
        "sex",
        "gender",
        "status",
        "surface",
        "competition",
        "tournament",
        "school",
        "college",
        "university",
        "hospital",
        "department",
        "address",
        "email",
        "street",
        "continent",
        "religion",
        "nationality",
        "manufacturer",
        "publisher",
        "producer",
        "director",
        "actor",
        "singer",
        "composer",
        "mountain",
        "river",
        "lake",
        "volcano",
        "island",
        "station",
        "port",
        "stadium",
        "venue",
        "sport",
        "role",
        "position",
        "winner",
        "loser",
    ]
)
NAMED = frozenset({"name", "title", "label"})
PLACED = frozenset({"latitude", "longitude"})
POSITIONS = PLACED | {
    "coordinate",
    "location",
    "position",
    "x",
    "y",
    "north",
    "south",
    "east",
    "west",
    "geographic",
}
QUANTITY = frozenset(
    {
        "count",
        "total",
        "amount",
        "price",
        "score",
        "rate",
        "percent",
        "height",
        "weight",
        "age",
        "population",
        "number",
        "length",
        "size",
        "points",
    }
)

CLASSES = frozenset({"type", "kind", "category", "class", "sort", "species", "classification"})
"""Heads of names of what many things share."""
# more different values than kinds usually have
_MANY_NAMES = 12
# in fewer rows 0 and 1 are numbers that happen to be small
_FEW_ROWS = 20
_SEEN = 4
"""Numbers that must have been looked at to say that all are whole."""

MOMENT = frozenset({"end", "start", "begin", "beginning", "finish", "on", "at", "since", "until"})
"""Last words of names of moments: `survey_end`, `joined_on`."""
_DOERS, _DOER = ("or", "er", "ist", "ian", "eur"), 5
"""Endings of who does something, and letters of such a word at least."""
# words with endings of doers that are spans of time
_SPANS = frozenset({"quarter", "trimester", "semester", "september", "october", "november", "december"})
# `num` before letters, but not `numeral` or `number`
_COUNTING = re.compile(r"(?:num|nr|cnt|count|n|no)(?: of)? |num(?!er)(?=[a-z]{4})")


def counts(real: Column) -> bool:
    """`num_queens`, `numqueens`, `count_of_ships`: does the column say how many there are?"""
    return real.meaning.numeric and _COUNTING.match(names.normal(real.name)) is not None


def whole(real: Column) -> bool:
    """Are its numbers, as far as they were looked at, all whole?"""
    if not real.meaning.numeric:
        return False
    # samples are few: they are looked at, not all the values
    read = [number_of(value) for value in real.samples]
    # what cannot be read as a number does not speak against it
    return len(read) >= _SEEN and all(number is None or number.is_integer() for number in read)


def is_flag(real: Column) -> bool:
    """Are its numbers a yes and a no?"""
    read = {number_of(value) for value in real.samples}
    return real.meaning.numeric and real.rows > _FEW_ROWS and len(read) == 2 and read == {0.0, 1.0}


def type_score(imagined: ImaginedColumn, real: Column) -> float:
    """Penalties for types that cannot do what the query does, small bonuses for what the name announces."""
    score = 0.0
    if imagined.numeric and not real.meaning.numeric and not _between_days(imagined, real):
        score -= 0.2 if real.meaning is Family.BOOLEAN else 0.5
    if imagined.extreme and real.meaning in {Family.TEXT, Family.BOOLEAN}:
        # the last name in the alphabet is hardly ever asked for
        score -= 0.25
    if imagined.measured and real.meaning in {Family.TEXT, Family.BOOLEAN}:
        # which of two things is greater is asked of measures and days
        score -= 0.4
    if imagined.dated and real.meaning is not Family.DATE:
        score -= 0.05 if is_year(real) else 0.4
    if imagined.truth and not imagined.tests:
        score += 0.1 if real.meaning is Family.BOOLEAN else -0.3
    told = set(names.words(imagined.name))
    if told & YEAR and not _in_years(imagined.name):
        score += 0.1 if is_year(real) else 0.02 if real.meaning is Family.DATE else -0.2
    elif is_year(real) and _in_years(imagined.name):
        # how many years is not which
        score -= 0.3
    elif is_year(real) and not told & (DATE | {"season", "when", "time", "period"}):
        # years are hardly ever added up, and the last one is asked for by its name
        score -= 0.3 if imagined.numeric or imagined.extreme else 0.1
    if "season" in told and is_year(real):
        score += 0.1
    if PLACED & set(names.words(real.name)) and not told & POSITIONS:
        # nobody means a coordinate by another word
        score -= 0.15
    if told & DATE:
        score += 0.06 if real.meaning is Family.DATE else 0.0
    elif MOMENT & set(names.normal(imagined.name).split()[-1:]) and not imagined.numeric:
        score += 0.08 if real.meaning is Family.DATE else -0.15 if real.meaning is Family.TEXT else 0.0
    if real.meaning is Family.DATE and _does_something(imagined.name):
        score -= 0.5
    if counts(real) and imagined.shown and not (imagined.numeric or imagined.extreme or told & QUANTITY):
        # how many there are is not which they are
        score -= 0.3
    if counts(real) and asks_money(imagined.name):
        # nor what they cost
        score -= 0.3
    if imagined.fractional and whole(real):
        score -= 0.25
    if head_of(names.words(imagined.name)) in CLASSES and not told & NAMED and _names_one(real):
        # which kind something is of is not what it is called
        score -= 0.25
    if told & NAMED and real.meaning.numeric:
        score -= 0.3
    elif told & TEXTUAL and not told & QUANTITY and real.meaning.numeric:
        score -= 0.12
    if imagined.grouped and not imagined.dated and real.meaning.numeric and not is_year(real):
        # groups are made by kinds and names; by measures hardly ever
        score -= 0.3 if real.meaning is Family.FLOAT and not told & QUANTITY else 0.1
    if told & TEXTUAL and real.family is Family.TEXT and _wordless(real):
        score -= 0.15
    if told & QUANTITY and not told & TEXTUAL and real.meaning is Family.TEXT:
        score -= 0.12
    if real.distinct == 0:
        score -= 0.3
    if (
        (imagined.shown or imagined.grouped)
        and not imagined.numeric
        and numeric_code(real)
        and not told & (CODES | names.KEY_WORDS)
    ):
        # a number that stands for something is shown as what it stands for
        score -= 0.3
    if (
        imagined.numeric
        and numbers_rows(real)
        and not set(names.words(imagined.name)) & set(names.words(real.name))
    ):
        # nor the numbers of the rows
        score -= 0.3
    if (
        (imagined.numeric or imagined.extreme)
        and numeric_code(real)
        and not set(names.words(imagined.name)[-1:]) & (CODES | names.KEY_WORDS)
    ):
        # nobody adds up keys
        score -= 0.3
    elif (
        (imagined.numeric or imagined.tests)
        and real.meaning.numeric
        and not told & CODES
        and set(names.words(real.name)) & CODES
        and not is_year(real)
    ):
        score -= 0.2
    return score


def _names_one(real: Column) -> bool:
    """Is it called a name, and of many things?"""
    return names.words(real.name)[-1:] == ("name",) and real.distinct > _MANY_NAMES


def _between_days(imagined: ImaginedColumn, real: Column) -> bool:
    """`departure_date - arrival_date`: with days one calculates, too."""
    # its name has to speak of days: a difference of anything else needs numbers
    return real.meaning is Family.DATE and bool(DATE & set(names.words(imagined.name)))


def _does_something(name: str) -> bool:
    """`inspector`, `treating_physician`: who does something is no day."""
    head = head_of(names.words(name))
    return head.endswith(_DOERS) and len(head) > _DOER and head not in _SPANS


def _in_years(name: str) -> bool:
    """`age_years`, `years_of_service`: years are its unit."""
    told = names.normal(name).split()
    # with a singular `year` it is a year of something: `years_year`
    return len(told) > 1 and bool({"years", "yrs"} & set(told)) and "year" not in told


def _wordless(real: Column) -> bool:
    """Texts without letters: `15-30`, `(202) 225-2171`."""
    return bool(real.samples) and not any(ch.isalpha() for value in real.samples for ch in value)


def is_year(real: Column) -> bool:
    bounds = real.bounds() if real.meaning.numeric else None
    # no year of four digits, or a number beyond: then it is an amount
    if bounds is None or not 0 <= bounds[0] <= bounds[1] <= 2200 or bounds[1] < 1000:
        return False
    # called a year and whole; or, whatever it is called, nothing but likely years
    return (real.family is Family.INTEGER and "year" in names.words(real.name)) or (
        bounds[0] >= 1500 and bounds[1] <= 2100
    )


def numeric_code(real: Column) -> bool:
    """`size_code` 1, 2, 3, and `id_visit`; a `number_of_visits` is none."""
    told = names.words(real.name)
    return (
        real.family is Family.INTEGER
        and len(told) > 1
        and bool(set(told[-1:]) & names.KEY_WORDS or set(told[:1]) & CODES)
        and not is_year(real)
    )


def numbers_rows(real: Column) -> bool:
    """1, 2, 3 and so on, each once."""
    if real.family is not Family.INTEGER:
        return False
    # the first or second column, each once: a number for the row
    if names.words(real.name) == ("number",):
        # called so, numbers need not follow one another
        return real.position <= 1 and real.unique
    bounds = real.bounds() if real.unique else None
    # without gaps and from the first to the last row
    return bounds is not None and real.rows > _FEW_ROWS and bounds[1] - bounds[0] == real.rows - 1


def bare_key(real: Column) -> bool:
    """A text key whose values are single words: not what people call things."""
    return (
        real.family is Family.TEXT
        and bool(set(names.words(real.name)) & CODES)
        and not any(" " in v for v in real.samples)
    )
