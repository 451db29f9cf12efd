"""A solver that knows one opened context, asked one question after the other.

Owns what it is told of rows: NOT NULLs, CHECKs, and that rows which agree on a key are one. Must not know how
contexts are opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from rewright.engines import clock
from rewright.equivalence.prover.build import eq
from rewright.equivalence.prover.checks import checks
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.schema import Schema
from rewright.equivalence.prover.terms import Table, Term, Var
from rewright.equivalence.recheck.formulas import Formulas

# what one question may take of the solver, in milliseconds
_QUESTION = 3000


class Session:
    """A solver that knows an opened context, with the schema facts of those of its rows that the questions
    are about.

    ``base``: a session of a context that this one `extends`. What it knows holds here, too, and is not
    written down anew: most contexts are another one with a few more rows.
    """

    def __init__(self, schema: Schema, deadline: float, world: Context, base: Session | None = None) -> None:
        self.schema = schema
        self.deadline = deadline
        self.world = world
        self.sources = dict(world.vars)
        self.formulas: Formulas = base.formulas.copy() if base else Formulas()
        self.solver = self.formulas.z3.SimpleSolver()
        self._axioms: int = base._axioms if base else 0
        self._seen: set[Var] = set(base._seen) if base else set()
        self._checked: set[int] = set(base._checked) if base else set()
        self._paired: set[tuple[int, int, int]] = set(base._paired) if base else set()
        self._linked: set[tuple[int, int]] = set(base._linked) if base else set()
        if base:
            self.solver.add(base.solver.assertions())
        known = len(base.world.preds) if base else 0
        self.solver.add(*(self.formulas.truth(p) for p in world.preds[known:]))

    def refutes(self, goal: Term, known: Iterable[Term], equal: Iterable[tuple[Term, Term]]) -> bool:
        """Whether nothing is left for the goal not to be TRUE."""
        formulas, z3 = self.formulas, self.formulas.z3
        asked = [z3.Not(formulas.truth(goal)), *(formulas.truth(k) for k in known)]
        asked += [formulas.same(x, y) for x, y in equal]
        asked += formulas.of_values()
        self._tell_facts()
        left = clock.stretched(self.deadline - clock.now())
        self.solver.set("timeout", int(max(1, min(_QUESTION, 1000 * left))))
        self.solver.push()
        try:
            self.solver.add(*asked)
            return bool(self.solver.check() == z3.unsat)
        finally:
            self.solver.pop()

    def _tell_facts(self) -> None:
        formulas = self.formulas
        while True:
            new = [c for c in formulas.columns if c not in self._seen]
            for column in new:
                self._seen.add(column)
                self._tell_of(column)
            if not new and self._axioms == len(formulas.axioms):
                return
            self.solver.add(*formulas.axioms[self._axioms :])
            self._axioms = len(formulas.axioms)

    def _tell_of(self, column: Var) -> None:
        source, schema, z3 = self.sources.get(column.var), self.schema, self.formulas.z3
        if not isinstance(source, Table):
            return
        if schema.not_null(source, column.pos) is not None:
            self.solver.add(z3.Not(self.formulas.pair(column)[0]))
        if column.var not in self._checked:
            self._checked.add(column.var)
            for _, check in checks(schema, source, column.var):
                is_null, value = self.formulas.pair(check)
                self.solver.add(z3.Or(is_null, value))
        rows = sorted({c.var for c in self._seen if self.sources.get(c.var) == source})
        for v, w in combinations(rows, 2):
            self._tell_same_row(v, w, source)
        for v in {c.var for c in self._seen} - {column.var}:
            self._tell_of_reference(v, column.var)
            self._tell_of_reference(column.var, v)

    def _tell_of_reference(self, v: int, w: int) -> None:
        """A row that has the key of what another refers to, where that is a part of the columns of the
        foreign key, has the rest of them as well; the foreign key must be without NULLs.
        """
        child, parent = self.sources.get(v), self.sources.get(w)
        if (v, w) in self._linked or not isinstance(child, Table) or not isinstance(parent, Table):
            return
        self._linked.add((v, w))
        z3, formulas = self.formulas.z3, self.formulas
        for ref in self.schema.references(child):
            columns = dict(zip(ref.target_columns, ref.columns, strict=True))
            if self.schema.source_of(ref.target) != parent:
                continue
            if any(child.types[c] != parent.types[k] for k, c in columns.items()):
                continue
            own = {k: Var(v, c, child.types[c]) for k, c in columns.items()}
            equal = {k: formulas.truth(eq(own[k], Var(w, k, parent.types[k]))) for k in columns}
            full = [z3.Not(formulas.pair(x)[0]) for x in own.values()]
            for key in self.schema.keys(parent):
                if set(key.columns) < set(columns):
                    same_key = [equal[k] for k in key.columns]
                    self.solver.add(z3.Implies(z3.And(*full, *same_key), z3.And(*equal.values())))

    def _tell_same_row(self, v: int, w: int, source: Table) -> None:
        """Rows of one relation that agree on a key agree on all columns."""
        z3, formulas = self.formulas.z3, self.formulas
        met = {c.pos for c in self._seen if c.var in {v, w}}
        both = {c.pos for c in self._seen if c.var == v} & {c.pos for c in self._seen if c.var == w}
        for number, key in enumerate(self.schema.keys(source)):
            if not set(key.columns) <= both:
                continue
            ties = [formulas.truth(eq(*_columns(v, w, c, source))) for c in key.columns]
            for pos in met:
                if (v * 1_000_003 + w, number, pos) not in self._paired:
                    self._paired.add((v * 1_000_003 + w, number, pos))
                    same = formulas.same(*_columns(v, w, pos, source))
                    self.solver.add(z3.Implies(z3.And(*ties), same))


def extends(world: Context, base: Context) -> bool:
    """Whether all rows and predicates of ``base`` are the first ones of ``world``."""
    return world.vars[: len(base.vars)] == base.vars and world.preds[: len(base.preds)] == base.preds


def _columns(v: int, w: int, pos: int, source: Table) -> tuple[Term, Term]:
    return Var(v, pos, source.types[pos]), Var(w, pos, source.types[pos])
