"""Rows that the checker made up, in a prompt: shown as they are, except where they tell of a literal of the
query.

A generated database holds values of our own (0, 1, 'a', a leap day) and values made from the constants of the
query, which may be a client's secret: those become the constant's placeholder, their neighbours ``$3 + 1``,
and what is neither an opaque word. Results are treated alike, since a sum can tell of its parts. Owns which
value is shown how. Must not know how databases are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.models.literal_tokens import bare as _bare
from rewright.models.redact import Redactor

# values that generated databases hold whatever the query is
INNOCENT = frozenset(
    [
        *(
            "",
            "0",
            "1",
            "2",
            "3",
            "-1",
            "1.00",
            "2.5",
            "0.5",
            "0.1",
            "1.5",
            "t",
            "f",
            "true",
            "false",
            "NULL",
        ),
        *("a", "b", "A", "ab", "a ", "NaN", "Infinity", "-Infinity", "infinity", "-infinity"),
        *("2000-01-01", "2000-01-02", "1999-12-31", "2020-02-29", "2024-01-31", "2023-02-28", "1970-01-01"),
        *("2000-01-01 00:00:00", "2000-01-01 12:30:00", "2000-01-02 00:00:00", "1970-01-01 00:00:00"),
    ]
)
# how far from a literal a number is still told as the literal and a difference
_NEAR = 2
_LITERALS = frozenset({"SCONST", "ICONST", "FCONST", "BCONST", "XCONST"})
_WITHHELD = "<withheld: these rows could not be read>"


@dataclass(frozen=True, slots=True)
class MadeUp:
    """Values of one query's counterexamples."""

    redactor: Redactor

    def tells_nothing(self, statements: Sequence[str]) -> bool:
        """Whether neither the query nor these rows hold anything of the client's:
        then results don't either.
        """
        return bool(statements) and not self.redactor.literals() and all(map(self._innocent, statements))

    @staticmethod
    def _innocent(text: str) -> bool:
        try:
            tokens = list(scan(text))
        except (PglastError, ValueError):
            return False
        words = (text[t.start : t.end + 1] for t in tokens if t.name in _LITERALS)
        return all(_bare(word) in INNOCENT for word in words)

    def statement(self, text: str) -> str:
        """An INSERT with its values as they may be shown."""
        if not self.redactor.hides:
            return text
        try:
            tokens = list(scan(text))
        except (PglastError, ValueError):
            return _WITHHELD
        pieces, at, minus = [], 0, False
        for token in tokens:
            word = text[token.start : token.end + 1]
            if token.name in _LITERALS:
                sign = "-" if minus else ""
                pieces.append(text[at : token.start])
                pieces.append(self.value(f"{sign}{_bare(word)}", quoted=word[:1] == "'").removeprefix(sign))
                at = token.end + 1
            minus = token.name == "ASCII_45"
        return "".join(pieces) + text[at:]

    def result(self, text: str, *, freely: bool = False) -> str:
        """Rows as the checker prints them, ``1 | a`` a line; ``freely``: see `tells_nothing`."""
        if freely or not self.redactor.hides:
            return text
        lines = text.splitlines()[:20]
        return "\n".join(self._line(line) for line in lines)

    def _line(self, line: str) -> str:
        if line.startswith("ERROR "):
            # the message may hold a value
            return " ".join(line.split()[:2]).rstrip(":")
        if line == "(no rows)" or (line.startswith("… ") and line.endswith(" more rows")):
            return line
        return " | ".join(self.value(part) for part in line.split(" | "))

    def value(self, text: str, *, quoted: bool = False) -> str:
        """One value: itself, a placeholder, a placeholder and a difference, or an opaque word."""
        literals = self.redactor.literals()
        if text in literals:
            return literals[text]
        if (near := _beside(text, literals)) is not None:
            return near
        if text in INNOCENT:
            return f"'{text}'" if quoted else text
        return self.redactor.cell(text, "value")


def _beside(text: str, literals: Mapping[str, str]) -> str | None:
    number, day = _number(text), _day(text)
    for known, placeholder in literals.items():
        if number is not None and (other := _number(known)) is not None:
            difference = number - other
            if difference == 0:
                return placeholder
            if abs(difference) <= _NEAR:
                return f"{placeholder} {'+' if difference > 0 else '-'} {abs(difference).normalize():f}"
        elif day is not None and (then := _day(known)) is not None and abs((day - then).days) <= _NEAR:
            days = (day - then).days
            return placeholder if days == 0 else f"{placeholder} {'+' if days > 0 else '-'} {abs(days)} day"
    return None


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10]) if text[10:11] in {"", " "} else None
    except ValueError:
        return None
