"""Reading PostgreSQL's analysed queries as it prints them (``debug_print_parse``; outfuncs.c writes, read.c
reads the form).

Owns the text form: nodes become dictionaries (``kind`` holds the label, ``kind_`` a field of that name),
lists Python lists, NULL None. Must not know what nodes mean.
"""

from __future__ import annotations

import re
from typing import Any

from rewright.engines.duckdb.errors import LakeError

Node = dict[str, Any]
LONGEST = 32 << 20
"""Characters of a printed tree that are read: about 150,000 constants."""
# outfuncs.c (outToken) escapes each special character with a backslash
_TOKENS = re.compile(r"[(){}]|(?:\\.|[^\s(){}\\])+", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# (i ...) integers, (o ...) OIDs, (x ...) transaction ids, (b ...) bitmap sets
_LIST_MARKS = frozenset("iobx")


def read(text: str) -> Node:
    """The node that a text is.

    :raises LakeError: 54001, it is nested too deeply, or too large.
    :raises ValueError: no node as PostgreSQL prints it.
    """
    if len(text) > LONGEST:
        raise LakeError("the statement is too large", sqlstate="54001")
    try:
        node, _ = _value(_TOKENS.findall(text), 0)
    except RecursionError as error:
        raise LakeError("the statement is nested too deeply", sqlstate="54001") from error
    # a list index beyond the tokens: the message was cut
    except IndexError as error:
        raise ValueError("the printed query ends too early") from error
    if not isinstance(node, dict):
        raise TypeError("no printed query")
    return node


def _value(tokens: list[str], at: int) -> tuple[Any, int]:
    word = tokens[at]
    if word == "{":
        return _node(tokens, at + 1)
    if word == "(":
        return _list(tokens, at + 1)
    return _scalar(word), at + 1


def _node(tokens: list[str], at: int) -> tuple[Node, int]:
    node: Node = {"kind": tokens[at]}
    at += 1
    while tokens[at] != "}":
        name = tokens[at].removeprefix(":")
        if name == "kind":
            name = "kind_"  # some nodes have a field of that name
        if name == "constvalue" and tokens[at + 1] != "<>":
            node[name], at = _datum(tokens, at + 1)
        else:
            node[name], at = _value(tokens, at + 1)
    return node, at + 1


def _datum(tokens: list[str], at: int) -> tuple[bytes, int]:
    """``4 [ 7 0 0 0 ]``: the length, and the bytes as signed numbers."""
    # Datums are printed as C's signed chars; the length in front is a repetition
    end = tokens.index("]", at)
    return bytes(int(one) & 0xFF for one in tokens[at + 2 : end]), end + 1


def _list(tokens: list[str], at: int) -> tuple[list[Any], int]:
    if tokens[at] in _LIST_MARKS:
        end = tokens.index(")", at)
        return [int(one) for one in tokens[at + 1 : end]], end + 1
    items = []
    while tokens[at] != ")":
        item, at = _value(tokens, at)
        items.append(item)
    return items, at + 1


def _scalar(word: str) -> str | None:
    if word == "<>":
        return None
    # a string such as an alias stands in quotes
    if word.startswith('"'):
        word = word[1:-1]
    return _ESCAPED.sub(r"\1", word)
