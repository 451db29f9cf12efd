"""Recursions over a table whose rows have one parent each, from those that have none.

    WITH RECURSIVE r AS (SELECT …, f.k FROM t f WHERE f.p IS NULL AND …
                         UNION [ALL] SELECT …, s.k FROM r, t s WHERE s.p = r.k AND …)

where k is a key of t without NULLs. No two rows of r have one k: two of the first term are two rows of t; one
of the first term has a row of t without a parent, one of a later round a row with one; and two of later
rounds with one k are made of one row of t, so of one parent, and so, by the rounds before, of one row of r.
UNION drops nothing then, and each round takes rows of t that no round had before: it ends. Must not know
rules, provers, or how recursions are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumption
from rewright.sql.facts.assumptions import not_null, stored_table, usable_keys
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import as_product, is_plain, walk


@dataclass(frozen=True, slots=True)
class Forest:
    """``key``: the column of the recursion that tells its rows apart, by these constraints."""

    key: int
    basis: frozenset[Assumption]


def forest(cte: a.Cte, catalog: Catalog) -> Forest | None:
    """Why no row of a recursion comes twice, where it is one of this kind."""
    body = cte.query
    if not isinstance(body, a.SetOp) or replace(body, all=True, columns=()) != a.SetOp(
        "union", True, body.left, body.right, ()
    ):
        return None
    first, step = body.left, body.right
    if not isinstance(first, a.Select) or not isinstance(step, a.Select):
        return None
    if not (is_plain(first) and is_plain(step)) or _reads(first, cte) or _reads(step, cte) != 1:
        return None
    roots, asked = as_product(first)
    items, preds = as_product(step)
    own = [i for i in items if isinstance(i, a.CteScan) and i.cte == cte.cte]
    scans = [i for i in items if isinstance(i, a.Scan)]
    if len(roots) != 1 or len(own) != 1 or len(scans) != 1 or len(items) != 2:
        return None
    root, child = roots[0], scans[0]
    if not isinstance(root, a.Scan) or (root.table, root.only) != (child.table, child.only):
        return None
    if stored_table(catalog, child) is None:
        return None
    for at, target in enumerate(step.targets):
        basis = _apart(target.expr, child, catalog)
        if basis is None or first.targets[at].expr != replace(_column(target.expr), rel=root.rel):
            continue
        known = a.Column(own[0].rel, at, cte.columns[at].type)
        parents = {p for pred in preds for p in _equal_to(pred, known, child.rel)}
        if any(isinstance(p, a.IsNull) and not p.negated and _is_of(p.arg, root, parents) for p in asked):
            return Forest(at, basis)
    return None


def _reads(query: a.Query, cte: a.Cte) -> int:
    return sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(query))


def _column(expr: a.Expr) -> a.Column:
    assert isinstance(expr, a.Column)
    return expr


def _apart(expr: a.Expr, scan: a.Scan, catalog: Catalog) -> frozenset[Assumption] | None:
    """The constraints by which a column of a scan is a key without NULLs."""
    if not isinstance(expr, a.Column) or expr.rel != scan.rel or not equality_is_identity(expr.type):
        return None
    name = catalog.table(scan.table).columns[expr.pos].name
    never = not_null(catalog, scan, expr.pos)
    keys = (assumption for key, assumption in usable_keys(catalog, scan) if key.columns == (name,))
    key = next(keys, None)
    return None if key is None or never is None else frozenset({key, never})


def _equal_to(pred: a.Expr, known: a.Column, rel: int) -> list[int]:
    """The columns of a relation that a condition says to be the same value."""
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or pred.op.name != "=" or len(pred.args) != 2:
        return []
    plain = [(x.rel, x.pos, x.type) for x in pred.args if isinstance(x, a.Column)]
    mine = (known.rel, known.pos, known.type)
    if mine not in plain or not equality_is_identity(known.type):
        return []
    return [pos for r, pos, type_ in plain if r == rel and type_ == known.type]


def _is_of(expr: a.Expr, scan: a.Scan, positions: set[int]) -> bool:
    return isinstance(expr, a.Column) and expr.rel == scan.rel and expr.pos in positions
