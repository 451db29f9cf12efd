"""Patterns of LIKE and of regular expressions whose meaning DuckDB's (RE2) shares with PostgreSQL's.

Owns which those are: what is not known to be the same is not translated. Whether something matches does not
depend on which match is found, so alternatives and repetitions mean the same; escapes of letters,
backtracking and classes by name do not. Must not know trees.
"""

from __future__ import annotations

import re

from rewright.engines.duckdb.dialect.types import NotTranslated

_QUANTIFIER = re.compile(r"[*+?]|\{(\d{1,3})(?:,(\d{0,3}))?\}")
# RE_DUP_MAX of PostgreSQL, 255 (regguts.h DUPMAX)
_MOST_REPEATED = 255
# RE2 refuses repetitions in repetitions beyond 1,000, and patterns of too many steps, when it runs
_MOST_NESTED, _MOST_ITEMS = 1_000, 10_000
# sets of plain characters and ranges: [:classes:], [=a=], [.x.] and escapes inside are left to PostgreSQL
_BRACKET = re.compile(
    r"\[(\^?)((?:[A-Za-z0-9_ .,;:@#%&/=!<>'\"]-[A-Za-z0-9]|[A-Za-z0-9_ .,;:@#%&/=!<>'\"])+)(-?)\]"
)


def _unsure(what: str) -> NotTranslated:
    return NotTranslated(f"{what} in a regular expression")


def regular_expression(pattern: str, *, insensitive: bool) -> str:
    """PostgreSQL's advanced regular expression as RE2's.

    :raises NotTranslated: a part whose meaning is not surely the same, or that PostgreSQL might refuse.
    """
    # '***=' and '***:' switch the flavour (manual, 9.7.3.4); a newline may mean different things to the two
    if pattern.startswith("***") or not pattern or "\n" in pattern:
        raise _unsure("an unusual beginning")
    # case folds beyond ASCII differ with the version of Unicode
    if not pattern.isascii() and insensitive:
        raise _unsure("letters outside ASCII, without regard to case,")
    return _Reader(pattern, insensitive).read()


class _Reader:
    """Reads a pattern from left to right. ``_repeatable``: a quantifier may stand here."""

    def __init__(self, pattern: str, insensitive: bool) -> None:
        self._pattern = pattern
        self._insensitive = insensitive
        # the dot takes newlines, as in PostgreSQL by default; RE2's does not
        self._out = ["(?s)"]
        self._at = self._depth = 0
        self._repeatable = False
        # items of each open group with what they repeat, and the most that one of them repeats nested
        self._sizes, self._nested = [0], [1]
        self._last = (0, 1)

    def read(self) -> str:
        while self._at < len(self._pattern):
            quantifier = _QUANTIFIER.match(self._pattern, self._at)
            if quantifier is not None:
                self._repeat(quantifier)
            else:
                self._item(self._pattern[self._at])
        if self._depth:
            raise _unsure("an open group")
        return "".join(self._out)

    def _repeat(self, found: re.Match[str]) -> None:
        # with nothing before it, a quantifier is an error in PostgreSQL; doubled ones too
        if not self._repeatable or _too_many(found):
            raise _unsure("this repetition")
        self._multiply(int(found[2] or found[1] or 1))
        self._take(found[0], found.end() - found.start(), repeatable=False)
        if self._next() == "?":
            raise _unsure("a lazy repetition")

    def _multiply(self, times: int) -> None:
        items, nested = self._last[0] * max(times, 1), self._last[1] * max(times, 1)
        if nested > _MOST_NESTED or items > _MOST_ITEMS:
            raise _unsure("so large a repetition")
        self._sizes[-1] += items - self._last[0]
        self._nested[-1] = max(self._nested[-1], nested)
        self._last = items, nested

    def _item(self, char: str) -> None:
        match char:
            case "[":
                found = _BRACKET.match(self._pattern, self._at)
                if found is None:
                    raise _unsure("these brackets")
                made = _bracket(found, insensitive=self._insensitive)
                self._take(made, found.end() - found.start(), repeatable=True)
            case "\\":
                self._take(_escape(self._next(1)), 2, repeatable=True)
            case "(":
                self._open()
            case ")":
                self._close()
            case "|":
                self._alternative()
            # without newline-sensitive matching ^ and $ are the ends of the whole text
            case "^" | "$":
                self._take(r"\A" if char == "^" else r"\z", 1, repeatable=False)
            case ".":
                self._take(".", 1, repeatable=True)
            case "{" | "}" | "]":
                raise _unsure("a lone bracket")
            case _:
                plain = re.escape(char) if char.isascii() else char
                self._take(_either_case(char) if self._insensitive else plain, 1, repeatable=True)

    def _open(self) -> None:
        # lookahead (?= and (?! have no equal; only groups that capture nothing are kept
        mark = "(?:" if self._pattern.startswith("(?:", self._at) else "("
        if self._next(len(mark)) in {"?", "*", "+", ")"}:
            raise _unsure("this group")
        self._depth += 1
        self._take("(?:", len(mark), repeatable=False)
        self._sizes.append(0)
        self._nested.append(1)

    def _close(self) -> None:
        before = self._pattern[: self._at]
        self._depth -= 1
        if self._depth < 0 or before.endswith(("(", "|", "(?:")):
            raise _unsure("an empty branch")
        items, nested = self._sizes.pop(), self._nested.pop()
        self._take(")", 1, repeatable=True)
        # the group is one item so far
        self._sizes[-1] += items - 1
        self._nested[-1] = max(self._nested[-1], nested)
        self._last = items, nested

    def _alternative(self) -> None:
        if self._pattern[: self._at][-1:] in {"", "(", "|"} or self._next(1) in {"", ")", "|"}:
            raise _unsure("an empty branch")
        self._take("|", 1, repeatable=False)

    def _next(self, distance: int = 0) -> str:
        at = self._at + distance
        return self._pattern[at : at + 1]

    def _take(self, made: str, length: int, *, repeatable: bool) -> None:
        self._out.append(made)
        self._at += length
        self._repeatable = repeatable
        if repeatable:
            self._last = 1, 1
            self._sizes[-1] += 1


def _too_many(found: re.Match[str]) -> bool:
    if found[1] is None:
        # not {m,n}: +, * and ? have no bounds
        return False
    least, most = int(found[1]), int(found[2]) if found[2] else int(found[1])
    return most > _MOST_REPEATED or least > most or least > _MOST_REPEATED


def _escape(char: str) -> str:
    # \d of PostgreSQL takes Unicode digits under other collations; in C.UTF-8 it is [0-9] alone
    if char == "d":
        return "[0-9]"
    if char and not char.isalnum() and char.isascii():
        return re.escape(char)
    raise _unsure("this escape")


def _bracket(found: re.Match[str], *, insensitive: bool) -> str:
    inside = found[2]
    # a range from letters to digits, or from upper to lower case, depends on what lies between in the
    # collation
    for low, high in re.findall(r"(.)-(.)", inside):
        if not (low < high and (low.isdigit() == high.isdigit()) and low.isupper() == high.isupper()):
            raise _unsure("this range")
    both = inside + inside.swapcase() if insensitive else inside
    # a hyphen at the end is literal in both, escaped for RE2's sake
    return f"[{found[1]}{both}{found[3] and chr(92) + '-'}]"


def _either_case(char: str) -> str:
    return f"[{char.lower()}{char.upper()}]" if char.isalpha() else re.escape(char)


def like_pattern(pattern: str) -> str:
    r"""A LIKE pattern, to stand before ESCAPE '\\'.

    :raises NotTranslated: it ends in its escape character, which PostgreSQL refuses for some rows.
    """
    # an even number of them are pairs, each an escaped backslash
    trailing = len(pattern) - len(pattern.rstrip("\\"))
    if trailing % 2:
        raise NotTranslated("a LIKE pattern that ends with its escape character")
    return pattern


def like_expression(pattern: str) -> str:
    """ILIKE as a regular expression of RE2, of patterns in ASCII.

    :raises NotTranslated: other letters; or it ends in its escape character.
    """
    if not pattern.isascii():
        raise NotTranslated("ILIKE with letters outside ASCII")
    like_pattern(pattern)
    out, at = [r"(?s)\A"], 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
            out.append(_either_case(pattern[at]))
        else:
            out.append({"%": ".*", "_": "."}.get(char) or _either_case(char))
        at += 1
    return "".join([*out, r"\z"])
