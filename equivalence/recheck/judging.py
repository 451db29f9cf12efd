"""What follows from rows in scope and predicates that hold, given the schema facts that a certificate states;
without the prover's engine.

A context is opened (rows that witness its EXISTS, rows of its DISTINCT sources); an EXISTS that is asked for
needs rows of the context in its place, references included; all else is asked of an SMT solver. Must not know
laws or certificates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from typing import TypeGuard

from rewright.engines import clock
from rewright.equivalence.prover.bags import NULL_OF_NO_ROWS, block, exists, subst, subst_block
from rewright.equivalence.prover.build import (
    app,
    conj,
    disj,
    eq,
    is_null,
    is_true,
    negate,
    not_null,
    predicates,
)
from rewright.equivalence.prover.conditional_keys import conditional_keys, period_keys
from rewright.equivalence.prover.context import Context, identical, membership
from rewright.equivalence.prover.schema import ConditionalKey, PeriodKey, Reference, Schema
from rewright.equivalence.prover.symbols import AND, CASE, EQ, IS_NULL, IS_TRUE, LT, NOT, OR, SAME, domain
from rewright.equivalence.prover.terms import (
    FALSE,
    TRUE,
    App,
    Bag,
    Block,
    Distinct,
    Nested,
    Source,
    Table,
    Term,
    Var,
    free_vars,
    max_var,
    rename_bound,
    rows_renamed,
    walk_shallow,
)
from rewright.equivalence.recheck.lemmas import lemmas
from rewright.equivalence.recheck.sessions import Session, extends
from rewright.equivalence.recheck.shapes import shape
from rewright.sql.types import BOOL

# variables of witnesses are numbered from here: they are never part of a form
_FIRST = 50_000_000
_MOST_WITNESSES = 60
_MOST_CASES = 4
_MOST_SESSIONS = 40
_DEPTH = 3


class OutOfTime(Exception):
    """The deadline has passed."""


class Judge:
    """Answers questions with nothing but the facts that ``schema`` allows
    (`rewright.equivalence.prover.asking.Asked`).
    """

    def __init__(self, schema: Schema, deadline: float) -> None:
        self.schema = schema
        self.deadline = deadline
        self._next = _FIRST
        self._depth = 0
        self._opened: dict[Context, Context] = {}
        self._sessions: dict[Context, Session] = {}
        self._answers: dict[tuple[Context, Term], bool] = {}
        self._met_before: dict[tuple[Context, Nested | None, Nested, int], bool] = {}
        # values made of bags that were found to be equal, in the question at hand
        self.equal: tuple[tuple[Term, Term], ...] = ()

    def tick(self) -> None:
        if clock.now() > self.deadline:
            raise OutOfTime

    # ---------------------------------------------------------------- questions

    def entails(self, ctx: Context, goal: Term) -> bool:
        """Whether the goal is TRUE wherever all predicates of the context are."""
        return all(self._follows(ctx, part) for part in predicates(goal))

    def inconsistent(self, ctx: Context) -> bool:
        """Whether the predicates of the context cannot hold together."""
        return self._follows(ctx, FALSE)

    def conditional_keys(self, source: Source, var: int) -> list[ConditionalKey]:
        """The partial and expression keys over the row of ``var``."""
        return conditional_keys(self.schema, source, var)

    def period_keys(self, source: Source, var: int) -> list[PeriodKey]:
        """The keys over periods over the row of ``var``."""
        return period_keys(self.schema, source, var)

    def freshen(self, bag: Bag) -> Bag:
        """A copy of the bag over variables that are used nowhere else."""
        renamed = rename_bound(bag, self._next)
        self._next = max(self._next, max_var(renamed)) + 1
        return renamed

    def _follows(self, ctx: Context, goal: Term) -> bool:
        if goal == TRUE or goal in ctx.preds:
            return True
        self.tick()
        key = ctx, goal
        # with equalities of the question at hand assumed, an answer is none of the context's
        if self.equal or key not in self._answers:
            world = self.opened(ctx)
            held = _is_exists(goal) and self._met(world, goal.bag[0])
            answer = held or self._by_solver(world, goal) or self._absurd(world, goal)
            # within another question fewer witnesses are looked for: "no" is no answer for good
            if self.equal or (self._depth and not answer):
                return answer  # asked by itself it might follow
            self._answers[key] = answer
        return self._answers[key]

    def _absurd(self, world: Context, goal: Term) -> bool:
        """Whether the goal is NOT EXISTS and such rows would contradict the opened context."""
        match goal:
            # NOT EXISTS follows where such a row would contradict what is known
            case App(sym, (Nested("exists") as some,)) if sym == NOT and self._depth <= 2:
                return self._by_solver(self._with_witnesses(world, [some]), FALSE)
        return False

    def _by_solver(self, world: Context, goal: Term) -> bool:
        session = self._session(world)
        # without lemmas first: most questions need none
        if session.refutes(goal, (), self.equal):
            return True
        known = [*self._lemmas(world, goal)]
        known += self._links(world, conj((goal, *known)))
        return bool(known) and session.refutes(goal, known, self.equal)

    def _lemmas(self, world: Context, goal: Term) -> list[Term]:
        # lemmas ask questions themselves, for which there are no further ones
        if self._depth > 1:
            return []
        self._depth += 1
        try:
            return lemmas(self, world, goal)
        finally:
            self._depth -= 1

    def same_rows(self, ctx: Context, one: Bag, other: Bag) -> bool:
        """Whether each row of either bag is in the other; not asked from within another question."""
        return self._depth <= 1 and all(
            self.entails(ctx.within(b), exists(rows_like(self.freshen(y), b.outs)))
            for x, y in ((one, other), (other, one))
            for b in self.freshen(x)
        )

    def plain(self, world: Context, goal: Term) -> bool:
        """Whether the goal follows in an opened context, without looking for rows."""
        return goal == TRUE or goal in world.preds or self._session(world).refutes(goal, (), self.equal)

    def _session(self, world: Context) -> Session:
        session = self._sessions.pop(world, None)
        if session is None:
            # a session over fewer rows and predicates is extended: what it was told stays told
            bases = [s for s in self._sessions.values() if extends(world, s.world)]
            base = max(bases, key=lambda s: len(s.world.vars) + len(s.world.preds), default=None)
            session = Session(self.schema, self.deadline, world, base)
        self._sessions[world] = session  # the one asked last is dropped last
        if len(self._sessions) > _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session

    # ---------------------------------------------------------------- witnesses

    def opened(self, ctx: Context) -> Context:
        """The context with a row for each EXISTS, DISTINCT row and aggregate of some rows that it holds."""
        if ctx not in self._opened:
            todo: list[Term] = [p for p in ctx.preds if _is_exists(p)]
            # each EXISTS that holds has a row, each DISTINCT row comes from one below
            todo += [q for v, s in ctx.vars if isinstance(s, Distinct) for q in predicates(membership(v, s))]
            todo += [q for t in _some_rows(ctx.preds) for q in predicates(t)]
            self._opened[ctx] = self._with_witnesses(ctx, todo)
        return self._opened[ctx]

    def _with_witnesses(self, ctx: Context, todo: list[Term]) -> Context:
        # rows of rows without end, as DISTINCT over DISTINCT may have: sixty are enough for what is proved
        for _ in range(_MOST_WITNESSES):
            if not todo:
                break
            goal = todo.pop(0)
            if not _is_exists(goal):
                ctx = ctx.having((goal,))
                continue
            (b,) = self.freshen(goal.bag)
            ctx = Context((*ctx.vars, *b.vars), ctx.preds).having(b.preds)
            todo += [q for v, s in b.vars if isinstance(s, Distinct) for q in predicates(membership(v, s))]
            todo += [p for p in b.preds if _is_exists(p)]
        return ctx

    # ---------------------------------------------------------------- rows of the context in the place of
    # others

    def _met(self, world: Context, goal: Block) -> bool:
        """Whether rows of an opened context can stand for the variables of an EXISTS."""
        # EXISTS within EXISTS within EXISTS is left to the solver
        if self._depth >= _DEPTH:
            return False
        self._depth += 1
        try:
            return self._placed(self._with_parents(world, {s for _, s in goal.vars}), goal, {})
        finally:
            self._depth -= 1

    def _placed(self, world: Context, goal: Block, rows: dict[int, int]) -> bool:
        self.tick()
        if len(rows) == len(goal.vars):
            return True
        v, source = goal.vars[len(rows)]
        wanted = _with_rows(source, rows)
        own = {x for x, _ in goal.vars}
        for w, other in world.vars:
            if other != wanted:
                continue
            bound = {**rows, v: w}
            # a condition is asked as soon as all the rows that it reads are chosen
            ready = [p for p in goal.preds if v in free_vars(p) and free_vars(p) & own <= bound.keys()]
            if all(self._holds(world, subst(p, rows_renamed(bound))) for p in ready) and self._placed(
                world, goal, bound
            ):
                return True
        return False

    def _holds(self, world: Context, goal: Term) -> bool:
        for part in predicates(goal):
            if _is_exists(part):
                if part not in world.preds and not self._met(world, part.bag[0]):
                    return False
            elif any(_is_exists(t) for t in walk_shallow(part)):
                # a condition with EXISTS in it may follow by which rows there are
                if not (self._by_solver(world, part) or self._absurd(world, part)):
                    return False
            elif not (self.plain(world, part) or self._of_none(world, part)):
                # an aggregate may be known not to be NULL by its rows
                # sum(x) > 0 needs a row: what it is compared with may follow from there being one
                there = [t for t in _inside(part) if t not in world.preds and self._has(world, None, t)]
                if not (there and self._session(world).refutes(part, there, self.equal)):
                    return False
        return True

    def _of_none(self, world: Context, goal: Term) -> bool:
        """Whether the goal follows where the rows that it reads are not among those that are said not to be
        there.
        """
        known = [
            negate(is_true(subst(conj(b.preds), rows_renamed({v: w}))))
            for b in _absent(world.preds)
            for v, source in b.vars
            for w, s in world.vars
            if s == source and w in free_vars(goal)
        ]
        return bool(known) and self._session(world).refutes(goal, known, self.equal)

    def _with_parents(self, world: Context, wanted: set[Source]) -> Context:
        """The rows that foreign keys of the context's rows refer to, where they may be asked for."""
        # a parent's parent is enough, as tables may refer to each other in circles
        for _ in range(2):
            added = world
            for v, source in world.vars:
                for ref in self.schema.references(source):
                    target = self.schema.source_of(ref.target)
                    # parents that no goal asks for only make the world larger
                    if target is None or not (target in wanted or self._refers_to(target, wanted)):
                        continue
                    added = self._with_parent(world, added, v, source, ref, target)
            if added == world:
                break
            world = added
        return world

    def _refers_to(self, target: Table, wanted: set[Source]) -> bool:
        return any(self.schema.source_of(r.target) in wanted for r in self.schema.references(target))

    def _with_parent(
        self, world: Context, added: Context, v: int, source: Source, ref: Reference, target: Table
    ) -> Context:
        assert isinstance(source, Table)
        own = [Var(v, c, source.types[c]) for c in ref.columns]
        # MATCH SIMPLE: a reference with NULL in it refers to nothing
        if not all(self.plain(world, part) for x in own for part in predicates(not_null(x))):
            return added
        w = self._next
        self._next += 1
        ties = [eq(Var(w, c, target.types[c]), x) for c, x in zip(ref.target_columns, own, strict=True)]
        return Context((*added.vars, (w, target)), added.preds).having(ties)

    # ---------------------------------------------------------------- EXISTS inside conditions

    def _links(self, world: Context, goal: Term) -> Iterator[Term]:
        """Which EXISTS of the question hold, which follow from which, and those of a
        disjunction as several.
        """
        # links ask for links: not deeper than questions go
        if self._depth >= _DEPTH - 1:
            return
        atoms = list(dict.fromkeys(t for p in (goal, *world.preds) for t in _inside(p)))
        for atom in list(atoms):
            cases = _cases(atom)
            if cases:
                # EXISTS of a disjunction holds where one of its parts does
                either = disj(cases)
                yield disj((negate(atom), either))
                yield disj((atom, negate(either)))
                atoms += [t for t in dict.fromkeys(x for c in cases for x in _inside(c)) if t not in atoms]
        for atom in atoms:
            yield from _met_by_values(atom)
            if atom not in world.preds:
                yield from _in_it(atom, world)
        self._depth += 1
        try:
            for target in atoms:
                if target in world.preds:
                    continue
                if self._has(world, None, target):
                    yield target
                    continue
                yield from self._if_it_refers(world, target)
                for source in atoms:
                    # two EXISTS of one shape are one formula already
                    if source == target or source in world.preds or shape(source) == shape(target):
                        continue
                    # nothing of the one can stand for a row of the other
                    if not _tables(source) & _tables(target):
                        continue
                    if self._has(world, source, target):
                        yield disj((negate(source), target))
        finally:
            self._depth -= 1

    def _if_it_refers(self, world: Context, target: Nested) -> Iterator[Term]:
        """Where a row of the world refers to one of the target's relations, the target holds, or it refers to
        none.
        """
        for v, source in world.vars:
            for ref in self.schema.references(source):
                if self.schema.source_of(ref.target) not in _tables(target) or not isinstance(source, Table):
                    continue
                given = conj(not_null(Var(v, c, source.types[c])) for c in ref.columns)
                # with all columns of the key filled the reference leads to a row
                if given not in {TRUE, *world.preds} and self._has(
                    world.having(predicates(given)), None, target
                ):
                    yield disj((negate(given), target))

    def _has(self, world: Context, source: Nested | None, target: Nested) -> bool:
        """Whether rows of an opened context, and those of ``source`` where it is given, are some of
        ``target``; kept, since each question about the context asks it.
        """
        key = world, source, target, self._depth
        # assumed equalities change what is met
        if self.equal or key not in self._met_before:
            known = world if source is None else self._with_witnesses(world, [source])
            answer = self._met(known, target.bag[0])
            if self.equal:
                return answer
            self._met_before[key] = answer
        return self._met_before[key]


def _met_by_values(atom: Nested) -> Iterator[Term]:
    """A column from outside that the rows of an EXISTS are compared with is not NULL where there are some."""
    (b,) = atom.bag
    own = {v for v, _ in b.vars}
    outside = (t for p in b.preds for t in strict_in(p) if isinstance(t, Var) and t.var not in own)
    yield from (disj((negate(atom), not_null(t))) for t in dict.fromkeys(outside))


def _in_it(atom: Nested, world: Context) -> Iterator[Term]:
    """Each row of the world for which the conditions of a plain EXISTS of one row hold is such a row; of two
    rows of one relation each two of them.
    """
    (b,) = atom.bag
    # a condition with bags in it is no formula of the row's columns
    if any(isinstance(t, Nested) for p in b.preds for t in walk_shallow(p)):
        return
    if len(b.vars) == 2 and b.vars[0][1] == b.vars[1][1]:
        # two rows of one relation stand for two that must differ, as in EXISTS(x, y . x ≠ y)
        names = [v for v, _ in b.vars]
        rows = [w for w, s in world.vars if s == b.vars[0][1]][:_MOST_CASES]
        for pair in permutations(rows, 2):
            met = subst(conj(b.preds), rows_renamed(dict(zip(names, pair, strict=True))))
            yield disj((negate(is_true(met)), atom))
    if len(b.vars) != 1:
        return
    ((v, source),) = b.vars
    for w in [w for w, s in world.vars if s == source][:_MOST_CASES]:
        yield disj((negate(is_true(subst(conj(b.preds), rows_renamed({v: w})))), atom))


def _absent(preds: Iterable[Term]) -> Iterator[Block]:
    """The rows of one relation of which a predicate says that there are none, by plain conditions."""
    for p in preds:
        match p:
            case App(sym, (Nested("exists", _, (b,)),)) if sym == NOT and len(b.vars) == 1:
                if not any(isinstance(t, Nested) for q in b.preds for t in walk_shallow(q)):
                    yield b


def rows_like(bag: Bag, outs: tuple[Term, ...]) -> Bag:
    """The bag's rows that are identical to the one given, without outputs."""
    return tuple(
        n
        for r in bag
        for n in block(r.vars, (*r.preds, *(identical(o, x) for o, x in zip(r.outs, outs, strict=True))), ())
    )


def _is_exists(term: Term) -> TypeGuard[Nested]:
    return isinstance(term, Nested) and term.kind == "exists"


def _inside(term: Term) -> Iterator[Nested]:
    """The EXISTS of a term outside other bags, and those that its aggregates' rows are asked for."""
    # an aggregate that is NULL without rows has its rows asked for by EXISTS
    for t in walk_shallow(term):
        if isinstance(t, Nested) and t.kind == "exists":
            yield t
        elif isinstance(t, Nested) and t.kind == "agg":
            # a condition that is read outside the rows may be another value of a bag
            yield from (s for s in walk_shallow(exists(t.bag)) if _is_exists(s))


def _cases(atom: Nested) -> list[Term]:
    """An EXISTS of a disjunction as one for each of its parts; that two rows differ is one, too, and that
    a condition is not TRUE.
    """
    (b,) = atom.bag
    for p in b.preds:
        parts = p.args if isinstance(p, App) and p.sym == OR else _less_or_greater(b, p)
        # NOT (p IS TRUE) is that p is NULL or FALSE: two cases
        if isinstance(p, App) and p.sym == NOT and isinstance(p.args[0], App) and p.args[0].sym == IS_TRUE:
            (tested,) = p.args[0].args
            parts = is_null(tested), negate(tested)
        if 0 < len(parts) <= _MOST_CASES:
            rest = tuple(q for q in b.preds if q != p)
            return [exists(block(b.vars, (*rest, a), ())) for a in parts]
    return []


def _less_or_greater(b: Block, pred: Term) -> tuple[Term, ...]:
    """X ≠ y is x < y or y < x, for an integer, date or timestamp column of two rows."""
    match pred:
        case App(sym, (App(inner, (Var(v, n) as x, Var(w, m) as y)),)) if (sym, inner) == (NOT, EQ):
            # of columns whose order is that of whole numbers, unlike is less or greater
            one_column = v != w and n == m and x.type == y.type and {v, w} & dict(b.vars).keys()
            if one_column and domain(x.type) in {"integer", "date", "timestamp"}:
                return app(LT, (x, y), BOOL), app(LT, (y, x), BOOL)
    return ()


def _tables(atom: Nested) -> set[Source]:
    found: set[Source] = set()
    for b in atom.bag:
        for _, s in b.vars:
            found |= {t for x in s.bag for _, t in x.vars} if isinstance(s, Distinct) else {s}
    return found


def _with_rows(source: Source, rows: dict[int, int]) -> Source:
    # tables depend on no row; a correlated source has the rows put in
    if isinstance(source, Table) or not rows:
        return source
    made = Block(((0, source),), (), ())
    renamed: Callable[[Term], Term | None] = rows_renamed(rows)  # type: ignore[assignment] # it is asked of variables and rows alone
    found = subst_block(made, renamed)
    return found[0].vars[0][1] if found else source


def _some_rows(preds: Iterable[Term]) -> list[Term]:
    """That the rows of an aggregate exist which is NULL without any, where a predicate needs it not to be
    NULL.
    """
    return [
        exists(t.bag)
        for p in preds
        for t in strict_in(p)
        if isinstance(t, Nested) and t.kind == "agg" and t.name.partition(" ")[0] in NULL_OF_NO_ROWS
    ]


def strict_in(pred: Term) -> Iterator[Term]:
    """The values that are not NULL where a predicate is TRUE."""
    match pred:
        case App(sym, (App(inner, (x,)),)) if sym == NOT and inner == IS_NULL:
            yield from _strict_value(x)
        case App(sym, args) if sym == AND:
            for x in args:
                yield from strict_in(x)
        case App(sym, args) if sym.strict and sym not in {OR, CASE, SAME}:
            for x in args:
                yield from _strict_value(x)


def _strict_value(term: Term) -> Iterator[Term]:
    yield term
    if isinstance(term, App) and term.sym.strict:
        for x in term.args:
            yield from _strict_value(x)
