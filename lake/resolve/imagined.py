"""Reads what a query imagines: its tables, their columns, and what it does with them.

Owns reading the user's statement (a sqlglot tree). Must not know the lake, except which names are real
tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from rewright.lake import names
from rewright.lake.catalog.model import Column
from rewright.lake.resolve.marks import carry

# what only numbers can be put into
_NUMERIC_AGGREGATES = (exp.Sum, exp.Avg, exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.Median)
_COMPARE = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
# with the literal on the left the comparison is read the other way round
_FLIP = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE}


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of a column with a literal: `op` is =, <>, <, <=, >, >=, like; `node` the literal in the
    tree.
    """

    op: str
    value: Any
    # the literal's node stays, as a corrected value is put in its place
    node: exp.Expression


@dataclass(slots=True, eq=False)
class ImaginedColumn:
    """A column as imagined: every place it stands, and what is expected of it."""

    relation: str
    table: str
    name: str
    nodes: list[exp.Column] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    numeric: bool = False
    text: bool = False
    dated: bool = False
    truth: bool = False
    shown: bool = False
    grouped: bool = False
    own_reference: bool = False
    fractional: bool = False
    """Is its sum rounded to fractions, which that of whole numbers has none of?"""
    extreme: bool = False
    """Asked for its greatest or least value."""
    measured: bool = False
    """Is it compared with another column as to which is greater?"""
    sorted: bool = False
    joined: list[tuple[str, str]] = field(default_factory=list)
    # until a use is found that needs the column itself; keys that only join are replaced by the real ones
    only_key: bool = True

    @property
    def words(self) -> str:
        return names.expanded(self.name)


@dataclass(slots=True, eq=False)
class Relation:
    """One base table reference of a SELECT. `twins`: further references to the same table, whose columns are
    noted here, too.
    """

    alias: str
    name: str
    node: exp.Table
    outer: bool = False
    # the first reference speaks for all; each keeps its alias in the tree
    twins: list[exp.Table] = field(default_factory=list)
    columns: dict[str, ImaginedColumn] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Site:
    """One SELECT with at least one base table. `loose`: unqualified columns of a
    SELECT with several tables.
    """

    select: exp.Select
    relations: list[Relation]
    loose: dict[str, ImaginedColumn] = field(default_factory=dict)
    counted: bool = False
    """Are the rows of groups counted?"""

    def columns(self) -> list[ImaginedColumn]:
        return [*(c for r in self.relations for c in r.columns.values()), *self.loose.values()]


def sites_of(tree: exp.Expression) -> list[Site]:
    """The SELECTs over base tables, in the order they stand, with their columns sorted out."""
    sites: dict[int, Site] = {}
    for select in tree.find_all(exp.Select, bfs=False):
        relations = _relations(select)
        # a SELECT over subqueries alone asks nothing of the lake
        if relations:
            sites[id(select)] = Site(select, relations, counted=_counted(select))
    places = _Places()
    for column in list(tree.find_all(exp.Column)):
        _place(column, sites, places)
    _share_uses(list(sites.values()))
    return list(sites.values())


def _share_uses(sites: list[Site]) -> None:
    """What one SELECT calculates with another one names is a number there, too: `price > (SELECT avg(price)
    ...)`.
    """
    same: dict[tuple[str, str], list[ImaginedColumn]] = {}
    for site in sites:
        for relation in site.relations:
            for name, column in relation.columns.items():
                same.setdefault((relation.name.lower(), name), []).append(column)
    # a column of one table that is calculated with anywhere is a number everywhere
    for columns in same.values():
        for flag in ("numeric", "dated"):
            if any(getattr(c, flag) for c in columns):
                for c in columns:
                    setattr(c, flag, True)


def _counted(select: exp.Select) -> bool:
    return any(
        isinstance(count.this, exp.Star) for item in select.expressions for count in item.find_all(exp.Count)
    )


def _relations(select: exp.Select) -> list[Relation]:
    found: dict[str, Relation] = {}
    for table, outer in _base_tables(select):
        if _is_cte(table):
            continue
        # two references to one table share its columns
        if table.name.lower() in found:
            found[table.name.lower()].twins.append(table)
        else:
            found[table.name.lower()] = Relation(table.alias_or_name, table.name, table, outer)
    return list(found.values())


def output_names(select: exp.Expression) -> list[str]:
    """Column names a query gives, in order; `*` where it is a star."""
    # a set operation is named by its first SELECT, as in SQL
    while isinstance(select, (exp.SetOperation, exp.Subquery)):
        select = select.this
    return [e.alias_or_name or "" for e in select.expressions] if isinstance(select, exp.Select) else []


def _base_tables(select: exp.Select) -> Iterator[tuple[exp.Table, bool]]:
    source = select.args.get("from_") or select.args.get("from")
    if source is not None and isinstance(source.this, exp.Table):
        yield source.this, False
    for join in select.args.get("joins") or ():
        if isinstance(join.this, exp.Table):
            # a join padded with NULLs on either side, whose conditions must stay in it
            yield join.this, (join.side or "").upper() in {"LEFT", "RIGHT", "FULL"}


def _is_cte(table: exp.Table) -> bool:
    # A qualified name is never a CTE's.
    if table.db or isinstance(table.this, exp.Func):
        return isinstance(table.this, exp.Func)
    node: exp.Expression | None = table
    # outwards: a CTE of an enclosing statement is seen by inner ones, too
    while node is not None:
        with_ = node.args.get("with_") or node.args.get("with")
        if with_ is not None and any(cte.alias.lower() == table.name.lower() for cte in with_.expressions):
            return True
        node = node.parent
    return False


class _Places:
    """The nearest SELECT of each node of a tree and the clause of it that the node is in.

    Remembered on the way up: a condition of thousands of parts is as deep as it is long.
    """

    # ids of the nodes, which live as long as the tree does
    def __init__(self) -> None:
        self._known: dict[int, tuple[exp.Select | None, str]] = {}

    def of(self, node: exp.Expression) -> tuple[exp.Select | None, str]:
        passed: list[int] = []
        here = node
        while id(here) not in self._known:
            passed.append(id(here))
            parent = here.parent
            # the arg under which the SELECT holds it is the clause: `where`, `group`, `expressions`
            if parent is None or isinstance(parent, exp.Select):
                self._known[id(here)] = (parent, str(here.arg_key or ""))
            else:
                here = parent
        found = self._known[id(here)]
        self._known.update(dict.fromkeys(passed, found))
        return found


def _place(node: exp.Column, sites: dict[int, Site], places: _Places) -> None:
    """Attach a column to the relation it means."""
    select, clause = places.of(node)
    # `*` names no column
    if select is None or isinstance(node.this, exp.Star):
        return
    qualifier = node.table
    home = select
    # from the innermost SELECT outwards, as SQL looks names up
    while home is not None:
        site = sites.get(id(home))
        if qualifier:
            relation = _by_alias(site, qualifier)
            if relation is not None and site is not None:
                _note(relation, node, places)
                return
            # A subquery or CTE of that name: what it gives is its own SELECT's affair.
            if _derived(home, qualifier):
                return
        else:
            # an output's alias is looked for only in the SELECT of the node itself
            if home is select and _is_output_alias(node, select, clause):
                return
            if (source := _derived_output(home, node.name)) is not None:
                # a real table that comes into the query may have a column of that name, too
                if source:
                    # qualified now, before real tables come in that have such a column of their own
                    node.set("table", exp.to_identifier(source))
                    carry(node, node)
                return
            if site is not None:
                if len(site.relations) == 1:
                    _note(site.relations[0], node, places)
                else:
                    column = site.loose.setdefault(node.name.lower(), ImaginedColumn("", "", node.name))
                    column.nodes.append(node)
                    _read_use(column, node, frozenset(), places)
                return
        # A name that this SELECT does not have may be an enclosing one's (a correlated subquery).
        home = home.parent_select


def _by_alias(site: Site | None, alias: str) -> Relation | None:
    if site is None:
        return None
    # a column of a twin is a column of its table
    wanted = alias.lower()
    return next(
        (
            r
            for r in site.relations
            if wanted in {r.alias.lower(), *(t.alias_or_name.lower() for t in r.twins)}
        ),
        None,
    )


def _sources(select: exp.Select) -> Iterator[exp.Expression]:
    source = select.args.get("from_") or select.args.get("from")
    if source is not None:
        yield source.this
    for join in select.args.get("joins") or ():
        yield join.this


def _derived(select: exp.Select, alias: str) -> bool:
    return any(
        s.alias_or_name.lower() == alias.lower() and (not isinstance(s, exp.Table) or _is_cte(s))
        for s in _sources(select)
    )


def _derived_output(select: exp.Select, name: str) -> str | None:
    """The alias of the subquery or CTE in FROM that gives a column of that name. None: there is none."""
    for source in _sources(select):
        body: exp.Expression | None = None
        if isinstance(source, exp.Subquery):
            body = source.this
        elif isinstance(source, exp.Table) and _is_cte(source):
            body = _cte_body(source)
        # what the subquery gives by that name
        if body is not None and name.lower() in {n.lower() for n in output_names(body)}:
            return str(source.alias_or_name)
    return None


def _cte_body(table: exp.Table) -> exp.Expression | None:
    node: exp.Expression | None = table
    while node is not None:
        with_ = node.args.get("with_") or node.args.get("with")
        for cte in with_.expressions if with_ is not None else ():
            if cte.alias.lower() == table.name.lower():
                body: exp.Expression = cte.this
                return body
        node = node.parent
    return None


def _is_output_alias(node: exp.Column, select: exp.Select, clause: str) -> bool:
    """`ORDER BY total`, and `GROUP BY`/`HAVING` on the alias of an expression, mean
    the output, not a column.
    """
    aliases = {e.alias.lower(): e for e in select.expressions if isinstance(e, exp.Alias)}
    found = aliases.get(node.name.lower())
    # in ORDER BY an output's name goes before a column's
    if (
        clause == "order"
        and not node.table
        and (found is not None or node.name.lower() in {e.alias_or_name.lower() for e in select.expressions})
    ):
        return True
    # unlike in ORDER BY, a column goes before an alias in GROUP BY, where there is one
    if found is None or clause not in {"group", "having", "qualify"} or isinstance(found.this, exp.Column):
        return False
    # an alias that stands within its own expression means the column there
    return not any(c.name.lower() == node.name.lower() for c in found.this.find_all(exp.Column))


def _is_ordered_by(node: exp.Column, select: exp.Select | None) -> bool:
    """Is the column given out as it is, under a name that the rows are ordered by?"""
    item = node.parent if isinstance(node.parent, exp.Alias) else node
    order = select.args.get("order") if select is not None and item.parent is select else None
    named = item.alias_or_name.lower()
    return order is not None and any(
        isinstance(term.this, exp.Column) and not term.this.table and term.this.name.lower() == named
        for term in order.expressions
    )


def _note(relation: Relation, node: exp.Column, places: _Places) -> None:
    column = relation.columns.setdefault(
        node.name.lower(), ImaginedColumn(relation.alias, relation.name, node.name)
    )
    column.nodes.append(node)
    # only a table that is joined with itself needs its aliases told apart
    same = (
        frozenset({relation.alias.lower(), *(t.alias_or_name.lower() for t in relation.twins)})
        if relation.twins
        else frozenset()
    )
    _read_use(column, node, same, places)


def _read_use(column: ImaginedColumn, node: exp.Column, same: frozenset[str], places: _Places) -> None:
    """What the column is used for; `same`: aliases of one table, joined with itself."""
    select, clause = places.of(node)
    # in an aggregate the column is calculated with, not shown
    column.shown |= clause == "expressions" and node.find_ancestor(exp.AggFunc) is None
    column.grouped |= clause == "group"
    column.sorted |= clause == "order" or (clause == "expressions" and _is_ordered_by(node, select))
    parent = node.parent
    # What stands around a column and leaves it what it is: the comparison is with what is inside.
    wrapped: exp.Expression = node
    # case and type are changed, but it is still the column that is compared
    while isinstance(
        parent, (exp.Paren, exp.Lower, exp.Upper, exp.Trim, exp.Cast, exp.TryCast, exp.Distinct)
    ):
        wrapped, parent = parent, parent.parent
    if isinstance(parent, exp.EQ) and _is_join(parent, same):
        other = parent.expression if parent.this is wrapped else parent.this
        _read_join(column, node, other, select)
        return
    column.only_key = False
    column.own_reference |= isinstance(parent, exp.EQ) and _refers_to_itself(parent, same)
    _read_operation(column, wrapped, parent)


def _read_join(
    column: ImaginedColumn, node: exp.Column, other: exp.Expression, select: exp.Select | None
) -> None:
    """The column is joined with `other`, a column of another relation."""
    if select is not None and other.table and _derived(select, other.table):
        # a subquery's column is none of the lake's: what is compared with it must be found, a bare key by
        # its name
        column.only_key = False
        if set(names.words(column.name)) <= names.KEY_WORDS:
            column.name = other.name
        return
    if not column.relation or node.table.lower() in {"", column.relation.lower()}:
        # what another reference to the same table is joined on is that one's affair
        column.joined.append((other.table, other.name))


def _read_operation(column: ImaginedColumn, wrapped: exp.Expression, parent: exp.Expression | None) -> None:
    """What the test or computation around the column says of its values."""
    if isinstance(parent, _COMPARE):
        _read_comparison(column, wrapped, parent)
    elif isinstance(parent, exp.In) and parent.this is wrapped:
        # each of a list is a test of its own: one that fails says as much
        for item in parent.expressions:
            _add_test(column, "=", item)
    elif isinstance(parent, exp.Between) and parent.this is wrapped:
        _add_test(column, ">=", parent.args["low"])
        _add_test(column, "<=", parent.args["high"])
    elif isinstance(parent, (exp.Like, exp.ILike)) and parent.this is wrapped:
        column.text = True
        _add_test(column, "like", parent.expression)
    elif isinstance(parent, (_NUMERIC_AGGREGATES, exp.Mul, exp.Div, exp.Round, exp.Abs, exp.Sub, exp.Add)):
        # arithmetic needs numbers; a difference of dates is told apart by its tests
        column.numeric = True
        column.fractional |= isinstance(parent, exp.Sum) and _rounded(parent)
    elif isinstance(parent, (exp.Max, exp.Min)):
        column.extreme = True
    elif isinstance(parent, (exp.Extract, exp.Year, exp.Month, exp.Day, exp.DateTrunc, exp.TimestampTrunc)):
        column.dated = True
    elif isinstance(parent, (exp.Where, exp.And, exp.Or, exp.Not, exp.Having)):
        column.truth = True


def _rounded(total: exp.Expression) -> bool:
    """`round(sum(x), 2)`: is it rounded to digits behind the point?"""
    above = total.parent
    while isinstance(above, (exp.Paren, exp.Cast, exp.TryCast)):
        above = above.parent
    digits = above.args.get("decimals") if isinstance(above, exp.Round) else None
    # without digits behind the point the sum may be of whole numbers
    return isinstance(digits, exp.Literal) and not digits.is_string and _number(digits.this) > 0


def _is_join(node: exp.EQ, same: frozenset[str]) -> bool:
    return (
        isinstance(node.this, exp.Column)
        and isinstance(node.expression, exp.Column)
        # `=` between columns of two tables; any other comparison needs their values
        and node.this.table != node.expression.table
        # a table joined with itself: its own columns say how
        and not {node.this.table.lower(), node.expression.table.lower()} <= same
    )


def _refers_to_itself(node: exp.EQ, same: frozenset[str]) -> bool:
    """`e.manager = boss.id` of one table under two names."""
    sides = (node.this, node.expression)
    return (
        all(isinstance(side, exp.Column) and side.table.lower() in same for side in sides)
        and node.this.table.lower() != node.expression.table.lower()
        and node.this.name.lower() != node.expression.name.lower()
    )


_OPS = {exp.EQ: "=", exp.NEQ: "<>", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<="}


def _read_comparison(column: ImaginedColumn, wrapped: exp.Expression, parent: exp.Expression) -> None:
    if parent.this is wrapped:
        _add_test(column, _OPS[type(parent)], parent.expression)
    else:
        flipped: Callable[[type], type] = lambda kind: _FLIP.get(kind, kind)  # noqa: E731 - a variable with the type that mypy cannot infer
        _add_test(column, _OPS[flipped(type(parent))], parent.this)


def _add_test(column: ImaginedColumn, op: str, node: exp.Expression) -> None:
    # `a.x > b.y` has no literal, but says that both are measures
    if isinstance(node, exp.Column):
        # names and codes are compared for being equal, only measures for being greater
        column.measured |= op not in {"=", "<>"}
    elif isinstance(node, exp.Boolean):
        column.truth = True
        column.tests.append(Test(op, bool(node.this), node))
    elif isinstance(node, exp.Literal):
        if node.is_string:
            column.tests.append(Test(op, node.this, node))
            column.text = True
        else:
            # numbers keep being numbers, so that they are not matched like texts
            column.tests.append(Test(op, _number(node.this), node))
    elif isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        column.tests.append(Test(op, -_number(node.this.this), node))
    elif isinstance(node, (exp.Cast, exp.Date, exp.TsOrDsToDate)) and isinstance(node.this, exp.Literal):
        # DATE '2020-01-01' and casts of texts: a day is meant
        column.dated = True
        column.tests.append(Test(op, node.this.this, node.this))
    # compared with a total or a product it is a number
    elif isinstance(node, (exp.Avg, exp.Sum, exp.Mul, exp.Div)):
        column.numeric = True
    elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select) and node.this.expressions:
        # a subquery of one number compares with a number
        column.numeric |= isinstance(node.this.expressions[0].unalias(), (*_NUMERIC_AGGREGATES, exp.Count))


def is_called(imagined: ImaginedColumn, real: Column) -> bool:
    """Is it asked for by its very name?"""
    return imagined.name.lower() == real.name.lower()


def _number(text: str) -> float | int:
    value = float(text)
    # 1e3 and 1.0 stay fractions, as they were written
    return int(value) if value.is_integer() and "." not in text and "e" not in text.lower() else value
