"""Reads pg_hint_plan's comment back into typed hints.

Takes what `rewright.hints.base` prints and what people write by hand (keywords in any case, white space
anywhere, quoted names). Raises HintSyntaxError with the offending part; never guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewright.hints.base import (
    JOIN_METHODS,
    SCAN_METHODS,
    Hint,
    HintSet,
    HintSyntaxError,
    JoinHint,
    JoinTree,
    Leading,
    Materialize,
    MemoizeHint,
    Parallel,
    Rows,
    ScanHint,
    SetHint,
)

_TOKEN = re.compile(r"""\s*(?:(?P<paren>[()])|"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>[^\s()"]+))""")
_CORRECTION = re.compile(r"([#+*-])(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\Z")

_JOIN = {name.lower(): name for name in JOIN_METHODS}
_SCAN = {name.lower(): name for name in SCAN_METHODS}

# a group in parentheses: words and groups; a quoted word is marked so that it is never a keyword
_Word = tuple[str, bool]
_Group = list["_Word | _Group"]


def parse_comment(text: str) -> HintSet:
    """The hints of ``/*+ … */``, or of its inside.

    Raises:
        HintSyntaxError: a part is no hint, or has the wrong arguments.

    """
    inside = text.strip()
    if inside.startswith("/*+"):
        if not inside.endswith("*/"):
            raise HintSyntaxError("the hint comment is not closed")
        inside = inside[3:-2]
    return HintSet(tuple(_hints(inside)))


def _hints(inside: str) -> Iterator[Hint]:
    tokens = list(_tokens(inside))
    at = 0
    while at < len(tokens):
        keyword = tokens[at]
        # a bare word with a parenthesis behind it begins a hint; nothing else stands at this level
        if keyword in {("(", None), (")", None)} or at + 1 >= len(tokens) or tokens[at + 1] != ("(", None):
            raise HintSyntaxError(f"expected a hint with its arguments at {keyword[0]!r}")
        group, at = _group(tokens, at + 2)
        yield _hint(keyword[0], group)


def _tokens(inside: str) -> Iterator[tuple[str, bool | None]]:
    """(text, quoted) pairs; quoted is None for a parenthesis."""
    at = 0
    end = len(inside.rstrip())
    while at < end:
        found = _TOKEN.match(inside, at)
        if not found:
            raise HintSyntaxError(f"cannot be read: {inside[at : at + 20]!r}")
        at = found.end()
        if found["paren"]:
            yield found["paren"], None
        elif found["quoted"] is not None:
            # a quoted word is never a keyword, and may hold anything
            yield found["quoted"].replace('""', '"'), True
        else:
            yield found["bare"], False


def _group(tokens: list[tuple[str, bool | None]], at: int) -> tuple[_Group, int]:
    group: _Group = []
    while at < len(tokens):
        text, quoted = tokens[at]
        at += 1
        if quoted is not None:
            group.append((text, quoted))
        elif text == "(":
            inner, at = _group(tokens, at)
            group.append(inner)
        else:
            return group, at
    raise HintSyntaxError("a parenthesis is not closed")


def _hint(keyword: str, group: _Group) -> Hint:
    lower = keyword.lower()
    if lower == "leading":
        return _leading(group)
    words = _words(keyword, group)
    names = [text for text, _ in words]
    if lower in _JOIN:
        return JoinHint(_JOIN[lower], _distinct(keyword, names))
    if lower in _SCAN and names:
        return ScanHint(_SCAN[lower], names[0], tuple(names[1:]))
    match lower, len(names):
        case (("memoize" | "nomemoize"), _):
            return MemoizeHint(_distinct(keyword, names), negated=lower.startswith("no"))
        case "rows", _ if names:
            return _rows(names)
        case "parallel", 2 | 3:
            return _parallel(names)
        case "set", 2:
            return SetHint(names[0], names[1])
        case (("materialize" | "not_materialize"), 1):
            return Materialize(names[0], negated=lower.startswith("not"))
    raise HintSyntaxError(f"no such hint, or wrong arguments: {keyword}")


def _words(keyword: str, group: _Group) -> list[_Word]:
    words = [item for item in group if isinstance(item, tuple)]
    if len(words) != len(group):
        raise HintSyntaxError(f"{keyword} takes no nested parentheses")
    return words


def _distinct(keyword: str, names: list[str]) -> frozenset[str]:
    if len(set(names)) != len(names):
        raise HintSyntaxError(f"{keyword} names an alias twice")
    return frozenset(names)


def _leading(group: _Group) -> Leading:
    # one group in parentheses is a tree, words alone are an order
    if len(group) == 1 and isinstance(group[0], list):
        return Leading(tree=_tree(group[0]))
    return Leading(order=tuple(text for text, _ in _words("Leading", group)))


def _tree(item: _Word | _Group) -> JoinTree:
    if isinstance(item, tuple):
        return item[0]
    if len(item) != 2:
        raise HintSyntaxError("Leading's tree joins two sides at a time")
    return (_tree(item[0]), _tree(item[1]))


def _rows(names: list[str]) -> Rows:
    found = _CORRECTION.match(names[-1])
    if not found:
        raise HintSyntaxError(f"Rows needs a correction such as #100, got {names[-1]!r}")
    kind = found[1]
    assert kind in {"#", "+", "-", "*"}
    return Rows(_distinct("Rows", names[:-1]), kind, float(found[2]))  # type: ignore[arg-type] # the assertion above says which words


def _parallel(names: list[str]) -> Parallel:
    strength = names[2].lower() if len(names) == 3 else "soft"
    if strength not in {"soft", "hard"} or not names[1].isdecimal():
        raise HintSyntaxError("Parallel takes an alias, a number of workers, and soft or hard")
    return Parallel(names[0], int(names[1]), "hard" if strength == "hard" else "soft")
