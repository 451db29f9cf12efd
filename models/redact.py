"""What may leave the process in a prompt: literals, constants, messages and rows become typed placeholders.

One `Redactor` serves one query: equal literals get equal placeholders in every prompt, and the literals are
put back into the SQL that a model returns. It works on tokens, so that also texts which do not parse are
covered; a text that does not even scan is withheld. Levels (`[models] share`): `schema` and `statistics` hide
every value, `samples` hides nothing; `statistics` allows figures about columns (`rewright.models.prompts`).
Must not know agents or databases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pglast.parser import Token

from rewright.models.literal_tokens import (
    COMMENTS,
    EVERYBODYS,
    as_planned,
    bare,
    identifiers,
    is_value,
    kind_of,
    tokens_of,
)

__all__ = ["Redactor", "Share", "bare"]

Share = Literal["schema", "statistics", "samples"]
# quoted names and texts, with doubled quotes inside
_QUOTED = re.compile(r'"((?:[^"]|"")*)"|\'((?:[^\']|\'\')*)\'')
# up to nine digits: longer ones overflow int4 in the scanner
_PARAM = re.compile(r"\$([0-9]{1,9})")
# SQLSTATE classes whose messages speak of the text of the query: feature not supported, cardinality, syntax
# or access
# messages of other classes hold values: 22 and 23 quote them, P0001 is a function's own text
_ABOUT_TEXT = frozenset({"0A", "21", "42"})
_WITHHELD = "<withheld: this text could not be read>"


@dataclass(slots=True)
class Redactor:
    """Placeholders of one query; ``first`` is the first free ``$n`` (its own parameters come before)."""

    share: Share = "schema"
    first: int = 1
    _numbers: dict[str, int] = field(default_factory=dict)
    _kinds: dict[int, str] = field(default_factory=dict)
    _values: dict[str, str] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)

    @property
    def hides(self) -> bool:
        return self.share != "samples"

    def learn(self, names: Iterable[str]) -> None:
        """Names of the schema that messages may mention."""
        self._names.update(n.lower() for n in names)

    def literals(self) -> dict[str, str]:
        """Placeholders by the literals' texts without quotes."""
        return {bare(literal): f"${number}" for literal, number in self._numbers.items()}

    def sql(self, text: str) -> str:
        """``text`` with its literals as ``$n`` and without comments; 0 and 1 are everybody's."""
        return self._sql(text)

    def plan(self, text: str) -> str:
        """An expression of a plan, likewise: the server writes ``'2'::numeric`` for a query's 2 and
        ``'2024-05-01 00:00:00'::timestamp`` for a date, which are the same placeholders.
        """
        return self._sql(text, {as_planned(literal): n for literal, n in self._numbers.items()})

    def anonymous(self, text: str) -> str:
        """SQL of somebody else's query as an example: literals without placeholders,
        which are this query's.
        """
        if not self.hides:
            return text
        tokens = tokens_of(text)
        # unbalanced quotes: what is a literal cannot be told
        if tokens is None:
            return _WITHHELD
        pieces, at = [], 0
        for i, token in enumerate(tokens):
            word = text[token.start : token.end + 1]
            # comments are prose of somebody's, and may hold anything
            hidden = is_value(tokens, i, text, word)
            kept = "<literal>" if hidden else "" if token.name in COMMENTS else word
            pieces += [text[at : token.start], kept]
            at = token.end + 1
        return "".join(pieces) + text[at:]

    def _sql(self, text: str, known: Mapping[str, int] | None = None) -> str:
        if not self.hides:
            return text
        tokens = tokens_of(text)
        if tokens is None:
            return _WITHHELD
        self._reserve(tokens, text)
        self.learn(identifiers(tokens, text))
        pieces, at = [], 0
        for i, token in enumerate(tokens):
            pieces.append(text[at : token.start])
            at = token.end + 1
            word = text[token.start : at]
            # one blank, so that two words do not become one
            if token.name in COMMENTS:
                pieces.append(" ")
            elif known is not None and bare(word) in EVERYBODYS:
                # '0'::bigint
                pieces.append(word)
            elif is_value(tokens, i, text, word):
                # equal literals get one placeholder: that they are equal is structure
                number = (known or {}).get(as_planned(word)) or self._number(word, kind_of(tokens, i, text))
                pieces.append(f"${number}")
            else:
                pieces.append(word)
        return "".join(pieces) + text[at:]

    def restore(self, text: str) -> str:
        """SQL from a model with the literals put back; unknown placeholders stay and fail at the server."""
        if not self.hides:
            return text
        literals = {n: literal for literal, n in self._numbers.items()}
        tokens = tokens_of(text)
        # not SQL: replaced by the pattern, which can't tell texts apart
        if tokens is None:
            return _PARAM.sub(lambda m: literals.get(int(m[1]), m[0]), text)
        pieces, at = [], 0
        for token in tokens:
            if token.name == "PARAM":
                word = text[token.start : token.end + 1]
                pieces += [text[at : token.start], literals.get(int(word[1:]), word)]
                at = token.end + 1
        return "".join(pieces) + text[at:]

    def legend(self) -> str:
        """What the placeholders stand for, by type; empty when there are none."""
        return "\n".join(f"${n}: {kind}" for n, kind in sorted(self._kinds.items()))

    def error(self, sqlstate: str, message: str) -> str:
        """A server's message. Quoted words are kept only where the schema or the query has such a name;
        messages about data (and of functions) are reduced to their SQLSTATE.
        """
        if not self.hides:
            return f"{sqlstate}: {message}"
        # class 42 and the like speak of names, others of data
        if sqlstate[:2] not in _ABOUT_TEXT:
            return f"SQLSTATE {sqlstate} (the message is withheld)"
        # the detail lines hold rows
        first_line = message.partition("\n")[0]
        told = _QUOTED.sub(self._quoted, first_line)
        # any word with a digit may be a value
        kept = [w if self._harmless(w) else "<...>" for w in told.split()]
        return f"SQLSTATE {sqlstate}: {' '.join(kept)}"

    def prose(self, text: str) -> str:
        """Free text: known literals, quoted words and digits are hidden."""
        if not self.hides:
            return text
        for literal in sorted(self._numbers, key=len, reverse=True):
            # two characters match too much of ordinary words
            bare = literal.strip("'")
            if len(bare) > 2:
                text = text.replace(bare, "<...>")
        # dollar-quoted texts, and figures of any form
        return re.sub(r"'[^'\n]*'|\$\$.*?\$\$|[0-9][0-9.,:-]*", "<...>", text)

    def cell(self, value: object, kind: str) -> str:
        """A value of a row: NULL is structure, anything else a placeholder; equal values look equal."""
        if value is None:
            return "NULL"
        if not self.hides:
            return repr(value)
        key = f"{kind}\0{value!r}"
        if key not in self._values:
            # numbered by type: <text_1>, <text_2>
            same = sum(1 for k in self._values if k.startswith(f"{kind}\0"))
            self._values[key] = f"<{kind}_{same + 1}>"
        return self._values[key]

    def _reserve(self, tokens: Sequence[Token], text: str) -> None:
        # once: later texts use the same numbers
        if self._numbers:
            return
        own = [int(text[t.start + 1 : t.end + 1]) for t in tokens if t.name == "PARAM"]
        # 65535 parameters are the protocol's most; a larger number is no parameter
        self.first = max([self.first, *(n + 1 for n in own if n < 65_535)])

    def _number(self, literal: str, kind: str) -> int:
        if literal not in self._numbers:
            number = self.first + len(self._numbers)
            self._numbers[literal] = number
            self._kinds[number] = kind
        return self._numbers[literal]

    def _quoted(self, match: re.Match[str]) -> str:
        # what is quoted and no name of the schema may be a value: invalid input syntax for "secret"
        word = match[1] if match[1] is not None else match[2]
        return match[0] if word.lower() in self._names else "<...>"

    def _harmless(self, word: str) -> bool:
        """A word of a message with no digits, or a name that is known (possibly
        qualified, possibly quoted).
        """
        bare = word.strip("\"'(),;:.")
        # qualified names are names part by part
        return not any(c.isdigit() for c in word) or all(
            part.strip('"').lower() in self._names for part in bare.split(".")
        )
