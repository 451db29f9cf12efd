"""Chooses examples for prompts: answered questions that a person validated, the most similar ones first.

Owns the choice and the text of the examples. They are other people's words, so a prompt for one role holds
only what that role may read: queries over tables of its context; of the texts, words of the schema, of
questions, of the question at hand, and, where ``[models] share`` allows values, values that its context
holds. The rest is left out. Must not know prompts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.ask.describe import Description
from rewright.ask.disclosure import Disclosure
from rewright.ask.encoder import encoder, model
from rewright.ask.ports import ValidatedQuestion
from rewright.ask.quoting import block, one_line
from rewright.ask.safety import Refused, check
from rewright.ask.tokens import tokens_of
from rewright.sql.binder.syntax import ast
from rewright.sql.parsing import nodes_of, parse

MOST = 3
_TOKENS = 400
"""Of all examples of a prompt."""
_LONGEST = 700
"""Characters of a query: a longer one is no example."""
_LOOKED_AT = 100
"""So many, the likest by their words, are compared by sentence vectors."""
_NEAR = 0.45
"""Cosine of two questions over one database below which the one says nothing of the other."""
LEFT_OUT = "…"
_WORD = re.compile(r"\w+(?:[-'’.&/@]\w+)*")
_TEXTS = frozenset({"SCONST", "USCONST", "BCONST", "XCONST"})
_NUMBERS = frozenset({"ICONST", "FCONST"})
_SAY_NOTHING = frozenset({"0", "1", "2", "10", "100", "1.0", "100.0"})
_HEAD = "Answered before, found right by a person (… stands for what is left out); the likest first:\n"


@dataclass(frozen=True, slots=True)
class Example:
    """Both as they may be told."""

    question: str
    sql: str


def examples_for(
    question: str,
    validated: Iterable[ValidatedQuestion],
    description: Description,
    disclosure: Disclosure,
) -> str:
    """The section of a prompt; empty where no question is near enough. The question itself is no example."""
    asked = _folded(question)
    others = [
        one for one in validated if _folded(one.question) != asked and _is_readable(one.sql, description)
    ]
    lines: list[str] = []
    for one in _nearest(question, others):
        told = _told(one, question, disclosure)
        line = f"{told.question} -> {told.sql}"
        if tokens_of("\n".join([*lines, line])) <= _TOKENS:
            lines.append(line)
    return _HEAD + block("\n".join(lines)) if lines else ""


def _folded(question: str) -> str:
    return " ".join(_WORD.findall(question.lower()))


def _is_readable(sql: str, description: Description) -> bool:
    """Whether it is one SELECT over tables that the context holds, which its role can read."""
    if len(sql) > _LONGEST:
        return False
    try:
        statement = parse(check(sql).sql)[0].stmt
    except Refused:
        return False
    own = {node.ctename for node in nodes_of(statement) if isinstance(node, ast.CommonTableExpr)}
    named = [node for node in nodes_of(statement) if isinstance(node, ast.RangeVar)]
    # a qualified name is a table's even where WITH has one of that name
    tables = [n for n in named if n.schemaname or n.relname not in own]
    spelled = [f"{n.schemaname}.{n.relname}" if n.schemaname else n.relname for n in tables]
    return all(description.find_table(name) is not None for name in spelled)


# ------------------------------------------------------------------ the nearest


def _nearest(question: str, others: Sequence[ValidatedQuestion]) -> list[ValidatedQuestion]:
    wanted = set(_folded(question).split())
    shared = [_likeness(wanted, set(_folded(one.question).split())) for one in others]
    # later ones first where two are alike: what was corrected last counts
    order = sorted(range(len(others)), key=lambda at: (-shared[at], -at))[:_LOOKED_AT]
    found = encoder()
    if found is None or not order:
        return [others[at] for at in order if shared[at] > 0][:MOST]
    likest = [others[at] for at in order]
    near = found.embed([one.question for one in likest]) @ found.embed([question])[0]
    order = sorted(range(len(likest)), key=lambda at: -float(near[at]))
    return [likest[at] for at in order if near[at] >= _NEAR][:MOST]


def _likeness(wanted: Collection[str], words: Collection[str]) -> float:
    """Of words longer than three letters, as a share of both."""
    one, other = ({word for word in side if len(word) > 3} for side in (wanted, words))
    return len(one & other) / len(one | other) if one | other else 0.0


# ------------------------------------------------------------------ what a prompt shows


def _told(one: ValidatedQuestion, question: str, disclosure: Disclosure) -> Example:
    ours = set() if disclosure.hides else set(_folded(question).split())
    said = _question(one.question, ours, _literals(one.sql), disclosure)
    return Example(one_line(said, 300), one_line(_query(one.sql, ours, disclosure), 900))


def _literals(sql: str) -> set[str]:
    """The words of a query's texts, in lower case."""
    texts = (sql[token.start : token.end + 1] for token in scan(sql) if token.name in _TEXTS)
    return {word for text in texts for word in _folded(text).split()}


def _question(text: str, ours: Collection[str], literals: Collection[str], disclosure: Disclosure) -> str:
    """Names and numbers left out, but for those of the question at hand and values that the role's context
    holds.
    """
    known_words = model()
    known = () if disclosure.hides else disclosure.mentions.find(text)
    held = [(m.start, m.end) for m in known if m.columns]

    def word(match: re.Match[str]) -> str:
        said = match[0]
        if any(start <= match.start() and match.end() <= end for start, end in held):
            return said
        if said.lower() in ours:
            return said
        if said.isdigit():
            return said if said in _SAY_NOTHING else LEFT_OUT
        if disclosure.mentions.is_plain(said):
            return said
        # a name has a capital letter, a figure or a sign
        if not (said.isalpha() and said.islower()) or said in literals or _is_value(said, disclosure):
            return LEFT_OUT
        return said if known_words is None or known_words.knows(said) else LEFT_OUT

    return _WORD.sub(word, text)


def _is_value(word: str, disclosure: Disclosure) -> bool:
    return any(mention.columns for mention in disclosure.mentions.find(word))


def _query(sql: str, ours: Collection[str], disclosure: Disclosure) -> str:
    try:
        tokens = list(scan(sql))
    except PglastError:
        return LEFT_OUT
    parts, at = [], 0
    for token in tokens:
        parts += [
            sql[at : token.start],
            _token(token.name, sql[token.start : token.end + 1], ours, disclosure),
        ]
        at = token.end + 1
    return "".join(parts) + sql[at:]


def _token(kind: str, text: str, ours: Collection[str], disclosure: Disclosure) -> str:
    if kind in {"C_COMMENT", "SQL_COMMENT"}:
        return " "
    if kind in _NUMBERS:
        return text if text in _SAY_NOTHING or text in ours else LEFT_OUT
    if kind not in _TEXTS:
        return text
    inside = text.strip("'")
    is_held = not disclosure.hides and _is_value(inside, disclosure)
    return text if is_held or not any(ch.isalnum() for ch in inside) else f"'{LEFT_OUT}'"
