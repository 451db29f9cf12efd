"""The grammar of ASK: ``[EXPLAIN [(FORMAT TEXT|JSON)]] ASK 'question' [CHOOSE | USING n]``, ``ASK LEARN``.

Owns reading it. Tokens and literals are the server's own (its scanner's, its parser's): a question ends where
PostgreSQL's string ends, whatever is in it. Must not know who answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pglast import ast
from pglast.error import Error as PglastError
from pglast.parser import Token, parse_sql, scan

_BEGINS = re.compile(
    r"(?:[\s]|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*(?:\n|\Z))*(?:ask\b|explain\b(?P<rest>.*))",
    re.IGNORECASE | re.DOTALL,
)
_AFTER_EXPLAIN = re.compile(
    r"(?:[\s]|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*(?:\n|\Z))*(?:\([^()]*\)|(?:(?:analy[sz]e|verbose)\s+)+)?(?:[\s]|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*(?:\n|\Z))*ask\b",
    re.IGNORECASE,
)
_HOW = (
    "a question stands in single quotes, those in it written twice, or between $$, as in "
    "ASK 'how many orders are there?'"
)
_COMMENTS = frozenset({"SQL_COMMENT", "C_COMMENT"})
_STRINGS = frozenset({"SCONST", "USCONST"})


@dataclass(frozen=True, slots=True)
class Question:
    """One ASK. ``choose``: show the readings there are; ``using``: the number of one of them, from 1;
    ``learn``: no question, lessons are to be decided on.

    ``problem``: why it can't be done, and its SQLSTATE.
    """

    text: str = ""
    explain: bool = False
    format: Literal["text", "json"] = "text"
    choose: bool = False
    using: int = 0
    problem: str = ""
    sqlstate: str = "42601"
    learn: bool = False


def read_question(text: str) -> Question | None:
    """None: it is no ASK. A wrong one says what is wrong.

    >>> read_question("ask 'how many?' using 2")
    Question(text='how many?', explain=False, format='text', choose=False, using=2, problem='',
    sqlstate='42601', learn=False)
    """
    begins = _BEGINS.match(text)
    if begins is None:
        return None
    rest = begins["rest"]
    if rest is not None and not _AFTER_EXPLAIN.match(rest):
        return None
    try:
        tokens = [token for token in scan(text) if token.name not in _COMMENTS]
    except (PglastError, ValueError) as error:
        return Question(problem=str(error.args[0]).split(", at index")[0])
    return _Reader(text, tokens).question()


class _Problem(Exception):
    def __init__(self, said: str, sqlstate: str = "42601") -> None:
        super().__init__(said)
        self.sqlstate = sqlstate


class _Reader:
    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self._text = text
        self._tokens = list(tokens)
        self._at = 0

    def question(self) -> Question:
        try:
            return self._question()
        except _Problem as problem:
            return Question(problem=str(problem), sqlstate=problem.sqlstate)

    def _question(self) -> Question:
        explain = self._takes("explain")
        if explain and any(self._takes(word) for word in ("analyze", "analyse", "verbose")):
            raise _Problem("EXPLAIN ASK has one option, FORMAT: it does not run the answer", "22023")
        form = self._options() if explain else "text"
        self._takes("ask")
        if not explain and self._takes("learn"):
            self._end()
            return Question(learn=True)
        literal = self._next()
        if literal is None or literal.name not in _STRINGS:
            raise _Problem(f"{self._unexpected(literal)}: {_HOW}")
        asked = self._value(literal)
        choose = self._takes("choose")
        using = self._number() if self._takes("using") else 0
        if choose and using:
            raise _Problem(
                "CHOOSE and USING cannot be combined: CHOOSE lists the readings, USING takes one of them"
            )
        self._end()
        return Question(asked, explain, form, choose, using)

    def _options(self) -> Literal["text", "json"]:
        """What stands in parentheses behind EXPLAIN."""
        if not self._takes("("):
            return "text"
        if not self._takes("format"):
            raise _Problem("EXPLAIN ASK has one option: FORMAT", "22023")
        word = self._next()
        form = self._word(word)
        if form not in {"text", "json"}:
            raise _Problem("EXPLAIN ASK has the formats TEXT and JSON", "22023")
        if not self._takes(")"):
            raise _Problem("EXPLAIN ASK has one option: FORMAT", "22023")
        return "json" if form == "json" else "text"

    def _value(self, token: Token) -> str:
        """What a literal stands for, as the server's parser reads it."""
        try:
            found: Any = parse_sql(f"select {self._slice(token)}")[0].stmt
            value = found.targetList[0].val.val
        except (PglastError, ValueError, AttributeError, IndexError) as error:
            raise _Problem(f"the question's literal can't be read: {error.args[0]}") from None
        if not isinstance(value, ast.String):
            raise self._unexpected(token)
        return str(value.sval or "")

    def _number(self) -> int:
        token = self._next()
        said = "" if token is None else self._slice(token)
        if token is None or token.name != "ICONST" or not said.isdecimal() or not 0 < int(said) < 1000:
            raise _Problem("USING takes the number of a reading, from 1")
        return int(said)

    def _end(self) -> None:
        if self._takes(";"):
            while self._takes(";"):
                pass
            if self._at < len(self._tokens):
                raise _Problem("ASK must be the only statement of its message", "0A000")
        if self._at < len(self._tokens):
            raise self._unexpected(self._tokens[self._at])

    def _next(self) -> Token | None:
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else None

    def _takes(self, word: str) -> bool:
        if self._at < len(self._tokens) and self._word(self._tokens[self._at]) == word:
            self._at += 1
            return True
        return False

    def _word(self, token: Token | None) -> str:
        return "" if token is None else self._slice(token).lower()

    def _slice(self, token: Token) -> str:
        return self._text[token.start : token.end + 1]

    def _unexpected(self, token: Token | None) -> _Problem:
        where = "end of input" if token is None else f'or near "{self._slice(token)[:60]}"'
        return _Problem(f"syntax error at {where}")
