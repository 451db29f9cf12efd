"""Text against constants: prefixes, patterns without wildcards, integers written out.

All of it under collations whose equality is identity (M4); lengths are counted in characters, as PostgreSQL
does. Must not know rows or contexts.
"""

from __future__ import annotations

import re

from rewright.sql.types import BOOL

from .symbols import EQ, identity
from .terms import INTEGER, App, Lit, Sym, Term

STARTS = Sym("starts with", total=True)
_CANONICAL_INT = re.compile(r"(?:0|-?[1-9]\d{0,18})\Z")
_FROM_INT = re.compile(r"cast pg_catalog\.int[248] to pg_catalog\.(?:text|varchar)\(-1\) io")
_LEFT = (
    "pg_catalog.left(text,int4)",
    "pg_catalog.substring(text,int4,int4)",
    "pg_catalog.substr(text,int4,int4)",
)


def pattern(x: Term, like: Lit) -> Term | None:
    """``x LIKE like`` as a prefix test or an equality, where it is one; backslash escapes."""
    # char(n) is padded, and other collations may take the literal for more texts
    if like.value is None or not identity(x.type) or x.type.name not in {"text", "varchar"}:
        return None
    literal, rest = "", like.value
    while rest and rest[0] not in "%_":
        # an escaped sign stands for itself; a backslash at the end escapes nothing, which is an error
        if rest[0] == "\\":
            if len(rest) == 1:
                return None
            rest = rest[1:]
        literal, rest = literal + rest[0], rest[1:]
    plain = Lit(literal, like.type)
    if not rest:
        return App(EQ, (x, plain), BOOL)
    # '%' alone is TRUE of any text, and is no prefix
    return App(STARTS, (x, plain), BOOL) if rest == "%" and literal else None


def equal(term: App, constant: Lit) -> tuple[Term, str, Lit] | None:
    """``term = constant`` as a test of an argument: the argument, the test (=, starts or never) and its
    constant.
    """
    if constant.value is None or not identity(term.type):
        return None
    if _FROM_INT.fullmatch(term.sym.name):
        (x,) = term.args
        # an integer is written without leading zeros, blanks and plus: '007' is none
        if _CANONICAL_INT.match(constant.value):
            return x, "=", Lit(constant.value, INTEGER)
        return x, "never", constant
    length = taken(term)
    if length is None:
        return None
    x, value = term.args[0], constant.value
    # more characters than are taken
    if len(value) > length:
        return x, "never", constant
    # of 'ab' the first two characters are the whole text or its beginning
    if len(value) == length:
        return (x, "starts", constant) if value else None
    return x, "=", constant


def taken(term: App) -> int | None:
    """How many leading characters of its first argument the application gives; None if that is not what it
    does.
    """
    if term.sym.name not in _LEFT or not all(isinstance(a, Lit) for a in term.args[1:]):
        return None
    numbers = [int(a.value) if isinstance(a, Lit) and a.value is not None else -1 for a in term.args[1:]]
    # left(s, -1) leaves one out; substring from another place is no beginning
    if numbers[-1] < 0 or (len(numbers) == 2 and numbers[0] != 1):
        return None
    return numbers[-1]
