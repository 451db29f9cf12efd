"""Conditions on how a text begins, ends, or what it holds, as LIKE.

LIKE and plain regular expressions go by characters and know no collation, as long as that of the text is
deterministic. Under "C" texts stand in the order of their bytes, so that those between a prefix and the
prefix with its last character counted up are those that begin with it. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.build import function, operator
from rewright.sql.facts import is_volatile
from rewright.sql.types import BOOL, TEXT, equality_is_identity
from rewright.sql.walk import bottom_up

_SIGNS = frozenset(" _,:;@#/'\"<>=!&%~`-")
_ESCAPED = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}
_TEXTS = ("text", "text")
_FINDS = {("strpos", _TEXTS), ("position", _TEXTS)}
_NUMBERS = {"int2", "int4", "int8"}


def patterns(query: a.Query) -> a.Query:
    return bottom_up(query, _changed)


def _changed(node: a.Node) -> a.Node:
    made: a.Expr | None = None
    if isinstance(node, a.Op) and node.op.is_builtin and len(node.args) == 2:
        made = _operator(node) or _position(node) or _ending(node) or _begun_by(node) or _escaping(node)
    elif isinstance(node, a.Call) and node.func.is_builtin and len(node.args) == 2:
        text = _text(node.args[1])
        if (node.func.name, node.func.arg_types) == ("starts_with", _TEXTS) and text is not None:
            made = _like(node.args[0], "", text, "%")
    elif isinstance(node, a.And):
        made = _between(node)
    return node if made is None else made


def _text(x: a.Expr) -> str | None:
    """A constant text under no collation of its own."""
    plain = isinstance(x, a.Const) and x.type.is_builtin and x.type.name in {"text", "varchar"}
    # under a collation of its own 'a' may fit 'A'
    if not plain or not isinstance(x, a.Const) or x.type.collation not in {"", "default"}:
        return None
    return x.value


def _readable(x: a.Expr) -> bool:
    return x.type.is_builtin and x.type.name in {"text", "varchar"} and equality_is_identity(x.type)


def _like(x: a.Expr, head: str, literal: str, tail: str) -> a.Expr | None:
    """``x LIKE 'head literal tail'``; of a text that is there '%' says that it is one."""
    # LIKE under a collation that is not deterministic is not read by characters
    if not _readable(x):
        return None
    escaped = "".join(f"\\{c}" if c in "\\%_" else c for c in literal)
    return _of_pattern(x, f"{head}{escaped}{tail}")


def _of_pattern(x: a.Expr, pattern: str) -> a.Expr | None:
    # LIKE '%' of a text that is there is TRUE: x = x says that, and is NULL for NULL
    name = "=" if set(pattern) == {"%"} else "~~"
    found = operator(name, TEXT, TEXT)
    if found is None:
        return None
    return a.Op(found, (x, x if name == "=" else a.Const(pattern, replace(TEXT, collation="default"))), BOOL)


def _operator(test: a.Op) -> a.Expr | None:
    x, text = test.args[0], _text(test.args[1])
    # the binder casts char(n) to text for ~~: a pattern of another type is none of these
    if (test.op.left, test.op.right) != _TEXTS or text is None:
        return None
    match test.op.name:
        case "^@":
            return _like(x, "", text, "%")
        case "~":
            return _expression(x, text)
        case "!~":
            found = _expression(x, text)
            return None if found is None else a.Not(found)
        case "!~~" if _readable(x):
            found = _of_pattern(x, text)
            return None if found is None else a.Not(found)
        case "~~" if set(text) == {"%"} and _readable(x):
            return _of_pattern(x, text)
    return None


# --------------------------------------------------------------------------- regular expressions


def _expression(x: a.Expr, text: str) -> a.Expr | None:
    branches = _branches(text)
    read = [None if b is None else _anchored(x, b) for b in branches]
    made = [m for m in read if m is not None]
    if not made or len(made) < len(read):
        # an alternative that is not read leaves the whole expression
        return None
    return made[0] if len(made) == 1 else a.Or(tuple(made))


def _branches(text: str) -> list[str | None]:
    """The alternatives of ``^(one|other)rest`` or ``(^|other)rest``, and of ``one|other``; any other
    expression is one itself.
    """
    anchor = text[: text.startswith("^")]
    if not text[len(anchor) :].startswith("("):
        # without groups and escapes `|` divides the expression as a whole
        return list(text.split("|")) if not set(text) & set("()[]\\") else [text]
    inner, closed, rest = text[len(anchor) + 1 :].partition(")")
    words = inner.split("|")
    bare = [w if anchor else w.removeprefix("^") for w in words]
    # an empty word, or one with signs in it, makes the group more than a choice of words
    plain = all(words) and all(c.isascii() and (c.isalnum() or c in " _-") for w in bare for c in w)
    return [f"{anchor}{w}{rest}" for w in words] if closed and plain else [None]


def _anchored(x: a.Expr, text: str) -> a.Expr | None:
    start = text.startswith("^")
    body, end = text[start:], False
    if body.endswith("$") and not body.endswith("\\$"):
        body, end = body[:-1], True
    pattern = _as_pattern(body)
    if not pattern or not _readable(x):
        return None
    return _of_pattern(x, _in_order(f"{'' if start else '%'}{pattern}{'' if end else '%'}"))


def _as_pattern(body: str) -> str | None:
    """The expression as LIKE has it, if it is of characters and of any characters only."""
    said, at = "", 0
    while at < len(body):
        c, after = body[at], body[at + 1 : at + 2]
        at += 1
        if c == ".":
            said += {"*": "%", "+": "_%"}.get(after, "_")
            at += after in {"*", "+"}
            continue
        # `\d` and the like are classes, a sign with a backslash is itself
        if c == "\\":
            if after not in _ESCAPED or not after:
                return None
            c, at = after, at + 1
        elif not (c in _SIGNS or (c.isascii() and c.isalnum())):
            # anything else (braces, brackets, letters beyond ASCII) has meanings that are not read
            return None
        said += f"\\{c}" if c in "\\%_" else c
    return said


def _in_order(pattern: str) -> str:
    """Of neighbouring wildcards the single ones first, and one of the others."""
    made: list[str] = []
    at = 0
    while at < len(pattern):
        size = 2 if pattern[at] == "\\" else 1
        sign, at = pattern[at : at + size], at + size
        # %% is %
        if sign == "%" and made[-1:] == ["%"]:
            continue
        if sign == "_" and made[-1:] == ["%"]:
            made.insert(-1, sign)
        else:
            made.append(sign)
    return "".join(made)


# --------------------------------------------------------------------------- positions, endings, ranges


def _position(test: a.Op) -> a.Expr | None:
    """``strpos(x, 'ab') > 0``, with the number on either side."""
    call, number, name = *test.args, test.op.name
    if isinstance(call, a.Const):
        call, number, name = number, call, _TURNED.get(name, "")
    if not isinstance(call, a.Call) or not isinstance(number, a.Const) or number.type.name not in _NUMBERS:
        return None
    wanted = call.func.is_builtin and (call.func.name, call.func.arg_types) in _FINDS
    text = _text(call.args[1]) if wanted else None
    # an empty text is found everywhere, at position 1
    if not text:
        return None
    if (name, number.value) in {("=", "1"), ("<>", "1")}:
        first = _like(call.args[0], "", text, "%")
        return first if first is None or name == "=" else a.Not(first)
    # a position compared with another number says where, not whether
    there = (name, number.value) in {(">", "0"), ("<>", "0"), (">=", "1")}
    if not there and (name, number.value) not in {("=", "0"), ("<", "1"), ("<=", "0")}:
        return None
    found = _like(call.args[0], "%", text, "%")
    return found if found is None or there else a.Not(found)


def _ending(test: a.Op) -> a.Expr | None:
    """``right(x, 2) = 'ab'``: as many characters as the constant has."""
    call, text = test.args[0], _text(test.args[1])
    if not isinstance(call, a.Call) or not call.func.is_builtin or not text:
        return None
    wanted = (call.func.name, call.func.arg_types) == ("right", ("text", "int4"))
    if not wanted or test.op.name not in {"=", "<>"}:
        return None
    x, count = call.args
    # right(x, 3) = 'ab' asks for a text of two characters in all
    exact = isinstance(count, a.Const) and count.value == str(len(text))
    # right() may have another collation than its argument by a COLLATE inside
    if not exact or call.type.collation != x.type.collation:
        return None
    found = _like(x, "%", text, "")
    return found if found is None or test.op.name == "=" else a.Not(found)


def _begun_by(test: a.Op) -> a.Expr | None:
    """``x ^@ y``, ``left(x, length(y)) = y``: y is what x begins with."""
    x, y = test.args
    if test.op.name == "=":
        cut, said = x, y
        if not isinstance(cut, a.Call) or not cut.func.is_builtin or cut.func.arg_types != ("text", "int4"):
            return None
        x, count = cut.args
        measures = isinstance(count, a.Call) and count.func.is_builtin and count.func.arg_types == ("text",)
        if cut.func.name != "left" or not isinstance(count, a.Call) or not measures:
            return None
        known = count.func.name in {"length", "char_length", "character_length"}
        # random() measured and compared are two values
        if not known or count.args != (said,) or is_volatile(said):
            return None
    elif test.op.name != "^@":
        return None
    starts = function("starts_with", "text", "text")
    if starts is None or test.op.left != "text" or not (_readable(x) and _readable(y)):
        return None
    return a.Call(starts, (x, y), BOOL)


def _escaping(test: a.Op) -> a.Expr | None:
    """LIKE … ESCAPE of one plain character other than the backslash."""
    x, pattern = test.args
    if test.op.name not in {"~~", "!~~"} or not isinstance(pattern, a.Call) or not _readable(x):
        return None
    if not pattern.func.is_builtin or (pattern.func.name, pattern.func.arg_types) != ("like_escape", _TEXTS):
        return None
    text, sign = map(_text, pattern.args)
    # with the backslash nothing changes; ESCAPE '' has no sign at all
    if not text or sign is None or len(sign) != 1 or not sign.isascii() or sign == "\\":
        return None
    made, signs = "", iter(text)
    for c in signs:
        if c == sign:
            c = next(signs, "")
            # the escape sign at the pattern's end is an error
            if not c:
                return None
            made += f"\\{c}"
        else:
            # a backslash that was no escape is one in the new pattern, and is doubled
            made += "\\\\" if c == "\\" else c
    changed = replace(test, args=(x, a.Const(made, pattern.type)))
    return _operator(changed) or changed


def _between(both: a.And) -> a.Expr | None:
    """Under "C", ``x >= 'ab' AND x < 'ac'``."""
    left = list(both.args)
    for low in both.args:
        start = _bound(low, ">=")
        # '~' is the last plain character: what follows it is not one to count up to
        if start is None or not " " <= start[1][-1] < "~":
            continue
        x, text = start
        beyond = text[:-1] + chr(ord(text[-1]) + 1)
        high = next((h for h in left if _bound(h, "<") == (x, beyond)), None)
        found = None if high is None else _like(x, "", text, "%")
        # one low bound that has become LIKE already is not used again
        if found is not None and high is not None and low in left:
            left[left.index(low)] = found
            left.remove(high)
    if len(left) == len(both.args):
        return None
    return left[0] if len(left) == 1 else a.And(tuple(left))


def _bound(test: a.Expr, wanted: str) -> tuple[a.Expr, str] | None:
    if not isinstance(test, a.Op) or not test.op.is_builtin or (test.op.left, test.op.right) != _TEXTS:
        return None
    # a COLLATE on either side decides for both
    asked = [x.type.collation for x in test.args if isinstance(x, a.Collate)]
    sides = [x.arg if isinstance(x, a.Collate) else x for x in test.args]
    x, limit, name = *sides, test.op.name
    if isinstance(x, a.Const):
        x, limit, name = limit, x, _TURNED.get(name, "")
    text = _text(limit)
    if name != wanted or not text or not isinstance(x, a.Column):
        return None
    return (x, text) if {"C", "POSIX"}.issuperset(asked or [x.type.collation]) else None
