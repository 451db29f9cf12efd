r"""Conditions on a text's beginning, end or parts in one form: LIKE.

    title ~ '^ab'   title ^@ 'ab'   starts_with(title, 'ab')   -->   title LIKE 'ab%'
    title ~ '^a.c.*d$'                                         -->   title LIKE 'a_c%d'
    title LIKE '5!%' ESCAPE '!'                                -->   title LIKE '5\%'
    left(title, length(start)) = start                         -->   starts_with(title, start)
    genre >= 'ab' AND genre < 'ac'                             -->   genre LIKE 'ab%'     under "C"

Regular expressions are read where they are plain characters, any character, any characters, anchors and
alternatives, of all or of one group at the beginning; they and LIKE know no collation, as long as equality is
that of the characters. Under "C" texts stand in the order of their bytes, so that those that begin with a
prefix stand together. Must not know rules or provers.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.build import function, operator
from rewright.sql.facts import is_volatile
from rewright.sql.types import BOOL, TEXT, equality_is_identity
from rewright.sql.walk import bottom_up

# characters that stand for themselves in a regular expression and outside of it, and any characters
_SIGN = re.compile(r"\.[*+]?|\\[!-/:-@[-`{-~]|[A-Za-z0-9 _,:;@#/'\"<>=!&%~`-]")
# how LIKE writes any character, and any number of them
_ANY = {".": "_", ".*": "%", ".+": "_%"}
# one group at the beginning, whose alternatives may say themselves that they are there
_GROUP = re.compile(r"(\^?)\((\^?[A-Za-z0-9 _-]*(?:\|\^?[A-Za-z0-9 _-]*)*)\)(.*)", re.DOTALL)
_BYTEWISE = {"C", "POSIX"}
_BEGINS = {("starts_with", ("text", "text"))}
_FINDS = {("strpos", ("text", "text")), ("position", ("text", "text"))}
_LENGTHS = {(name, ("text",)) for name in ("length", "char_length", "character_length")}
# what says of a position that there is one, and that there is none; the position on the left
_FOUND = {(">", "0"), ("<>", "0"), (">=", "1")}
_ABSENT = {("=", "0"), ("<", "1"), ("<=", "0")}
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def as_patterns(query: a.Query) -> a.Query:
    """A query with such conditions as LIKE."""
    return bottom_up(query, _changed)


def _changed(node: a.Node) -> a.Node:
    made: a.Expr | None = None
    match node:
        # (text, text) only: bpchar ~ text goes by the padded value
        case a.Op(op, (x, a.Const(str(text)))) if op.is_builtin and (op.left, op.right) == ("text", "text"):
            made = _operator(op.name, x, text)
        case a.Call(func, (x, a.Const(str(text)))) if (
            func.is_builtin and (func.name, func.arg_types) in _BEGINS
        ):
            made = _like(x, f"{_escaped(text)}%")
        # two bounds under "C" are one LIKE, so that the conjunction as a whole is looked at
        case a.And(args):
            return _ranges(node, args)
    # conditions whose pattern stands on the left, or is no bare constant
    if made is None and isinstance(node, a.Op) and node.op.is_builtin and len(node.args) == 2:
        made = _position(node) or _ending(node) or _beginning(node) or _unescaped(node)
    return node if made is None else made


def _operator(name: str, x: a.Expr, text: str) -> a.Expr | None:
    match name:
        case "^@":
            return _like(x, f"{_escaped(text)}%")
        case "~":
            return _expression(x, text)
        case "!~":
            made = _expression(x, text)
            return None if made is None else a.Not(made)
        case "!~~":
            like = operator("~~", TEXT, TEXT)
            # x !~~ y is NOT (x ~~ y), also for NULL
            return a.Not(a.Op(like, (x, a.Const(text, TEXT)), BOOL)) if like is not None else None
        case "~~" if set(text) == {"%"}:
            same = operator("=", TEXT, TEXT)
            # TRUE where there is a text, NULL where not
            return a.Op(same, (x, x), BOOL) if same is not None and _readable(x) else None
        case _:
            return None


def _expression(x: a.Expr, text: str) -> a.Expr | None:
    """A regular expression as LIKE; several where it has alternatives."""
    made = [_anchored(x, branch) for branch in _branches(text)]
    known = [m for m in made if m is not None]
    # one alternative that is no plain pattern leaves the whole expression as it is
    if len(known) < len(made):
        return None
    return known[0] if len(known) == 1 else a.Or(tuple(known))


def _branches(text: str) -> list[str]:
    """The alternatives of a regular expression: of all of it, or of one group at its beginning."""
    group = _GROUP.fullmatch(text)
    if group is None:
        return text.split("|") if re.fullmatch(r"[^()\\\[\]]*", text) else [text]
    head, inner, rest = group.groups()
    words = inner.split("|")
    # an empty alternative, as in ^(a|), matches every text
    return [f"{head}{word}{rest}" for word in words] if all(words) else [text]


def _anchored(x: a.Expr, text: str) -> a.Expr | None:
    # `\$` at the end is the character, not the anchor
    start, end = text.startswith("^"), text.endswith("$") and not text.endswith("\\$")
    body = text[start : len(text) - end]
    signs = _SIGN.findall(body)
    # an empty body, ^$, is equality with the empty text; a sign left over has a meaning that LIKE does not
    # have
    if not body or "".join(signs) != body:
        return None
    written = [_ANY.get(s) or _escaped(s[-1]) for s in signs]
    # without an anchor anything may stand before it or behind it
    return _like(x, _shortest(["" if start else "%", *written, "" if end else "%"]))


def _shortest(parts: list[str]) -> str:
    """The parts of a pattern as one, of neighbouring wildcards the single characters first."""
    made, run = "", ""
    for part in (*parts, None):
        if part is not None and set(part) <= {"%", "_"}:
            run += part
            continue
        # `%_` and `_%` are one thing; LIKE is compared as a text, so that there must be one spelling
        made += "_" * run.count("_") + "%" * ("%" in run) + (part or "")
        run = ""
    return made


def _escaped(text: str) -> str:
    """A text as a pattern that only itself fits."""
    return re.sub(r"([\\%_])", r"\\\1", text)


def _readable(x: a.Expr) -> bool:
    return x.type.name in {"text", "varchar"} and equality_is_identity(x.type)


def _like(x: a.Expr, pattern: str) -> a.Expr | None:
    like = operator("~~", TEXT, TEXT)
    if like is None or not _readable(x):
        # the constant's collation is the default's, as a literal in a query would have it
        return None
    made = a.Op(like, (x, a.Const(pattern, replace(TEXT, collation="default"))), BOOL)
    return _operator("~~", x, pattern) or made


def _position(test: a.Op) -> a.Expr | None:
    """A position compared with 0 or 1: whether the text is there at all."""
    left, right, name = *test.args, test.op.name
    # 0 < strpos(…) is strpos(…) > 0
    if isinstance(left, a.Const):
        left, right, name = right, left, _MIRRORED.get(name, name)
    match left, right:
        case a.Call(func, (x, a.Const(str(text)))), a.Const(str(number)) if func.is_builtin and text:
            # position 1 is a beginning, found without looking further
            if (func.name, func.arg_types) in _FINDS and (name, number) in {("=", "1"), ("<>", "1")}:
                first = _like(x, f"{_escaped(text)}%")
                return first if first is None or name == "=" else a.Not(first)
            if (func.name, func.arg_types) not in _FINDS or (name, number) not in _FOUND | _ABSENT:
                return None
            made = _like(x, f"%{_escaped(text)}%")
            return made if made is None or (name, number) in _FOUND else a.Not(made)
    return None


def _ending(test: a.Op) -> a.Expr | None:
    """``right(x, 2) = 'ab'``: only a text of two characters or more has an ending of two."""
    match test.args:
        case a.Call(func, (x, a.Const(str(number)))), a.Const(str(text)) if func.is_builtin:
            # right(x, 3) = 'ab' is only TRUE of the text 'ab' itself
            exact = text and number == str(len(text)) and test.op.name in {"=", "<>"}
            if func.name != "right" or func.arg_types != ("text", "int4") or not exact:
                return None
            made = _like(x, f"%{_escaped(text)}")
            return made if made is None or test.op.name == "=" else a.Not(made)
    return None


def _beginning(test: a.Op) -> a.Expr | None:
    """``left(x, length(y)) = y`` and ``x ^@ y``: a text begins with another."""
    match test.op.name, test.args:
        # x ^@ y needs no further test
        case "^@", (x, y):
            pass
        case "=", (a.Call(func, (x, a.Call(length, (y,)))), z) if func.is_builtin and length.is_builtin:
            named = (func.name, func.arg_types, length.name, length.arg_types)
            measured = named[:2] == ("left", ("text", "int4")) and named[2:] in _LENGTHS
            # y is measured and compared: it must be the same expression, computed alike both times
            if not measured or y != z or is_volatile(y):
                return None
        case _:
            return None
    begins = function("starts_with", "text", "text")
    plain = _readable(x) and _readable(y) and begins is not None and test.op.left == "text"
    return a.Call(begins, (x, y), BOOL) if plain and begins is not None else None


def _unescaped(test: a.Op) -> a.Expr | None:
    """LIKE with another ESCAPE than the backslash."""
    match test.args:
        case x, a.Call(func, (a.Const(str(text)), a.Const(str(sign)))) if func.is_builtin:
            named = (func.name, func.arg_types) == ("like_escape", ("text", "text"))
            if not named or test.op.name not in {"~~", "!~~"} or not _readable(x):
                return None
        case _:
            return None
    # of each character that the sign stands before the pattern has the character itself
    signs = re.findall(rf"{re.escape(sign)}.|[^{re.escape(sign)}]", text, re.DOTALL) if len(sign) == 1 else []
    # a backslash is LIKE's own escape; a sign at the pattern's end escapes nothing, which the server refuses
    if sign == "\\" or not sign.isascii() or not signs or "".join(signs) != text:
        return None
    made = "".join(f"\\{s[-1]}" if len(s) == 2 or s == "\\" else s for s in signs)
    return _operator(test.op.name, x, made) or replace(test, args=(x, a.Const(made, test.args[1].type)))


# --------------------------------------------------------------------------- ranges


def _ranges(node: a.And, args: tuple[a.Expr, ...]) -> a.Expr:
    """``x >= 'ab' AND x < 'ac'`` under "C"."""
    rest = list(args)
    for low in args:
        start = _bound(low, ">=")
        # one lower bound takes one upper one; the rest are asked as they were
        if start is None:
            continue
        x, text = start
        for high in rest:
            if (
                # `x < 'ac'` must be the very text after all that begin with 'ab': 'ad' would let in 'ac…'
                _bound(high, "<") == (x, _following(text))
                and (made := _like(x, f"{_escaped(text)}%")) is not None
            ):
                rest = [made if r is low else r for r in rest if r is not high]
                break
    if len(rest) == len(args):
        return node
    return rest[0] if len(rest) == 1 else a.And(tuple(rest))


def _bound(test: a.Expr, name: str) -> tuple[a.Expr, str] | None:
    """What is compared by ``name`` with a constant, either way round."""
    if not (isinstance(test, a.Op) and test.op.is_builtin and len(test.args) == 2):
        return None
    # citext and bpchar are compared by rules of their own
    if (test.op.left, test.op.right) != ("text", "text"):
        return None
    left, right, said = *map(_bare, test.args), test.op.name
    if isinstance(left, a.Const):
        left, right, said = right, left, _MIRRORED.get(said, said)
    # an empty constant bounds nothing, and has no last character to follow
    if said != name or not isinstance(left, a.Column) or not isinstance(right, a.Const) or not right.value:
        return None
    # a COLLATE decides instead of the column's collation
    stated = {x.type.collation for x in test.args if isinstance(x, a.Collate)} or {left.type.collation}
    bytewise = stated <= _BYTEWISE and right.type.collation in {"default", *stated}
    return (left, right.value) if bytewise else None


def _bare(x: a.Expr) -> a.Expr:
    return x.arg if isinstance(x, a.Collate) else x


def _following(text: str) -> str:
    """The first text after all that begin with this one; none is made where the last
    character is not plain.
    """
    return text[:-1] + chr(ord(text[-1]) + 1) if " " <= text[-1] < "~" else ""
