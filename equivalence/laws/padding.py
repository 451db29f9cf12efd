"""Comparisons of char(n) with constants, whose trailing blanks do not count.

    code = 'ab  '   code::text = 'ab'   code IN ('a ', 'b')
    -->
    code = 'ab'     code = 'ab'         code IN ('a', 'b')

Values of char(n) are compared without the blanks at their ends, and so they become text; no text that was one
ends with a blank. Must not know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.build import compare, operator
from rewright.sql.comparisons import FLIPPED
from rewright.sql.types import SqlType
from rewright.sql.walk import bottom_up


def unpadded(query: a.Query) -> a.Query:
    """A query whose comparisons of char(n) say so, with constants that end where they do."""
    return bottom_up(query, _changed)


def _changed(node: a.Node) -> a.Node:
    match node:
        case a.Op(op, (left, right)) if op.is_builtin and op.name in FLIPPED:
            for name, one, other in ((op.name, left, right), (FLIPPED[op.name], right, left)):
                found = _bare(one, other)
                if found is not None:
                    return compare(name, *found) or node
        case a.InList(op, left, items) if op.is_builtin and op.name in {"=", "<>"}:
            # a constant of the list without blanks stays as it is beside the others
            pairs = [_bare(left, x) or _as_it_is(left, x) for x in items]
            known = [p for p in pairs if p is not None]
            # all items of one form, or the list would compare two kinds of left sides
            changed = known and len(known) == len(items) and {p[0] for p in known} == {known[0][0]}
            ref = operator(op.name, known[0][0].type, known[0][1].type) if changed else None
            if ref is not None:
                return replace(node, op=ref, left=known[0][0], items=tuple(c for _, c in known))
    return node


def _is(type_: SqlType, name: str) -> bool:
    return type_.is_builtin and type_.name == name


def _as_it_is(left: a.Expr, right: a.Expr) -> tuple[a.Expr, a.Const] | None:
    plain = isinstance(right, a.Const) and _is(left.type, "bpchar") and _is(right.type, "bpchar")
    return (left, right) if plain and isinstance(right, a.Const) else None


def _bare(left: a.Expr, right: a.Expr) -> tuple[a.Expr, a.Const] | None:
    """What is compared, as char(n), and the constant without blanks; None where nothing changes."""
    if not isinstance(right, a.Const) or right.value is None or right.type.typmod != -1:
        return None
    # only blanks: a tab at the end counts
    text = right.value.rstrip(" ")
    if _is(left.type, "bpchar") and _is(right.type, "bpchar"):
        return None if text == right.value else (left, replace(right, value=text))
    if not isinstance(left, a.Cast) or not _is(left.type, "text") or not _is(left.arg.type, "bpchar"):
        # code::varchar keeps what it is compared by; text is what bpchar is compared as
        return None
    # code::text = 'ab ' is never TRUE, and code = 'ab ' may be
    if left.type.typmod != -1 or left.type.collation != left.arg.type.collation or text != right.value:
        return None
    ours = _is(right.type, "text")
    return (left.arg, a.Const(text, SqlType("bpchar", collation=right.type.collation))) if ours else None
