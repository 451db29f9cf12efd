"""Enums: which labels there are, what a comparison with one of them says, and what every stored value is.

    state >= 'paid'            state = 'paid' OR state = 'sent'
    state::text = 'paid'       state = 'paid'

The labels of an enum and their order are known of a schema given as DDL: on a server one more may come
between the look at it and the query (F23). Must not know rows or contexts.
"""

from __future__ import annotations

from rewright.sql.catalog import Catalog, type_key
from rewright.sql.types import BOOL, SqlType

from .build import app, conj, disj, eq, integer, negate
from .symbols import EQ
from .terms import INTEGER, App, Lit, Sym, Term, Var

_NUMBER = Sym("number of a label", total=True)
# longer lists would be many conditions for each row that is looked at
_MOST = 24
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}


def labels(catalog: Catalog, type_: SqlType) -> tuple[str, ...]:
    """The labels of an enum in their order; none where they are not known, or of other types."""
    if type_.is_builtin or not catalog.fixed:
        return ()
    info = next((t for t in catalog.types if t.key == type_key(type_.schema, type_.name)), None)
    return info.labels if info is not None and info.kind == "e" and len(info.labels) <= _MOST else ()


def compared(name: str, x: Term, y: Term, known: tuple[str, ...]) -> Term | None:
    """A comparison of values of an enum; None where only the server's order of them says. ``known``: its
    labels.
    """
    if _label(x) is not None and _label(y) is None:
        x, y, name = y, x, _MIRRORED.get(name, name)
    if name in {"=", "<>"}:
        same = app(EQ, (x, y), BOOL)
        return same if name == "=" else negate(same)
    label = _label(y)
    if not isinstance(x, Var) or label not in known or name not in _MIRRORED:
        return None
    beyond = known[known.index(label) + (name in {">", "<="}) :]
    above = disj(eq(x, _constant(k, x.type)) for k in beyond) if beyond else _never(x, known)
    return above if name in {">", ">="} else negate(above)


def equals_label(cast_: Term, text: Lit, known: tuple[str, ...]) -> Term | None:
    """``x::text = 'label'``, where the text of a value is its label."""
    if not isinstance(cast_, App) or text.value is None or not known:
        return None
    (x,) = cast_.args
    if text.value in known:
        return app(EQ, (x, _constant(text.value, x.type)), BOOL)
    return _never(x, known)


def of_column(own: Var, known: tuple[str, ...]) -> Term:
    """A stored value that is not NULL is one of the labels, and no two of them."""
    numbered = [
        (eq(own, _constant(k, own.type)), app(EQ, (app(_NUMBER, (own,), INTEGER), integer(n)), BOOL))
        for n, k in enumerate(known)
    ]
    apart = (disj((negate(is_it), number)) for is_it, number in numbered)
    return conj((disj(conj(pair) for pair in numbered), *apart))


def _never(x: Term, known: tuple[str, ...]) -> Term:
    """FALSE, and NULL for NULL: that x is two labels, or is and is not the only one."""
    first = eq(x, _constant(known[0], x.type))
    return conj((first, negate(first)))


def _label(x: Term) -> str | None:
    """The label of a constant."""
    match x:
        case Lit(str(text), type_) if not type_.is_builtin:
            return text
    return None


def _constant(label: str, type_: SqlType) -> Term:
    return Lit(label, type_)
