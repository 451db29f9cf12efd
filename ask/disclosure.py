"""Decides which of the data a prompt may contain, at each level of ``[models] share``.

At ``samples`` everything that is asked for. At ``schema`` and ``statistics`` no value of the database: cells
are told by their kind, results by counts, and what a question quotes, or says as the data says it, becomes a
placeholder ``$1``, put back into the SQL that a model returns. Other words of the question are the asker's
own and go out as they are. Owns the placeholders of one question. Must not know prompts.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.ask.mentions import Mentions
from rewright.ask.quoting import one_line, quoted
from rewright.models.redact import Redactor, Share, bare

LONGEST_CELL = 80
_TEXTS = frozenset({"SCONST", "USCONST"})
_NUMBERS = frozenset({"ICONST", "FCONST"})
_OTHERS = frozenset({"BCONST", "XCONST"})
_COMMENTS = frozenset({"C_COMMENT", "SQL_COMMENT"})
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LITERAL = re.compile(r"'(?:[^']|'')*'")
_QUOTED = re.compile(r'"(?:[^"]|"")+"')
_EVERYBODYS = frozenset({"0", "1", "2", "10", "100", "1.0", "100.0"})
_PLACEHOLDER = re.compile(r"\$([0-9]{1,4})")


@dataclass(slots=True)
class Disclosure:
    """One question's. ``column_name`` spells a column for the legend."""

    share: Share
    mentions: Mentions
    column_name: Callable[[Any], str]
    _values: dict[str, int] = field(default_factory=dict)
    _notes: dict[int, str] = field(default_factory=dict)
    # numbers and literals that a prompt or a reply has had already
    _said: set[str] = field(default_factory=set)
    _redactor: Redactor = field(default_factory=Redactor)
    _names: frozenset[str] = frozenset()
    _aliases: dict[str, int] = field(default_factory=dict)
    # tables are profiled and candidates made side by side
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._redactor = Redactor(self.share)
        context = self.mentions.context
        self._redactor.learn(name for t in context.tables for name in (t.ref.schema, t.ref.name))
        self._redactor.learn(c.name for t in context.tables for c in t.columns)
        called = (n for t in context.tables for n in (t.ref.schema, t.ref.name, *(c.name for c in t.columns)))
        self._names = frozenset(called)

    @property
    def hides(self) -> bool:
        return self.share != "samples"

    # -- words of the asker

    def words(self, text: str) -> str:
        """A question, or evidence, as it may be sent."""
        found = self.mentions.find(text)
        if not self.hides:
            for mention in found:
                self._notes.update(self._hint(mention.value, mention.columns))
            return text
        parts, at = [], 0
        for mention in found:
            number = self._placeholder(mention.value)
            owners = ", ".join(map(self.column_name, mention.columns))
            self._notes[number] = (
                f"${number}: a text of the question that is a value of {owners}"
                if owners
                else f"${number}: a text that the question quotes"
            )
            parts += [text[at : mention.start], f"${number}"]
            at = mention.end
        sent = "".join(parts) + text[at:]
        self._said |= set(_NUMBER.findall(sent))
        return sent

    def legend(self) -> str:
        """What is known of the question's values, a line each; empty where nothing is."""
        lines = list(self._notes.values())[:12]
        if self.hides and lines:
            lines.append(
                "Write these placeholders in SQL as they are, without quotes: the values are put in later."
            )
        return "\n".join(lines)

    def _hint(self, value: str, columns: Iterable[Any]) -> dict[int, str]:
        owners = ", ".join(map(self.column_name, columns))
        number = self._placeholder(value)
        return {number: f"{quoted(value, LONGEST_CELL)} is a value of {owners}"} if owners else {}

    def _placeholder(self, value: str) -> int:
        with self._lock:
            return self._values.setdefault(value, len(self._values) + 1)

    def _by_number(self) -> dict[int, str]:
        with self._lock:
            return {number: value for value, number in self._values.items()}

    # -- queries

    def restore(self, sql: str) -> str:
        """A model's query with the values in the place of their placeholders; its names may stand in messages
        from then on.
        """
        if not self.hides:
            return sql
        self._redactor.sql(sql)
        self._said |= {*_NUMBER.findall(sql), *_LITERAL.findall(sql), *_QUOTED.findall(sql)}
        values = self._by_number()

        def put(word: str, *, inside: bool) -> str:
            def one(match: re.Match[str]) -> str:
                value = values.get(int(match[1]))
                # a parameter that the model made up
                if value is None:
                    return match[0]
                escaped = value.replace("'", "''")
                return escaped if inside else f"'{escaped}'"

            return _PLACEHOLDER.sub(one, word)

        return _mapped(
            sql,
            lambda kind, word: (
                put(word, inside=False)
                if kind == "PARAM"
                # within a literal, as in '%$1%', the value needs no quotes of its own
                else put(word, inside=True)
                if kind == "SCONST" and word[:1] == "'"
                else word
            ),
            otherwise=lambda text: put(text, inside=False),
        )

    def plain(self, text: str) -> str:
        """What a model wrote with the placeholders' values, without quotes: for people."""
        values = self._by_number()
        return _PLACEHOLDER.sub(lambda m: values.get(int(m[1]), m[0]), text) if self.hides else text

    def query(self, sql: str) -> str:
        """A query as it may be sent: values that the model has not seen become placeholders."""
        if not self.hides:
            return sql
        return _mapped(sql, self._literal, otherwise=lambda _: "<withheld: this text could not be read>")

    def _literal(self, kind: str, word: str) -> str:
        if kind in _COMMENTS:
            return " "
        if kind in _NUMBERS:
            # 0, 1 or 100 tell nothing of the data
            return word if word in _EVERYBODYS or word in self._said else "<number>"
        if kind == "IDENT" and word.startswith('"'):
            return self._named(word)
        if kind not in _TEXTS | _OTHERS:
            return word
        value = bare(word)
        if value in self._values:
            return f"${self._values[value]}"
        # nor do signs alone, as in ', '
        if word in self._said or not any(ch.isalnum() for ch in value):
            return word
        number = self._placeholder(value)
        self._notes.setdefault(number, f"${number}: a text")
        return f"${number}"

    def _named(self, word: str) -> str:
        """A quoted name; an alias, which may be any text, by a number of its own."""
        name = word[1:-1].replace('""', '"')
        if name in self._names or word in self._said:
            return word
        number = self._aliases.setdefault(name, len(self._aliases) + 1)
        return f'"alias {number}"'

    # -- what the server gives

    def error(self, sqlstate: str, message: str) -> str:
        return one_line(self._redactor.error(sqlstate, message), 300)

    def refusal(self, message: str) -> str:
        """Why a query may not run: names of nodes and functions, and of the schema."""
        # the parser's message quotes the query
        if self.hides and "not SQL" in message:
            return "not SQL: it does not parse"
        return one_line(message, 300)

    def cell(self, value: Any) -> str:
        """One value of a result: itself, or its kind."""
        if value is None:
            return "NULL"
        if self.hides:
            return kind_of(value)
        if isinstance(value, str):
            return quoted(value, LONGEST_CELL)
        return one_line(str(value), LONGEST_CELL)

    def prose(self, text: str) -> str:
        """A sentence of a model from an earlier question, which may have been sent more."""
        return one_line(self._redactor.prose(text), 300)


def kind_of(value: Any) -> str:
    """In a word."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float | Decimal):
        return "number"
    if isinstance(value, str):
        return "text"
    return type(value).__name__.lower()


def _mapped(sql: str, change: Callable[[str, str], str], *, otherwise: Callable[[str], str]) -> str:
    """The text with each token changed; a text that does not scan by ``otherwise``."""
    try:
        tokens = list(scan(sql))
    except (PglastError, ValueError):
        return otherwise(sql)
    parts, at = [], 0
    for token in tokens:
        parts += [sql[at : token.start], change(token.name, sql[token.start : token.end + 1])]
        at = token.end + 1
    return "".join(parts) + sql[at:]
