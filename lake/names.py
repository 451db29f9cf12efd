"""Names of tables and columns as words: normalising, splitting, abbreviations, units.

Owns the general vocabulary of database naming. Must not know any lake's tables.
Source of the normal form: thesis 5.1.1 (lower case, underscores and camel case split, punctuation and
extensions dropped, blanks collapsed, diacritics stripped).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rewright.lake.foreign import english
from rewright.lake.shortened import written_out

ABBREVIATIONS: dict[str, str] = {
    "acct": "account", "addr": "address", "agg": "aggregate", "alt": "altitude", "amt": "amount",
    "approx": "approximate", "apt": "apartment", "arr": "arrival", "attr": "attribute", "auth": "author",
    "avail": "available", "avg": "average", "bal": "balance", "bday": "birthday", "bldg": "building",
    "bn": "billion", "brd": "brand", "cat": "category", "cd": "code", "ch": "", "chg": "change",
    "cnt": "count",
    "cntry": "country", "co": "company", "coef": "coefficient", "conf": "confirmed", "ctry": "country",
    "cur": "currency", "curr": "current", "cust": "customer", "dept": "department", "desc": "description",
    "descr": "description", "dest": "destination", "dist": "distance", "dob": "birth date", "doc": "document",
    "dt": "date", "dur": "duration", "elev": "elevation", "emp": "employee", "est": "estimated",
     "fname": "first name", "freq": "frequency", "frm": "from", "geo": "geographic", "gov": "government",
    "grp": "group", "hr": "hour", "hrs": "hours", "idx": "index", "img": "image", "info": "information",
    "inv": "invoice", "lang": "language", "lat": "latitude", "lbs": "pounds", "len": "length",
    "lname": "last name", "fnm": "first name", "lnm": "last name",
    "lg": "league", "tm": "team", "ctr": "center", "div": "division", "inc": "income",
    "exch": "exchange", "lng": "longitude", "loc": "location", "lon": "longitude", "long": "longitude",
    "lvl": "level", "max": "maximum", "med": "median", "mfr": "manufacturer", "mgr": "manager",
    "min": "minimum",
    "mo": "month", "mpg": "miles per gallon", "msg": "message", "mth": "month", "natl": "national",
    "nb": "number", "nbr": "number", "no": "number", "nr": "number", "num": "number", "obs": "observation",
    "occ": "occupation", "ord": "order", "org": "organization", "orig": "origin", "pct": "percent",
    "perc": "percent", "pop": "population", "pos": "position", "pref": "preference", "prev": "previous",
    "prod": "product", "pts": "points", "pub": "publication", "qty": "quantity", "qte": "quantity",
    "rec": "record",
    "ref": "reference", "reg": "region", "rel": "relation", "rep": "representative",
    "resp": "responsible", "rev": "revenue",
    "sec": "seconds", "seq": "sequence", "sq": "square",
    "sqft": "square feet", "sqkm": "square kilometers", "sqm": "square meters", "sqmi": "square miles",
    "src": "source", "st": "state", "std": "standard",
    "stat": "statistic", "stats": "statistics", "subj": "subject", "svc": "service", "temp": "temperature",
    "tel": "telephone", "tot": "total", "trans": "transaction", "ttl": "total", "txn": "transaction",
    "univ": "university", "val": "value", "vol": "volume", "wt": "weight", "yr": "year", "yrs": "years",
    "rrp": "retail price", "msrp": "retail price", "po": "purchase order", "so": "sales order",
    "pp": "pages", "pgs": "pages", "cls": "class",
    "co2": "carbon dioxide", "nm": "name", "flg": "flag", "sal": "salary", "cap": "capacity",
    "arriv": "arrival", "sched": "scheduled", "precip": "precipitation",
    "humid": "humidity", "visib": "visibility", "cyl": "cylinders", "hwy": "highway", "displ": "displacement",
    "hp": "horsepower", "hh": "household", "pax": "passengers", "veh": "vehicle", "sch": "school",
    "mfg": "manufacturer", "manuf": "manufacturer", "dlv": "delivery", "delv": "delivery", "recv": "received",
    "rcv": "received",
    "crs": "course", "dow": "weekday", "lic": "license", "reqd": "required", "upd": "updated",
    "upc": "product code", "ccy": "currency",
    "sku": "product code",
    "fk": "key", "pk": "key", "phn": "phone", "mob": "mobile", "occup": "occupation", "intl": "international",
    "govt": "government", "assn": "association", "comm": "committee", "pymt": "payment", "pmt": "payment",
    "disc": "discount", "exp": "experience", "rtg": "rating", "wk": "week", "wks": "weeks", "mon": "month",
    "qtr": "quarter",
    "yob": "birth year", "vin": "vehicle identification number",  "secs": "seconds", "mins": "minutes",
    "sev": "severity", "nat": "nationality",
    "mdl": "model", "odo": "odometer", "purp": "purpose", "lkp": "", "dsc": "description", "cod": "code",
    "stn": "station", "dx": "diagnosis", "adm": "admission", "wgt": "weight", "hgt": "height",
    "mst": "", "mstr": "", "ata": "arrival", "atd": "departure", "eta": "expected arrival",
    "etd": "expected departure",
    "px": "price", "prc": "price", "trx": "transaction", "eml": "email", "szn": "season", "loa": "length",
    "rsn": "reason", "posn": "position", "cond": "condition", "betr": "amount", "anz": "count",
    "iso": "iso code", "iata": "airport code", "postal": "postal code", "zip": "postal code",
}  # fmt: skip
"""Common shortenings in column names and what they stand for."""

_UNIT_WORDS: dict[str, float] = {
    "thousand": 1e3, "thousands": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "mn": 1e6, "mio": 1e6,
    "billion": 1e9, "billions": 1e9, "bn": 1e9, "trillion": 1e12, "trillions": 1e12, "tn": 1e12,
}  # fmt: skip
_MEASURE: dict[str, tuple[str, float]] = {
    "mm": ("length", 0.001), "millimeters": ("length", 0.001), "cm": ("length", 0.01), "m": ("length", 1.0),
    "meters": ("length", 1.0), "metres": ("length", 1.0), "km": ("length", 1000.0), "kilometers": ("length",
    1000.0),
    "miles": ("length", 1609.344), "ft": ("length", 0.3048), "feet": ("length", 0.3048), "inches": ("length",
    0.0254),
    "mg": ("mass", 1e-6), "g": ("mass", 1e-3), "grams": ("mass", 1e-3), "kg": ("mass", 1.0),
    "kilograms": ("mass", 1.0), "lb": ("mass", 0.45359237), "lbs": ("mass", 0.45359237), "pounds": ("mass",
    0.45359237),
    "tonnes": ("mass", 1000.0), "ms": ("time", 0.001), "milliseconds": ("time", 0.001), "millis": ("time",
    0.001),
    "s": ("time", 1.0), "sec": ("time", 1.0), "secs": ("time", 1.0), "seconds": ("time", 1.0),
    "minutes": ("time", 60.0), "mins": ("time", 60.0),
    "hours": ("time", 3600.0), "hrs": ("time", 3600.0), "days": ("time", 86400.0),
    "acres": ("area", 4046.8564224), "hectares": ("area", 10_000.0),
    "cents": ("money", 0.01), "dollars": ("money", 1.0), "usd": ("money", 1.0),
}  # fmt: skip

_UNIT_NAMES = {
    "ms": "milliseconds", "km": "kilometers", "kg": "kilograms", "cm": "centimeters", "mm": "millimeters",
    "mi": "miles", "ft": "feet", "lb": "pounds", "hr": "hours", "min": "minutes", "s": "seconds",
    "g": "grams", "m": "meters",
}  # fmt: skip

_SQUARES = {"sqft": "sq ft", "sqkm": "sq km", "sqm": "sq m", "sqmi": "sq miles"}
_WHOLE = {
    "first": "first name",
    "last": "last name",
    "middle": "middle name",
    "full": "full name",
    "given": "first name",
    "common": "common name",
    "scientific": "scientific name",
    "latin": "scientific name",
    "nation": "country",
}
"""Names that mean more when they stand alone."""
_SAME = {
    "latin name": "scientific name",
    "family name": "last name",
    "surname": "last name",
    "full name": "name",
    "complete name": "name",
    "given name": "first name",
    "forename": "first name",
    "date of birth": "birth date",
    "birthday": "birth date",
    "dob": "birth date",
    "art number": "article number",
    "best number": "order number",
    "razon social": "company name",
    "year of birth": "birth year",
    "gender": "sex",
    "inhabitants": "population",
    "inhabitant": "population",
}
"""Phrases that say the same of people everywhere."""

GENERIC = frozenset(
    {
        "name",
        "names",
        "title",
        "id",
        "code",
        "value",
        "type",
        "label",
        "description",
        "key",
        "number",
        "text",
        "date",
        "kind",
    }
)
"""Words that say little about a column without the name of its table."""
KEY_WORDS = frozenset(
    {"id", "code", "key", "no", "number", "nr", "uuid", "ref", "identifier", "abbr", "abbreviation", "iso"}
)


FORMS = frozenset(
    [
        *("list", "log", "register", "table", "tbl", "data", "file", "export", "extract", "sheet"),
        *("overview", "journal"),
    ]
)
"""Words of a table's name that say only that it is one."""


def without_form(told: Sequence[str]) -> tuple[str, ...]:
    """`acc_log` is about `acc`; a table that is called `journal` alone is one of journals."""
    return tuple(word for word in told if word not in FORMS) or tuple(told)


def strip_marks(text: str) -> str:
    """The text without diacritics (canonical decomposition, combining marks dropped)."""
    if text.isascii():
        return text
    return "".join(ch for ch in unicodedata.normalize("NFKD", text) if not unicodedata.combining(ch))


_PER = re.compile(
    r"(?<=[a-z])\s*/\s*(?=(?:night|day|week|month|year|hour|hr|h|person|head|guest|unit|piece|kg|km|ha)s?\b)",
    re.IGNORECASE,
)
"""`Rate/night`: what stands before is counted by what stands behind."""


@lru_cache(maxsize=200_000)
def normal(name: str) -> str:
    """`Gini_Index`, `giniIndex`, `Gini Index` → `gini index`."""
    return spaced(name).lower() or name.lower().strip()


def spaced(name: str) -> str:
    """The words of a name with blanks between, their case kept: `Gini_Index` → `Gini Index`."""
    # `teamIDwinner` would fall apart into `team I Dwinner`
    name = re.sub(r"(?<=[a-z])I[Dd](?=[a-z]|$|[A-Z][a-z])", " id ", name)
    name = _PER.sub(" per ", name)
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\W]+", " ", strip_marks(name))
    # `line2` is two words, `q2` and `co2` are one
    apart = re.sub(r"(?<=[a-z]{3})(?=\d)", " ", apart, flags=re.IGNORECASE)
    return " ".join(apart.split())


@lru_cache(maxsize=200_000)
def expanded(name: str) -> str:
    """The normal form with abbreviations written out."""
    told = normal(name)
    parts = _WHOLE.get(told, told).split()
    if len(parts) > 1 and "prix" in parts and "grand" not in parts:
        # `prix_ttc`: the French price, where it is no race
        parts[parts.index("prix")] = "price"
    # a last word that is a unit (`weight_kg`) is one only behind what it measures: a column `g` is no gram
    if len(parts) > 1:
        parts[-1] = _UNIT_NAMES.get(parts[-1], parts[-1])
    written = " ".join(" ".join(_written_out(word) for word in parts).split()) or told
    for phrase, same in _SAME.items():
        if phrase in written:
            written = re.sub(rf"\b{phrase}\b", same, written)
    return written


def _written_out(word: str) -> str:
    short = ABBREVIATIONS.get(word)
    if short is None:
        short = written_out(word)
    return short if short is not None else english(word)


@lru_cache(maxsize=200_000)
def bare(name: str) -> str:
    """The expanded name without the words that only say "label": `Volcano Name` → `volcano`."""
    left = [word for word in expanded(name).split() if word not in {"name", "title", "label"}]
    return " ".join(left) or expanded(name)


@lru_cache(maxsize=200_000)
def referred(name: str) -> str:
    """What a key column refers to: `SupportRepId` → `support representative`; empty for a bare `id`."""
    return " ".join(word for word in expanded(name).split() if word not in KEY_WORDS)


_ALIKE = frozenset({"series", "species", "news"})
"""Words whose plural is spelt as their singular."""
_IN_IE = frozenset(
    [
        "movies",
        "cookies",
        "calories",
        "rookies",
        "zombies",
        "brownies",
        "smoothies",
        "hoodies",
        "prairies",
        "birdies",
    ]
)
_IN_S = frozenset(["gases", "aliases", "canvases", "atlases", "lenses", "quizzes"])


def singular(word: str) -> str:
    """A crude English singular, enough to make `cities` and `city`, `movies` and `movie`, `prizes` and
    `prize` meet.
    """
    if word in _ALIKE:
        return word
    if len(word) > 4 and word.endswith("ies") and word not in _IN_IE:
        return word[:-3] + "y"
    if len(word) > 4 and (word.endswith(("sses", "xes", "zzes", "ches", "shes")) or _in_us(word)):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _in_us(word: str) -> bool:
    """`buses`, `viruses`, `gases`; not `houses`, `causes`, `courses`."""
    return word in _IN_S or (word.endswith("uses") and not word.endswith(("ouses", "auses")))


@lru_cache(maxsize=200_000)
def words(name: str) -> tuple[str, ...]:
    """Singular words of the expanded name, in order."""
    return tuple(singular(word) for word in expanded(name).split())


@lru_cache(maxsize=200_000)
def written(name: str) -> tuple[str, ...]:
    """The words of a name as they stand there, neither written out nor put into English; of a few letters
    what they are short for, which the letters alone do not tell.
    """
    told = (word if len(word) >= _TELLING else _written_out(word) for word in normal(name).split())
    return tuple(singular(word) for part in told for word in part.split())


def skeleton_of(short: str, long: str) -> bool:
    """`hwy` of `highway`, `flg` of `flag`: the first letter and some of the following consonants, in order,
    at least half of them; `nts` of `nights`, whose singular is compared.
    """
    if len(short) < 2 or len(short) >= len(long) or short[0] != long[0] or len(short) * 4 < len(long):
        return False
    if set(short[1:]) & set("aeiou") or not short.isalpha():
        return False
    rest = iter(long[1:] + "s" if len(short) > 2 else long[1:])
    return all(letter in rest for letter in short[1:]) and (
        len(short) > 2 or short[1] == long[-1] or len(long) <= 5
    )


_SHORTENED: dict[str, tuple[str, ...]] = {}
for _short, _long in ABBREVIATIONS.items():
    if _long and " " not in _long:
        _SHORTENED[_long] = (*_SHORTENED.get(_long, ()), _short)
_LEAST_PIECE = 3
_TELLING = 4
"""Letters from which on the beginning of a word tells which it is."""
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


def pieces(word: str, by: Sequence[str], needed: Sequence[str] = ()) -> tuple[str, ...]:
    """The words of `by` that a word is made of, run together and perhaps shortened; empty where it is not.

    `percollege` by `college percent` is (`percent`, `college`): each of its pieces is a word, its
    abbreviation, or its first three letters or more, and there are at least two. `needed`: words of which one
    at least must be among them.
    """
    found = _pieces(word, tuple(dict.fromkeys(by)))
    return found if len(found) >= 2 and (not needed or set(found) & set(needed)) else ()


@lru_cache(maxsize=200_000)
def _pieces(word: str, by: tuple[str, ...]) -> tuple[str, ...]:
    for i, candidate in enumerate(by):
        rest = (*by[:i], *by[i + 1 :])
        for piece in forms(candidate):
            if not word.startswith(piece):
                continue
            left = word[len(piece) :]
            if not left:
                return (candidate,)
            if rest and (after := _pieces(left, rest)):
                return (candidate, *after)
    return ()


@lru_cache(maxsize=50_000)
def forms(word: str) -> tuple[str, ...]:
    """What a word may look like inside another, longest first."""
    prefixes = [word[:n] for n in range(len(word), _LEAST_PIECE - 1, -1)]
    return tuple(dict.fromkeys([word, f"{word}s", *_SHORTENED.get(word, ()), *prefixes]))


def tells_year(name: str) -> bool:
    """`standings_2016`."""
    return any(_YEAR.fullmatch(word) for word in normal(name).split())


def of_another_year(asked: str, held: str) -> bool:
    """`standings_2016` and `stnd14`: both names tell a year, and not the same. Two digits are a year from 13
    on: files are numbered from one on, or named by their month. Two years are those in between, too.
    """
    told = {word for word in normal(asked).split() if _YEAR.fullmatch(word)}
    own = {w for w in normal(held).split() if _YEAR.fullmatch(w) or re.fullmatch(r"1[3-9]|[2-9]\d", w)}
    if not told or not own or any(year.endswith(word) for year in told for word in own):
        return False
    span = sorted(word for word in own if len(word) == len("1999"))
    return len(span) < 2 or not any(span[0] <= year <= span[-1] for year in told)


def solid(name: str) -> str:
    """A name's words as one, units written out: `km-Stand` and `Kilometerstand` are the same."""
    return "".join(singular(_UNIT_NAMES.get(word, word)) for word in normal(name).split())


def scale_of(name: str) -> float | None:
    """The power of ten that a name claims its numbers are counted in (`GDP (BILLIONS)` → 1e9)."""
    found = [_UNIT_WORDS[word] for word in normal(name).split() if word in _UNIT_WORDS]
    return found[-1] if found else None


def measure_of(name: str) -> tuple[str, float] | None:
    """Dimension and factor to its base unit claimed by the last word of a name
    (`body_mass_g` → mass, 0.001; `floor_sqft` → area, 0.0929).
    """
    parts = [part for word in normal(name).split() for part in _SQUARES.get(word, word).split()]
    # a name of blanks alone has no words
    found = _MEASURE.get(parts[-1]) if len(parts) > 1 or any(len(part) > 2 for part in parts) else None
    if found is not None and len(parts) > 1 and parts[-2] in {"sq", "square"} and found[0] == "length":
        return "area", found[1] ** 2
    return found


_SPANS = frozenset(
    ["years", "yrs", "months", "weeks", "wks", "days", "hours", "hrs", "minutes", "mins", "seconds", "secs"]
)


def without_unit(name: str) -> str:
    """`term_years` → `term`; empty where a name has no unit of time, or nothing before it."""
    *rest, last = normal(name).split() or [""]
    return " ".join(rest) if last in _SPANS else ""


def without_place(table: str) -> tuple[str, str]:
    """A table's name without its first word, the folder or system it may lie in, and that word; whole where
    the rest (a year, `all`) names nothing.
    """
    place, _, rest = table.partition("_")
    telling = any(word.isalpha() and word not in {"all", "by", "year"} for word in normal(rest).split())
    return (rest, place.lower()) if place and telling else (table, "")


def prefix(table: str) -> str:
    """The short source prefix some exports put before each table's name (`ch_track` → `ch`), else empty."""
    head, _, rest = table.partition("_")
    return head.lower() if rest and 1 <= len(head) <= 5 and head.isalpha() else ""
