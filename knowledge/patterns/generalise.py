"""From a pair of queries to a pattern: what both share becomes a metavariable, what differs stays structure.

Anti-unification (Plotkin 1970; Reynolds 1970) of the pair's two terms: equal conjuncts, FROM items, clauses and
subexpressions are taken out as variables, so that the least general common form of question and answer is what may
vary. Aliases, columns, tables and constants become variables, too. A pattern claims nothing: what it makes is checked.
Must not know servers or units.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from knowledge.patterns.constants import derivation_of, is_special
from knowledge.patterns.terms import CLAUSES, Term, Var, make, mapped, renamed, walk

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
_OWN = {"Table", "Sub"}
AFTER = 1000


@dataclass(frozen=True, slots=True)
class Pattern:
    """``before`` is matched, ``after`` is made of what was bound. ``fresh``: aliases that only the answer has;
    ``copies``: those that stand for a second copy of a range variable of the question; ``keys``: columns that only
    the answer names and that are their table's only key column.
    """

    before: Term
    after: Term
    fresh: tuple[str, ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    keys: frozenset[Any] = frozenset()
    # the table of each range variable of the pair
    tables: Mapping[str, str] = field(default_factory=dict)

    @property
    def form(self) -> tuple[Any, Any]:
        """The pattern with its variables numbered in order of appearance: equal for patterns that say the same."""
        seen: dict[Any, int] = {}

        def number(term: Term) -> Term:
            fields: list[tuple[str, Any]] = []
            for name, value in term.fields:
                if isinstance(value, Var):
                    fields.append((name, (value.sort, seen.setdefault(value, len(seen)))))
                elif name in {"number", "slots", "inner", "of"} and not isinstance(value, Var):
                    fields.append((name, tuple(seen.setdefault(("b", v), len(seen)) for v in _tupled(value))))
                else:
                    fields.append((name, _numbered(value, seen)))
            return Term(term.kind, tuple(fields))

        return mapped(self.before, number), mapped(self.after, number)


def _tupled(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _numbered(value: Any, seen: dict[Any, int]) -> Any:
    if isinstance(value, tuple):
        return tuple(
            (v.sort, seen.setdefault(v, len(seen))) if isinstance(v, Var) else _numbered(v, seen)
            for v in value
        )
    return value


def generalise(before: Term, after: Term, keys: Mapping[str, str] | None = None) -> Pattern | None:
    """The pattern of a pair, or None where the trees are equal or the answer can't be made from the question.

    ``keys``: the key column of each table whose key is one column.
    """
    return _Generaliser(before, after, dict(keys or {})).pattern()


def is_aggregate(term: Term) -> bool:
    if term.kind != "FuncCall":
        return False
    name = term.get("funcname")[-1]
    return isinstance(name, Term) and (name.get("sval") in AGGREGATES or term.get("over") is not None)


class _Generaliser:
    def __init__(self, before: Term, after: Term, keys: dict[str, str]) -> None:
        self.key_columns = keys
        self.tables = {t.get("alias"): t.get("name") for t in walk((before, after)) if t.kind == "Table"}
        self.before = _numbered_blocks(before, 0)
        after = _apart(before, after)
        primary, self.copies, self.fresh = _aligned(before, after)
        self.after = renamed(_numbered_blocks(after, AFTER), primary)
        self._roots = {0, *_root_blocks(self.after)}
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
        """Equal conjuncts, outer joins and clauses of blocks that belong together; slots for what else a query has."""
        before, after = _blocks(self.before), _blocks(self.after)
        partners = _partners(before, after, self.copies)
        below = {n: set(_blocks(block)) - {n} for n, block in after.items()}
        new_before: dict[int, Term] = {}
        changes: dict[int, Term] = dict(after)
        slots: defaultdict[int, list[int]] = defaultdict(list)
        inner: defaultdict[int, list[int]] = defaultdict(list)
        for number, block in before.items():
            mates = partners[number]
            outermost = [m for m in mates if not any(m in below[other] for other in mates)]
            for name in ("preds", "lefts"):
                block = self._residual(block, name, mates, changes)
            for mate in self._holders(before[number], mates, outermost, after):
                (slots if mate in outermost else inner)[mate].append(number)
            self._homes[number] = outermost
            block = self._clauses(block, number, (mates, outermost), changes)
            new_before[number] = block.put(open=True) if mates else block
        for holders, name in ((slots, "slots"), (inner, "inner")):
            for mate, numbers in holders.items():
                changes[mate] = changes[mate].put(**{name: tuple(numbers)})
        self.before = _rebuilt(self.before, new_before)
        self.after = _rebuilt(self.after, changes)

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
        """The answer's blocks in which further conditions of this block may belong: the outermost ones, and those that
        hold conditions of it; all where none does.
        """
        conditions = {self.key(p) for p in block.get("preds", ())}
        holding = [m for m in mates if conditions & {self.key(p) for p in after[m].get("preds", ())}]
        return list(dict.fromkeys((*outermost, *holding))) if holding else mates

    def _clauses(
        self, block: Term, number: int, mates: tuple[list[int], list[int]], changes: dict[int, Term]
    ) -> Term:
        for name in ("targets", *CLAUSES):
            same = [m for m in mates[0] if self.key(changes[m].get(name)) == self.key(block.get(name))]
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
                continue
            if number and [t.get("name") for t in old] != [t.get("name") for t in new]:
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
        before, after = _blocks(self.before), _blocks(self.after)
        counts = [Counter(_table_names(side)) for side in (self.before, self.after)]
        gone: set[str] = set()
        for number, block in before.items():
            for item in block.get("items"):
                homes = self._homes[number] and all(
                    item in after[m].get("items") for m in self._homes[number]
                )
                name = item.get("name")
                plain = item.kind == "Sub" or all(count[name] <= 1 for count in counts)
                if homes and item.kind in _OWN and plain and item.get("alias") not in self.copies.values():
                    gone.add(item.get("alias"))
        self.before, self.after = (_without(side, gone) for side in (self.before, self.after))

    def _says_something(self) -> bool:
        return any(
            block.get(name)
            for block in (*_blocks(self.before).values(), *_other_roots(self.before))
            for name, value in block.fields
            if name not in {"number", "open"} and not isinstance(value, Var)
        )

    # ------------------------------------------------------------------ variables

    def _variables(self) -> Pattern | None:
        names = _Names(self)
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


class _Names:
    """Aliases, tables, columns, names and constants of both sides replaced by variables."""

    def __init__(self, made: _Generaliser) -> None:
        self._made = made
        self.keys: set[Any] = set()
        self._known: set[Var] = set()
        self._owners = _owners(made.before)
        self._shared = _constants(made.before) & _constants(made.after)
        self._failed = False

    def before(self, root: Term) -> Term:
        literal = {
            t.get("sql")
            for call in walk(root)
            if call.kind == "FuncCall"
            for t in call.get("args") or ()
            if isinstance(t, Term) and t.kind == "Const" and t.get("sql", "").startswith("'")
        }

        def change(term: Term) -> Any:
            match term.kind:
                case "Col":
                    return term.put(alias=self._alias(term), name=self._column(term))
                case "Table":
                    return term.put(alias=self._alias(term), name=Var("table", term.get("name")), schema=None)
                case "Sub":
                    return term.put(alias=self._alias(term))
                case "Alias":
                    return term.put(aliasname=Var("alias", term.get("aliasname")))
                case "CommonTableExpr":
                    return term.put(ctename=Var("table", term.get("ctename")))
                case "Const":
                    sql = term.get("sql")
                    if (is_special(sql) or sql in literal) and sql not in self._shared:
                        return term
                    return Var("const", sql) if not is_special(sql) else term
                case _:
                    return term

        made: Term = mapped(self._named(root), change)
        self._known = _vars(made)
        return made

    def after(self, root: Term) -> Term | None:
        known_aliases = {v.key for v in self._known if v.sort == "alias"}
        fresh = set(self._made.fresh)
        tables = {v.key for v in self._known if v.sort == "table"}
        own = {t.get("ctename") for t in walk(root) if t.kind == "CommonTableExpr"} - tables
        own_subs = {t.get("alias") for t in walk(root) if t.kind == "Sub"} & fresh
        constants = sorted(v.key for v in self._known if v.sort == "const")

        def change(term: Term) -> Any:
            match term.kind:
                case "Col":
                    return self._answer_column(term, known_aliases, own_subs, own)
                case "Table":
                    name = term.get("name")
                    if name not in tables and name not in own:
                        self._failed = True
                    return term.put(
                        alias=Var("alias", term.get("alias")),
                        name=Var("table", name) if name in tables else name,
                        schema=None,
                    )
                case "Sub":
                    return term.put(alias=Var("alias", term.get("alias")))
                case "Alias":
                    return term.put(aliasname=Var("alias", term.get("aliasname")))
                case "CommonTableExpr" if term.get("ctename") in tables:
                    return term.put(ctename=Var("table", term.get("ctename")))
                case "Const":
                    return self._constant(term, constants)
                case _:
                    return term

        made = mapped(self._named(root), change)
        return None if self._failed else made

    def _answer_column(self, term: Term, aliases: set[Any], own_subs: set[str], own_ctes: set[str]) -> Term:
        alias = term.get("alias")
        table = self._made.tables.get(alias)
        if alias in own_subs or table in own_ctes:
            return term.put(alias=Var("alias", alias))
        var = self._column(term)
        if var not in self._known:
            if table is None or self._made.key_columns.get(table) != term.get("name"):
                self._failed = True
            self.keys.add(var)
        if alias not in aliases and alias not in self._made.fresh and alias not in self._made.copies:
            self._failed = True
        return term.put(alias=Var("alias", alias), name=var)

    def _constant(self, term: Term, known: list[str]) -> Any:
        sql = term.get("sql")
        if Var("const", sql) in self._known:
            return Var("const", sql)
        if is_special(sql):
            return term
        for other in known:
            how = derivation_of(other, sql)
            if how:
                return make("Derived", of=Var("const", other), how=how)
        if not sql.startswith("interval"):
            self._failed = True
        return term

    def _alias(self, term: Term) -> Var:
        return Var("alias", term.get("alias"))

    def _column(self, term: Term) -> Var:
        alias = term.get("alias")
        original = self._made.copies.get(alias, alias)
        return Var("column", (self._made.tables.get(alias) or ("sub", original), term.get("name")))

    def _named(self, root: Term) -> Term:
        """Output columns of derived tables and CTEs get variables for names, others none."""
        owners = {**self._owners, **_owners(root)}

        def change(term: Term) -> Term:
            if term.kind != "Block" or not isinstance(term.get("targets"), tuple):
                return term
            owner = owners.get(term.get("number"))
            targets = []
            for target in term.get("targets"):
                name = target.get("name")
                if owner is None:
                    targets.append(target.put(name=None))
                elif owner in self._owners.values():
                    targets.append(target.put(name=Var("column", (owner, name))))
                else:
                    targets.append(target)
            return term.put(targets=tuple(targets))

        made: Term = mapped(root, change)
        return made


# --------------------------------------------------------------------------- helpers


def _folded(before: Term, after: Term) -> tuple[Term, Term]:
    """Where all columns that differ change in one way, one of them says it."""
    old, new = before.get("targets"), after.get("targets")
    if not (isinstance(old, Term) and isinstance(new, Term)) or len(old.get("those")) < 2:
        return before, after
    pairs = list(zip(old.get("those"), new.get("those"), strict=True))
    if len({Pattern(make("One", it=b), make("One", it=a)).form for b, a in pairs}) > 1:
        return before, after
    first = pairs[0]
    return (
        before.put(targets=old.put(those=first[:1])),
        after.put(targets=new.put(those=first[1:])),
    )


def _numbered_blocks(root: Term, first: int) -> Term:
    """Each block with a number of its own, the outermost ``first``."""
    order = {id(t): n for n, t in enumerate(t for t in walk(root) if t.kind == "Block")}

    def visit(node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(visit(part) for part in node)
        if not isinstance(node, Term):
            return node
        made = Term(node.kind, tuple((name, visit(value)) for name, value in node.fields))
        return made.put(number=first + order[id(node)]) if node.kind == "Block" else made

    numbered: Term = visit(root)
    return numbered


def _blocks(root: Term) -> dict[int, Term]:
    return {t.get("number"): t for t in walk(root) if t.kind == "Block"}


def _root_blocks(root: Term) -> list[int]:
    """The block at the top, or those of a set operation there."""
    if root.kind == "Block":
        return [root.get("number")]
    return [
        n
        for side in ("larg", "rarg")
        if isinstance(root.get(side), Term)
        for n in _root_blocks(root.get(side))
    ]


def _other_roots(root: Term) -> Iterator[Term]:
    if root.kind != "Block":
        yield root


def _rebuilt(root: Term, blocks: Mapping[int, Term]) -> Term:
    """The tree with each block's own fields as in ``blocks``, from the inside out."""

    def visit(node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(visit(part) for part in node)
        if not isinstance(node, Term):
            return node
        if node.kind == "Block":
            node = blocks[node.get("number")]
        return Term(node.kind, tuple((name, visit(value)) for name, value in node.fields))

    made: Term = visit(root)
    return made


def _own_aliases(block: Term) -> set[str]:
    found = set()
    for item in (*block.get("items", ()), *(left.get("item") for left in block.get("lefts", ()))):
        found |= {t.get("alias") for t in _shallow(item) if t.kind in _OWN}
    return found


def _shallow(item: Term) -> Iterator[Term]:
    """A FROM item and those below its joins, not what is inside derived tables."""
    yield item
    if item.kind == "JoinExpr":
        for name in ("larg", "rarg"):
            yield from _shallow(item.get(name))


def _partners(
    before: Mapping[int, Term], after: Mapping[int, Term], copies: Mapping[str, str]
) -> dict[int, list[int]]:
    """For each block of the question the blocks of the answer that read a range variable of it."""
    own = {n: {copies.get(a, a) for a in _own_aliases(block)} for n, block in after.items()}
    return {n: [m for m in after if own[m] & _own_aliases(block)] for n, block in before.items()}


def _apart(before: Term, after: Term) -> Term:
    """The answer with range variables called otherwise whose names mean something else in the question."""
    old = {t.get("alias"): t.get("name") for t in walk(before) if t.kind in _OWN}
    new = {t.get("alias"): t.get("name") for t in walk(after) if t.kind in _OWN}
    changes = {alias: f"{alias}new" for alias, name in new.items() if old.get(alias, name) != name}
    apart: Term = renamed(after, changes)
    return apart


def _aligned(before: Term, after: Term) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """How the answer's range variables are called in the question; further copies; those it does not have."""
    old = {t.get("alias"): t.get("name") for t in walk(before) if t.kind in _OWN}
    new = {t.get("alias"): t.get("name") for t in walk(after) if t.kind in _OWN}
    tables = Counter(old.values())
    primary: dict[str, str] = {}
    copies: dict[str, str] = {}
    fresh: list[str] = []
    for alias, table in sorted(new.items(), key=lambda pair: (pair[0] not in old, pair[0])):
        base = re.sub(r"_\d+$", "", alias)
        same = [o for o in old if old[o] == table]
        if alias in same:
            of = alias
        elif base in same:
            of = base
        elif table is not None and tables[table] == 1:
            of = same[0]
        else:
            fresh.append(alias)
            continue
        if of in primary.values():
            copies[alias] = of
        else:
            primary[alias] = of
    return {a: o for a, o in primary.items() if a != o}, copies, [*fresh, *copies]


def _table_names(root: Term) -> Iterator[str]:
    return (t.get("name") for t in walk(root) if t.kind == "Table")


def _without(root: Term, aliases: set[str]) -> Term:
    def change(term: Term) -> Term:
        if term.kind != "Block":
            return term
        return term.put(items=tuple(i for i in term.get("items") if i.get("alias") not in aliases))

    made: Term = mapped(root, change)
    return made


def _owners(root: Term) -> dict[int, Any]:
    """For each block that is the body of a derived table or CTE (or an arm of it) who owns its column names."""
    found: dict[int, Any] = {}
    for term in walk(root):
        body = None
        owner: Any = None
        if term.kind == "Sub":
            body, owner = term.get("query"), ("sub", term.get("alias"))
        elif term.kind == "CommonTableExpr":
            body, owner = term.get("ctequery"), term.get("ctename")
        while isinstance(body, Term) and body.kind == "SelectStmt" and body.get("larg") is not None:
            body = body.get("larg")
        if isinstance(body, Term) and body.kind == "Block":
            found[body.get("number")] = owner
    return found


def _constants(root: Term) -> set[str]:
    return {t.get("sql") for t in walk(root) if t.kind == "Const"}


def _vars(root: Any) -> set[Var]:
    found: set[Var] = set()
    for term in walk(root):
        stack = [value for _, value in term.fields]
        while stack:
            value = stack.pop()
            if isinstance(value, Var):
                found.add(value)
            elif isinstance(value, tuple):
                stack.extend(value)
    return found


def _is_expression(term: Term) -> bool:
    if term.kind not in _EXPRESSIONS or is_aggregate(term):
        return False
    return not any(is_aggregate(t) for t in walk(term)) or term.kind == "SubLink"
