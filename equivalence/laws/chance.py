"""What a query leaves to chance even over the same rows: ties that its order leaves, sums of floats in any
order.

Owns the reservations of a block and of the queries within it, and the constraints by which an order leaves no
ties. Must not know other forms, nor provers.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.forms import said
from rewright.equivalence.laws.ordering import decided
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumptions, Facts, order_sensitive, ordered_by_value
from rewright.sql.facts.arrival import arrives_in_order
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import QUERIES, group_keys, walk, walk_block

# aggregates and window functions that give peers in their order the same value
_VALUES = frozenset(
    {
        *("count", "sum", "avg", "min", "max", "bool_and", "bool_or", "every"),
        *("rank", "dense_rank", "percent_rank", "cume_dist"),
    }
)
_FLOATS = frozenset({"float4", "float8"})


def looseness(query: a.Query) -> frozenset[str]:
    """What a query and those within leave to chance even over the same rows."""
    return frozenset(m for n in walk(query) if isinstance(n, QUERIES) for m in _looseness(n))


def loose_above(block: a.Query, catalog: Catalog | None) -> tuple[set[str], tuple[str, ...]]:
    """As `looseness`, of what stands above FROM; with the constraints by which the orders of the queries
    within leave no ties. Of the block's own orders nothing is known where its FROM is not there.
    """
    loose: set[str] = set(_looseness(block))
    basis: Assumptions = frozenset()
    for query in (n for n in walk(block) if isinstance(n, QUERIES) and n is not block):
        # without a catalog no key is known, and whatever sorts may leave ties
        found, told = (_looseness(query), frozenset()) if catalog is None else _chance(query, catalog)
        loose |= found
        basis |= told
    return loose, said(basis)


def left_open(query: a.Query, catalog: Catalog) -> tuple[frozenset[str], Assumptions]:
    """As `looseness`, with the constraints by which orders leave no ties."""
    found = [_chance(n, catalog) for n in walk(query) if isinstance(n, QUERIES)]
    return (
        frozenset(m for loose, _ in found for m in loose),
        frozenset(x for _, basis in found for x in basis),
    )


def chance(query: a.Query, catalog: Catalog | None) -> tuple[set[str], tuple[str, ...]]:
    """What a block leaves to chance, the queries within aside, and the constraints by which it is no more."""
    if catalog is None:
        return _looseness(query), ()
    loose, basis = _chance(query, catalog)
    return loose, said(basis)


def _chance(query: a.Query, catalog: Catalog) -> tuple[set[str], Assumptions]:
    # a key by which windows, or ordered aggregates, leave no ties is asked for apart from the block's own
    # order
    told = _numbered_by_key(query, catalog), _gathered_by_key(query, catalog), _listed_by_key(query, catalog)
    by_keys: Assumptions = frozenset(x for basis in told for x in basis or ())
    windows, groups, arrays = (basis is not None for basis in told)
    if _total(query):
        return _looseness(query, windows=windows, groups=groups, arrays=arrays), by_keys
    basis = _shows_its_order(query, catalog)
    if basis is None:
        basis = _total_by_key(query, catalog)
    if basis is None:
        return _looseness(query, windows=windows, groups=groups, arrays=arrays), by_keys
    return _looseness(query, total=True, windows=windows, groups=groups, arrays=arrays), basis | by_keys


def _numbered_by_key(query: a.Query, catalog: Catalog) -> Assumptions | None:
    """The constraints by which the orders of a block's windows leave no ties; None: one does, or there is
    none that matters.
    """
    if not isinstance(query, a.Select):
        return None
    # row_number() OVER (ORDER BY day) depends on ties; count(*) OVER (ORDER BY day) counts peers at once
    calls = [n for n in walk_block(query) if isinstance(n, a.WindowCall) and not _by_value(n)]
    facts = Facts(catalog, query)
    keys = ((*c.window.partition_by, *(k.expr for k in c.window.order_by)) for c in calls)
    found = [facts.exprs_determine(query, k) for k in keys]
    if not found or None in found:
        # the empty list is not the empty basis: where no window matters no constraint may be listed for it
        return None
    return frozenset(x for basis in found for x in basis or ())


def _gathered_by_key(query: a.Query, catalog: Catalog) -> Assumptions | None:
    """The constraints by which no two rows of a group tie in the orders of its aggregates; None: two may, or
    there is no such order that matters.
    """
    if not isinstance(query, a.Select):
        return None
    calls = [n for n in walk_block(query) if isinstance(n, a.Aggregate) and _by_order(n)]
    facts, rows = Facts(catalog, query), a.Select((), query.from_, query.where)
    arrived = arrives_in_order(query, facts.exprs_determine) if calls else None
    if arrived is not None:
        return arrived
    # WITHIN GROUP and aggregates of the user's own may look at rows in ways that the order does not say
    if any(c.distinct or c.direct or not c.order_by or not c.func.is_builtin for c in calls):
        return None
    keys = ([*group_keys(query), *(k.expr for k in c.order_by)] for c in calls)
    found = [facts.exprs_determine(rows, k) for k in keys]
    if not found or None in found:
        return None
    return frozenset(x for basis in found for x in basis or ())


def _listed_by_key(query: a.Query, catalog: Catalog) -> Assumptions | None:
    """The constraints by which the rows of a block's ARRAY(SELECT …) come in one order, or look alike where
    it leaves ties; None: some may not, or there are none.
    """
    found = [_in_one_order(n.query, catalog) for n in walk_block(query) if isinstance(n, a.ArraySubquery)]
    if not found or None in found:
        return None
    return frozenset(x for basis in found for x in basis or ())


def _in_one_order(query: a.Query, catalog: Catalog) -> Assumptions | None:
    if _is_sorted_by_all(query):
        return frozenset()
    basis = _shows_its_order(query, catalog)
    return _total_by_key(query, catalog) if basis is None else basis


def _is_sorted_by_all(query: a.Query) -> bool:
    """Whether rows that tie show the same."""
    if isinstance(query, a.Select):
        keys = [k.expr for k in query.order_by]
        return all(t.expr in keys and equality_is_identity(t.expr.type) for t in query.targets)
    by = {k.pos for k in query.order_by}
    columns = enumerate(a.output_columns(query))
    return all(i in by and equality_is_identity(c.type) for i, c in columns)


def _by_order(call: a.Aggregate) -> bool:
    return order_sensitive(call) and not ordered_by_value(call)


def _shows_its_order(query: a.Query, catalog: Catalog) -> Assumptions | None:
    """The constraints by which rows that tie look alike: their columns are sorted by or agree where these do,
    and equal values can't be told apart. DISTINCT ON chooses among rows that do not differ by its keys yet.
    """
    if not isinstance(query, a.Select):
        return None
    rows = replace(query, distinct=None)
    facts = Facts(catalog, rows)
    # 1.0 and 1.00 sort as equal and are shown differently, so that ties are seen
    if None in facts.looks(rows):
        return None
    keys = [k.expr for k in query.order_by]
    basis: Assumptions = frozenset()
    for expr in dict.fromkeys(t.expr for t in query.targets):
        found = basis if expr in keys else decided(rows, expr, keys, facts)
        if found is None:
            return None
        basis |= found
    return basis


def _total_by_key(query: a.Query, catalog: Catalog) -> Assumptions | None:
    """The constraints by which the sort keys are a key of the block's rows, those that DISTINCT ON chooses
    from, or of its groups: ``GROUP BY a.id, a.name ORDER BY count(*), a.id`` leaves no ties.
    """
    if not isinstance(query, a.Select):
        return None
    rows = replace(query, distinct=None)
    return Facts(catalog, rows).exprs_determine(rows, [k.expr for k in query.order_by])


def _looseness(
    query: a.Query, *, total: bool = False, windows: bool = False, groups: bool = False, arrays: bool = False
) -> set[str]:
    """What a block leaves to chance, the queries within aside. ``total``, ``windows``, ``groups``,
    ``arrays``: its order, and those of its windows, its aggregates and its arrays of rows, leave no ties.
    """
    found: set[str] = set()
    if not total and not _total(query):
        found.add("tie-order")
    for node in walk_block(query):
        # peers are in one RANGE or GROUPS frame together; ROWS cuts between them
        if isinstance(node, a.WindowCall) and not windows and not _by_value(node):
            found.add("tie-order")
        if isinstance(node, a.Aggregate) and _by_order(node) and not groups:
            found.add("tie-order")
        # ARRAY(SELECT …) holds its rows in the order in which the plan gives them
        if isinstance(node, a.ArraySubquery) and not arrays and not _is_sorted_by_all(node.query):
            found.add("tie-order")
        # (0.1 + 0.2) + 0.3 is another float than 0.1 + (0.2 + 0.3)
        if isinstance(node, a.WindowCall | a.Aggregate) and any(x.type.name in _FLOATS for x in node.args):
            found.add("float-order")
    return found


def _by_value(call: a.WindowCall) -> bool:
    """Whether rows that tie in the window's order get the same value: peers are in its frame together."""
    frame = call.window.frame
    return call.func.is_builtin and call.func.name in _VALUES and frame.mode != "rows" and not frame.exclude


def _total(query: a.Query) -> bool:
    """Whether LIMIT, OFFSET and DISTINCT ON leave no choice among ties."""
    if query.limit is None and query.offset is None:
        # DISTINCT ON without LIMIT keeps one of a group's rows; plain DISTINCT is the empty tuple and chooses
        # nothing
        return not (isinstance(query, a.Select) and query.distinct)
    if isinstance(query, a.Select) and not query.distinct:
        keys = {k.expr for k in query.order_by}
        # each group is one row, and all its keys are sorted by: no two rows tie
        grouped = query.group_by is not None and len(query.group_by) == 1 and set(query.group_by[0]) <= keys
        # a constant is the same in whichever rows are taken
        shown = [t.expr for t in query.targets if not isinstance(t.expr, a.Const | a.Param)]
        return grouped or (set(shown) <= keys and all(equality_is_identity(e.type) for e in shown))
    return False
