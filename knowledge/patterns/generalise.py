"""From a pair of queries to a pattern: what both share becomes a metavariable, what differs stays structure.

Anti-unification (Plotkin 1970; Reynolds 1970) of the pair's two terms: equal conjuncts, FROM items, clauses
and subexpressions are taken out as variables, so that the least general common form of question and answer is
what may vary. Aliases, columns, tables and constants become variables, too. A pattern claims nothing: what it
makes is checked. Must not know servers or units.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from rewright.knowledge.patterns.blocks import (
    OWN,
    aligned,
    apart,
    blocks_of,
    numbered_blocks,
    other_roots,
    partners_of,
    rebuilt,
    root_blocks,
    table_names,
    without,
)
from rewright.knowledge.patterns.naming import Naming, Pair
from rewright.knowledge.patterns.pattern import Pattern
from rewright.knowledge.patterns.terms import CLAUSES, Term, Var, make, mapped, renamed, walk

AGGREGATES = frozenset(
    [
        "count",
        "sum",
        "avg",
        "min",
        "max",
        "bool_and",
        "bool_or",
        "every",
        "array_agg",
        "string_agg",
        "stddev",
        "variance",
        "percentile_disc",
        "percentile_cont",
        "jsonb_agg",
        "json_agg",
    ]
)
_EXPRESSIONS = frozenset(
    [
        "A_Expr",
        "BoolExpr",
        "NullTest",
        "BooleanTest",
        "CaseExpr",
        "CoalesceExpr",
        "MinMaxExpr",
        "TypeCast",
        "FuncCall",
        "SubLink",
        "A_ArrayExpr",
        "A_Indirection",
        "RowExpr",
        "List",
    ]
)
AFTER = 1000


def generalise(before: Term, after: Term, keys: Mapping[str, str] | None = None) -> Pattern | None:
    """The pattern of a pair, or None where the trees are equal or the answer can't be made from the question.

    ``keys``: the key column of each table whose key is one column.
    """
    return _Generaliser(before, after, dict(keys or {})).pattern()


def is_aggregate(term: Term) -> bool:
    if term.kind != "FuncCall":
        return False
    # window functions with OVER are not aggregates of the block, but need its rows as well
    name = term.get("funcname")[-1]
    return isinstance(name, Term) and (name.get("sval") in AGGREGATES or term.get("over") is not None)


class _Generaliser:
    def __init__(self, before: Term, after: Term, keys: dict[str, str]) -> None:
        self.key_columns = keys
        self.tables = {t.get("alias"): t.get("name") for t in walk((before, after)) if t.kind == "Table"}
        self.before = numbered_blocks(before, 0)
        after = apart(before, after)
        primary, self.copies, self.fresh = aligned(before, after)
        self.after = renamed(numbered_blocks(after, AFTER), primary)
        self._roots = {0, *root_blocks(self.after)}
        self._homes: dict[int, list[int]] = {}
        self.tables |= {primary.get(a, a): t for a, t in list(self.tables.items())}

    def pattern(self) -> Pattern | None:
        if self.key(self.before) == self.key(self.after):
            return None
        self._take_out()
        self._expressions()
        self._items()
        if not self._says_something():
            return None
        return self._variables()

    def key(self, node: Any) -> Any:
        """Equal for parts that say the same: without block numbers, copies called like their originals."""
        return renamed(mapped(node, lambda t: t.put(number=None, slots=None, inner=None)), self.copies)

    # ------------------------------------------------------------------ what both blocks hold

    def _take_out(self) -> None:
        """Equal conjuncts, outer joins and clauses of blocks that belong together; slots for what else a
        query has.
        """
        before, after = blocks_of(self.before), blocks_of(self.after)
        partners = partners_of(before, after, self.copies)
        below = {n: set(blocks_of(block)) - {n} for n, block in after.items()}
        new_before: dict[int, Term] = {}
        changes: dict[int, Term] = dict(after)
        slots: defaultdict[int, list[int]] = defaultdict(list)
        inner: defaultdict[int, list[int]] = defaultdict(list)
        for number, block in before.items():
            # mates within another mate are not the outermost
            mates = partners[number]
            outermost = [m for m in mates if not any(m in below[other] for other in mates)]
            for name in ("preds", "lefts"):
                block = self._residual(block, name, mates, changes)
            for mate in self._holders(before[number], mates, outermost, after):
                (slots if mate in outermost else inner)[mate].append(number)
            self._homes[number] = outermost
            block = self._clauses(block, number, (mates, outermost), changes)
            # a block that the answer has too may have further tables and conditions
            new_before[number] = block.put(open=True) if mates else block
        for holders, name in ((slots, "slots"), (inner, "inner")):
            for mate, numbers in holders.items():
                changes[mate] = changes[mate].put(**{name: tuple(numbers)})
        self.before = rebuilt(self.before, new_before)
        self.after = rebuilt(self.after, changes)

    def _residual(self, block: Term, name: str, mates: list[int], changes: dict[int, Term]) -> Term:
        held = {mate: {self.key(p) for p in changes[mate].get(name, ())} for mate in mates}
        shared = {self.key(p) for p in block.get(name, ())} & set().union(*held.values(), set())
        for mate in mates:
            kept = tuple(p for p in changes[mate].get(name, ()) if self.key(p) not in shared)
            changes[mate] = changes[mate].put(**{name: kept})
        return block.put(**{name: tuple(p for p in block.get(name, ()) if self.key(p) not in shared)})

    def _holders(
        self, block: Term, mates: list[int], outermost: list[int], after: dict[int, Term]
    ) -> list[int]:
        """The answer's blocks in which further conditions of this block may belong: the outermost ones, and
        those that hold conditions of it; all where none does.
        """
        conditions = {self.key(p) for p in block.get("preds", ())}
        holding = [m for m in mates if conditions & {self.key(p) for p in after[m].get("preds", ())}]
        # nothing of this block's is found anywhere: its conditions may belong to any of them
        return list(dict.fromkeys((*outermost, *holding))) if holding else mates

    def _clauses(
        self, block: Term, number: int, mates: tuple[list[int], list[int]], changes: dict[int, Term]
    ) -> Term:
        for name in ("targets", *CLAUSES):
            same = [m for m in mates[0] if self.key(changes[m].get(name)) == self.key(block.get(name))]
            # neither has the clause: only where it could not change the pair's sense may a query have it
            if same and (block.get(name) is not None or self._wraps(block, name, same, changes)):
                var = Var("clause", (number, name))
                block = block.put(**{name: var})
                for mate in same:
                    changes[mate] = changes[mate].put(**{name: var})
            elif name == "targets" and mates[1]:
                block = self._some_targets(block, number, mates[1], changes)
        return block

    def _wraps(self, block: Term, name: str, same: list[int], changes: dict[int, Term]) -> bool:
        """Whether a clause that neither has may be there: where it only works on what the block gives."""
        if isinstance(block.get("targets"), Var):
            return True
        # sorting and cutting at the top work on whatever the block gives
        return name in {"sortClause", "limitCount", "limitOffset"} and all(
            changes[m].get("number") == AFTER for m in same
        )

    def _some_targets(self, block: Term, number: int, mates: list[int], changes: dict[int, Term]) -> Term:
        """Where lists of one length agree in some places, only the others are structure."""
        old = block.get("targets")
        for mate in mates:
            new = changes[mate].get("targets")
            if not isinstance(new, tuple) or len(new) != len(old):
                continue
            if (number == 0) != (mate in self._roots):
                # the query's own columns correspond to the answer's own alone
                continue
            if number and [t.get("name") for t in old] != [t.get("name") for t in new]:
                # names of inner columns are read outside: they must be the same
                continue
            differ = [i for i in range(len(old)) if self.key(old[i]) != self.key(new[i])]
            # one differing column of a single one is the same case: others may stand beside it
            if 0 < len(differ) < len(old) or len(old) == 1:
                changes[mate] = changes[mate].put(
                    targets=make("Targets", of=number, those=tuple(new[i].get("expr") for i in differ))
                )
                return block.put(
                    targets=make("Targets", of=number, those=tuple(old[i].get("expr") for i in differ))
                )
        return block

    # ------------------------------------------------------------------ shared expressions, FROM items

    def _expressions(self) -> None:
        """Largest common subexpressions become variables; aggregates stay, for only they make groups."""
        shared = self._candidates(self.before) & self._candidates(self.after)
        names: dict[Any, Var] = {}

        def visit(node: Any) -> Any:
            if isinstance(node, tuple):
                return tuple(visit(part) for part in node)
            if not isinstance(node, Term):
                return node
            key = self.key(node)
            if _is_expression(node) and key in shared:
                sort = "list" if node.kind == "List" else "expr"
                return names.setdefault(key, Var(sort, len(names)))
            return Term(node.kind, tuple((name, visit(value)) for name, value in node.fields))

        self.before, self.after = visit(self.before), visit(self.after)

    def _candidates(self, root: Term) -> set[Any]:
        return {self.key(term) for term in walk(root) if _is_expression(term)}

    def _items(self) -> None:
        """FROM items that both have and nothing needs beside their columns are left to the query."""
        before, after = blocks_of(self.before), blocks_of(self.after)
        counts = [Counter(table_names(side)) for side in (self.before, self.after)]
        gone: set[str] = set()
        for number, block in before.items():
            for item in block.get("items"):
                homes = self._homes[number] and all(
                    item in after[m].get("items") for m in self._homes[number]
                )
                name = item.get("name")
                # a table that occurs once on either side needs no copy to be told apart
                plain = item.kind == "Sub" or all(count[name] <= 1 for count in counts)
                # copies are compared with their original, which has to stay
                if homes and item.kind in OWN and plain and item.get("alias") not in self.copies.values():
                    gone.add(item.get("alias"))
        self.before, self.after = (without(side, gone) for side in (self.before, self.after))

    def _says_something(self) -> bool:
        return any(
            block.get(name)
            for block in (*blocks_of(self.before).values(), *other_roots(self.before))
            for name, value in block.fields
            if name not in {"number", "open"} and not isinstance(value, Var)
        )

    # ------------------------------------------------------------------ variables

    def _variables(self) -> Pattern | None:
        pair = Pair(self.before, self.after, self.tables, self.copies, self.fresh, self.key_columns)
        names = Naming(pair)
        before = names.before(self.before)
        after = names.after(self.after)
        if after is None:
            return None
        before, after = _folded(before, after)
        return Pattern(
            before, after, tuple(self.fresh), dict(self.copies), frozenset(names.keys), self._tables()
        )

    def _tables(self) -> dict[str, str]:
        return {alias: table for alias, table in self.tables.items() if isinstance(table, str)}


def _folded(before: Term, after: Term) -> tuple[Term, Term]:
    """Where all columns that differ change in one way, one of them says it."""
    old, new = before.get("targets"), after.get("targets")
    if not (isinstance(old, Term) and isinstance(new, Term)) or len(old.get("those")) < 2:
        return before, after
    pairs = list(zip(old.get("those"), new.get("those"), strict=True))
    # the same change of each column, variables numbered anew
    if len({Pattern(make("One", it=b), make("One", it=a)).form for b, a in pairs}) > 1:
        return before, after
    first = pairs[0]
    return (
        before.put(targets=old.put(those=first[:1])),
        after.put(targets=new.put(those=first[1:])),
    )


def _is_expression(term: Term) -> bool:
    if term.kind not in _EXPRESSIONS or is_aggregate(term):
        return False
    # an aggregate within a subquery is the subquery's own
    return not any(is_aggregate(t) for t in walk(term)) or term.kind == "SubLink"
