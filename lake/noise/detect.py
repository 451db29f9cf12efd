"""Does a text column show noise, and of which kinds? Conservative: clear and recurring patterns only (thesis
6.1).

Must not know SQL. Works on distinct values with counts.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from rewright.lake.catalog.model import Family, Noise
from rewright.lake.noise.numbers import formatted_share, number_of, numbered_share
from rewright.lake.noise.values import date_formats, fold, plain_number, truth

Counts = Sequence[tuple[str, int]]
_MOJIBAKE = re.compile(r"Ã[\x80-\xbf¡-¿€-™]|â€|Â[\x80-\xbf ]|Ã[a-zA-Z©±¼¶¤³]")
# one kind is enough, in the order in which they explain values best
_FORMATTED = 0.98
"""A column of numbers that are all written with signs holds hardly anything else."""
# fewer eight-digit numbers look like days by chance
_FEWEST_DAYS = 8
_MISSING = frozenset({"", "-", "--", "na", "n/a", "none", "null", "nan", "?", "unknown", "."})


def noise_of(counts: Counts, filled: int) -> tuple[Noise, ...]:
    """The kinds of noise in a text column with `filled` non-null rows."""
    # too few rows for a pattern
    if not counts or filled < 3:
        return ()
    told = [(value, n) for value, n in counts if fold(value) not in _MISSING]
    # of nothing but missing values no kind has a share, and the sum is divided by
    total = sum(n for _, n in told) or 1
    if _padded(told):
        # `01`, `02`: nobody counts with them
        return ()
    gaps = len(told) < len(counts)
    for kind, share in (
        (Noise.BOOLEANS, lambda: _boolean_share(told, total)),
        (Noise.NUMBERS, lambda: numbered_share(told) if _some_plain(told, total, gaps=gaps) else 0),
        (Noise.DATES, lambda: _date_share(told)),
    ):
        # a tenth may be damage of another kind
        if share() >= 0.9 * total:
            return (kind,)
    # decorated throughout: only calculating with it needs it cleaned
    if formatted_share(told) >= _FORMATTED * total:
        return (Noise.FORMATTED,)
    found = []
    # a single blank behind is how fixed-width sources write; leading and doubled ones are damage
    blanks = _share(told, lambda v: v != v.lstrip() or "  " in v)
    # fewer may be chance, and in nearly all of them blanks belong to the value
    if max(3, 0.02 * filled) <= blanks <= 0.8 * filled:
        found.append(Noise.BLANKS)
    if _spelling_rows(told) >= max(4, 0.02 * total):
        found.append(Noise.SPELLINGS)
    # one look at all of them: mostly there is none
    any_broken = _MOJIBAKE.search("\n".join(value for value, _ in told))
    broken = _share(told, lambda v: bool(_MOJIBAKE.search(v))) if any_broken else 0
    # a single broken text counts where there is other damage
    if broken >= max(2, 0.02 * total) or (found and broken):
        found.append(Noise.MOJIBAKE)
    return tuple(found)


def days_in_digits(counts: Counts) -> tuple[Noise, ...]:
    """Are whole numbers days, all of them: 20230105? Of a few that may be chance."""
    told = len(counts) >= _FEWEST_DAYS and all(date_formats(value) == ("%Y%m%d",) for value, _ in counts)
    return (Noise.DATES,) if told else ()


def _padded(told: Counts) -> bool:
    """Codes of digits, some filled up with zeros in front: `0742`, `5812`."""
    return all(value.isdigit() for value, _ in told) and any(len(v) > 1 and v[0] == "0" for v, _ in told)


def readable(value: str, meaning: Family) -> bool:
    """Can the text be read as what its column means, or does it say that there is nothing?"""
    # what says that there is nothing loses nothing by becoming NULL
    if fold(value) in _MISSING:
        return True
    return number_of(value) is not None if meaning.numeric else bool(date_formats(value))


def meaning_of(family: Family, noise: Sequence[Noise]) -> Family:
    """The family after cleaning."""
    for kind, meaning in (
        (Noise.BOOLEANS, Family.BOOLEAN),
        (Noise.NUMBERS, Family.FLOAT),
        (Noise.FORMATTED, Family.FLOAT),
        (Noise.DATES, Family.DATE),
    ):
        if kind in noise:
            return meaning
    return family


def variants(counts: Counts) -> dict[str, str]:
    """Spelling → the spelling kept, for values that differ only in case, blanks, diacritics, a trailing dot,
    or (in a column of few classes) by being shortened to the first letter.
    """
    groups: dict[str, dict[str, int]] = defaultdict(dict)
    told: list[tuple[str, str]] = []
    for value, n in counts:
        key, spelling = fold(value).rstrip("."), " ".join(value.split())
        spellings = groups[key]
        spellings[spelling] = spellings.get(spelling, 0) + n
        told.append((value, key))
    kept = {key: _main(spellings) for key, spellings in groups.items()}
    # Of many values one letter is a code of its own.
    if len(groups) <= 8:
        _merge_initials(kept, {key: sum(spellings.values()) for key, spellings in groups.items()})
    return {value: kept[key] for value, key in told if kept[key] != value}


def _merge_initials(kept: dict[str, str], total: dict[str, int]) -> None:
    for short in [key for key in kept if len(key) == 1]:
        longer = [key for key in kept if len(key) > 1 and key.startswith(short)]
        # Two values that begin with the letter: nobody can say of which it is the first.
        # a single longer value begins with it: `F` of `Female`
        if len(longer) == 1:
            winner = max((short, longer[0]), key=lambda key: total[key])
            kept[short] = kept[longer[0]] = kept[winner]


def _main(spellings: Mapping[str, int]) -> str:
    if len(spellings) == 1:
        return next(iter(spellings))
    # the most frequent; of equals the one with capitals and diacritics, which damage removes rather than adds
    return max(spellings, key=lambda s: (spellings[s], not s.isupper(), not s.islower(), not s.isascii(), s))


def _spelling_rows(counts: Counts) -> int:
    changed = variants(counts)
    return sum(n for value, n in counts if value in changed and changed[value] != " ".join(value.split()))


def _share(counts: Counts, test: Callable[[str], bool]) -> int:
    return sum(n for value, n in counts if test(value))


def _boolean_share(counts: Counts, total: int) -> int:
    """Rows that say yes or no; 0 where they are too few to matter."""
    # as soon as they cannot be enough the count ends: most columns are no such
    share = other = 0
    for value, n in counts:
        if truth(value) is not None:
            share += n
        else:
            other += n
            # too many others already
            if other > 0.1 * total:
                return 0
    spellings = {value.strip().lower() for value, _ in counts}
    # Y/N alone is a code, and 0/1 alone a number: only a mixture is noise
    if len(spellings) < 3 or {truth(v) for v in spellings} < {True, False}:
        return 0
    return share


def _some_plain(counts: Counts, total: int, *, gaps: bool) -> bool:
    """Plain numbers with some decorated, or with words for "missing" between them."""
    plain = _share(counts, lambda v: plain_number(v.strip()))
    # numbers with gaps marked by words: the words become NULL
    if gaps and plain == total:
        return True
    # some plain and some more that can be read as numbers
    return plain >= 0.2 * total and plain < _share(counts, lambda v: number_of(v) is not None)


def _days(formats: Collection[str]) -> bool:
    """Is it surely a day that is written so? Digits alone may be a code, and of a moment the hour counts."""
    return all(form != "%Y%m%d" and "%H" not in form for form in formats)


def _date_share(counts: Counts) -> float:
    formats = Counter[tuple[str, ...]]()
    fitting = 0
    # the most frequent values stand for all
    for value, n in counts[:400]:
        if found := date_formats(value):
            formats[found] += n
            fitting += n
    fit = {form for forms in formats for form in forms}
    # ISO days alone are read without help; one other form must surely be a day's
    if not fit - {"%Y-%m-%d"} or (len(formats) < 2 and not _days(fit)):
        return 0.0
    seen = sum(n for _, n in counts[:400]) or 1
    return fitting / seen * sum(n for _, n in counts)
