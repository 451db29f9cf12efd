"""What comments of a schema say: by which words a table or a column goes besides its name, and what codes
stand for.

Owns reading them. They are taken for names and meanings alone, never for instructions. Must not know a
question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewright.ask.context import ColumnContext
from rewright.ask.reading.words import listed
from rewright.lake import names

_CODE = re.compile(
    # not inside a longer word, number or path: `v2: final`, `1.5 = high`
    r"(?<![\w.])['\"]?(?P<code>\w{1,12})['\"]?\s*(?:=|:|->|\u2192|\bmeans\b|\bstands for\b|\bfor\b)\s*"
    r"(?P<said>[A-Za-z][A-Za-z -]*?)\s*(?=[,;/.|)\n]|\bor\b|\band\b|$)"
)
_LISTED = re.compile(
    r"\s*(?:(?:and|or)\s+)?(?P<code>\w{1,12})\s+(?P<said>[A-Za-z][A-Za-z -]*?)\s*(?:\([^)]*\)\s*)?"
)
"""One of `INB inbound, OUT outbound`: a code and what it stands for, without a sign between."""
_NUMBERED = re.compile(r"\s*(?P<code>\d{1,4})\s*(?:=|:|-|for|means)?\s+(?P<said>[A-Za-z][A-Za-z -]*?)\s*")
_NULL = re.compile(r"\bnull\s*(?:[:=]|if|when|means|for|while)\s*(?P<said>[a-z][a-z ]*)", re.IGNORECASE)
_BEING = frozenset(listed("is are was were has have"))
_STILL = frozenset(listed("still yet currently"))
_NOTHING = frozenset(listed("none unknown no not never nothing missing na unset without"))
_UNIT = re.compile(r"(?:,\s*|\bin\s+|\(\s*)([A-Za-z]+)\s*\)?\s*\.?\s*$")
_BEGINS = re.compile(
    r"^(?:(?:a |the )?(?:list|table|one row|each row|one line|a row)\s+"
    # how comments begin before they name the thing: `list of orders`, `one row per visit`
    r"(?:of|for|per|is)\s+(?:each |an? |one )?|the |an? |all |our )",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"[:;,.(\n]|\s(?:for|of|in|on|at|by|from|to|per|with|that|which|whose|where|when|who|done|made|as|and|or)\s"
)
# longer beginnings are sentences about the table, not names of it
_MOST_WORDS = 3
_NO_NAMES = frozenset(
    listed(
        "when what who which that this these how whether see todo holds stores contains deprecated unused "
        "internal note number true false null is"
    )
)


def codes(column: ColumnContext) -> Iterator[tuple[str, str]]:
    """The values of a column with what its comment says they stand for, in lower case: `A = active`.

    A comment tells codes if two of them at least are values; of words that two codes have none is told.
    """
    # codes are told by what the column holds: a comment may show one in any case of letters
    held = {value.lower(): value for value in column.values}
    found = [
        (held[match["code"].lower()], " ".join(match["said"].lower().split()))
        for match in _CODE.finditer(column.comment)
        if match["code"].lower() in held
    ]
    found = found or list(_codes_listed(column)) or list(_numbers_listed(column))
    # one hit may be chance: `note: active customers only`, where `note` is a value
    if len({value for value, _ in found}) < 2:
        return
    said = [words for _, words in found]
    for value, words in found:
        # of two codes with one meaning neither may stand for it alone
        if said.count(words) == 1 and words != value.lower():
            yield value, words


def _codes_listed(column: ColumnContext) -> Iterator[tuple[str, str]]:
    """Of a list of which most parts begin with a value that is no plain word."""
    _, _, behind = column.comment.rpartition(":")
    parts = [_LISTED.fullmatch(part) for part in re.split(r"[,;/|\n]", behind)]
    told = [part for part in parts if part is not None and _is_code(part["code"], column)]
    if len(told) * 2 > len(parts):
        yield from ((part["code"], " ".join(part["said"].lower().split())) for part in told)


def _numbers_listed(column: ColumnContext) -> Iterator[tuple[str, str]]:
    """`1 urgent, 2 normal`, of a column of few numbers each of which is told."""
    parts = [_NUMBERED.fullmatch(part) for part in re.split(r"[,;|\n]", column.comment)]
    told = [part for part in parts if part is not None]
    if column.kind == "number" and 0 < column.distinct <= len(told) == len(parts):
        yield from ((part["code"], " ".join(part["said"].lower().split())) for part in told)


def lacks(column: ColumnContext) -> str:
    """What the comment of a column says of rows in which it is null: `settled on, null: still pending`.

    Empty where it says nothing, or says `none`.
    """
    found = _NULL.search(column.comment) if column.nulls else None
    words = found["said"].lower().split() if found is not None else []
    # whose state it is stands before it: `NULL if treatment is ongoing`
    for place, word in enumerate(words):
        if word in _BEING:
            words = words[place + 1 :]
            break
    said = [w for w in words if w not in _STILL]
    return " ".join(said) if len(said) <= _MOST_WORDS and not _NOTHING & set(said) else ""


def _is_code(word: str, column: ColumnContext) -> bool:
    return word in column.values and not word.islower()


def named_by(column: ColumnContext) -> tuple[str, ...]:
    """The words of the name that the comment of a column begins with; none where it begins with a code."""
    words = column.comment.split(maxsplit=1)
    return () if not words or _is_code(words[0], column) else name_in(column.comment)


def unit_in(comment: str) -> str:
    """The last word of a comment, where it stands as a unit does.

    >>> unit_in("length over all, m"), unit_in("credit limit in EUR"), unit_in("draught (m)"), unit_in("flag")
    ('m', 'eur', 'm', '')
    """
    found = _UNIT.search(comment)
    return found[1].lower() if found is not None else ""


def name_in(comment: str) -> tuple[str, ...]:
    """The words of the name that a comment begins with; none where it begins otherwise.

    >>> name_in("repair jobs done in the yard"), name_in("when the owner became a member")
    (('repair', 'job'), ())
    """
    text = _BEGINS.sub("", comment.strip())
    end = _ENDS.search(text)
    words = names.words(text[: end.start()] if end is not None else text)
    said = text.lower().split()[:1]
    # a number or a sign in it is a remark (`2nd version`), not a name
    fits = 0 < len(words) <= _MOST_WORDS and all(word.isalpha() for word in words)
    return words if fits and not _NO_NAMES & {*words, *said} else ()
