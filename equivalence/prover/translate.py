"""From the bound query tree into the calculus.

One query becomes a bag of blocks: joins become products with predicates, outer joins unions of matched and
padded rows, grouping a variable over distinct keys with aggregates of correlated bags. This is the trusted
reading of SQL: what is not understood raises `Unsupported`. Must not know schema facts, rules or proofs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from rewright.sql import algebra as a
from rewright.sql.facts.effects import NO_ERRORS, OVERFLOW, errors_of_expr
from rewright.sql.facts.guards import NOTHING, Known
from rewright.sql.facts.moments import may_come_first
from rewright.sql.types import SqlType
from rewright.sql.walk import all_exprs, conjuncts

from .bags import UNNEST, block, exists
from .build import conj, negate, predicates, recollated, same
from .contributing import counts_where_it_fails
from .expressions import Translation
from .fresh import fresh, fresh_copy
from .lasting import is_told_by_parts
from .pulling import (
    PullUp,
    asked_by_row,
    computed_ctes,
    fence_of,
    is_not_pulled_up,
    makes_rows_apart,
    semi_joins,
    stays_around,
)
from .ranges import fits_where
from .selects import translate_select
from .series import never_fails
from .standing import place_of
from .symbols import ends_with_time, hazardous, leaves_its_type, one_look
from .terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Distinct,
    Function,
    Limited,
    Lit,
    Multi,
    Source,
    Sym,
    Table,
    Term,
    Var,
    bag_types,
    free_vars,
    null,
    source_types,
    walk_shallow,
)
from .translated import (
    Env,
    Failure,
    Form,
    Level,
    Made,
    Raising,
    Rows,
    Scope,
    Site,
    Unsupported,
    columns_of,
    sort_label,
)
from .unasked import Asked

MAX_BLOCKS = 48
# of a join within others: each outer join of a chain may double them
MOST_ROWS = 1_000
# how much that may fail was met, how many scalar subqueries and computed columns
Met = tuple[int, int, int]


@dataclass(slots=True)
class Translator:
    """Translates one query and remembers what could fail on the way."""

    # whether reading a stored column computes it (PostgreSQL 18's virtual generated columns)
    computed: Callable[[a.TableRef, int], bool] = lambda _table, _position: False
    # whether constraints keep arithmetic on rows of these sources from failing
    spares: Callable[[App, Mapping[int, Source]], bool] = lambda _term, _sources: False
    # the labels of an enum in their order, none where they are not known
    labels: Callable[[SqlType], tuple[str, ...]] = lambda _type: ()
    # exact averages as sums divided by counts
    quotients: bool = False
    # raises an exception past the deadline
    tick: Callable[[], None] = lambda: None
    ctes: dict[int, tuple[a.Query, Env]] = field(default_factory=dict)
    # CTEs that are computed as a whole before anything reads them
    fenced: set[int] = field(default_factory=set)
    failing: list[Failure] = field(default_factory=list)
    guarded: list[Failure] = field(default_factory=list)
    # those in conditions
    tested: list[Failure] = field(default_factory=list)
    # each at its level, and in how many conditions around; and in how many each of the conditions stands
    levels: dict[int, tuple[Level, int]] = field(default_factory=dict)
    # those of them that are outputs of subqueries, which the condition reads
    shown: set[int] = field(default_factory=set)
    # by failure the condition that it is in, and those that are asked before it as they are written
    asked_in: dict[int, tuple[Term, tuple[Term, ...]]] = field(default_factory=dict)
    # the blocks that are asked of one row after another
    by_row: set[int] = field(default_factory=set)
    depths: list[int] = field(default_factory=list)
    depth: int = 0
    # aggregates and window functions that may raise something
    raising: list[Raising] = field(default_factory=list)
    # the rows and groups, outermost first, for which the next is evaluated before any of them is dropped
    before: tuple[Made, ...] = ()
    # scalar subqueries: some may have more than one row; those that a CASE or COALESCE may leave out; and
    # what else may fail if one of these has
    rows: list[Failure] = field(default_factory=list)
    guarded_rows: list[Failure] = field(default_factory=list)
    by_rows: list[tuple[Failure, list[Failure]]] = field(default_factory=list)
    # the columns that were read and are computed; and of subqueries that are planned by themselves what may
    # fail, unless a condition that is ``pushed`` into them has its place
    reads: list[Term] = field(default_factory=list)
    outputs_apart: set[Term] = field(default_factory=set)
    # how many guards there are before what is translated, and the columns in ``reads`` that are behind some
    guards_around: int = 0
    read_behind: set[int] = field(default_factory=set)
    pushed: bool = False
    sites: tuple[Site, ...] = ()
    # the queries around what is read, outermost first, that the planner runs apart from those around them
    level: Level = ()
    # whether the rows of the FROM that is read are joined with others, or asked for in subqueries
    joined: bool = False
    # subqueries that are conditions by themselves, which the planner joins
    semi_joins: set[int] = field(default_factory=set)
    # the scalar subquery that is read next, and while what it computes of its one row of aggregates is read
    # the sites of the rows below it
    asked: a.Query | None = None
    among: tuple[Site, ...] | None = None
    # whether an outer join may put NULLs for what is read next: the planner computes a subquery's columns
    # below that join
    nullable: bool = False
    # whether all rows of what is read next are made: nothing around it filters, joins or stops early
    whole: bool = False
    sources: dict[int, Source] = field(default_factory=dict)
    # the innermost query that is read, and of that the whole expression, or the part that may be evaluated on
    # other rows than what is around it (an aggregate, a CASE)
    within: a.Query | None = None
    apart: a.Expr | None = None
    # the SELECT whose rows are the result's, and while its outputs are made, what holds of those rows
    topmost: a.Query | None = None
    asked_outputs: Asked | None = None
    given: tuple[Term, ...] = ()
    # what is known where the next expression is evaluated, what the conditions beside it say, and what is
    # known of the rows that aggregates read
    known: Known = NOTHING
    beside: Known = NOTHING
    inside: Known = NOTHING
    # what bounds the moments of the rows of the blocks around, wherever anything is computed of these
    bounds: tuple[a.Expr, ...] = ()
    loose: set[str] = field(default_factory=set)  # reservations met: tie-order, float-order
    # the conditions in the order of their writing, each with its level, and whether evaluating one may depend
    # on that order (M7): whatever the order is, or only where the planner takes a bad one
    filters: list[tuple[Level, Term, a.Expr]] = field(default_factory=list)
    risky: bool = False
    forced: bool = False
    # what overflows for rows that may count for nothing
    overflowing: list[Failure] = field(default_factory=list)

    def copy(self, bag: Bag) -> Bag:
        """The bag with new bound variables."""
        return fresh_copy(bag)

    def fails(self, kind: str, term: App, *, optional: bool = False) -> None:
        """Remember that evaluating the term here may raise an error."""
        self.failing.append(self._failure(kind, term, optional=optional))

    def met(self) -> Met:
        """How much that may fail, and how many scalar subqueries and computed columns, have been met."""
        return len(self.failing), len(self.rows), len(self.reads)

    def fails_by_parts(self, term: App, met: Met) -> None:
        """Remember that evaluating the term may raise an error if something that was ``met`` since then may,
        of which its order or guard tells.
        """
        # ordinary failures first: with these in it the order counts whether or not a subquery has two rows
        if hazards := self._hazards(met):
            self.fails("errors", term, optional=all(f.optional for f in hazards))
        elif rows := self._within(self.rows, met[1], met):
            self.by_rows.append((self._failure("errors", term), rows))

    def stops_before(self, term: App, met: Met) -> None:
        """Remember that AND or OR, the ``term``, may come to its end before something that was ``met`` since
        then leaves its type: its parts are evaluated as they are written.
        """
        found = [f for f in self._within(self.failing, met[0], met) if leaves_its_type(f.kind, f.term)]
        if any(not fits_where(f.term, f.given, self.sources) for f in found):
            self.fails("overflow", term)

    def guards(self, met: Met) -> None:
        """Remember that what was ``met`` since then is not evaluated of all rows."""
        self.guarded += self._within(self.failing, met[0], met)
        self.guarded_rows += self._within(self.rows, met[1], met)
        self.made_whole(met)

    def asked_of_rows(self, met: Met, values: Collection[Term] = ()) -> None:
        """Remember that what was ``met`` since then is evaluated of all rows that WHERE and ON leave, some of
        which may count for nothing: which these are tells whether it fails. ``values``: what a row is counted
        by.
        """
        found = [f for f in self._within(self.failing, met[0], met) if not is_told_by_parts(f.term)]
        found = [f for f in found if not counts_where_it_fails(f.term, values)]
        self.overflowing += [f for f in found if f.kind == "overflow"]
        hazards = [f for f in found if f.kind == "errors" and hazardous(f.term)]
        self.risky |= bool(hazards)
        self.forced |= not all(f.optional for f in hazards)

    def _hazards(self, met: Met) -> list[Failure]:
        """What was met since then and fails for ordinary values."""
        found = self._within(self.failing, met[0], met)
        return [f for f in found if f.kind == "errors" and hazardous(f.term)]

    def _within(self, failures: list[Failure], start: int, met: Met) -> list[Failure]:
        """Those from ``start`` on, and those of outputs of subqueries that were read since then and are
        evaluated where they are read, since the planner pulls them up.
        """
        # nothing was read of a subquery's outputs since: only what was met here counts
        if len(self.reads) == met[2]:
            return failures[start:]
        read = self._read_since(met)
        # a condition goes into what is planned by itself, and is evaluated there
        read = read if self.pushed else read - self.outputs_apart
        # outputs of a subquery that is pulled up are computed where they are read: within the guard or the
        # AND
        return [f for n, f in enumerate(failures) if n >= start or (f.term in read and self._is_here(f))]

    def made_whole(self, met: Met) -> None:
        """Remember what of the outputs read since then is evaluated of all rows: that of subqueries that are
        planned by themselves.
        """
        # a guard does not protect what the subquery has computed before
        apart = set() if self.pushed else self._read_since(met) & self.outputs_apart
        for f in [f for f in self.failing if f.term in apart]:
            self.fails(f.kind, _by_itself(f))
        for f in [f for f in self.rows if f.term in apart]:
            self.by_rows.append((self._failure("errors", _by_itself(f)), [f]))

    def _test_outputs(self, met: Met, made: Term, before_it: tuple[Term, ...]) -> None:
        """Remember what may leave its type in outputs of subqueries that a condition has read since then: in
        a condition it is computed of more rows than where it is shown.
        """
        here = set(map(id, self.failing[met[0] :]))
        columns = (x for n, x in enumerate(self.reads) if n >= met[2] and n not in self.read_behind)
        surely = {t for x in columns for t in walk_shallow(x)}
        for f in self._within(self.failing, met[0], met):
            if id(f) not in here and (leaves_its_type(f.kind, f.term) or ends_with_time(f.term)):
                optional = f.optional or fits_where(f.term, before_it, self.sources)
                behind = f.behind or f.term not in surely
                asked = replace(f, given=self.given, optional=optional, behind=behind)
                self.tested.append(asked)
                self.asked_in[id(asked)] = made, before_it
                self.shown.add(id(asked))
                self.levels[id(asked)] = self.level, self.depth

    def _read_since(self, met: Met) -> set[Term]:
        return {t for column in self.reads[met[2] :] for t in walk_shallow(column)}

    def _made_elsewhere(self) -> set[Term]:
        """What may fail for ordinary values, or if a subquery has several rows, and is an output of a query
        that is planned by itself.
        """
        ordinary = (f for f in self.failing if f.kind == "errors" and hazardous(f.term))
        apart = self.outputs_apart
        return {f.term for f in (*ordinary, *self.rows) if f.term in apart or not self._is_here(f)}

    def _is_here(self, failure: Failure) -> bool:
        """Whether it is evaluated of the rows that are read, or of rows around these."""
        # padded sites are of rows that exist here as well: an outer join only adds NULLs
        made, here = ([s for s in sites if s.kind != "padded"] for sites in (failure.sites, self.sites))
        return len(made) <= len(here) and all(x is y for x, y in zip(made, here, strict=False))

    def _failure(self, kind: str, term: App, *, optional: bool = False) -> Failure:
        around = self.within, self.apart, self.before
        return Failure(kind, term, self.sites, self.given, optional, *around, self.guards_around > 0)

    def condition(self, e: a.Expr, rows: Rows) -> Term:
        """A WHERE or ON of the rows, remembered with its place among the others."""
        # a subquery that is a condition by itself is joined: its rows are run beside the others
        self.semi_joins |= {id(q) for q in semi_joins(e)}
        make = Translation(self, Scope(rows.env))
        return conj(self.conjuncts(make, e, rows.preds, pushed=True).values())

    def conjuncts(
        self, make: Translation, e: a.Expr, before_it: tuple[Term, ...] = (), *, pushed: bool = False
    ) -> dict[a.Expr, Term]:
        """The conjuncts of a condition, which the planner may take apart. ``before_it``: those of the rows it
        is asked of, which come first as it is written. ``pushed``: they go into subqueries that are planned
        by themselves.
        """
        met = self.met()
        parts = conjuncts(e)
        # what may raise only an overflow does not make the order of conditions count
        sure = [p for p in parts if not errors_of_expr(p, lambda _: True, lambda _: NO_ERRORS) - OVERFLOW]
        terms: dict[a.Expr, Term] = {}
        for part in parts:
            self.tick()
            start, since = len(self.failing), self.met()
            with (
                # each conjunct with what the others would keep from failing, in whatever order they come
                self.with_known(beside=NOTHING.where(*(p for p in sure if p is not part))),
                self.bounded(() if may_come_first(part) else self.bounds),
                self.pushing(pushed=pushed),
                self.within_condition(),
            ):
                made = make.term(part)
                # only conditions that can't fail themselves are sure to have been asked before
                first = (*before_it, *(t for p, t in terms.items() if p in sure))
                if not self.sites and len(self.reads) > since[2]:
                    self._test_outputs(since, made, first)
            if len(self.failing) > start:
                self._spare(range(start, len(self.failing)), first)
            for f in self.failing[start:]:
                self.asked_in.setdefault(id(f), (made, first))
            terms[part] = made
        term = conj(terms.values())
        for part, made in terms.items():
            # with a subquery in it it does not go into what is planned by itself, as its parts would
            # it stays where it is written, though others of its conjunction move
            kept = stays_around(part) and bool(self._read_since(met) & self._made_elsewhere())
            level: Level = (*self.level, ("around", id(part))) if kept else self.level
            self.filters += ((level, p, part) for p in predicates(made))
            self.depths += (self.depth for _ in predicates(made))
            self.risky |= kept
            self.forced |= kept
        # rows that are made apart are known by what is asked of them
        if self.sites:
            self.sites[-1].filters.extend(predicates(term))
        with self.pushing(pushed=pushed):
            hazards = self._hazards(met)
        self.risky |= bool(hazards)
        self.forced |= not all(f.optional for f in hazards)
        tested = [f for f in self.failing[met[0] :] if not f.sites]
        self.tested += tested
        # each where it is asked innermost
        self.levels |= {id(f): self.levels.get(id(f), (self.level, self.depth)) for f in tested}
        return terms

    def reading(self, column: Term) -> None:
        """Remember that a column is read that is computed."""
        if self.guards_around:
            self.read_behind.add(len(self.reads))
        self.reads.append(column)

    @contextmanager
    def behind(self, *, guarded: bool = True) -> Iterator[None]:
        """Translate what is evaluated only if what stands before it lets it be, where ``guarded``."""
        self.guards_around += guarded
        try:
            yield
        finally:
            self.guards_around -= guarded

    @contextmanager
    def within_condition(self) -> Iterator[None]:
        """Translate a conjunct: subqueries in it are asked of rows that are left, or joined to them."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def _spare(self, met: range, given: tuple[Term, ...]) -> None:
        """Mark overflows that do not happen where the ``given`` conditions are evaluated first, as they are
        written and as the server has them but for indexes and costs (decision 0490).
        """
        for n in met:
            f = self.failing[n]
            if f.kind == "overflow" and f.sites == self.sites and fits_where(f.term, given, self.sources):
                self.failing[n] = replace(f, optional=True)

    @contextmanager
    def site(self, kind: str, *, fence: bool) -> Iterator[None]:
        """Translate something whose rows are made apart, where ``fence``; ``kind``: how."""
        # outside of the fence nothing is among the rows below a scalar subquery
        outer = self.sites, self.among
        self.among = None
        if fence:
            self.sites = (*self.sites, Site(kind))
        try:
            yield
        finally:
            self.sites, self.among = outer

    @contextmanager
    def below(self, part: object, kind: str, *, apart: bool, joined: bool) -> Iterator[None]:
        """Translate what is run before what is around it, where ``apart``: conditions there are asked of its
        rows alone. ``kind``: how; ``joined``: its rows are joined with others otherwise.
        """
        outer = self.level, self.joined
        self.level, self.joined = ((*self.level, (kind, id(part))), False) if apart else (self.level, joined)
        try:
            yield
        finally:
            self.level, self.joined = outer

    @contextmanager
    def once(self, query: a.Select) -> Iterator[None]:
        """Translate what a query shows. What a scalar subquery computes of its one row of aggregates is
        evaluated where it is asked, as if it stood around the subquery.
        """
        outer = self.sites, self.among
        # (SELECT 1 / count(*) …) is divided where the subquery is asked, as often as that happens
        if self.sites and query is self.asked and _is_one_row_of_aggregates(query):
            self.sites, self.among = self.sites[:-1], self.sites
        try:
            yield
        finally:
            self.sites, self.among = outer

    @contextmanager
    def among_rows(self, before: tuple[Made, ...]) -> Iterator[None]:
        """Translate an aggregate: its arguments are evaluated of the rows, ``before`` groups are dropped."""
        outer = self.sites, self.among
        # its aggregates' arguments are evaluated below, among the rows
        if self.among is not None:
            self.sites, self.among = self.among, None
        try:
            with self.making(before):
                yield
        finally:
            self.sites, self.among = outer

    @contextmanager
    def making(self, before: tuple[Made, ...]) -> Iterator[None]:
        """Translate what is evaluated for these rows and groups, outermost first, before any is dropped."""
        outer, self.before = self.before, before
        try:
            yield
        finally:
            self.before = outer

    @contextmanager
    def pushing(self, *, pushed: bool) -> Iterator[None]:
        """Translate a condition, ``pushed`` into subqueries, or something else."""
        outer, self.pushed = self.pushed, pushed
        try:
            yield
        finally:
            self.pushed = outer

    @contextmanager
    def rows_given(self, preds: tuple[Term, ...]) -> Iterator[None]:
        """Translate something that is evaluated on rows that satisfy ``preds`` only."""
        outer, self.given = self.given, preds
        try:
            yield
        finally:
            self.given = outer

    def unasked(self, block: a.Select) -> frozenset[int]:
        """The numbers of the block's outputs that are computed of rows that have met its WHERE."""
        return self.asked_outputs.unasked(block) if self.asked_outputs is not None else frozenset()

    def met_by(self, block: a.Select) -> tuple[a.Expr, ...]:
        """The conditions that the rows of which these outputs are computed have met."""
        return self.asked_outputs.met(block) if self.asked_outputs is not None else ()

    @contextmanager
    def bounded(self, bounds: tuple[a.Expr, ...]) -> Iterator[None]:
        """Translate something where these conditions have been asked of all rows."""
        outer, self.bounds = self.bounds, bounds
        try:
            yield
        finally:
            self.bounds = outer

    @contextmanager
    def with_known(
        self, known: Known | None = None, beside: Known | None = None, inside: Known | None = None
    ) -> Iterator[None]:
        """Translate something where other things are known; None: as around it."""
        outer = self.known, self.beside, self.inside
        self.known = outer[0] if known is None else known
        self.beside = outer[1] if beside is None else beside
        self.inside = outer[2] if inside is None else inside
        try:
            yield
        finally:
            self.known, self.beside, self.inside = outer

    # ---------------------------------------------------------------- queries

    def top(self, query: a.Query) -> Form:
        self.topmost, self.asked_outputs, self.by_row = query, Asked(query), asked_by_row(query)
        return self.query(query, {}, visible=True, whole=True)

    def query(
        self,
        query: a.Query,
        env: Env,
        *,
        visible: bool = False,
        whole: bool = False,
        ordered: bool = False,
        from_: bool = False,
        read: str = "",
    ) -> Form:
        """The rows of a query. ``visible``: it is the whole statement, and its order is seen. ``ordered``: so
        is that of this subquery. Where the order is seen the sort keys stay. ``whole``: all its rows are made
        whatever stands around it. ``from_``: it stands in FROM. ``read``: by what it is read in an
        expression (EXISTS may stop at the first row).
        """
        # readers of a CTE and the sides of outer joins are read again and again
        self.tick()
        if visible:
            self.fenced = computed_ctes(query)
        semi_join = id(query) in self.semi_joins
        joined = self.joined or semi_join
        apart = makes_rows_apart(query) or (joined and is_not_pulled_up(query))
        # a subquery in FROM, or one that is joined, is run with what is around it unless something keeps it
        # apart
        below = apart or not (from_ or semi_join)
        # EXISTS and IN run their rows in different ways: EXISTS stops at the first
        kind = fence_of(query) if semi_join else f"{read} {fence_of(query)}".strip()
        with (
            self.site(fence_of(query), fence=not whole and apart),
            # rows made whole, whatever is around them, fail as they do by themselves
            self.below(query, kind, apart=below and not visible, joined=joined),
            self.rows_given(()),
            self.with_known(NOTHING, NOTHING, NOTHING),
            self.pushing(pushed=False),
            self.by_itself(apart=from_ and not apart and is_not_pulled_up(query)),
        ):
            # LIMIT may stop before all rows were made
            self.whole = whole and query.limit is None and query.offset is None
            outer = self.within, self.apart
            self.within, self.apart = query, None
            try:
                return self._cut(query, env, ordered=visible or ordered, whole=whole)
            finally:
                self.within, self.apart = outer

    @contextmanager
    def by_itself(self, *, apart: bool) -> Iterator[None]:
        """Translate a subquery in FROM; where it is planned ``apart``, it computes its outputs itself."""
        failing, asked = len(self.failing), len(self.rows)
        yield
        if apart:
            self.outputs_apart |= {f.term for f in (*self.failing[failing:], *self.rows[asked:])}

    def scalar(self, query: a.Query, env: Env) -> Bag:
        """The rows of a scalar subquery."""
        outer, self.asked = self.asked, query
        try:
            return self.query(query, env).bag
        finally:
            self.asked = outer

    def _cut(self, query: a.Query, env: Env, *, ordered: bool, whole: bool) -> Form:
        """The rows of a query that LIMIT and OFFSET leave. ``whole``: none of the others is dropped before it
        is made.
        """
        # a query that is not cut is the same with and without sort keys
        if query.limit is None and query.offset is None:
            return self._query(query, env, ordered=ordered)
        # all rows are made, and sorted, before the first is dropped
        made = Made(late=True)
        with self.making((*self.before, made) if whole else self.before):
            form = self._query(query, env, ordered=True)
        made.rows += (Block(b.vars, b.preds, ()) for b in form.bag)
        return self._shown(self.limit(query, form, env), ordered=ordered)

    def _query(self, query: a.Query, env: Env, *, ordered: bool) -> Form:
        for cte in query.ctes:
            body = cte.query
            # a fixpoint is taken apart into first terms and steps elsewhere (`laws/recursion.py`)
            if cte.recursive:
                raise Unsupported("recursive CTE")
            self.ctes[cte.cte] = (body, env)
        match query:
            case a.Select():
                form = self.select(query, env)
            case a.SetOp():
                form = self.set_operation(query, env)
            case a.Values():
                form = self.values(query, env)
        # alternatives multiply by each join: beyond this the search would not come back
        if len(form.bag) > MAX_BLOCKS:
            raise Unsupported("too many alternatives")
        return self._shown(form, ordered=ordered)

    def _shown(self, form: Form, *, ordered: bool) -> Form:
        """The form with its sort keys where its order is ``ordered``."""
        if ordered:
            # sort keys that nobody sees are dropped
            return form
        return Form(tuple(Block(b.vars, b.preds, b.outs[: form.width]) for b in form.bag), form.width)

    def limit(self, query: a.Query, form: Form, env: Env) -> Form:
        """LIMIT and OFFSET: a variable over the chosen rows."""
        ends = Translation(self, Scope(env))
        limit = ends.term(query.limit) if query.limit is not None else None
        offset = ends.term(query.offset) if query.offset is not None else None
        for end, name in ((limit, "limit"), (offset, "offset")):
            # a negative LIMIT is an error, and so may be what it is computed from
            if end is not None and not _counts(end):
                self.fails("errors", App(Sym(name, fails="errors"), (end,), INTEGER))
        # LIMIT NULL and LIMIT ALL are no limit
        if limit is not None and limit == null(limit.type):
            limit = None
        if (
            limit is None
            and isinstance(offset, Lit | None)
            and (offset is None or offset.value in {None, "0"})
        ):
            return form  # a fence for the planner (decision 0140), not for the rows
        ties = not isinstance(query, a.Values) and query.with_ties
        if (one := _one_row(form, limit, offset, ties=ties)) is not None:
            return one
        source = Limited(form.bag, form.sort, limit, offset, ties)
        v = fresh()
        types = bag_types(form.bag)
        # no rows, however they are cut
        if not form.bag:
            return form
        self.sources[v] = source
        outs = tuple(Var(v, i, t) for i, t in enumerate(types))
        return Form(block(((v, source),), (), outs), form.width, form.sort)

    def values(self, query: a.Values, env: Env) -> Form:
        make = Translation(self, Scope(env))
        types = tuple(c.type for c in query.columns)
        bag = tuple(
            Block((), (), tuple(make.branch(e, t) for e, t in zip(row, types, strict=True)))
            for row in query.rows
        )
        return self._sorted(Form(bag, len(types)), query.order_by, types)

    def _sorted(self, form: Form, keys: tuple[a.OutputSortKey, ...], types: tuple[SqlType, ...]) -> Form:
        bag = tuple(Block(b.vars, b.preds, (*b.outs, *(b.outs[k.pos] for k in keys))) for b in form.bag)
        return Form(bag, form.width, tuple(sort_label(k, types[k.pos].collation) for k in keys))

    def set_operation(self, query: a.SetOp, env: Env) -> Form:
        # INTERSECT and EXCEPT may read one side only in part
        whole = self.whole and query.op == "union"
        types = tuple(c.type for c in query.columns)
        left, right = (
            self._arm(self.query(arm, env, whole=whole, from_=True).bag, types)
            for arm in (query.left, query.right)
        )
        bag = self.combine(query.op, left, right, types, all_=query.all)
        return self._sorted(Form(bag, len(types)), query.order_by, types)

    def _arm(self, bag: Bag, types: tuple[SqlType, ...]) -> Bag:
        """The rows of one arm of a set operation, under the collations of its columns."""
        return tuple(
            Block(
                b.vars,
                b.preds,
                tuple(recollated(o, t.collation) for o, t in zip(b.outs, types, strict=True)),
            )
            for b in bag
        )

    def combine(self, op: str, left: Bag, right: Bag, types: tuple[SqlType, ...], *, all_: bool) -> Bag:
        if op == "union":
            return (*left, *right) if all_ else self.distinct((*left, *right))
        # multiplicities of the ALL forms are the source's own business
        if all_:
            v = fresh()
            source = Multi("intersect" if op == "intersect" else "except", left, right)
            return block(((v, source),), (), tuple(Var(v, i, t) for i, t in enumerate(types)))
        result: list[Block] = []
        # INTERSECT and EXCEPT are DISTINCT with a semi-join and an anti-join by IS NOT DISTINCT FROM
        for b in self.distinct(left, self._unlike(left, right) if op == "intersect" else ()):
            met = exists(self.equal_rows(self.copy(right), b.outs))
            result.extend(block(b.vars, (*b.preds, met if op == "intersect" else negate(met)), b.outs))
        return tuple(result)

    def equal_rows(self, bag: Bag, row: tuple[Term, ...]) -> Bag:
        """Rows of the bag that are not distinct from ``row``."""
        result: list[Block] = []
        for b in bag:
            ties = tuple(self.alike(x, y) for x, y in zip(b.outs, row, strict=True))
            result.extend(block(b.vars, (*b.preds, *ties), ()))
        return tuple(result)

    def alike(self, x: Term, y: Term) -> Term:
        """Equality as GROUP BY and set operations see it (6g: NULLs alike)."""
        return same(x, y)

    def _unlike(self, left: Bag, right: Bag) -> tuple[int, ...]:
        """M19: columns whose equal values look different on the two sides of INTERSECT, which the server
        swaps as it likes.
        """
        columns = enumerate(zip(bag_types(left), bag_types(right), strict=False))
        return tuple(i for i, pair in columns if not one_look(pair))

    def distinct(self, bag: Bag, either: tuple[int, ...] = ()) -> Bag:
        """DISTINCT: a variable over the distinct rows. Its columns stand in an order of their own, since that
        of DISTINCT and GROUP BY means nothing.
        """
        # a bag of no blocks has no types to make a row of
        if not bag:
            return bag
        v = fresh()
        order = self._order_of_columns(bag)
        places = {column: place for place, column in enumerate(order)}
        parts = tuple(replace(b, outs=tuple(b.outs[i] for i in order)) for b in bag)
        source = Distinct(parts, tuple(sorted(places[i] for i in either)))
        self.sources[v] = source
        types = source_types(source)
        outs = tuple(Var(v, places[i], types[places[i]]) for i in range(len(order)))
        return (Block(((v, source),), (), outs),)

    def _order_of_columns(self, bag: Bag) -> list[int]:
        """Columns of tables by their names' places, the others after them, as they came."""

        def place(column: int) -> tuple[tuple[bool, str, int], ...]:
            return tuple(place_of(b.outs[column], self.sources) for b in bag)

        return sorted(range(len(bag[0].outs)), key=place)

    # ---------------------------------------------------------------- FROM

    def select(self, query: a.Select, env: Env) -> Form:
        return translate_select(self, query, env)

    def from_list(self, items: tuple[a.FromItem, ...], env: Env) -> list[Rows]:
        rows = [Rows((), (), dict(env))]
        for item in items:
            rows = [self._product(r, s) for r in rows for s in self.from_item(item, r.env)]
            # each item may be a union of padded and matched rows
            if len(rows) > MAX_BLOCKS:
                raise Unsupported("too many alternatives")
        return rows

    def _product(self, left: Rows, right: Rows) -> Rows:
        return Rows((*left.vars, *right.vars), (*left.preds, *right.preds), {**left.env, **right.env})

    def from_item(self, item: a.FromItem, env: Env) -> list[Rows]:
        match item:
            case a.Scan(rel, table, _, columns, only):
                types = tuple(c.type for c in columns)
                return [self._ranging(rel, Table(table, only, types), types, env)]
            case a.Derived(rel, query, security_barrier=barrier):
                # a view with a barrier keeps conditions outside, and errors with them
                if barrier:
                    raise Unsupported("security barrier view")
                with self._below_join(query, fence=False) as early:
                    bag = self.query(query, env, whole=self.whole, from_=True).bag
                    early(bag)
                return self._from_bag(rel, bag, env)
            case a.CteScan(rel, cte):
                # a CTE that was not translated before it is read is one that reads itself
                if cte not in self.ctes:
                    raise Unsupported("recursive CTE")
                query, outer = self.ctes[cte]
                fenced = cte in self.fenced
                with (
                    # a computed CTE is made as a whole, unless all of its rows are made anyway
                    self._below_join(query, fence=fenced and not self.whole) as early,
                    self.below(query, "computed", apart=fenced, joined=self.joined),
                ):
                    bag = self.query(query, outer, whole=self.whole, from_=True).bag
                    early(bag)
                return self._from_bag(rel, bag, env)
            case a.ValuesScan(rel, rows, _, columns):
                make = Translation(self, Scope(env))
                made = (
                    tuple(make.branch(e, c.type) for e, c in zip(row, columns, strict=True)) for row in rows
                )
                # a row of VALUES has no variable: its values stand for the columns in one alternative each
                return [Rows((), (), {**env, rel: row}) for row in made]
            case a.FunctionScan(rel, call, _, columns, ordinality):
                return self._function(rel, call, tuple(c.type for c in columns), env, ordinality=ordinality)
            case a.Join():
                # a join asks of each side which rows have partners: neither is made as a whole
                self.whole = False
                return self.join(item, env)

    @contextmanager
    def _below_join(self, query: a.Query, *, fence: bool) -> Iterator[Callable[[Bag], None]]:
        """Translate a subquery in FROM; where an outer join may replace its rows by NULLs, these are made
        apart. Gives what notes which of its outputs, once they are made, are computed before that join.
        """
        nullable, self.nullable = self.nullable, False
        try:
            with self.site("computed" if fence else "padded", fence=fence or nullable):
                # an outer join above may take a subquery's outputs for NULL, after or before they were
                # computed
                below = bool(self.sites) and self.sites[-1].kind == "padded" and not makes_rows_apart(query)
                # what is pulled up into a subquery below the join is an output of that
                asked = below and (nullable or is_not_pulled_up(query))
                yield partial(self._computed_below, query) if asked else lambda _: None
        finally:
            self.nullable = nullable

    def _computed_below(self, query: a.Query, bag: Bag) -> None:
        pull_up = PullUp({cte: body for cte, (body, _) in self.ctes.items()}, self.fenced)
        for n, how in enumerate(pull_up.computed_below(query)):
            if how:
                self.sites[-1].early += ((how, b.outs[n]) for b in bag)

    def _read_side(self, item: a.FromItem, env: Env, *, nullable: bool) -> list[Rows]:
        """The rows of one side of a join; ``nullable``: the join may put NULLs for them."""
        outer = self.nullable
        self.nullable = outer or nullable
        try:
            return self.from_item(item, env)
        finally:
            self.nullable = outer

    def _ranging(self, rel: int, source: Source, types: tuple[SqlType, ...], env: Env) -> Rows:
        v = fresh()
        self.sources[v] = source
        # the rows of a site are told by the tables they come from
        if self.sites and isinstance(source, Table):
            self.sites[-1].tables.append(f"{source.ref.schema}.{source.ref.name}")
        return Rows(((v, source),), (), {**env, rel: tuple(Var(v, i, t) for i, t in enumerate(types))})

    def _from_bag(self, rel: int, bag: Bag, env: Env) -> list[Rows]:
        return [Rows(b.vars, b.preds, {**env, rel: b.outs}) for b in bag]

    def _function(
        self, rel: int, call: a.Expr, types: tuple[SqlType, ...], env: Env, *, ordinality: bool
    ) -> list[Rows]:
        # ROWS FROM (f(), g()), XMLTABLE and the like
        if not isinstance(call, a.Call):
            raise Unsupported("function in FROM")
        make = Translation(self, Scope(env))
        # a volatile function gives other rows for each row beside it
        make.check(call.func)
        args = tuple(make.term(x) for x in call.args)
        name = f"{call.func.schema}.{call.func.name}({','.join(call.func.arg_types)}) {ordinality}"
        if name != UNNEST and not never_fails(name, args):
            self.fails("errors", App(Sym(name), args, types[0] if types else INTEGER))
        # the server compares what a function returns with the declared types, not with their modifiers
        types = tuple(t.without_typmod() for t in types)
        return [self._ranging(rel, Function(name, args, types), types, env)]

    def join(self, item: a.Join, env: Env) -> list[Rows]:
        """Joins as unions: matched rows, and padded ones where nothing matches."""
        # a RIGHT JOIN b is b LEFT JOIN a
        if item.kind == "right":
            return self.join(a.Join("left", item.right, item.left, item.on), env)
        matched: list[Rows] = []
        padded: list[Rows] = []
        lefts = self._read_side(item.left, env, nullable=item.kind == "full")
        for left in lefts:
            self.tick()
            rights = self._read_side(item.right, left.env, nullable=item.kind in {"left", "full"})
            matched += [self._on(self._product(left, r), item.on) for r in rights]
            # the right side is read anew: padded rows ask of all its rows that there is no match
            if item.kind in {"left", "full"}:
                others = self._read_side(item.right, left.env, nullable=True)
                padded.append(self._padded(left, others, item))
            if len(matched) + len(padded) > MOST_ROWS:
                raise Unsupported("too many alternatives")
        # a FULL JOIN pads the rows of the right side as well
        if item.kind == "full":
            for right in self._read_side(item.right, env, nullable=True):
                flipped = a.Join("full", item.right, item.left, item.on)
                others = self._read_side(item.left, right.env, nullable=True)
                padded.append(self._padded(right, others, flipped))
        return [r for r in (*matched, *padded) if r is not None]

    def _on(self, rows: Rows, on: a.Expr | None) -> Rows:
        # CROSS JOIN and commas
        if on is None:
            return rows
        return Rows(rows.vars, (*rows.preds, self.condition(on, rows)), rows.env)

    def _padded(self, kept: Rows, others: list[Rows], item: a.Join) -> Rows:
        """The kept side's rows that no row of the other side matches, with NULLs."""
        joined = [self._on(self._product(Rows((), (), kept.env), o), item.on) for o in others]
        bag = tuple(n for j in joined for n in block(j.vars, j.preds, ()))
        nulls = {
            rel: tuple(padding(t) for t in types)
            for rel, types in columns_of(item.right, self.width_of).items()
        }
        # NOT EXISTS of a matching row, with the join's own ON
        preds = (*kept.preds, negate(exists(bag)))
        return Rows(kept.vars, preds, {**kept.env, **nulls})

    def width_of(self, query: a.Query) -> tuple[SqlType, ...]:
        return tuple(c.type for c in a.output_columns(query))


def _by_itself(failure: Failure) -> App:
    return App(Sym("by itself", strict=False), (failure.term,), failure.term.type)


def _one_row(form: Form, limit: Term | None, offset: Term | None, *, ties: bool) -> Form | None:
    """The first row of rows that are all the same to see: that row, where there is any."""
    shown = {b.outs[: form.width] for b in form.bag}
    read = {v for outs in shown for o in outs for v in free_vars(o)}
    own = {v for b in form.bag for v, _ in b.vars}
    # LIMIT 2 or an OFFSET asks how many there are; an order decides which is first
    if limit != Lit("1", INTEGER) or offset is not None or ties or form.sort:
        return None
    # several outputs, or ones that read the rows: it matters which row is the first
    if len(shown) != 1 or read & own:
        return None
    return Form(block((), (exists(form.bag),), next(iter(shown))), form.width)


def _counts(end: Term) -> bool:
    """Whether LIMIT and OFFSET take the number of rows: none that is negative."""
    # LIMIT $1 may be negative
    return isinstance(end, Lit) and (end.value is None or end.value.isdigit())


def _is_one_row_of_aggregates(query: a.Select) -> bool:
    """Whether a query has one row, computed of all its rows' aggregates, which nothing drops."""
    plain = query.having is None and query.distinct is None and query.limit is None and query.offset is None
    windows = any(isinstance(e, a.WindowCall) for t in query.targets for e in all_exprs(t.expr))
    # HAVING may drop the one row, LIMIT 0 too
    return query.group_by == ((),) and plain and not windows


def padding(type_: SqlType) -> Term:
    """What an outer join puts for a missing row (F9, 3c: never a value, whatever the
    column's constraints).
    """
    return null(type_)
