"""A count without those of its rows that another count counts: a count of the others.

    count(*) - count(x)   -->   count(*) FILTER (WHERE x IS NULL)
    (SELECT count(*) FROM s WHERE s.k = t.k) - (SELECT count(*) FILTER (WHERE s.a = 1) FROM s WHERE s.k = t.k)
    -->   (SELECT count(*) FILTER (WHERE (s.a = 1) IS NOT TRUE) FROM s WHERE s.k = t.k)

Both count rows of one block, or of two that read the same; what the first asks of a row, the second asks
too, and what it asks beside is not TRUE of the others (hazards 15, 16). That something is not TRUE is also
asked where a column is to equal another constant, unless its collation may take the two for one. A value is
counted where it is not NULL; of rows and composites IS NULL asks something else. The difference is no less
than 0 and overflows nowhere. Must not know rules or provers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.constants import Value, constant, value
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.facts.looks import DETERMINISTIC
from rewright.sql.types import INT8
from rewright.sql.walk import canonical, conjoin, conjuncts, defined_rels, has_subquery, renumber


@dataclass(frozen=True, slots=True)
class _Count:
    """``asked``: what is asked of each row that is counted; ``query``: whose rows these are, None: the
    block's.
    """

    call: a.Aggregate
    asked: tuple[a.Expr, ...]
    query: a.Select | None = None


def with_counts_of_others(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, with such differences as counts."""
    return _OfOthers(catalog).form(query)


class _OfOthers(Walk):
    def changed(self, node: a.Node) -> a.Node:
        if not isinstance(node, a.Op) or not node.op.is_builtin or node.op.name != "-" or node.type != INT8:
            return node
        if len(node.args) != 2:
            return node
        whole, part = (self._told(_count(x)) for x in node.args)
        # one of the operands is no count, or counts with DISTINCT
        if whole is None or part is None:
            return node
        part = _over_one(whole, part)
        # the second count must be among the first one's rows, or the difference counts what was never there
        if part is None or not all(p in part.asked or _follows(p, part.asked) for p in whole.asked):
            return node
        more = conjoin(p for p in part.asked if p not in whole.asked)
        if more is None:
            return node  # 0, whatever it counts
        # the second count's conditions are asked of the rows that only the first one counts
        self.reserve_failures(*part.asked)
        # IS NOT TRUE, since NULL leaves a row out of the second count as FALSE does
        others = a.IsBool(more, "true", negated=True)
        call = replace(whole.call, args=(), star=True, distinct=False, filter=conjoin((*whole.asked, others)))
        if whole.query is None:
            return call
        (target,) = whole.query.targets
        return a.ScalarSubquery(replace(whole.query, targets=(replace(target, expr=call),)), INT8)

    def _told(self, found: _Count | None) -> _Count | None:
        """Without asking whether what is never NULL in a lookup's rows is there."""
        if found is None or found.query is None:
            return found
        nonnull = self.facts.nonnull_columns(a.Select((), found.query.from_, found.query.where))
        asked = []
        for p in found.asked:
            # x IS NULL of a composite asks its fields, so that NOT NULL columns say nothing of it
            filled = isinstance(p, a.IsNull) and p.negated and not p.row_form
            basis = self.facts.never_null(p.arg, nonnull) if isinstance(p, a.IsNull) and filled else None
            self.rest_on(basis or ())
            asked += [p] if basis is None else []
        return replace(found, asked=tuple(asked))


def _count(expr: a.Expr) -> _Count | None:
    """What counts rows or values, of the block or of a lookup."""
    if isinstance(expr, a.ScalarSubquery):
        query = expr.query
        # a lookup that groups by a key is NULL where there is no group, and the difference with it
        if not isinstance(query, a.Select) or query.group_by != ((),) or len(query.targets) != 1:
            return None
        # HAVING or LIMIT may leave no row: NULL, not 0
        if replace(query, targets=(), from_=(), where=None, group_by=None) != a.Select(()):
            return None
        found = _count(query.targets[0].expr)
        return (
            None
            if found is None or found.query is not None or is_volatile(query)
            else replace(found, query=query)
        )
    if not isinstance(expr, a.Aggregate) or not expr.func.is_builtin or expr.func.name != "count":
        return None
    # count(DISTINCT x) counts values and not rows
    if expr.distinct or expr.order_by or expr.direct or has_subquery(expr) or is_volatile(expr):
        return None
    if expr.star:
        return _Count(expr, conjuncts(expr.filter))
    # count(row(…)) counts rows whose fields are NULL; IS NOT NULL asks each field
    if len(expr.args) != 1 or not expr.args[0].type.is_builtin or expr.args[0].type.name == "record":
        return None
    return _Count(expr, (*conjuncts(expr.filter), a.IsNull(expr.args[0], negated=True)))


def _follows(pred: a.Expr, given: tuple[a.Expr, ...]) -> bool:
    """Whether what is asked is that something is not TRUE which the ``given`` conditions rule out."""
    if not isinstance(pred, a.IsBool) or pred.test != "true" or not pred.negated:
        return False
    return any(_exclude(p, q) for p in conjuncts(pred.arg) for q in given)


def _exclude(one: a.Expr, other: a.Expr) -> bool:
    """Whether both equate one expression, with different constants."""
    if not isinstance(one, a.Op) or not isinstance(other, a.Op) or one.op != other.op:
        # one operator and one left side, so that both compare with the same notion of equal
        return False
    if not is_equality(one) or one.args[0] != other.args[0]:
        return False
    # where collations are not deterministic, 'a' may equal 'A'
    if one.args[0].type.collation not in DETERMINISTIC:
        return False
    values = [_value(constant(x.args[1])) for x in (one, other)]
    return None not in values and values[0] != values[1]


def _value(found: a.Const | None) -> Value | None:
    if found is None or found.type.name != "bpchar" or not found.type.is_builtin:
        return None if found is None else value(found)
    # blanks at the end do not count
    text = replace(found, value=(found.value or "").rstrip(" "), type=replace(found.type, name="text"))
    return value(text)


def _over_one(whole: _Count, part: _Count) -> _Count | None:
    """The second count over the first one's rows; None where these are others."""
    if whole.query is None or part.query is None:
        # both count rows of the block itself; a lookup and the block have nothing in common
        return part if whole.query is part.query else None
    ours, theirs = (replace(q, targets=()) for q in (whole.query, part.query))
    if canonical(ours, keep_names=False) != canonical(theirs, keep_names=False):
        return None
    mine, others = defined_rels(ours), defined_rels(theirs)
    rels = dict(zip(others, mine, strict=True))
    return replace(part, asked=tuple(renumber(p, rels) for p in part.asked), query=whole.query)
