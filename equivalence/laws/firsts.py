"""First rows per outer row as numbered rows of groups, so that both forms become one.

    LATERAL (SELECT … FROM o WHERE o.k = c.id ORDER BY o.day LIMIT 2)
    is  LATERAL (SELECT … FROM (SELECT …, o.k, row_number() OVER (PARTITION BY o.k ORDER BY o.day) n FROM o) x
                 WHERE x.k = c.id AND x.n <= 2)

The same holds of groups, which are made by k as well then. With OFFSET m the rows are those numbered m + 1
and on. The rows of o that meet ``o.k = c.id`` are one whole group by k, since grouping and = agree where
neither side is NULL. Where the order leaves ties either form chooses freely: a reservation. Other conditions
on o alone stay below the numbering; a subquery with any other reference to the outside is left as it is. Must
not know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.chance import looseness
from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.builtins import builtins
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile
from rewright.sql.types import INT8
from rewright.sql.walk import Fresh, conjoin, conjuncts, has_aggregate, has_window, returns_set

_GREATEST = 2**63 - 1


def numbered(query: a.Query, catalog: Catalog, fresh: Fresh) -> Form:
    """A query that holds no CTEs, with the first rows of its correlated subqueries numbered."""
    return _Numbered(catalog, fresh).form(query)


class _Numbered(Walk):
    def __init__(self, catalog: Catalog, fresh: Fresh) -> None:
        super().__init__(catalog)
        self.fresh = fresh

    def changed(self, node: a.Node) -> a.Node:
        # WHERE x = (… LIMIT 1) and LATERAL (… LIMIT n); other subqueries in FROM are not asked for each row
        if isinstance(node, a.ScalarSubquery) or (isinstance(node, a.Derived) and node.lateral):
            made = self._numbered(node.query)
            return node if made is None else replace(node, query=made)
        return node

    def _numbered(self, query: a.Query) -> a.Select | None:
        if not isinstance(query, a.Select) or not _first_rows(query):
            return None
        inner = take_apart(replace(query, limit=None, offset=None))
        # without a tie the first rows are those of all, not of a group; other correlated conditions would
        # have to be asked before the numbering
        if inner is None or not inner.ties or inner.others:
            return None
        # the equality must be the one that grouping goes by
        if any(t.inner.type.without_typmod() != t.outer.type.without_typmod() for t in inner.ties):
            return None
        made = self._over(query, inner)
        if made is not None:
            self.reserve_ties(query)
            # targets, sort keys, conditions and joins are computed for rows of groups that nobody asks for
            self.reserve_uncut(query)
            computed = (*(t.expr for t in query.targets), *(k.expr for k in query.order_by))
            if query.group_by is None:
                self.reserve_failures(*computed, *conjuncts(query.where))
            else:
                self.reserve_other_rows(replace(query, limit=None, offset=None))
                self.reserve(looseness(replace(query, order_by=(), limit=None, offset=None)))
        return made

    def _over(self, query: a.Select, inner: Inner) -> a.Select | None:
        keys = tuple(dict.fromkeys(t.key for t in inner.ties))
        ref = next(f for f in builtins().functions("row_number") if f.kind == "w").to_ref()
        number = a.WindowCall(ref, (), a.Window(keys, query.order_by), INT8)
        shown = [t.expr for t in query.targets]
        targets = tuple(a.Target(f"c{i + 1}", e) for i, e in enumerate((*shown, *keys, number)))
        # the groups of rows that equal a value are those of all rows by that value, too
        groups = None if query.group_by is None else (tuple(dict.fromkeys((*keys, *query.group_by[0]))),)
        below = a.Select(targets, inner.items, conjoin(inner.local), groups, query.having)
        rel = self.fresh()
        columns = [a.Column(rel, i, t.expr.type, t.name) for i, t in enumerate(targets)]
        cut = _numbers_kept(columns[-1], query)
        if cut is None:
            return None
        ties = [t.on_key(columns[len(shown) + keys.index(t.key)]) for t in inner.ties]
        return a.Select(
            tuple(replace(t, expr=c) for t, c in zip(query.targets, columns, strict=False)),
            (a.Derived(rel, below, "numbered", tuple(t.name for t in targets)),),
            conjoin((*ties, *cut)),
        )


def _numbers_kept(number: a.Column, query: a.Select) -> list[a.Expr] | None:
    """That the row with the number is one that OFFSET and LIMIT leave."""
    skipped, last = _natural(query.offset), None
    if query.limit is not None:
        last = skipped + _natural(query.limit)
        # numbers end where bigint does
        if last > _GREATEST:
            return None
    # = 1 is what people write for the first row, and one form is enough
    if last == skipped + 1:
        kept = [compare("=", number, a.Const(str(last), INT8))]
    else:
        above = [compare(">", number, a.Const(str(skipped), INT8))] if skipped else []
        kept = above if last is None else [*above, compare("<=", number, a.Const(str(last), INT8))]
    made: list[a.Expr] = [p for p in kept if p is not None]
    return made if made and len(made) == len(kept) else None


def _natural(part: a.Expr | None) -> int:
    return int(part.value or 0) if isinstance(part, a.Const) else 0


def _is_plain_cut(part: a.Expr | None) -> bool:
    """LIMIT NULL is no limit, and LIMIT -1 an error where no number is below 0."""
    return part is None or (isinstance(part, a.Const) and (part.value or "").isdecimal())


def _first_rows(query: a.Select) -> bool:
    exprs = [*(t.expr for t in query.targets), *(k.expr for k in query.order_by)]
    # LIMIT … WITH TIES keeps all that tie with the last, which numbers do not say
    bare = query.distinct is None and not query.with_ties
    # an aggregate without keys is a row also where there is nothing, and several sets show NULLs for keys
    grouped = query.group_by is not None
    by_keys = query.group_by is not None and len(query.group_by) == 1 and bool(query.group_by[0])
    return (
        bare
        and (by_keys or (not grouped and query.having is None))
        and (query.limit is not None or query.offset is not None)
        and _is_plain_cut(query.limit)
        and _is_plain_cut(query.offset)
        and bool(query.order_by)
        and not query.ctes
        and not is_volatile(query)
        and not any(has_window(e) or returns_set(e) or (has_aggregate(e) and not grouped) for e in exprs)
    )
