"""A solver loaded with one context, asked one question after the other.

Terms are encoded once for an engine (`logic`); a session tells its solver what holds of those that it meets:
axioms of their encoding, and schema facts of its rows behind switches, so that cores name the facts that
mattered. Must not know how contexts are opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rewright.engines import clock
from rewright.equivalence.records import Assumption

from .build import eq
from .context import IDENTICAL, Context, has_identical
from .symbols import AND, NOT, OR
from .terms import App, Table, Term, Var, walk_shallow
from .valuefacts import Facts

if TYPE_CHECKING:
    from .entail import Engine
    from .schema import KeyFact


class Session:
    """A solver loaded with one opened context; each question is asserted on top and removed again."""

    def __init__(self, engine: Engine, ctx: Context) -> None:
        self.engine = engine
        self.ctx = ctx
        self.encoder = engine.encoder
        self._facts = Facts(self.encoder)
        self.solver = self.encoder.z3.SimpleSolver()
        self.solver.set("core.minimize", True)  # a proof states no fact that it does not need
        self.switches: dict[Assumption, Any] = {}
        self._sources = dict(ctx.vars)
        self._taken: set[int] = set()  # numbers of the terms whose facts the solver has
        self._checked: set[int] = set()
        self._stated: set[tuple[int, int, int]] = set()
        self._referring: set[tuple[int, int]] = set()
        # keys can only matter for rows whose key columns some predicate speaks of
        mentioned = (t for p in ctx.preds for t in walk_shallow(p) if isinstance(t, Var))
        self._mentioned = {(t.var, t.pos) for t in mentioned}
        self.encoder.tell(self.solver, [self.formula(p) for p in ctx.preds])

    def refutes(self, goal: Term, links: Iterable[Term]) -> bool:
        """Whether the context leaves no way for the goal not to be TRUE; facts used are recorded."""
        self.engine.asked += 1
        z3 = self.encoder.z3
        formulas = [z3.no(self.formula(goal)), *(self.formula(link) for link in links)]
        formulas += [self._same(a, b) for a, b in self.engine.nested_equal]
        # what holds of terms for good is told below the push, and stays
        self.encoder.tell(self.solver, self._facts.new())
        self.solver.push()
        try:
            # the solver counts on the wall
            left = clock.stretched(min(1.5, self.engine.deadline - clock.now()))
            self.solver.set("timeout", max(1, int(1000 * left)))
            self.encoder.tell(self.solver, formulas)
            found = self.solver.check(*self.switches.values())
            # the solver did not come to an end: what is not refuted is not known either
            if found != z3.unsat:
                self.engine.unsure |= found == z3.unknown
                return False
            core = {str(c) for c in self.solver.unsat_core()}
        finally:
            # a push without its pop would leave this goal's negation for the next question
            self.solver.pop()
        for assumption, switch in self.switches.items():
            if str(switch) in core:
                self.engine.schema.use(assumption)
        return True

    def formula(self, pred: Term) -> Any:
        """A predicate as a formula; `identical` is not a function of SQL's and encoded here."""
        encoder = self.encoder
        if isinstance(pred, App) and pred.sym == IDENTICAL:
            return self._same(*pred.args)
        # IDENTICAL may stand within AND, OR and NOT, which are then built here as two-valued
        if isinstance(pred, App) and pred.sym in {AND, OR} and has_identical(pred):
            parts = [self.formula(a) for a in pred.args]
            return encoder.z3.every(*parts) if pred.sym == AND else encoder.z3.some(*parts)
        if isinstance(pred, App) and pred.sym == NOT and has_identical(pred):
            return encoder.z3.no(self.formula(pred.args[0]))
        formula = encoder.truth(pred)
        self._take(pred)
        return formula

    def _same(self, a: Term, b: Term) -> Any:
        formula = self.encoder.same(a, b)
        self._take(a)
        self._take(b)
        return formula

    def _take(self, term: Term) -> None:
        """Tell the solver, for good, what holds of the term and of all that was encoded for it."""
        todo = [self.encoder.number(term)]
        while todo:
            n = todo.pop()
            if n in self._taken:
                continue
            self._taken.add(n)
            note = self.encoder.note(n)
            self.encoder.tell(self.solver, note.axioms)
            todo += note.parts
            # a column's facts are told when the column is first spoken of
            if isinstance(note.term, Var):
                self._column_facts(note.term)

    def _column_facts(self, t: Var) -> None:
        source = self._sources.get(t.var)
        if source is None:
            return
        schema, z3 = self.engine.schema, self.encoder.z3
        fact = schema.not_null(source, t.pos)
        if fact is not None:
            self._state(fact, (source, t.var, t.pos), lambda: z3.no(self.encoder.encode(t)[0]))
        # rows that are made have no constraints
        if not isinstance(source, Table):
            return
        if t.var not in self._checked:
            self._checked.add(t.var)
            for check, term in self.engine.checks(source, t.var):
                self._state(check, (source, t.var), partial(self._passes, term))
                self._take(term)
        # a second row of the relation may be the same by a key
        for w, other in self.ctx.vars:
            if w != t.var and other == source:
                self._same_row(t, w, source)
            if w != t.var and isinstance(other, Table):
                self._referred_row((t.var, source), (w, other))
                self._referred_row((w, other), (t.var, source))

    def _same_row(self, t: Var, w: int, source: Table) -> None:
        """Rows of one relation that agree on a key agree on this column, too."""
        pair = (min(t.var, w), max(t.var, w), t.pos)
        if pair in self._stated:
            return
        self._stated.add(pair)
        for key in self.engine.schema.keys(source):
            # a key can only be equal where its columns are spoken of
            if not all((v, c) in self._mentioned for v in (t.var, w) for c in key.columns):
                continue
            known = self.engine.same_row(key.columns, source, pair)
            self._state(key.assumption, (source, *pair), partial(itemgetter(0), known))
            for x in known[1]:
                self._take(x)

    def _referred_row(self, child: tuple[int, Table], parent: tuple[int, Table]) -> None:
        """Where a foreign key of several columns holds more than a key of what it refers to, the row with
        that key is the one referred to, and agrees in the other columns, too (F6: unless one is NULL).
        """
        (v, source), (w, target) = child, parent
        if (v, w) in self._referring:
            return
        self._referring.add((v, w))
        schema = self.engine.schema
        for ref in schema.references(source):
            # of one column the key is the whole reference
            if len(ref.columns) < 2 or schema.source_of(ref.target) != target:
                continue
            pairs = {
                k: (Var(v, c, source.types[c]), Var(w, k, target.types[k]))
                for c, k in zip(ref.columns, ref.target_columns, strict=True)
            }
            # two types would be two sorts to the solver
            if any(x.type != y.type for x, y in pairs.values()):
                continue
            for key in schema.keys(target):
                # fewer columns than the reference has: the others then follow
                if set(key.columns) < pairs.keys():
                    self._state_both(ref.assumption, key, pairs, (v, w))

    def _state_both(
        self, reference: Assumption, key: KeyFact, pairs: dict[int, tuple[Var, Var]], rows: tuple[int, int]
    ) -> None:
        """That the row is the one referred to, which rests on the reference and on the key."""
        z3, encoder = self.encoder.z3, self.encoder
        other = self.switches.setdefault(key.assumption, self.engine.switch(key.assumption))

        def formula() -> Any:
            there = [z3.no(encoder.encode(x)[0]) for x, _ in pairs.values()]
            met = [encoder.truth(eq(*pairs[k])) for k in key.columns]
            alike = [encoder.truth(eq(*pair)) for pair in pairs.values()]
            return z3.implies(z3.every(other, *there, *met), z3.every(*alike))

        self._state(reference, (key, *rows), formula)
        for pair in pairs.values():
            self._take(eq(*pair))

    def _passes(self, check: Term) -> Any:
        """F8: NULL passes."""
        is_null, value = self.encoder.encode(check)
        return self.encoder.z3.some(is_null, value)

    def _state(self, assumption: Assumption, what: tuple[object, ...], formula: Callable[[], Any]) -> None:
        switch = self.switches.setdefault(assumption, self.engine.switch(assumption))
        self.encoder.tell(self.solver, (self.engine.behind(switch, assumption, what, formula),))
