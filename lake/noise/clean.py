"""Cleaning expressions: DuckDB SQL that turns a noisy column into what it means, the raw table untouched.

Owns the vetted normalisers. Must not decide whether to clean (detect.py does).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.catalog.model import Column, Family, Noise, Values
from rewright.lake.noise.detect import variants
from rewright.lake.noise.numbers import Notation, notation_of, number_of
from rewright.lake.noise.values import FALSE, TRUE, date_formats

# a CASE with more arms makes each query slow to parse
_CASE_LIMIT = 1500


def clean_expression(
    column: Column, values: Values, *, qualifier: str = "", percent: bool = False
) -> str | None:
    """SQL of the cleaned column, or None if there is nothing to clean. `percent`: `90 %` is 90, whatever the
    column's name says.
    """
    ref = f"{qualifier}.{quoted(column.name)}" if qualifier else quoted(column.name)
    if Noise.BOOLEANS in column.noise:
        return _boolean(ref)
    if Noise.NUMBERS in column.noise or Noise.FORMATTED in column.noise:
        told = notation_of(column.name, values.counts)
        return _number(ref, values, replace(told, fraction=told.fraction and not percent))
    if Noise.DATES in column.noise:
        # days of digits are numbers to DuckDB, and texts to the parser of formats
        return _date(ref if column.family is Family.TEXT else f"CAST({ref} AS VARCHAR)", values)
    return _text(ref, column, values) if column.noise else None


def clean_cte(table: str, columns: dict[str, str]) -> str:
    """`SELECT` of the whole table with some columns replaced by their cleaning expressions."""
    replaced = ", ".join(f"{expression} AS {quoted(name)}" for name, expression in columns.items())
    return f"SELECT * REPLACE ({replaced}) FROM {quoted(table)}"


def cleaned_counts(column: Column, values: Values) -> tuple[tuple[str, int], ...]:
    """The distinct values as they read after cleaning (texts), with counts."""
    # these are no texts once they are cleaned
    # days and numbers are compared as such, so their spellings do not matter
    if not column.noise or set(column.noise) & {Noise.NUMBERS, Noise.DATES, Noise.FORMATTED}:
        return values.counts
    changed = variants(values.counts) if Noise.SPELLINGS in column.noise else {}
    merged: Counter[str] = Counter()
    for value, n in values.counts:
        merged[_repaired(changed.get(value, " ".join(value.split())), column)] += n
    return tuple(merged.most_common())


def _boolean(ref: str) -> str:
    # a full stop behind `yes.` is handwriting; any other text is NULL
    form = f"rtrim(lower(trim({ref})), '.')"
    return f"CASE WHEN {form} IN ({_list(TRUE)}) THEN TRUE WHEN {form} IN ({_list(FALSE)}) THEN FALSE END"


def _number(ref: str, values: Values, notation: Notation) -> str:
    """What `numbers.number_of` reads, in SQL."""
    read = [number for value, _ in values.counts if (number := number_of(value, notation)) is not None]
    # of the values that were seen; whether there are others tells `complete`
    whole = all(number.is_integer() for number in read)
    digits = (
        # digits with what stands between groups of them, in any of the signs that people use
        f"regexp_replace(regexp_extract({ref}, '[0-9.,][0-9 .,''’\u00a0\u202f]*(?:[eE][-+]?[0-9]+)?'), '[ "
        f"''’\u00a0\u202f]|[.,]+\\s*$', '', 'g')"
    )
    no_commas, comma_is_point = (
        f"replace({digits}, ',', '')",
        f"replace(replace({digits}, '.', ''), ',', '.')",
    )
    # in a column of decimal commas `1,234` is a fraction, and only two groups make it a thousand
    alone = "[0-9]{1,3}(,[0-9]{3})" if notation.comma_groups else "[0-9]{1,3}(,[0-9]{3}){2}"
    arms = [
        # commas group: `1,234,567.8`
        (
            f"WHEN regexp_full_match({digits}, '{alone}(,[0-9]{{3}})*([.][0-9]*)?') AND NOT "
            # `0,123` is a fraction whatever the column does: no group begins with 0
            f"starts_with({digits}, '0,') THEN {no_commas}"
        ),
        # points group: `1.234.567,8`
        (
            f"WHEN regexp_full_match({digits}, "
            f"'[0-9]{{1,3}}([.][0-9]{{3}}){{2,}}(,[0-9]+)?|[0-9]{{1,3}}([.][0-9]{{3}})+,[0-9]+') THEN "
            f"{comma_is_point}"
        ),
    ]
    if notation.dot_groups:
        arms.append(
            f"WHEN regexp_full_match({digits}, '[1-9][0-9]{{0,2}}([.][0-9]{{3}})+') THEN replace({digits}, "
            f"'.', '')"
        )
    plain = f"CASE {' '.join(arms)} ELSE replace({digits}, ',', '.') END"
    # signs are looked for only where there are some: the SQL is read by people, too
    signed = any(number < 0 for number in read)
    # TRY_CAST, as an unseen value may still be none
    # whole only where all values were seen
    written = f"TRY_CAST({plain} AS {'BIGINT' if whole and values.complete else 'DOUBLE'})"
    if signed or not values.complete:
        negative = rf"regexp_matches({ref}, '^\s*\(.*\)\s*$|^[^0-9]*[-−][^0-9]*[0-9]|[0-9]\s*[-−]\s*$')"
        written = f"CASE WHEN {negative} THEN -{written} ELSE {written} END"
    if notation.fraction:
        # a sign of percent divides only where the values are read as parts of one
        written = f"{written} / CASE WHEN contains({ref}, '%') THEN 100.0 ELSE 1.0 END"
    return written


def _date(ref: str, values: Values) -> str:
    found: Counter[str] = Counter()
    # an hour of 00:00 in every value comes of the export, not of the clock
    timed = False
    for value, n in values.counts:
        for form in date_formats(value):
            found[form] += n
            timed = timed or ("%H" in form and not value.rstrip().endswith(("00:00", "00:00:00")))
    # of day-first and month-first the one that fits more values is tried first
    formats = ", ".join(f"'{form}'" for form, _ in found.most_common())
    parsed = f"try_strptime(trim(regexp_replace({ref}, '\\s+', ' ', 'g')), [{formats}])"
    # no value has an hour: they are days
    return parsed if timed else f"CAST({parsed} AS DATE)"


def _text(ref: str, column: Column, values: Values) -> str:
    plain = f"trim(regexp_replace({ref}, '\\s+', ' ', 'g'))"
    changed = variants(values.counts) if Noise.SPELLINGS in column.noise else {}
    arms: dict[str, set[str]] = defaultdict(set)
    for value, _ in values.counts:
        base = " ".join(value.split())
        kept = _repaired(changed.get(value, base), column)
        if kept != base:
            arms[kept].add(base)
    # A CASE of thousands of arms would be tried for each row, and read by nobody.
    if not arms or sum(map(len, arms.values())) > _CASE_LIMIT:
        return plain
    whens = " ".join(
        f"WHEN {plain} IN ({_list(sorted(raw))}) THEN {_quote(kept)}" for kept, raw in sorted(arms.items())
    )
    return f"CASE {whens} ELSE {plain} END"


def _repaired(value: str, column: Column) -> str:
    if Noise.MOJIBAKE not in column.noise or (value.isascii() and value.isprintable() and "&" not in value):
        # plain text, which ftfy takes a tenth of a millisecond each to leave as it is
        return value
    import ftfy

    return str(ftfy.fix_text(value))


def _list(values: Iterable[str]) -> str:
    return ", ".join(_quote(value) for value in sorted(values))


def _quote(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
