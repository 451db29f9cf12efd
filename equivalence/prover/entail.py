"""What follows from a context: rows in scope, predicates that hold, and the schema.

A context is opened first: each EXISTS that holds and each DISTINCT row gives witnesses, foreign keys give
referenced rows (the chase), keys make equal rows one. EXISTS goals are then answered by a homomorphism into
the context, everything else by the SMT solver. Must not know rules or how they are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any

from rewright.engines import clock
from rewright.equivalence.records import Assumption
from rewright.equivalence.solving import must_let_go
from rewright.sql.types import BOOL

from .atoms import (
    absences,
    alternatives,
    compared_with,
    differs,
    exists_atoms,
    reached,
    stated,
    strict_parts,
    tables_of,
    unordered,
)
from .bags import subst, subst_block
from .build import conj, disj, eq, is_null, is_true, negate, not_null, predicates
from .checks import checks
from .conditional_keys import conditional_keys, period_keys
from .context import Context
from .extremes import lemmas
from .logic import Encoder
from .opening import Opener
from .schema import ConditionalKey, PeriodKey, Schema
from .session import Session
from .shapes import Outline, Question, shape
from .symbols import IS_NULL, NOT, OR
from .terms import (
    FALSE,
    TRUE,
    App,
    Bag,
    Block,
    Nested,
    Source,
    Table,
    Term,
    Var,
    free_vars,
    rows_renamed,
    source_types,
    walk_shallow,
)

# how many rows of a context are tried for one EXISTS in which each may or may not be
_MOST_ROWS_MET = 4
# in the place of a depth: the question is answered by what there is not, too
_ABSENCE = -1
# within how many questions it is asked whether aggregates have rows
_DEEP = 2


class LetGo(Exception):
    """Another thread needs the solver first."""


class OutOfTime(Exception):
    """The deadline has passed."""


class Engine:
    """Answers questions of entailment; remembers answers; stops at the deadline."""

    def __init__(self, schema: Schema, deadline: float, *, yields: bool = False) -> None:
        """``yields``: raises LetGo, from `tick`, when another thread needs the solver first."""
        self.yields = yields
        self.schema = schema
        self.deadline = deadline
        self._known: dict[tuple[Context, Term], tuple[bool, frozenset[Assumption]]] = {}
        self._answers: dict[Question, tuple[bool, frozenset[Assumption]]] = {}
        self._outlines: dict[Context, Outline] = {}
        self._failed: dict[Term, list[tuple[frozenset[tuple[int, Source]], frozenset[Term]]]] = {}
        self._opener = Opener()
        self._depth = 0
        self.asked = 0  # questions to the solver
        self.unsure = False  # whether the solver left one of them open
        # equalities of nested values found by matching, for the formulas at hand
        self.nested_equal: list[tuple[Term, Term]] = []
        self._sessions: dict[tuple[Context, bool], Session] = {}
        self._encoder: Encoder | None = None
        self._switches: dict[Assumption, Any] = {}
        self._behind: dict[tuple[Assumption, tuple[object, ...]], Any] = {}
        self._checks: dict[tuple[Source, int], list[tuple[Assumption, Term]]] = {}
        self._conditional: dict[tuple[Source, int], list[ConditionalKey]] = {}
        self._same_rows: dict[tuple[object, ...], tuple[Any, tuple[Term, ...]]] = {}

    def close(self) -> None:
        """Give the solver's objects back: they and the engine hold each other."""
        for held in (
            self._known,
            self._answers,
            self._outlines,
            self._failed,
            self._sessions,
            self._switches,
            self._checks,
            self._conditional,
            self._same_rows,
            self._behind,
        ):
            held.clear()
        self.nested_equal.clear()
        self._encoder = None

    @property
    def shallow(self) -> bool:
        """Whether the question at hand came from outside and not from answering another one."""
        # within another question aggregates and splits are asked about less, or one would ask for ever
        return self._depth <= 1

    @property
    def encoder(self) -> Encoder:
        """The terms of this engine as formulas; the solver is loaded when first asked for."""
        if self._encoder is None:
            self._encoder = Encoder()
        return self._encoder

    def switch(self, assumption: Assumption) -> Any:
        """The name under which solvers hear of a schema fact."""
        if assumption not in self._switches:
            self._switches[assumption] = self.encoder.z3.Bool(f"fact {len(self._switches)}")
        return self._switches[assumption]

    def behind(
        self, switch: Any, assumption: Assumption, what: tuple[object, ...], formula: Callable[[], Any]
    ) -> Any:
        """What a schema fact says of ``what`` (a relation, variables, a column)
        behind its switch; made once.
        """
        if (assumption, what) not in self._behind:
            self._behind[assumption, what] = self.encoder.z3.implies(switch, formula())
        return self._behind[assumption, what]

    def checks(self, source: Source, var: int) -> list[tuple[Assumption, Term]]:
        """The CHECK constraints over the row of ``var``."""
        if (source, var) not in self._checks:
            self._checks[source, var] = checks(self.schema, source, var)
        return self._checks[source, var]

    def conditional_keys(self, source: Source, var: int) -> list[ConditionalKey]:
        """The partial and expression keys over the row of ``var``."""
        if (source, var) not in self._conditional:
            self._conditional[source, var] = conditional_keys(self.schema, source, var)
        return self._conditional[source, var]

    def period_keys(self, source: Source, var: int) -> list[PeriodKey]:
        """The keys over periods over the row of ``var``."""
        return period_keys(self.schema, source, var)

    def same_row(
        self, key: tuple[int, ...], source: Table, column: tuple[int, int, int]
    ) -> tuple[Any, tuple[Term, ...]]:
        """Equality on a key of two rows (variables, column number) makes the column the same; with the terms
        used.
        """
        known = self._same_rows.get((key, source, column))
        if known is None:
            v, w, pos = column
            types, z3 = source.types, self.encoder.z3
            ties = tuple(eq(Var(v, c, types[c]), Var(w, c, types[c])) for c in key)
            pair = Var(v, pos, types[pos]), Var(w, pos, types[pos])
            equal = [self.encoder.truth(t) for t in ties]
            formula = z3.implies(z3.every(*equal), self.encoder.same(*pair))
            known = self._same_rows[key, source, column] = (formula, (*ties, *pair))
        return known

    def tick(self) -> None:
        if clock.now() > self.deadline:
            raise OutOfTime
        if self.yields and must_let_go():
            raise LetGo

    # ---------------------------------------------------------------- entailment

    def entails(self, ctx: Context, goal: Term) -> bool:
        """Whether the goal is TRUE wherever all predicates of the context are."""
        return all(self._entails_one(ctx, g) for g in predicates(goal))

    def inconsistent(self, ctx: Context) -> bool:
        return self._entails_one(ctx, FALSE)

    def _entails_one(self, ctx: Context, goal: Term) -> bool:
        if goal in ctx.preds or goal == TRUE:
            return True
        self.tick()
        if stated(ctx, goal) or self._stored_not_null(ctx, goal):
            return True
        # equalities of nested values that hold for the formulas at hand only must not be remembered
        cached = self._known.get((ctx, goal)) if not self.nested_equal else None
        if cached is None and not self.nested_equal and self._failed_with_more(ctx, goal):
            return False
        if cached is None:
            with self.schema.recording() as used:
                answer = self._decide(ctx, goal)
                cached = (answer, frozenset(used))
                # a failure used no fact, whatever was looked up on the way
                if not answer:
                    used.clear()
            if not self.nested_equal:
                self._known[ctx, goal] = cached
                # only answers to questions from outside were looked at closely enough to rule out weaker ones
                if not cached[0] and self.shallow:
                    self._failed.setdefault(goal, []).append((frozenset(ctx.vars), frozenset(ctx.preds)))
        if cached[0]:
            self.schema.used |= cached[1]
        return cached[0]

    def _failed_with_more(self, ctx: Context, goal: Term) -> bool:
        """What did not follow from more predicates over the same rows, or over more of them, does not follow
        from fewer.
        """
        failed = self._failed.get(goal)
        if not failed:
            return False
        vars_, preds = frozenset(ctx.vars), frozenset(ctx.preds)
        return any(vars_ <= more_vars and preds <= more_preds for more_vars, more_preds in failed)

    def plainly_not_null(self, ctx: Context, term: Term) -> bool:
        """Whether a constraint or one predicate by itself says that the term is not NULL."""
        if self._stored_not_null(ctx, not_null(term)) or not_null(term) == TRUE:
            return True
        return any(t == term for p in ctx.preds for t in strict_parts(p))

    def _stored_not_null(self, ctx: Context, goal: Term) -> bool:
        """The goal is that a stored column is not NULL, and a constraint says so."""
        match goal:
            case App(sym, (App(inner, (Var(var, pos),)),)) if sym == NOT and inner == IS_NULL:
                source = next((s for v, s in ctx.vars if v == var), None)
                fact = None if source is None else self.schema.not_null(source, pos)
                if fact is not None:
                    self.schema.use(fact)
                return fact is not None
            case _:
                return False

    def _decide(self, ctx: Context, goal: Term) -> bool:
        if isinstance(goal, Nested) and goal.kind == "exists" and self._homomorphism(ctx, goal.bag[0]):
            # rows that can be pointed at need no solver
            return True
        return self._by_solver(ctx, goal) or self._ruled_out(ctx, goal)

    def _ruled_out(self, ctx: Context, goal: Term, *, opened: bool = False) -> bool:
        """Whether rows of which the goal says that there are none, and which differ from others, contradict
        the context: then some of these are meant, and each may be.
        """
        # the witness of one question may lead to the next: two of them are enough in practice
        if self._depth > 2 or not (isinstance(goal, App) and goal.sym == NOT):
            return False
        none = goal.args[0]
        if not (isinstance(none, Nested) and none.kind == "exists") or not any(
            differs(q) for b in none.bag for q in b.preds
        ):
            return False
        if not opened:
            return self._by_solver(ctx.having((none,)), FALSE)
        return self._by_solver(self._opener.witness(ctx, none), FALSE, opened=True)

    def _by_solver(self, ctx: Context, goal: Term, *, opened: bool = False) -> bool:
        session = self._session(ctx, opened=opened)
        if session.refutes(goal, ()):
            # lemmas and links make the formulas larger: asked for only where the plain question fails
            return True
        found = self._lemmas(session.ctx, goal)
        links = [*self._links(session.ctx, goal, found), *found, *absences(session.ctx, goal)]
        if links and session.refutes(goal, links):
            return True
        atoms = exists_atoms((goal, *ctx.preds), aggregates=False)
        if not any(unordered(t) if self._depth else alternatives(t) for t in atoms):
            return False
        return session.refutes(goal, [*self._links(session.ctx, goal, found, split=True), *found])

    def _lemmas(self, opened: Context, goal: Term) -> list[Term]:
        """What the extremes and counts of the question say."""
        # about what lemmas themselves ask there are no further ones
        if self._depth > 1:
            return []
        self._depth += 1
        try:
            return list(lemmas(self, opened, goal))
        finally:
            self._depth -= 1

    def _session(self, ctx: Context, *, opened: bool) -> Session:
        """A solver that already knows the context."""
        key = (ctx, opened)
        found = self._sessions.get(key)
        if found is None:
            # sessions hold solvers; a search that has opened sixty contexts does not come back to the first
            if len(self._sessions) > 60:
                self._sessions.clear()
            found = self._sessions[key] = Session(self, ctx if opened else self.open(ctx))
        return found

    def open(self, ctx: Context) -> Context:
        """The context with a witness for each EXISTS, DISTINCT row and non-empty aggregate that holds."""
        return self._opener.open(ctx)

    def freshen(self, bag: Bag) -> Bag:
        """A copy of the bag over variables that are used nowhere else."""
        return self._opener.freshen(bag)

    # ---------------------------------------------------------------- homomorphisms

    def _homomorphism(self, ctx: Context, goal: Block) -> bool:
        """Whether rows of the context can stand for the goal's variables."""
        # EXISTS within EXISTS: deeper ones are matched by the solver or not at all
        if self._depth > 4:
            return False
        self._depth += 1
        try:
            opened = self._chase(self.open(ctx), {s for _, s in goal.vars})
            return self._assign(opened, goal, ())
        finally:
            self._depth -= 1

    def _chase(self, ctx: Context, wanted: set[Source]) -> Context:
        """Add referenced rows of the wanted relations (F6: only where the key is not NULL)."""
        # rows that refer to rows that refer: two steps, as tables may refer to each other in a circle
        rows = ctx.vars
        for _ in range(2):
            added = ctx
            for v, source in rows:
                for ref in self.schema.references(source):
                    target = self.schema.source_of(ref.target)
                    # rows that no goal wants only make the context larger
                    if target is None or not (target in wanted or self._leads_to(target, wanted)):
                        continue
                    types = source_types(source)
                    own = [Var(v, c, types[c]) for c in ref.columns]
                    plain = Context(ctx.vars, ctx.preds)
                    # MATCH SIMPLE: with NULL in one of its columns the key refers to nothing
                    if not all(self._not_null(plain, t) for t in own):
                        continue
                    w = self._opener.row_of((v, source, ref))
                    if (w, target) in added.vars:
                        continue  # it is there
                    ties = [
                        eq(Var(w, k, target.types[k]), o)
                        for k, o in zip(ref.target_columns, own, strict=True)
                    ]
                    added = Context((*added.vars, (w, target)), added.preds).having(ties)
                    self.schema.use(ref.assumption)
            if added == ctx or reached(added, wanted):
                return added
            # a second row that is referenced would be the same
            rows, ctx = added.vars[len(ctx.vars) :], added
        return ctx

    def _leads_to(self, target: Table, wanted: set[Source]) -> bool:
        return any(self.schema.source_of(r.target) in wanted for r in self.schema.references(target))

    def _not_null(self, ctx: Context, term: Term) -> bool:
        return self.plainly_not_null(ctx, term) or self.scalar(ctx, not_null(term))

    def scalar(self, ctx: Context, goal: Term) -> bool:
        """Entailment from an already opened context without looking for witnesses again.

        Witnesses have other names each time that a context is opened: a question is known again by its shape.
        """
        if goal in ctx.preds or goal == TRUE:
            return True
        return self._once(ctx, goal, 0, lambda: self._session(ctx, opened=True).refutes(goal, ()))

    def _once(self, ctx: Context, goal: Term, depth: int, decide: Callable[[], bool]) -> bool:
        """The answer, decided once for all contexts and goals that differ in the names of rows only."""
        if self.nested_equal:
            return decide()
        if ctx not in self._outlines:
            self._outlines[ctx] = Outline(ctx.vars, ctx.preds)
        question = (depth, *self._outlines[ctx].question(goal))
        cached = self._answers.get(question)
        if cached is None:
            with self.schema.recording() as used:
                answer = decide()
                cached = self._answers[question] = (answer, frozenset(used))
                # the facts are kept with the answer, and count only where it is positive
                used.clear()
        if cached[0]:
            self.schema.used |= cached[1]
        return cached[0]

    def _assign(self, ctx: Context, goal: Block, done: tuple[int, ...]) -> bool:
        self.tick()
        bound = {goal.vars[i][0]: w for i, w in enumerate(done)}
        own = {v for v, _ in goal.vars}
        if done:
            last = goal.vars[len(done) - 1][0]
            # a condition is asked as soon as the last of its rows is chosen, so that wrong choices end early
            for p in goal.preds:
                mine = free_vars(p) & own
                complete = last in mine and mine <= bound.keys()
                if complete and not self._mapped(ctx, p, bound):
                    return False
        if len(done) == len(goal.vars):
            return True
        _, source = goal.vars[len(done)]
        wanted = self._map_source(source, bound)
        return any(self._assign(ctx, goal, (*done, w)) for w, s in ctx.vars if s == wanted)

    def _mapped(self, ctx: Context, pred: Term, bound: dict[int, int]) -> bool:
        goal = subst(pred, rows_renamed(bound))
        for g in predicates(goal):
            if isinstance(g, Nested) and g.kind == "exists":
                if not (g in ctx.preds or self._assign_fresh(ctx, g.bag[0])):
                    # an inner EXISTS that the context states needs no witness
                    return False
            elif not (self._scalar_with_links(ctx, g) or self._by_absence(ctx, g)):
                return False
        return True

    def _by_absence(self, ctx: Context, goal: Term) -> bool:
        """Whether the goal follows where its rows are none of those that there are said not to be."""
        known = list(absences(ctx, goal))
        return bool(known) and self._once(
            ctx, goal, _ABSENCE, lambda: self._session(ctx, opened=True).refutes(goal, known)
        )

    def _assign_fresh(self, ctx: Context, goal: Block) -> bool:
        if self._depth > 4:
            return False
        self._depth += 1
        try:
            wanted = {s for _, s in goal.vars}
            some = Nested("exists", "", (goal,), BOOL)
            return self._once(
                ctx, some, self._depth, lambda: self._assign(self._chase(ctx, wanted), goal, ())
            )
        finally:
            self._depth -= 1

    def _scalar_with_links(self, ctx: Context, goal: Term) -> bool:
        kinds = {t.kind for t in walk_shallow(goal) if isinstance(t, Nested)}
        # a condition with EXISTS in it depends on which rows there are: the solver must see the links
        if "exists" in kinds:
            return self._by_solver(ctx, goal, opened=True) or self._ruled_out(ctx, goal, opened=True)
        if self.scalar(ctx, goal):
            return True
        return "agg" in kinds and self._depth <= _DEEP and self._with_rows(ctx, goal)

    def _with_rows(self, ctx: Context, goal: Term) -> bool:
        """Whether the goal follows where aggregates that have rows are not NULL."""
        atoms = [t for t in exists_atoms((goal,), aggregates=True) if t not in ctx.preds]
        # an aggregate that has rows is not NULL: what it is compared with may then follow
        known = [t for t in atoms if self._reaches(ctx, None, t) and self._assign_fresh(ctx, t.bag[0])]
        return bool(known) and self._session(ctx, opened=True).refutes(goal, known)

    def _map_source(self, source: Source, bound: dict[int, int]) -> Source:
        if isinstance(source, Table):
            return source
        # a source that depends on rows is that source with the rows put in
        (b,) = subst_block(Block(((0, source),), (), ()), rows_renamed(bound)) or (Block((), (), ()),)
        return b.vars[0][1] if b.vars else source

    # ---------------------------------------------------------------- EXISTS inside formulas

    def _links(self, ctx: Context, goal: Term, lemmas: list[Term], *, split: bool = False) -> Iterator[Term]:
        """Facts about the EXISTS atoms of a question over an opened context: those that hold, and which
        follows from which; with ``split``, those of a disjunction case by case.
        """
        atoms = exists_atoms((goal, *lemmas), aggregates=True)
        atoms += [t for t in exists_atoms(ctx.preds, aggregates=goal == FALSE) if t not in atoms]
        # links within links within links are not asked for
        if not atoms or self._depth > 2:
            return
        if split:
            for atom in list(atoms):
                parts = alternatives(atom)
                # EXISTS of alternatives is TRUE where one of them is, and only there
                if parts is not None:
                    either = disj(parts)
                    yield disj((negate(atom), either))
                    yield disj((atom, negate(either)))
                    atoms += [t for t in exists_atoms(parts, aggregates=False) if t not in atoms]
        for atom in atoms:
            yield from compared_with(atom)
        # with an OR in the context each row may be the witness in one case and not in the other
        if any(isinstance(p, App) and p.sym == OR for p in ctx.preds):
            yield from _rows_meeting(ctx, [a for a in atoms if a not in ctx.preds])
        elif any(_apart(ctx, p) for p in ctx.preds):
            yield from _rows_meeting(ctx, [a for a in atoms if a not in ctx.preds], different=True)
        refuted = {q.args[0] for q in ctx.preds if isinstance(q, App) and q.sym == NOT}
        self._depth += 1
        try:
            positive = [a for a in atoms if a in ctx.preds]
            for target in atoms:
                if target in positive or goal == negate(target):
                    # what is known already, or is the very question, needs no link
                    continue
                if self._reaches(ctx, None, target):
                    if self._assign_fresh(ctx, target.bag[0]):
                        yield target
                        continue
                    # F6: it would hold if the references were there; the solver may find that they are
                    yield from self._unless_null(ctx, target)
                for source in atoms:
                    # an EXISTS that is known to be TRUE or FALSE implies nothing new
                    if source == target or source in positive or source in refuted:
                        continue
                    if not self._reaches(ctx, source, target):
                        continue
                    # two that differ only in the names of rows are one to the solver already
                    if shape(source) == shape(target):
                        continue
                    if self._assign_fresh(self._opener.witness(ctx, source), target.bag[0]):
                        yield disj((negate(source), target))
        finally:
            self._depth -= 1

    def _unless_null(self, ctx: Context, target: Nested) -> Iterator[Term]:
        """F6: that the target holds unless a column of a reference to rows of it is NULL."""
        wanted = set(tables_of(target.bag[0].vars))
        for v, source in ctx.vars:
            for ref in self.schema.references(source):
                types = source_types(source)
                columns = [Var(v, c, types[c]) for c in ref.columns]
                if self.schema.source_of(ref.target) not in wanted:
                    continue
                there = ctx.having(not_null(c) for c in columns)
                if there != ctx and self._assign_fresh(there, target.bag[0]):
                    yield disj((*map(is_null, columns), target))

    def _reaches(self, ctx: Context, source: Nested | None, target: Nested) -> bool:
        """Cheap test: every relation of the target is met in the context, the source, or by a foreign key."""
        there = set(tables_of(ctx.vars))
        for p in ctx.preds:
            if isinstance(p, Nested):
                there |= set(tables_of(p.bag[0].vars)) if p.bag else set()
            # an aggregate or subquery that a condition needs not NULL has rows of its tables
            there |= {
                t for n in strict_parts(p) if isinstance(n, Nested) for b in n.bag for t in tables_of(b.vars)
            }
        if source is not None:
            there |= set(tables_of(source.bag[0].vars))
        for t in list(there):
            if isinstance(t, Table):
                for r in self.schema.references(t):
                    # what is referred to is reached by the chase
                    there.add(self.schema.source_of(r.target) or t)
        return all(t in there for t in tables_of(target.bag[0].vars))


def _apart(ctx: Context, pred: Term) -> bool:
    """Whether the predicate says that two rows of one relation differ in a column."""
    pair = differs(pred)
    rows = dict(ctx.vars)
    return pair is not None and rows.get(pair[0].var, 0) == rows.get(pair[1].var, 1)


def _rows_meeting(ctx: Context, atoms: list[Nested], *, different: bool = False) -> Iterator[Term]:
    """That rows of the context which meet the conditions of an EXISTS are rows of it: by themselves they may
    meet those of one or of another. ``different``: no row for two of an EXISTS.
    """
    for atom in atoms:
        (b,) = atom.bag
        # a nested condition would have to be matched again for each choice of rows
        if any(isinstance(t, Nested) for p in b.preds for t in walk_shallow(p)):
            continue
        choices = [[w for w, s in ctx.vars if s == source] for _, source in b.vars]
        # few rows, and of those few choices: each is a clause for the solver
        for rows in islice(_unlike(choices) if different else product(*choices), _MOST_ROWS_MET):
            bound = {v: w for (v, _), w in zip(b.vars, rows, strict=True)}
            yield disj((negate(is_true(subst(conj(b.preds), rows_renamed(bound)))), atom))


def _unlike(choices: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """One of each list, none twice. Lists are the same or have nothing in common, so that no way ends in vain
    where each is as long as it is often there.
    """
    # more rows of one relation are asked for than there are
    if any(choices.count(c) > len(c) for c in choices):
        return

    def after(taken: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(taken) == len(choices):
            yield taken
            return
        for w in choices[len(taken)]:
            if w not in taken:
                yield from after((*taken, w))

    yield from after(())
