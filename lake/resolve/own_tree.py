"""The client's query as PostgreSQL parses it, with names and tables put into that very tree.

What the resolver put in the place of a mark of its tree (`marks`) is put into pglast's tree of the same text,
FROM and the conditions of joins are exchanged, and all else of that tree stays as it was parsed.

Owns what of the resolver's tree is put where. Must not choose names.
docs/decisions/0620-resolved-queries-keep-the-clients-tree.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pglast import ast, enums
from pglast.error import Error as PglastError
from pglast.stream import RawStream
from sqlglot import exp

from rewright.lake.resolve.words_kept import (
    LEAF,
    SELECT,
    NotRestored,
    added_only,
    difference,
    is_node,
    last_name,
    words_of,
)
from rewright.sql.parsing import TooDeep, nodes_of, parse

_TURNED = frozenset({enums.JoinType.JOIN_RIGHT, enums.JoinType.JOIN_FULL})
_INSENSITIVE = {"~~": "~~*", "!~~": "!~~*"}


@dataclass(slots=True)
class SiteEdit:
    """What was done to the FROM and WHERE of one SELECT (``select``, in the resolver's tree): conditions that
    WHERE got, and joins of imagined columns that it lost, each by the marks of its two sides.
    """

    select: exp.Select
    added: list[exp.Expression] = field(default_factory=list)
    dropped: set[tuple[int, int]] = field(default_factory=set)


def restored(query: str, text: str, tree: exp.Expression, sites: Sequence[SiteEdit]) -> str:
    """The resolved query in PostgreSQL's dialect: the client's (``query``; ``text``: with its marks), changed
    where the resolver's tree was.

    :raises NotRestored: a change has no place in it, or something else would have changed.
    """
    try:
        putting = _Putting(parse(text)[0].stmt, tree, sites)
        statement = putting.done()
        printed = str(RawStream()(statement))
        # Printed and read again: whatever the printer may have changed or lost shows in the comparison.
        again = parse(printed)[0].stmt
        if told := difference(
            words_of(parse(query)[0].stmt), words_of(again), putting.removed, putting.added
        ):
            raise NotRestored(told)
        return printed
    except (PglastError, TooDeep, RecursionError, NotImplementedError) as error:
        raise NotRestored("a query of this form") from error


class _Putting:
    """One tree of PostgreSQL's that is changed in place."""

    def __init__(self, statement: Any, tree: exp.Expression, sites: Sequence[SiteEdit]) -> None:
        self._statement = statement
        self._sites = {site.select.meta.get("select"): site for site in sites}
        # without a mark it is not found again in PostgreSQL's tree
        if None in self._sites:
            raise NotRestored("a query of this form")
        self._leaves: dict[int, exp.Expression] = {}
        self._pairs: dict[tuple[int, int], exp.Expression] = {}
        self._likes: set[int] = set()
        self.removed = words_of(())
        self.added = words_of(())
        # names as PostgreSQL folds them, to find an alias again that the other parser kept in capitals
        self._aliases = {
            alias
            for node in nodes_of(statement)
            if isinstance(node, (ast.RangeVar, ast.RangeSubselect))
            for alias in [node.alias.aliasname if node.alias else getattr(node, "relname", "")]
        }
        self._read(tree)

    def done(self) -> Any:
        """The changed tree."""
        return self._put(self._statement)

    def _read(self, tree: exp.Expression) -> None:
        """What is to be put, by marks; the outermost node of a mark is what stands in its place."""
        # conditions of WHERE were put there whole and are placed by `_where`
        ours = {id(one) for site in self._sites.values() for one in site.added}
        stack: list[exp.Expression] = [tree]
        while stack:
            node = stack.pop()
            if node.meta.get("made"):
                if "leaf" in node.meta:
                    # the walk goes from the outside in, so the first of a mark is the outermost
                    self._leaves.setdefault(node.meta["leaf"], node)
                elif "pair" in node.meta:
                    self._pairs[node.meta["pair"]] = node
                elif "like" in node.meta:
                    self._likes.add(node.meta["like"])
                elif not isinstance(node, (exp.Join, exp.Table, exp.CTE)) and id(node) not in ours:
                    # what was made and has no mark has no place in the client's tree
                    raise NotRestored("a change of a literal of this form")
                # What was put stands as a whole: marks within it are those of parts it has replaced.
                if not isinstance(node, (exp.Join, exp.ILike)):
                    continue
            stack += _read_on(node)

    # --- the walk -------------------------------------------------------------------------------------

    def _put(self, node: Any) -> Any:
        if isinstance(node, (tuple, list)):
            return tuple(self._put(one) for one in node)
        if not is_node(node):
            return node
        # marks are calls of functions with the marked node as their argument
        if (leaf := _leaf(node)) is not None:
            return self._placed(self._leaves.get(leaf), node.args[0])
        if isinstance(node, ast.A_Expr):
            changed = self._comparison(node)
            if changed is not node:
                # a comparison that was exchanged is not walked: its parts belong to what it was
                return changed
        if isinstance(node, ast.SelectStmt):
            self._select(node)
        for name in node:
            value = getattr(node, name)
            if isinstance(value, (tuple, list, ast.Node)):
                setattr(node, name, self._put(value))
        return node

    def _placed(self, new: exp.Expression | None, old: Any) -> Any:
        """What stands in the place of a node."""
        # nothing was put for this mark: the mark goes, and its node stays
        if new is None:
            return old
        return self._exchanged(old, self._expression(new))

    def _exchanged(self, old: Any, new: Any) -> Any:
        added_only(new)
        self.removed.update(words_of(old))
        self.added.update(words_of(new))
        return new

    def _comparison(self, node: Any) -> Any:
        sides = _sides(node)
        if sides is not None and (new := self._pairs.get(sides)) is not None:
            return self._placed(new, node)
        name = last_name(node)
        # LIKE became ILIKE, as a value of other case was meant
        if name in _INSENSITIVE and self._likes & _leaves(node.rexpr):
            self.removed.update(words_of(ast.A_Expr(kind=node.kind, name=node.name)))
            node.kind = enums.A_Expr_Kind.AEXPR_ILIKE
            node.name = (ast.String(_INSENSITIVE[name]),)
            self.added.update(words_of(ast.A_Expr(kind=node.kind, name=node.name)))
        return node

    # --- one SELECT -----------------------------------------------------------------------------------

    # of every SELECT the mark is taken out, also of those that were not rewritten
    def _select(self, node: Any) -> None:
        mark = next((m for one in node.targetList or () if (m := _select_mark(one)) is not None), None)
        if mark is None:
            return
        node.targetList = tuple(one for one in node.targetList if _select_mark(one) is None)
        self._name_outputs(node)
        self._number_groups(node)
        site = self._sites.get(mark)
        if site is None:
            return
        old = node.fromClause
        # without an edit WHERE is left as it was parsed, with all that this module cannot print
        if site.added or site.dropped:
            self._where(node, site, old)
        self.removed.update(words_of(old))
        node.fromClause = (self._from(site.select, old),)
        self.added.update(words_of(node.fromClause))

    def _where(self, node: Any, site: SiteEdit, old: Any) -> None:
        """The client's conditions but those that joined imagined columns, and those of the resolver."""
        kept = [one for one in _conjuncts(node.whereClause) if _sides(one) not in site.dropped]
        self.removed.update(words_of(node.whereClause))
        node.whereClause = _together([*kept, *(self._condition(one, old) for one in site.added)])
        self.added.update(words_of(node.whereClause))

    def _name_outputs(self, node: Any) -> None:
        """Keep the client's column names: a column without an alias has its own as one."""
        targets: Any = node.targetList
        for target in targets:
            leaf = _leaf(target.val)
            if target.name is None and leaf is not None and (fields := _fields(target.val)):
                target.name = fields[-1].sval

    def _number_groups(self, node: Any) -> None:
        """GROUP BY an alias: by its place, for a real column of that name would come first."""
        # only names that are written: an expression has none that GROUP BY could say
        named = {target.name: i for i, target in enumerate(node.targetList, 1) if target.name}
        groups = []
        for one in node.groupClause or ():
            leaf = _leaf(one)
            fields: Any = _fields(one) if leaf is not None else ()
            # a column that was replaced is no alias any more
            if leaf is not None and leaf not in self._leaves and len(fields) == 1 and fields[0].sval in named:
                place = ast.A_Const(isnull=False, val=ast.Integer(named[fields[0].sval]))
                groups.append(self._exchanged(one, place))
            else:
                groups.append(one)
        if groups:
            node.groupClause = tuple(groups)

    def _condition(self, node: exp.Expression, old: Any) -> Any:
        """A condition that WHERE or a join got: the resolver's own, or one of the client's joins."""
        if node.meta.get("made"):
            new = self._expression(node)
            added_only(new)
            return new
        wanted = _marks(node)
        for join in nodes_of(old):
            if isinstance(join, ast.JoinExpr) and join.quals is not None:
                for one in _conjuncts(join.quals):
                    # the same marks on both trees: the client's condition as PostgreSQL parsed it
                    if wanted and _leaves(one) == wanted:
                        return one
        raise NotRestored("a condition of this form in a join")

    # --- FROM -----------------------------------------------------------------------------------------

    def _from(self, select: exp.Select, old: Any) -> Any:
        if any(isinstance(node, (ast.RangeTableSample, ast.RangeFunction)) for node in old):
            raise NotRestored("a function in FROM")
        # The resolver writes LEFT and inner joins only: which side is kept would have to be turned.
        if any(isinstance(node, ast.JoinExpr) and node.jointype in _TURNED for node in nodes_of(old)):
            raise NotRestored("RIGHT or FULL JOIN")
        source = select.args.get("from_") or select.args.get("from")
        if source is None:
            raise NotRestored("a query of this form")
        found = self._source(source.this, old)
        for join in select.args.get("joins") or ():
            found = self._join(found, join, old)
        return found

    def _join(self, left: Any, join: exp.Join, old: Any) -> Any:
        right = self._source(join.this, old)
        if join.meta.get("made"):
            on = join.args.get("on")
            conditions = [self._condition(one, old) for one in _parts(on)] if on is not None else []
            kind = "LEFT" if (join.side or "").upper() == "LEFT" else ""
            return _joined(left, right, kind, quals=_together(conditions))
        alias = join.this.alias_or_name
        written = next(
            (
                node
                for node in nodes_of(old)
                if isinstance(node, ast.JoinExpr) and self._folded(alias) == _alias(node.rarg)
            ),
            None,
        )
        # the two parsers agree about aliases, so one that is not found was in a plain list
        # it stood first or in a list in FROM, without a condition of its own
        if written is None:
            return _joined(left, right, "")
        # real columns of one name are others than those that the client saw
        if written.isNatural:
            raise NotRestored("NATURAL JOIN")
        return ast.JoinExpr(
            jointype=written.jointype, isNatural=False, larg=left, rarg=right,
            usingClause=written.usingClause, quals=written.quals,
        )  # fmt: skip

    def _source(self, node: exp.Expression, old: Any) -> Any:
        """An item of FROM: a real table, or what the client wrote there."""
        if node.meta.get("made") and isinstance(node, exp.Table):
            # without an alias the table's own name is the one that columns are qualified with
            named = ast.Alias(aliasname=self._folded(node.alias)) if node.alias else None
            return ast.RangeVar(relname=node.name, inh=True, relpersistence="p", alias=named)
        alias = self._folded(node.alias_or_name)
        for one in nodes_of(old):
            if isinstance(one, (ast.RangeVar, ast.RangeSubselect)) and _alias(one) == alias:
                return one
        raise NotRestored("an item of FROM of this form")

    # --- small conversions ----------------------------------------------------------------------------

    def _expression(self, node: exp.Expression) -> Any:
        """What the resolver made, as PostgreSQL parses it."""
        copy = node.copy()
        for column in copy.find_all(exp.Column):
            # qualifiers as this tree spells them; quoted, as they are names already
            if (table := column.args.get("table")) is not None:
                table.set("this", self._folded(table.name))
                table.set("quoted", True)
        return parse(f"SELECT {copy.sql(dialect='postgres')}")[0].stmt.targetList[0].val

    def _folded(self, alias: str) -> str:
        """The client's alias as PostgreSQL has it, which writes unquoted ones in lower case."""
        return alias.lower() if alias not in self._aliases and alias.lower() in self._aliases else alias


def _read_on(node: exp.Expression) -> Iterator[exp.Expression]:
    """The nodes below one; of a join that the resolver made, of its condition only the client's parts."""
    for key, value in node.args.items():
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, exp.Expression):
                continue
            # the resolver's part of a condition is its own; only the client's parts carry marks to be read
            if key == "on" and node.meta.get("made"):
                yield from (part for part in _parts(child) if not part.meta.get("made"))
            else:
                yield child


def _marks(node: exp.Expression) -> set[int]:
    found: set[int] = set()
    for one in node.walk():
        if "leaf" in one.meta:
            found.add(one.meta["leaf"])
        found.update(one.meta.get("pair", ()))
    return found


def _parts(node: exp.Expression) -> list[exp.Expression]:
    if node.meta.get("made"):
        return [node]
    inner = node.unnest()
    # brackets around a conjunction change nothing
    if isinstance(inner, exp.And):
        return [*_parts(inner.this), *_parts(inner.expression)]
    return [node]


def _mark(node: Any, kind: str) -> int | None:
    if not isinstance(node, ast.FuncCall):
        return None
    name = last_name(node)
    return int(name.removeprefix(kind)) if name.startswith(kind) else None


def _leaf(node: Any) -> int | None:
    return _mark(node, LEAF)


def _fields(marked: Any) -> Any:
    """The parts of a marked column's name; none of a literal's."""
    return getattr(marked.args[0], "fields", ())


def _select_mark(target: Any) -> int | None:
    return _mark(target.val, SELECT)


def _leaves(node: Any) -> set[int]:
    return {mark for one in nodes_of(node) if (mark := _leaf(one)) is not None}


def _conjuncts(node: Any) -> tuple[Any, ...]:
    if node is None:
        return ()
    if isinstance(node, ast.BoolExpr) and node.boolop == enums.BoolExprType.AND_EXPR:
        args: Any = node.args
        return tuple(one for arg in args for one in _conjuncts(arg))
    return (node,)


def _together(conditions: Sequence[Any]) -> Any:
    if len(conditions) < 2:
        # a BoolExpr of one argument is no tree that PostgreSQL makes
        return conditions[0] if conditions else None
    return ast.BoolExpr(boolop=enums.BoolExprType.AND_EXPR, args=tuple(conditions))


def _joined(left: Any, right: Any, side: str, quals: Any = None) -> Any:
    kind = enums.JoinType.JOIN_LEFT if side else enums.JoinType.JOIN_INNER
    return ast.JoinExpr(jointype=kind, isNatural=False, larg=left, rarg=right, quals=quals)


def _sides(node: Any) -> tuple[int, int] | None:
    """The marks of the two columns that an equality compares."""
    if not isinstance(node, ast.A_Expr) or last_name(node) != "=":
        return None
    # an equality with anything else than two columns joined no imagined ones
    left, right = _leaf(node.lexpr), _leaf(node.rexpr)
    return (left, right) if left is not None and right is not None else None


def _alias(node: Any) -> str:
    alias = getattr(node, "alias", None)
    return str(alias.aliasname if alias is not None else getattr(node, "relname", "") or "")
