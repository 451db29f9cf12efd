"""Aliases, tables, columns, names and constants of a pair replaced by variables: the last step of
generalising.

Must not know what else was taken out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewright.knowledge.patterns.blocks import constants_in, owners_of, variables_in
from rewright.knowledge.patterns.constants import derivation_of, is_special
from rewright.knowledge.patterns.terms import Term, Var, make, mapped, walk


@dataclass(frozen=True, slots=True)
class Pair:
    """Question and answer with their range variables aligned. ``tables``: the table of each; ``copies`` and
    ``fresh``: as in `Pattern`; ``key_columns``: the key column of each table whose key is one column.
    """

    before: Term
    after: Term
    tables: Mapping[Any, Any]
    copies: Mapping[str, str]
    fresh: Sequence[str]
    key_columns: Mapping[str, str]


class Naming:
    """Aliases, tables, columns, names and constants of both sides replaced by variables."""

    def __init__(self, made: Pair) -> None:
        self._made = made
        self.keys: set[Any] = set()
        self._known: set[Var] = set()
        self._owners = owners_of(made.before)
        # constants of both sides can be variables; one of the question's alone stays as it is
        self._shared = constants_in(made.before) & constants_in(made.after)
        self._failed = False

    def before(self, root: Term) -> Term:
        literal = {
            t.get("sql")
            for call in walk(root)
            if call.kind == "FuncCall"
            for t in call.get("args") or ()
            # texts among a function's arguments decide what it does: date_trunc('month', …)
            if isinstance(t, Term) and t.kind == "Const" and t.get("sql", "").startswith("'")
        }

        def change(term: Term) -> Any:
            match term.kind:
                case "Col":
                    return term.put(alias=self._alias(term), name=self._column(term))
                case "Table":
                    # a schema is the example's accident
                    return term.put(alias=self._alias(term), name=Var("table", term.get("name")), schema=None)
                case "Sub":
                    return term.put(alias=self._alias(term))
                case "Alias":
                    return term.put(aliasname=Var("alias", term.get("aliasname")))
                case "CommonTableExpr":
                    return term.put(ctename=Var("table", term.get("ctename")))
                case "Const":
                    sql = term.get("sql")
                    # special constants (0, 1, NULL, …) are part of the law
                    if (is_special(sql) or sql in literal) and sql not in self._shared:
                        return term
                    return Var("const", sql) if not is_special(sql) else term
                case _:
                    return term

        made: Term = mapped(self._named(root), change)
        self._known = variables_in(made)
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
                        # a table that the question does not read: nothing could say which is meant
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
            # a column that only the answer reads: a key's may be found from the schema
            if table is None or self._made.key_columns.get(table) != term.get("name"):
                self._failed = True
            self.keys.add(var)
        # read under an alias that neither the question nor the answer introduces
        if alias not in aliases and alias not in self._made.fresh and alias not in self._made.copies:
            self._failed = True
        return term.put(alias=Var("alias", alias), name=var)

    def _constant(self, term: Term, known: list[str]) -> Any:
        sql = term.get("sql")
        if Var("const", sql) in self._known:
            return Var("const", sql)
        if is_special(sql):
            return term
        # a constant of the question from which this one follows
        for other in known:
            how = derivation_of(other, sql)
            if how:
                return make("Derived", of=Var("const", other), how=how)
        # an interval is part of a law about dates
        if not sql.startswith("interval"):
            self._failed = True
        return term

    def _alias(self, term: Term) -> Var:
        return Var("alias", term.get("alias"))

    def _column(self, term: Term) -> Var:
        alias = term.get("alias")
        original = self._made.copies.get(alias, alias)
        # a copy's columns are those of what it copies
        return Var("column", (self._made.tables.get(alias) or ("sub", original), term.get("name")))

    def _named(self, root: Term) -> Term:
        """Output columns of derived tables and CTEs get variables for names, others none."""
        owners = {**self._owners, **owners_of(root)}

        def change(term: Term) -> Term:
            if term.kind != "Block" or not isinstance(term.get("targets"), tuple):
                return term
            owner = owners.get(term.get("number"))
            targets = []
            for target in term.get("targets"):
                name = target.get("name")
                # the outermost block's names are the query's own
                if owner is None:
                    targets.append(target.put(name=None))
                elif owner in self._owners.values():
                    targets.append(target.put(name=Var("column", (owner, name))))
                else:
                    targets.append(target)
            return term.put(targets=tuple(targets))

        made: Term = mapped(root, change)
        return made
