"""What reads no row and surely has a value: calculations of small constants, dates that are written out,
and what is made of the moment at hand.

That an expression reads no row does not say when it is evaluated. Immutable functions of constants are
folded when the query is planned, but only as far as AND, OR and CASE get (`1 = 1 OR 1 / 0 = 1` is TRUE);
parameters of a generic plan, CHECKs of domains and whatever is stable (current_setting, a user's function)
wait for the first row that gets there. So only what can't fail is taken not to fail. Must not know contexts
or catalogs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from .terms import App, Lit, Term

# logarithms, roots and powers of these are small numbers
_SMALL = re.compile(r"[1-9]\d?(?:\.\d{1,9})?")
# not the logarithm to a base, which may be 1
_CALCULATED = re.compile(
    r"pg_catalog\.(?:(?:sqrt|ln|log|log10|exp)\((?:float8|numeric)\)"
    r"|(?:power|pow)\((?:float8|numeric),(?:float8|numeric)\))"
)
_READ_BY_FORMAT = frozenset({"pg_catalog.to_date(text,text)", "pg_catalog.to_timestamp(text,text)"})
_PARTS = {"YYYY": r"(?P<year>[1-9]\d{3})", "MM": r"(?P<month>\d\d)", "DD": r"(?P<day>\d\d)"}
_FORMAT_PART = re.compile(r"YYYY|MM|DD|[-./ ]")
_FORMAT = re.compile(rf"(?:{_FORMAT_PART.pattern})+")
_DIGITS = re.compile(r"\d{1,4}")
# what leads from now() to another moment of these years, or to one of its fields
_MOMENT = "(?:date|timestamp|timestamptz)"
_OF_NOW = re.compile(
    r"pg_catalog\.now\(\)"
    rf"|pg_catalog\.(?P<field>extract|date_part|date_trunc)\(text,{_MOMENT}\)"
    rf"|op [+-]\({_MOMENT},(?:interval|int4)\)"
    rf"|cast pg_catalog\.{_MOMENT} to pg_catalog\.{_MOMENT}\(-1\) func"
    r"|cast pg_catalog\.(?:numeric|float8) to pg_catalog\.(?:int2|int4|int8)\(-1\) func"
    r"|cast pg_catalog\.unknown to pg_catalog\.interval\(-1\) io"
)
_SPAN = re.compile(r"\d{1,3} ?(?:day|week|month|mon|year|hour|minute|second)s?")
# of all moments and days, and by date_trunc
_FIELDS = frozenset({"year", "month", "day", "quarter", "week"})
_NUMBERS = _FIELDS | {"doy", "dow", "isodow", "isoyear"}


def surely_has_a_value(term: App) -> bool:
    """Whether evaluating the application raises nothing, since all that it is made of is known."""
    if _is_of_now(term):
        return True
    values = [x.value for x in term.args if isinstance(x, Lit) and x.value is not None]
    if len(values) < len(term.args):
        return False
    return has_a_value(term.sym.name, values)


def has_a_value(name: str, values: Sequence[str]) -> bool:
    """Whether a function of pg_catalog, named with the types of its arguments, has a value of these."""
    return _is_calculated(name, values) or _is_a_date(name, values)


def _is_calculated(name: str, values: Sequence[str]) -> bool:
    return _CALCULATED.fullmatch(name) is not None and all(map(_SMALL.fullmatch, values))


def _is_a_date(name: str, values: Sequence[str]) -> bool:
    parts: Sequence[str] = ()
    if name == "pg_catalog.make_date(int4,int4,int4)" and all(map(_DIGITS.fullmatch, values)):
        parts = values
    elif name in _READ_BY_FORMAT:
        parts = _read(*values)
    try:
        return bool(parts) and bool(date(*map(int, parts)))
    except ValueError:
        return False  # the 31st of February


def _read(text: str, form: str) -> Sequence[str]:
    """Year, month and day of a text that is written just as the format says; nothing where it is not."""
    form = form.upper()
    if _FORMAT.fullmatch(form) is None or any(form.count(x) > 1 for x in _PARTS):
        return ()
    pattern = "".join(_PARTS.get(x, re.escape(x)) for x in _FORMAT_PART.findall(form))
    found = re.fullmatch(pattern, text)
    known = found.groupdict() if found is not None else {}
    return (known["year"], known.get("month", "1"), known.get("day", "1")) if "year" in known else ()


def _is_of_now(term: Term) -> bool:
    """A moment some days or years from now, or a field of one."""
    if isinstance(term, Lit):
        said = term.value or ""
        return bool(_DIGITS.fullmatch(said) or _SPAN.fullmatch(said))
    found = _OF_NOW.fullmatch(term.sym.name) if isinstance(term, App) else None
    if found is None or not isinstance(term, App):
        return False
    parts = term.args
    if kind := found["field"]:
        field, *parts_ = parts
        known = _FIELDS if kind == "date_trunc" else _NUMBERS
        if not isinstance(field, Lit) or (field.value or "").lower() not in known:
            return False
        parts = tuple(parts_)
    return all(map(_is_of_now, parts))
