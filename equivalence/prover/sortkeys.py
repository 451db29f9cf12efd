"""Sort keys of two values: CASE of two integers and booleans are one kind of key.

Owns their one spelling: a boolean that is not NULL, ascending. Must not know rules or search.
"""

from __future__ import annotations

import re

from .asking import Asked
from .build import is_true, negate, not_null
from .context import Context
from .symbols import CASE, exact_integer
from .terms import App, Bag, Lit, Term

_BOOLEAN = "asc nulls last pg_catalog.<(bool,bool)"
_READ = re.compile(
    r"(asc nulls (?:first|last) pg_catalog\.<|desc nulls (?:first|last) pg_catalog\.>)\((\w+),\2\)"
)


def two_valued(engine: Asked, bag: Bag, at: int, label: str) -> tuple[str, tuple[Term, ...]] | None:
    """The label and the keys, block by block, of a boolean in whose order rows stand as by output ``at``: for
    CASE of two integers, the same in each block, and for booleans that are not NULL. None for other keys.
    """
    read = _READ.fullmatch(label)
    if read is None or label == _BOOLEAN:
        return None
    falling = label.startswith("desc")
    keys = [b.outs[at] for b in bag]
    if read[2] == "bool":
        if not all(engine.entails(Context().within(b), not_null(k)) for b, k in zip(bag, keys, strict=True)):
            return None
        rising = keys
    else:
        arms = [_two_integers(k) for k in keys]
        pairs = [a for a in arms if a is not None]
        if len(pairs) < len(arms) or len({frozenset(p[1:]) for p in pairs}) != 1:
            return None
        rising = [is_true(t) if yes > no else negate(is_true(t)) for t, yes, no in pairs]
    return _BOOLEAN, tuple(negate(k) if falling else k for k in rising)


def _two_integers(key: Term) -> tuple[Term, int, int] | None:
    """The condition of a CASE of two unlike integers, and what it gives."""
    if not (isinstance(key, App) and key.sym == CASE and len(key.args) == 3):
        return None
    test, yes, no = key.args
    if not (isinstance(yes, Lit) and isinstance(no, Lit) and yes.value is not None and no.value is not None):
        return None
    if not (exact_integer(yes.type) and exact_integer(no.type)) or int(yes.value) == int(no.value):
        return None
    return test, int(yes.value), int(no.value)
