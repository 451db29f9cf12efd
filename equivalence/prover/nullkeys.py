"""Where NULLs stand in an order, said by a sort key of its own.

    ORDER BY x IS NULL, x                                ORDER BY x NULLS LAST
    ORDER BY CASE WHEN x IS NULL THEN 0 ELSE 1 END, x    ORDER BY x NULLS FIRST

The key stands right before the one it tells of, so that rows which agree on it are told apart by that one
alone. It evaluates nothing that the other does not. Must not know terms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.types import BOOL, EXACT_INTEGERS, SqlType


def without_null_keys(keys: tuple[a.SortKey, ...]) -> tuple[a.SortKey, ...]:
    """The keys, those that only say where the NULLs of the next one stand taken into that one."""
    kept: list[a.SortKey] = []
    # from the last key on, so that the key after is known when one that tells of it comes
    for key in reversed(keys):
        first = _nulls_first(key, kept[-1].expr) if kept else None
        # ORDER BY x IS NULL, y: the NULLs of x are no NULLs of y
        if first is None:
            kept.append(key)
        else:
            kept[-1] = replace(kept[-1], nulls_first=first)
    return tuple(reversed(kept))


def _nulls_first(key: a.SortKey, of: a.Expr) -> bool | None:
    """Whether the key puts the NULLs of an expression first or last; None: it does neither, or more."""
    # DESC and USING > sort by the same operator
    if not key.op.is_builtin or key.op.name not in {"<", ">"}:
        return None
    greater = _greater_for_null(key.expr, of)
    return None if greater is None else greater == (key.op.name == ">")


def _greater_for_null(test: a.Expr, of: a.Expr) -> bool | None:
    """Whether the test gives more for NULL than for values; None where it does not tell just these apart."""
    match test:
        case a.IsNull(arg, negated, False):
            # x IS NOT NULL gives FALSE, the lesser, for NULL
            return not negated if arg == of else None
        case a.Not(arg):
            found = _greater_for_null(arg, of)
            return None if found is None else not found
        # (x IS NULL)::int is 1 for NULL
        case a.Cast(arg, type_) if _is_whole(type_) and arg.type == BOOL:
            return _greater_for_null(arg, of)
        case a.Case(((arg, a.Const(str(yes), x)),), a.Const(str(no), y)) if _is_whole(x) and _is_whole(y):
            # CASE WHEN x IS NULL THEN 1 ELSE 1 END tells nothing
            found = _greater_for_null(arg, of) if int(yes) != int(no) else None
            return None if found is None else found == (int(yes) > int(no))
        case _:
            return None


def _is_whole(type_: SqlType) -> bool:
    return type_.is_builtin and type_.name in EXACT_INTEGERS
