"""What a recursion's first term asks that whoever reads the recursion asks again.

    WITH RECURSIVE up AS (SELECT id AS leaf, parent FROM t WHERE id IN (SELECT id FROM t c WHERE c.kind = 'x')
    UNION … ) SELECT … FROM up u JOIN t c ON c.id = u.leaf WHERE c.kind = 'x'
    -->
    WITH RECURSIVE up AS (SELECT id AS leaf, parent FROM t UNION … ) SELECT … the same …

Each row of a round has the leaf of the first term's row that it comes from. Where the one reader joins the
rows that IN looks among, under the same conditions and by the same equality, it drops what stems from other
leaves by itself. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.walk import (
    as_product,
    blocks,
    conjoin,
    conjuncts,
    free_rels,
    is_plain,
    kept_product,
    renumber,
    same_source,
)

# ways in which the tables of a semi-join are looked for among the reader's
MOST_WAYS = 27


@dataclass(frozen=True, slots=True)
class _Reader:
    """The one block that reads a recursion: the number of the recursion there, the tables beside it, and what
    is asked of all rows.
    """

    rel: int
    items: Sequence[a.FromItem]
    preds: Sequence[a.Expr]


def without_asked_twice(query: a.Query, cte: a.Cte, handed_on: frozenset[int]) -> a.Cte:
    """The recursion whose first term does not ask what its one reader asks of columns that are handed on."""
    body = cte.query
    first = body.left if isinstance(body, a.SetOp) else None
    reader = _reader(query, cte)
    if (
        reader is None
        or not isinstance(body, a.SetOp)
        or not isinstance(first, a.Select)
        or not is_plain(first)
    ):
        return cte
    shown = {i: t.expr for i, t in enumerate(first.targets) if i in handed_on}
    # UNION drops rows that are alike, and these have one leaf: families of rows go or stay as a whole
    kept = [p for p in conjuncts(first.where) if not _asks(reader, p, shown)]
    if len(kept) == len(conjuncts(first.where)):
        return cte
    return replace(cte, query=replace(body, left=replace(first, where=conjoin(kept))))


def _reader(query: a.Query, cte: a.Cte) -> _Reader | None:
    for path, block in blocks(query):
        if isinstance(block, a.Select) and not (path and path[0] == "ctes"):
            items, preds = kept_product(block)
            for item in items:
                if isinstance(item, a.CteScan) and item.cte == cte.cte:
                    return _Reader(item.rel, items, preds)
    return None


def _asks(reader: _Reader, pred: a.Expr, shown: dict[int, a.Expr]) -> bool:
    """Whether a semi-join of the first term follows from the reader's joins."""
    if (
        not isinstance(pred, a.Quantified)
        or pred.kind != "="
        or pred.all
        or not isinstance(pred.query, a.Select)
    ):
        return False
    query = pred.query
    own = not free_rels(query) and not is_volatile(query) and is_plain(query)
    # rows of a function or a subquery may be others at the second time; a table's are not
    if not own or not all(isinstance(i, a.Scan) for i in as_product(query)[0]):
        return False
    # only columns that the step hands on as they are: what it computes anew says nothing of the first row
    asked = zip(pred.left, pred.ops, query.targets, strict=True)
    ties = [(_columns_of(x, shown), op, t.expr) for x, op, t in asked]
    return any(_holds(reader, query, ties, rels) for rels in islice(_ways(reader, query), MOST_WAYS))


def _columns_of(x: a.Expr, shown: dict[int, a.Expr]) -> frozenset[int]:
    return frozenset(i for i, e in shown.items() if e == x)


def _ways(reader: _Reader, query: a.Select) -> Iterator[dict[int, int]]:
    """The reader's tables that may be those of a query, by their numbers."""
    items = [i for i in as_product(query)[0] if isinstance(i, a.Scan)]
    alike = [[o.rel for o in reader.items if isinstance(o, a.Scan) and same_source(i, o)] for i in items]
    for chosen in product(*alike):
        yield {i.rel: rel for i, rel in zip(items, chosen, strict=True)}


def _holds(
    reader: _Reader,
    query: a.Select,
    ties: Sequence[tuple[frozenset[int], a.OperatorRef, a.Expr]],
    rels: dict[int, int],
) -> bool:
    """Whether each row that the reader makes is of a row of the query, with the values that IN compares."""
    if not all(renumber(p, rels) in reader.preds for p in as_product(query)[1]):
        return False
    return all(
        any(_ties(p, reader.rel, columns, op, renumber(expr, rels)) for p in reader.preds)
        for columns, op, expr in ties
    )


def _ties(pred: a.Expr, rel: int, columns: frozenset[int], op: a.OperatorRef, expr: a.Expr) -> bool:
    """Whether a condition compares one of these columns of the recursion with this, by this operator."""
    if not isinstance(pred, a.Op) or pred.op != op or len(pred.args) != 2:
        return False
    # a comparison of two types has its mirror under another name, and one of the user's need not have any
    sides = (pred.args, pred.args[::-1]) if op.left == op.right and op.is_builtin else (pred.args,)
    return any(isinstance(x, a.Column) and x.rel == rel and x.pos in columns and y == expr for x, y in sides)
