"""Arrays by their elements: ARRAY(SELECT …), comparisons with ANY and ALL, containment, overlap.

    x = ANY (ARRAY(SELECT …))     is   x IN (SELECT …)
    x <> ALL (xs)                 is   NOT (x = ANY (xs))
    xs @> ARRAY[c], xs && ARRAY[c] are, where they are TRUE, c = ANY (xs)
    ARRAY(SELECT … ORDER BY k)    is   coalesce((SELECT array_agg(… ORDER BY k)), '{}')

An array is read with all its dimensions at once, as the server does for all of these; elements that are NULL
are equal to nothing. Only built-in comparisons of types whose order is known. Must not know schema facts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rewright.sql import algebra as a
from rewright.sql.comparisons import alike_one_by_one
from rewright.sql.types import BOOL, TEXT, UNKNOWN, SqlType

from .bags import UNNEST, aggregate, block, exists
from .build import app, case, coalesce, conj, disj, eq, is_null, negate
from .fresh import fresh
from .positions import ordered_keys
from .symbols import ORDERED, any_element, arithmetic, cast, domain
from .terms import FALSE, Bag, Block, Function, Lit, Term, Var, null
from .translated import Unsupported

if TYPE_CHECKING:
    from .scoped import Scoped

_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_JSON_KEYS = {"?&": conj, "?|": disj}
_JSON_PATHS = {"#>": "->", "#>>": "->>"}
# keys that no array has: not numbers, nor NULL, and nothing that is quoted
_PATH = re.compile(r"\{((?!null\b)[a-z_]\w*(?:,(?!null\b)[a-z_]\w*)*)\}", re.IGNORECASE | re.ASCII)


def array_of_rows(t: Scoped, e: a.ArraySubquery) -> Term:
    """The values of a subquery's one column in its order; without rows it is empty, not NULL."""
    with t.to.site("array", fence=True):
        form = t.to.query(e.query, t.env_inside(), ordered=True)
    # ARRAY(SELECT array) makes another dimension
    if form.width != 1 or not e.type.is_builtin or any(b.outs[0].type.is_array for b in form.bag):
        raise Unsupported("array of arrays")
    # the elements stand in the order in which the subquery gives them
    if not form.sort:
        t.to.loose.add("tie-order")
    name = " ".join(("array_agg", "anynonarray", *form.sort))
    if ordered_keys(name) is None:
        raise Unsupported("order of an array")
    return coalesce((aggregate(name, form.bag, e.type), no_elements(e.type)), e.type)


def no_elements(type_: SqlType) -> Term:
    """The empty array, as '{}' is read."""
    return app(cast(UNKNOWN, type_, "io"), (Lit("{}", UNKNOWN),), type_)


def compared_with_elements(t: Scoped, e: a.ArrayOp) -> Term | None:
    """A comparison with ANY or ALL elements; None where it is not read by these."""
    op = e.op
    # a user's operator may look at the array as a whole
    if not (op.is_builtin and op.name in _NEGATED and {op.left, op.right} <= ORDERED):
        return None
    if isinstance(e.array, a.ArraySubquery):
        kind: Any = op.name
        return t.term(a.Quantified(kind, (op,), (e.left,), e.array.query, e.all))
    # ARRAY[x, y] compared one by one: = ANY is IN
    if isinstance(e.array, a.ArrayExpr) and e.array.args and not _nested(e.array):
        # one element's collation is that of the whole array
        alike = alike_one_by_one(op.name, (x.type.collation for x in e.array.args))
        return _with_each(t, e, e.array.args) if alike else None
    left, array = t.term(e.left), t.term(e.array)
    # citext[] and the like are compared by equalities that are not known here
    if not _one_order(left, array.type):
        return None
    # x <> ALL (xs) is NOT (x = ANY (xs))
    name = _NEGATED[op.name] if e.all else op.name
    found = app(any_element(name, domain(left.type)), (left, array), BOOL)
    return negate(found) if e.all else found


def _with_each(t: Scoped, e: a.ArrayOp, items: tuple[a.Expr, ...]) -> Term | None:
    """The elements one by one, where making the array raises nothing that a comparison before it hides."""
    before = len(t.to.failing)
    tests = [t.term(a.Op(e.op, (e.left, x), BOOL)) for x in items]
    # an element that fails does so before any comparison, which OR might skip
    if len(t.to.failing) > before:
        del t.to.failing[before:]
        return None
    return conj(tests) if e.all else disj(tests)


def _nested(e: a.ArrayExpr) -> bool:
    return any(x.type.is_array for x in e.args)


def _one_order(value: Term, array: SqlType) -> bool:
    """Whether a value and an array's elements are of one known order."""
    known = domain(value.type)
    plain = array.is_array and array.is_builtin
    return (
        plain and bool(known) and known == domain(array.element) and value.type.collation == array.collation
    )


def in_parts(t: Scoped, op: a.OperatorRef, args: tuple[a.Expr, ...]) -> Term | None:
    """An operator of arrays or jsonb by their elements or keys; None where it is not read so."""
    for read in (_sets_compared, _keys_asked, _read_by_path):
        if (found := read(t, op, args)) is not None:
            return found
    return None


def _sets_compared(t: Scoped, op: a.OperatorRef, args: tuple[a.Expr, ...]) -> Term | None:
    """`@>`, `<@` and `&&` of arrays one of which is written out, or made of rows; None for others."""
    if not op.is_builtin or op.name not in {"@>", "<@", "&&"} or (op.left, op.right) != ("anyarray",) * 2:
        return None
    left, right = args[::-1] if op.name == "<@" else args
    # two stored arrays are compared by the server alone
    if not any(_is_made_here(x) for x in (left, right)):
        return None
    before = len(t.to.failing)
    one, other = _elements(t, left), _elements(t, right)
    if one is None or other is None or len(t.to.failing) > before:
        del t.to.failing[before:]
        return None
    (null_one, rows), (null_other, others) = one, other
    # elements of two types are cast first
    if not _comparable(rows, others):
        return None
    if op.name == "&&":
        test = exists(tuple(n for y in others for n in _meeting(t, rows, y)))
    else:
        # && : some element of the one is one of the other
        # @>: no element of the right side is missing on the left; NULL equals nothing, and so is missing
        missed = ((y, negate(exists(_meeting(t, rows, y, alone=True)))) for y in others)
        test = negate(exists(tuple(n for y, p in missed for n in block(y.vars, (*y.preds, p), ()))))
    return case((disj((null_one, null_other)), null(BOOL), test), BOOL)


def _is_made_here(e: a.Expr) -> bool:
    return isinstance(e, a.ArraySubquery) or (isinstance(e, a.ArrayExpr) and bool(e.args) and not _nested(e))


def _elements(t: Scoped, e: a.Expr) -> tuple[Term, Bag] | None:
    """Whether an array is NULL, and its elements as rows."""
    if isinstance(e, a.ArraySubquery):
        return FALSE, t.subquery(e.query, "any")
    if isinstance(e, a.ArrayExpr):
        return None if _nested(e) else (FALSE, tuple(Block((), (), (t.term(x),)) for x in e.args))
    array = t.term(e)
    if not (array.type.is_array and array.type.is_builtin):
        return None
    v, element = fresh(), array.type.element
    return is_null(array), (Block(((v, Function(UNNEST, (array,), (element,))),), (), (Var(v, 0, element),)),)


def _comparable(rows: Bag, others: Bag) -> bool:
    """Whether all elements are compared in one way: of one order, under one collation."""
    types = [b.outs[0].type for b in (*rows, *others)]
    return all(domain(x) for x in types) and len({(domain(x), x.collation) for x in types}) == 1


def _meeting(t: Scoped, rows: Bag, y: Block, *, alone: bool = False) -> Bag:
    """Elements that are equal to that of ``y``, with its row or ``alone``."""
    vars_, preds = ((), ()) if alone else (y.vars, y.preds)
    return tuple(
        n
        for x in t.to.copy(rows)
        for n in block((*vars_, *x.vars), (*preds, *x.preds, eq(x.outs[0], y.outs[0])), ())
    )


def _keys_asked(t: Scoped, op: a.OperatorRef, args: tuple[a.Expr, ...]) -> Term | None:
    """`?&` and `?|` of jsonb with keys that are written out: each of them, or one."""
    joined = _JSON_KEYS.get(op.name) if op.is_builtin and (op.left, op.right) == ("jsonb", "_text") else None
    keys = args[1]
    # an array that is computed may hold NULL, which asks for nothing
    if joined is None or not isinstance(keys, a.ArrayExpr) or not keys.args:
        return None
    if not all(isinstance(k, a.Const) and k.value is not None for k in keys.args):
        return None
    document = t.term(args[0])
    has = arithmetic("?", "jsonb", "text", "bool")
    return joined(app(has, (document, t.term(k)), BOOL) for k in keys.args)


def _read_by_path(t: Scoped, op: a.OperatorRef, args: tuple[a.Expr, ...]) -> Term | None:
    """`#>` and `#>>` of jsonb key by key, where no key may be the number of an array's element."""
    last = _JSON_PATHS.get(op.name) if op.is_builtin and (op.left, op.right) == ("jsonb", "_text") else None
    path = args[1].arg if isinstance(args[1], a.Cast) else args[1]
    found = _PATH.fullmatch(path.value or "") if isinstance(path, a.Const) else None
    # '{1,a}' may go by an array's index
    if last is None or found is None:
        return None
    *outer, key = found[1].split(",")
    document = t.term(args[0])
    for name in outer:
        document = app(arithmetic("->", "jsonb", "text", "jsonb"), (document, Lit(name, TEXT)), args[0].type)
    shown = args[0].type if last == "->" else TEXT
    return app(arithmetic(last, "jsonb", "text", shown.name), (document, Lit(key, TEXT)), shown)
