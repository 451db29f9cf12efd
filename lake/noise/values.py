"""Reading one messy cell: folding, numbers, dates, truth values. Pure functions shared by detection and
cleaning.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rewright.lake.names import strip_marks

TRUE = frozenset(
    {"true", "t", "yes", "y", "1", "on", "ja", "j", "wahr", "si", "sí", "sì", "oui", "vrai", "sim", "vero"}
)
FALSE = frozenset(
    {"false", "f", "no", "n", "0", "off", "nein", "falsch", "non", "faux", "nao", "não", "falso", "nee"}
)
"""Words for the two in English, German, Spanish, French, Italian, Portuguese and Dutch, with and without
diacritics: SQL compares them as they stand.
"""
DATE_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (form, re.compile(f"^(?:{pattern})$", re.IGNORECASE))
    for form, pattern in (
        ("%Y-%m-%d", r"\d{4}-\d{1,2}-\d{1,2}"),
        ("%Y-%m-%d %H:%M:%S", r"\d{4}-\d{1,2}-\d{1,2} \d{1,2}:\d\d:\d\d"),
        ("%Y-%m-%dT%H:%M:%S", r"\d{4}-\d{1,2}-\d{1,2}T\d{1,2}:\d\d:\d\d"),
        ("%Y-%m-%d %H:%M", r"\d{4}-\d{1,2}-\d{1,2} \d{1,2}:\d\d"),
        ("%Y/%m/%d", r"\d{4}/\d{1,2}/\d{1,2}"),
        ("%Y/%m/%d %H:%M", r"\d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d\d"),
        ("%Y/%m/%d %H:%M:%S", r"\d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d\d:\d\d"),
        ("%Y.%m.%d", r"\d{4}\.\d{1,2}\.\d{1,2}"),
        ("%Y%m%d", r"(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d"),
        ("%d.%m.%Y", r"\d{1,2}\.\d{1,2}\.\d{4}"),
        ("%d-%b-%Y", r"\d{1,2}-[a-z]{3}-\d{4}"),
        ("%d-%b-%y", r"\d{1,2}-[a-z]{3}-\d{2}"),
        ("%d %b %Y", r"\d{1,2} [a-z]{3} \d{4}"),
        ("%d %B %Y", r"\d{1,2} [a-z]{3,9} \d{4}"),
        ("%B %d, %Y", r"[a-z]{3,9} \d{1,2}, \d{4}"),
        ("%b %d, %Y", r"[a-z]{3} \d{1,2}, \d{4}"),
        ("%b %d %Y", r"[a-z]{3} \d{1,2} \d{4}"),
        ("%m/%d/%Y", r"\d{1,2}/\d{1,2}/\d{4}"),
        ("%d/%m/%Y", r"\d{1,2}/\d{1,2}/\d{4}"),
        ("%m/%d/%y", r"\d{1,2}/\d{1,2}/\d{2}"),
        ("%d/%m/%y", r"\d{1,2}/\d{1,2}/\d{2}"),
        ("%d.%m.%y", r"\d{1,2}\.\d{1,2}\.\d{2}"),
        ("%d-%m-%y", r"\d{1,2}-\d{1,2}-\d{2}"),
        ("%y-%m-%d", r"\d{2}-\d{1,2}-\d{1,2}"),
        ("%d-%m-%Y", r"\d{1,2}-\d{1,2}-\d{4}"),
        ("%m-%d-%Y", r"\d{1,2}-\d{1,2}-\d{4}"),
    )
)
"""strptime formats and the texts they fit; ambiguous day/month pairs are told apart over a whole column."""
_ANY_DATE = re.compile("|".join(f"(?:{pattern.pattern})" for _, pattern in DATE_FORMATS), re.IGNORECASE)
"""One look tells most texts from dates."""


@lru_cache(maxsize=100_000)
def fold(value: str) -> str:
    """Blanks collapsed, case and diacritics dropped: what two spellings of one value share."""
    return " ".join(strip_marks(value).casefold().split())


def plain_number(value: str) -> bool:
    """Would DuckDB read it as a number as it stands?"""
    if value[:1].isalpha() and value[:1] not in "nNiI":
        # neither a number nor nan or inf: what is raised for each word takes longest
        return False
    try:
        float(value)
    except ValueError:
        return False
    return "_" not in value


def date_formats(value: str) -> tuple[str, ...]:
    """The formats that fit one text."""
    text = " ".join(value.split())
    if _ANY_DATE.match(text) is None:
        return ()
    found = [form for form, pattern in DATE_FORMATS if pattern.match(text)]
    if not found:
        return ()
    return tuple(form for form in found if _possible(text, form))


def truth(value: str) -> bool | None:
    """The truth value a text stands for."""
    text = fold(value).rstrip(".")
    return True if text in TRUE else False if text in FALSE else None


def _possible(text: str, form: str) -> bool:
    from datetime import datetime

    try:
        datetime.strptime(text, form)  # noqa: DTZ007 - only the shape matters
    except ValueError:
        return False
    return True
