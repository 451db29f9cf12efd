"""The search for normal forms: which rule to try where, cheapest first, until nothing applies.

Everything it does goes through the kernel and is recorded as steps; it may be as clever or as wrong as it
likes. Must not know how forms are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

from rewright.sql.types import BOOL

from .build import predicates
from .context import Context
from .kernel import (
    RULES,
    At,
    Place,
    asked_for_least,
    asked_of_count,
    both_extremes,
    bounded_extreme,
    case_terms,
    compared_counts,
    equal_outside,
    equated_extreme,
    is_exact_sum,
    lone_negation,
    lone_values,
    product_terms,
    ranked,
    row_denied,
    rows_denied,
    rules_out,
    subscripts,
    sums_with_counts,
    tests_of_rows,
    ways_told_apart,
    without_certain_rows,
    without_zeros,
)
from .places import Mode, Path, at_path, nested_terms, places, put
from .symbols import AND, CASE, EQ, IS_NULL, LE, NOT, OR, SAME
from .terms import (
    App,
    Bag,
    Block,
    Distinct,
    Limited,
    Lit,
    Multi,
    Nested,
    Source,
    Table,
    Term,
    Var,
    block_vars,
    free_vars,
    walk_bag,
    walk_shallow,
)

if TYPE_CHECKING:
    from .entail import Engine


MAX_STEPS = 400
Tried = tuple[str, At, Context, Bag, Mode]
Candidates = Callable[[Place, Path], Iterator[At]]
Trace = list[tuple[str, Path, At]]

# what is tried of outer places first, while the inner ones still show that they have no duplicates
EARLY = ("multi-to-set", "open-distinct", "lone-extreme", "nth-extreme")
# the same where groups of groups are left together: aggregates of aggregates are made one before the groups
# are told apart, whose keys may be those of one condition
TOGETHER = ("multi-to-set", "flatten-aggregate")
ORDER = (
    "contradiction",
    "arm",
    "merge-blocks",
    "with-or-without",
    "multi-to-set",
    "multi-arms",
    "multi-within",
    "multi-filter",
    "multi-condition",
    "multi-apart",
    "first-row",
    "lone-extreme",
    "one-of-each",
    "rank",
    "split-scalar",
    "plain-equality",
    "distinct-to-exists",
    "open-distinct",
    "merge-copies",
    "product",
    "flatten-aggregate",
    "zeros",
    "lone-row",
    "simplify-case",
    "drop-column",
    "bind-column",
    "prune-limited",
    "asked-of-groups",
    "referred-column",
    "semijoin",
    "redundant",
    "met-outside",
    "other-than-asked",
    "linear-sum",
    "covered",
)
# rows that are only asked for stay rows beside those that are not, as one condition with an OR has them
WITH_ROWS = tuple(rule for rule in ORDER if rule != "semijoin")
# what makes forms alike that are not, and some unlike that are: tried where the others do not suffice
LATE = (
    "keyed-row",
    "least-of-each",
    "determined-column",
    "distinct-to-parent",
    "child-to-parent",
    "union-apart",
    "flag-apart",
    "lookup-apart",
    "looked-up-again",
    "asked-within",
)


# what says by position which rows are meant, and by counts and extremes, as EXISTS: asked for where the rest
# leads nowhere, since it makes forms larger
POSITIONS = (
    "nearest-row",
    "first-of-array",
    "dense-rank",
    "determined-column",
    "first-rows",
    "counted-sum",
    "own-row",
    "own-value",
    "tied-outside",
    "some-first",
    "alternative",
    "part-counted",
    "bounded-count",
    "several",
    "one-value",
    "extreme-as-exists",
    "other-rows",
)
BY_POSITION = (*ORDER[:3], *POSITIONS, *ORDER[3:])
# where both queries read values of other rows these are compared as such
UNSPLIT = tuple(rule for rule in BY_POSITION if rule != "split-scalar")
# where one query joins the first row that the other reads a value of, the value is read from the row, not as
# an extreme
JOINED = tuple(rule for rule in BY_POSITION if rule != "lone-extreme")
JOINED_EARLY = tuple(rule for rule in EARLY if rule != "lone-extreme")
_READING_NAMES = tuple(f"pg_catalog.{f}(" for f in ("lag", "lead", "first_value", "last_value", "nth_value"))


def reads_rows(form: Bag) -> bool:
    """Whether a form has values that are read in one other row."""
    return any(
        (isinstance(t, App) and t.sym.name == "subscript")
        or (isinstance(t, Nested) and t.kind == "the")
        or (isinstance(t, Nested) and t.kind == "win" and t.name.startswith(_READING_NAMES))
        for t in walk_bag(form)
    )


def joins_first_rows(form: Bag) -> bool:
    """Whether a form joins rows that LIMIT keeps."""
    return any(isinstance(s, Limited) for b in form for _, s in b.vars)


def groups_unions(form: Bag) -> bool:
    """Whether a form has groups of rows some of which are grouped themselves."""
    sources = (s for b in form for _, s in block_vars(b))
    return any(
        isinstance(s, Distinct)
        and len(s.bag) > 1
        and any(isinstance(x, Distinct) for b in s.bag for _, x in b.vars)
        for s in sources
    )


def says_positions(form: Bag) -> bool:
    """Whether a form has something that the rules of positions are about."""
    sources = (s for b in form for _, s in block_vars(b))
    return any(isinstance(s, Limited) for s in sources) or any(
        isinstance(t, Nested) and (t.kind == "win" or (t.kind == "agg" and _by_order(t)))
        for t in walk_bag(form)
    )


def _by_order(term: Nested) -> bool:
    # a sum of ones and zeros is a count
    # CASE WHEN p THEN 1 ELSE 0 END added up
    tallied = term.name == "isum" and any(
        isinstance(b.outs[0], App) and b.outs[0].sym == CASE for b in term.bag
    )
    return tallied or term.name == "cnt" or term.name.startswith(("min ", "max ", "array_agg "))


def normalise(
    engine: Engine,
    form: Bag,
    *,
    mode: Mode = "bag",
    order: tuple[str, ...] = ORDER,
    early: tuple[str, ...] = EARLY,
    late: bool = False,
) -> tuple[Bag, Trace]:
    """A normal form with the steps that lead to it, by the rules of ``order``, those of ``early`` first.

    ``late``: of one already, by the late rules and what follows from them.
    """
    trace: Trace = []
    tried: set[Tried] = set()
    # MAX_STEPS bounds rules that undo one another's work, as opening and closing EXISTS may
    while len(trace) < MAX_STEPS:
        # late rules need a start of their own: when one has changed something the usual ones follow it
        rules = order if not late else (*order, *LATE) if trace else LATE
        step = _next(engine, form, mode, tried, rules, early)
        if step is None:
            break
        rule, path, at, form = step
        trace.append((rule, path, at))
    return form, trace


def _next(
    engine: Engine,
    form: Bag,
    mode: Mode,
    tried: set[Tried],
    order: tuple[str, ...],
    early: tuple[str, ...],
) -> tuple[str, Path, At, Bag] | None:
    """The first rule that changes something: early ones of outer places first, then all of inner places
    first.
    """
    paths = list(places(form))
    # inner places first: what is known of a subquery decides what its block may do with it
    for path, rules in [*((p, early) for p in reversed(paths)), *((p, order) for p in paths)]:
        ctx, bag, inner_mode = at_path(Context(), form, mode, path)
        # in a set no duplicates are told apart, so that the early rules have nothing to show there
        if rules is early and inner_mode == "set":
            continue
        place = Place(engine, ctx, bag, inner_mode)
        for rule in rules:
            for at in CANDIDATES[rule](place, path):
                key = (rule, at, ctx, bag, inner_mode)
                # refused once for this place and context: nothing that the rule looks at has changed since
                if key in tried:
                    continue
                engine.tick()
                # facts that a failed attempt has looked up are none of the proof's
                with engine.schema.recording() as used:
                    new = RULES[rule](place, at)
                    if new is None or new == bag:
                        # a rule that gives the same bag would be applied for ever
                        used.clear()
                        tried.add(key)
                        continue
                    return rule, path, at, put(form, path, new)
    return None


def apply(engine: Engine, form: Bag, rule: str, path: Path, at: At, mode: Mode = "bag") -> Bag | None:
    """One step, as replayed."""
    ctx, bag, inner_mode = at_path(Context(), form, mode, path)
    new = RULES[rule](Place(engine, ctx, bag, inner_mode), at)
    return None if new is None else put(form, path, new)


# --------------------------------------------------------------------------- candidates


def _blocks(p: Place, _path: Path) -> Iterator[At]:
    """Blocks that may contradict themselves: equalities and EXISTS alone never do."""
    around = sum(_restricts(q) for q in p.ctx.preds)
    for i, b in enumerate(p.bag):
        # a CHECK of a table is a condition like another, and may clash with one
        here = sum(_restricts(q) for q in b.preds)
        here += sum(bool(p.engine.checks(s, v)) for v, s in b.vars)
        # one condition by itself contradicts nothing, unless it can clash with a fact of the schema
        if here and (here + around > 1 or any(_can_clash(q) for q in b.preds)):
            yield (i,)


def _restricts(q: Term) -> bool:
    if isinstance(q, App) and q.sym == EQ:
        # x = 1 beside x = 2 clashes; equalities of two columns never do by themselves
        return isinstance(q.args[1], Lit) or not isinstance(q.args[0], Var)
    return not (isinstance(q, Nested) or _guards_null(q))


def _can_clash(q: Term) -> bool:
    """Predicates that a schema fact, a row of the block or the rows of an aggregate may contradict."""
    if any(isinstance(t, Nested) and t.kind == "agg" for t in walk_shallow(q)):
        # count(*) = 0 beside a row that is counted
        return True
    return isinstance(q, App) and (q.sym in {IS_NULL, OR, NOT, CASE} and not _guards_null(q))


def _null_safe(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for k, q in enumerate(b.preds):
            if isinstance(q, App) and q.sym == SAME:
                yield (i, k)


def _distinct_vars(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for k, (_, s) in enumerate(b.vars):
            if isinstance(s, Distinct):
                yield (i, k)


def _flags(p: Place, _path: Path) -> Iterator[At]:
    """Conditions that DISTINCT rows show."""
    for i, b in enumerate(p.bag):
        for k, (_, s) in enumerate(b.vars):
            if isinstance(s, Distinct) and len(s.bag) == 1:
                yield from ((i, k, c) for c, o in enumerate(s.bag[0].outs) if o.type == BOOL)


def _lookups(p: Place, path: Path) -> Iterator[At]:
    """Rows of a join under DISTINCT that may follow from the others: all but one, then each of them."""
    for i, n in _distinct_vars(p, path):
        source = p.bag[i].vars[n][1]
        if isinstance(source, Distinct) and len(source.bag) == 1:
            rows = range(len(source.bag[0].vars)) if len(source.bag[0].vars) > 1 else ()
            yield from ((i, n, *(k for k in rows if k != kept)) for kept in rows)
            yield from ((i, n, k) for k in rows if len(rows) > 2)


def _keyed_rows(p: Place, path: Path) -> Iterator[At]:
    """Rows under DISTINCT that may be shown by a key and more."""
    for i, n in _distinct_vars(p, path):
        source = p.bag[i].vars[n][1]
        if isinstance(source, Distinct) and len(source.bag) == 1:
            yield from ((i, n, k) for k, (_, s) in enumerate(source.bag[0].vars) if isinstance(s, Table))


def _asked_of_distinct(p: Place, path: Path) -> Iterator[At]:
    """Conditions on DISTINCT rows and nothing beside them."""
    for i, n in _distinct_vars(p, path):
        b = p.bag[i]
        own = {v for v, _ in b.vars}
        yield from ((i, n, m) for m, q in enumerate(b.preds) if free_vars(q) & own == {b.vars[n][0]})


def _distinct_rows(p: Place, path: Path) -> Iterator[At]:
    yield from _distinct_vars(p, path)
    for i, b in enumerate(p.bag):
        for k, (_, s) in enumerate(b.vars):
            if isinstance(s, Distinct) and len(s.bag) == 1 and len(s.bag[0].vars) > 1:
                # which of several rows is kept as a variable of its own, so that the others become EXISTS
                yield from ((i, k, keep) for keep in range(len(s.bag[0].vars)))


def _numbered(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            if (
                isinstance(q, App)
                and q.sym == EQ
                and isinstance(q.args[0], Nested)
                and q.args[0].kind == "win"
            ):
                yield (i, n)


def _products(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n in range(len(product_terms(b))):
            yield (i, n)


def _small_aggregates(p: Place, _path: Path) -> Iterator[At]:
    """Aggregates over grouped rows, of which there may be one."""
    for i, b in enumerate(p.bag):
        for n, t in enumerate(nested_terms(b)):
            grouped = any(isinstance(s, Distinct) for x in t.bag for _, s in x.vars)
            # an aggregate of tables' rows has as many rows as there are
            if t.kind == "agg" and grouped:
                yield (i, n)


def _keyed_aggregates(p: Place, _path: Path) -> Iterator[At]:
    """Aggregates over rows of relations that some equality may leave one of."""
    for i, b in enumerate(p.bag):
        for n, t in enumerate(nested_terms(b)):
            # min(x) over rows of which a key is equated is x of one row
            if t.kind == "agg" and all(x.vars and all(_linked(x, v) for v, _ in x.vars) for x in t.bag):
                yield (i, n)


def _limited_vars(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for k, (_, s) in enumerate(b.vars):
            if isinstance(s, Limited):
                yield (i, k)


def _multi_vars(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for k, (_, s) in enumerate(b.vars):
            if isinstance(s, Multi):
                yield (i, k)


def _multi_preds(p: Place, path: Path) -> Iterator[At]:
    for i, k in _multi_vars(p, path):
        b = p.bag[i]
        own = {v for v, _ in b.vars}
        for m, q in enumerate(b.preds):
            # a condition on the very row of the set operation, and no other
            if free_vars(q) & own == {b.vars[k][0]}:
                yield (i, k, m)


def _multi_conditions(p: Place, path: Path) -> Iterator[At]:
    for i, n in _multi_vars(p, path):
        source = p.bag[i].vars[n][1]
        if isinstance(source, Multi):
            yield from ((i, n, k, m) for k, x in enumerate(source.right) for m in range(len(x.preds)))


def _multi_pairs(p: Place, path: Path) -> Iterator[At]:
    """Blocks of the two sides of EXCEPT ALL that read the same relations."""
    for i, n in _multi_vars(p, path):
        source = p.bag[i].vars[n][1]
        if isinstance(source, Multi) and source.op == "except":
            for k, left in enumerate(source.left):
                for m, right in enumerate(source.right):
                    # the rows of both sides must be those of the same tables, in some order
                    yield from ((i, n, k, m, *order) for order in _orders(left, right))


def _multi_arms(p: Place, path: Path) -> Iterator[At]:
    for i, k in _multi_vars(p, path):
        source = p.bag[i].vars[k][1]
        if isinstance(source, Multi):
            yield from ((i, k, 0, n) for n in range(len(source.left)))
            yield from ((i, k, 1, n) for n in range(len(source.right)))


def _referred(p: Place, _path: Path) -> Iterator[At]:
    """Columns of foreign keys of several columns, and those they refer to, where these are shown. Relations
    that refer to each other would take turns.
    """
    schema = p.engine.schema
    for i, b in enumerate(p.bag):
        for n, (_, source) in enumerate(b.vars):
            for ref in schema.references(source):
                target = schema.source_of(ref.target)
                # a key of one column has no column left that it would have to be told by
                if len(ref.columns) < 2 or target is None or target == source:
                    continue
                # manager of dept, dept of manager: each would be read as a column of the other for ever
                if any(schema.source_of(r.target) == source for r in schema.references(target)):
                    continue
                for m in (m for m, (_, s) in enumerate(b.vars) if s == target):
                    for c, k in zip(ref.columns, ref.target_columns, strict=True):
                        # only a column that is shown gains: conditions are compared through equalities anyway
                        if any(Var(b.vars[m][0], k, target.types[k]) in walk_shallow(o) for o in b.outs):
                            yield (i, n, c, m, k)


def _plain_vars(p: Place, _path: Path) -> Iterator[At]:
    """Rows of tables and cut subqueries, the last first; where multiplicities count those before that other
    rows refer to and of which nothing else is asked: they go without a trace, while a row that refers may
    have to stay.
    """
    for i, b in enumerate(p.bag):
        # in EXISTS a row is asked for by whatever it is; without outputs it need not be turned into EXISTS
        if p.mode == "set" and not b.outs:
            continue
        # the first row of a subquery (LATERAL … LIMIT 1) may be one that nothing reads, too
        tables = [k for k, (_, s) in enumerate(b.vars) if isinstance(s, Table | Limited)]
        # parents that nothing else asks of go by the foreign key alone
        first = {k for k in tables if p.mode == "bag" and _only_referred_to(p, b, k)}
        yield from ((i, k) for k in sorted(tables, key=lambda k: (k in first, k), reverse=True))


def _shown_vars(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for k, (v, s) in enumerate(b.vars):
            # without outputs, bag semantics still count each row
            counted = not b.outs and p.mode == "bag"
            if isinstance(s, Table) and (counted or any(v in free_vars(o) for o in b.outs)):
                yield (i, k)


def _met(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            if equal_outside(q) is not None:
                yield (i, n)


def _looked_up(p: Place, _path: Path) -> Iterator[At]:
    """NOT EXISTS of what a row of the block or around it refers to."""
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            found = row_denied(q)
            if found is not None and _is_referred_to(p, b, found):
                yield (i, n)


def _is_referred_to(p: Place, b: Block, found: Block) -> bool:
    ((_, target),) = found.vars
    schema = p.engine.schema
    return any(
        schema.source_of(ref.target) == target
        for _, source in (*b.vars, *p.ctx.vars)
        for ref in schema.references(source)
    )


def _only_referred_to(p: Place, b: Block, k: int) -> bool:
    """Whether row ``k`` is referred to and nothing is asked of it but what its key equals."""
    v, target = b.vars[k]
    asked = [q for q in b.preds if v in free_vars(q)]
    equal = [at for q in asked if (at := _tied_column(q, v)) is not None]
    # a condition on more than its key columns, or no equality, keeps the parent row
    if len(equal) < len(asked):
        return False
    return any(
        p.engine.schema.source_of(ref.target) == target and set(equal) <= set(ref.target_columns)
        for w, source in b.vars
        if w != v
        for ref in p.engine.schema.references(source)
    )


def _tied_column(q: Term, v: int) -> int | None:
    """The column of row ``v`` that the predicate says to be equal to something else."""
    if not (isinstance(q, App) and q.sym == EQ):
        return None
    (x, y) = q.args
    # the other side must not read the row itself: x.a = x.b ties it to nothing
    for own, other in ((x, y), (y, x)):
        if isinstance(own, Var) and own.var == v and v not in free_vars(other):
            return own.pos
    return None


def _columns(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for k, (_, s) in enumerate(b.vars):
            # of several arms a column may be determined in one and not in the other
            if isinstance(s, Distinct) and len(s.bag) == 1:
                for c in range(len(s.bag[0].outs)):
                    yield (i, k, c)


def _limited_columns(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for k, (_, s) in enumerate(b.vars):
            if isinstance(s, Limited) and len(s.bag) == 1:
                yield from ((i, k, c) for c in range(len(s.bag[0].outs)))


def _asked_of_groups(p: Place, _path: Path) -> Iterator[At]:
    """What is asked of the rows that DISTINCT ON keeps."""
    for i, b in enumerate(p.bag):
        for n, (v, s) in enumerate(b.vars):
            if isinstance(s, Limited) and s.on:
                yield from ((i, n, m) for m, q in enumerate(b.preds) if v in free_vars(q))


def _copies(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, (v, s) in enumerate(b.vars):
            # copies of a row are found by equalities: a row that nothing asks of is nobody's copy
            if (isinstance(s, Table) or p.engine.schema.told_by(s)) and _linked(b, v):
                # also rows of the context: an inner row may be one outside
                for m, (_, t) in enumerate((*p.ctx.vars, *b.vars[:n])):
                    if s == t:
                        yield (i, n, m)


def _linked(b: Block, v: int) -> bool:
    return any(v in free_vars(q) for q in b.preds)


def _nested(kinds: str) -> Candidates:
    def candidates(p: Place, _path: Path) -> Iterator[At]:
        for i, b in enumerate(p.bag):
            for n, t in enumerate(nested_terms(b)):
                if t.kind == kinds:
                    yield (i, n)

    return candidates


def _of_one_rank(p: Place, _path: Path) -> Iterator[At]:
    """Extremes of rows of one dense rank."""
    for i, b in enumerate(p.bag):
        for n, t in enumerate(nested_terms(b)):
            if t.kind == "agg" and ranked(t) is not None:
                yield (i, n)


def _flat(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, t in enumerate(nested_terms(b)):
            # sum of sums: what is shown inside is an aggregate's value, not a column
            if t.kind == "agg" and t.bag and all(_aggregated(x) for x in t.bag):
                yield (i, n)


def _made_sums(p: Place, _path: Path) -> Iterator[At]:
    """Sums of what is computed, or of a constant."""
    for i, b in enumerate(p.bag):
        for n, t in enumerate(nested_terms(b)):
            if is_exact_sum(t) and all(isinstance(x.outs[0], App | Lit) for x in t.bag):
                yield (i, n)


def _aggregated(b: Block) -> bool:
    return bool(b.outs) and not isinstance(b.outs[0], Var)


def _cases(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n in range(len(case_terms(b))):
            yield (i, n)


def _redundant(p: Place, path: Path) -> Iterator[At]:
    """Predicates with EXISTS in them, and in inner bags those that the context may imply."""
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            nested = any(isinstance(t, Nested) for t in walk_shallow(q))
            own = {v for v, _ in b.vars}
            # an inner condition on outer rows may follow from what is known outside
            outer = not free_vars(q) & own or _second_tie(q, b.preds, own)
            # at the top nothing is implied by a context; EXISTS may always follow from the block's own rows
            if nested or (path and (outer or _guards_null(q))):
                yield (i, n)


def _arms_asked(p: Place, _path: Path) -> Iterator[At]:
    """Arms of DISTINCT of whose rows something is asked that may clash with them."""
    for i, b in enumerate(p.bag):
        for n, (v, s) in enumerate(b.vars):
            if isinstance(s, Distinct) and len(s.bag) > 1:
                asked = [q for q in b.preds if v in free_vars(q) and _restricts(q)]
                if asked:
                    yield from ((i, n, k) for k in range(len(s.bag)))


def _null_alternatives(p: Place, _path: Path) -> Iterator[At]:
    """Alternatives that a value made of rows is NULL, or a column that never is."""
    for i, b in enumerate(p.bag):
        sources = dict((*p.ctx.vars, *b.vars))
        for n, q in enumerate(b.preds):
            if isinstance(q, App) and q.sym == OR:
                # NULL of a subquery's value is a statement about whether it has rows
                arms = (_asks_null_of_rows(x) or _asks_null_of_column(p, x, sources) for x in q.args)
                yield from ((i, n, k) for k, asks in enumerate(arms) if asks)


def _asks_null_of_rows(part: Term) -> bool:
    return any(
        isinstance(t, App) and t.sym == IS_NULL and isinstance(t.args[0], Nested) for t in walk_shallow(part)
    )


def _asks_null_of_column(p: Place, part: Term, sources: dict[int, Source]) -> bool:
    """Whether the part needs a column to be NULL that has NOT NULL, as orders say where NULLs would stand."""
    return any(
        isinstance(q, App)
        and q.sym == IS_NULL
        and isinstance(x := q.args[0], Var)
        and x.var in sources
        and p.engine.schema.not_null(sources[x.var], x.pos) is not None
        for q in predicates(part)
    )


def _second_tie(q: Term, preds: tuple[Term, ...], own: set[int]) -> bool:
    """An equality of a column with something outside, where there is another one for the same column."""
    if not (isinstance(q, App) and q.sym == EQ):
        return False
    # x.k = o.k and x.k = o.j: the second follows if o.k = o.j is known outside
    columns = [x for x in q.args if free_vars(x) & own]
    if len(columns) != 1:
        return False
    return any(
        isinstance(o, App) and o.sym == EQ and o != q and columns[0] in o.args and free_vars(o) - own
        for o in preds
    )


def _guards_null(q: Term) -> bool:
    return isinstance(q, App) and q.sym == NOT and isinstance(q.args[0], App) and q.args[0].sym == IS_NULL


def _pairs(p: Place, _path: Path) -> Iterator[At]:
    for j in range(len(p.bag)):
        for i in range(j):
            yield from ((i, j, *order) for order in _orders(p.bag[i], p.bag[j]))


def _orders(left: Block, right: Block) -> Iterator[tuple[int, ...]]:
    """Which variable of the one may stand for which of the other."""
    # permutations of more than four rows are too many to try
    if len(left.vars) != len(right.vars) or len(left.vars) > 4:
        return
    for order in permutations(range(len(left.vars))):
        if all(left.vars[n][1] == right.vars[k][1] for n, k in enumerate(order)):
            yield order


def _padded(p: Place, _path: Path) -> Iterator[At]:
    """Tests of rows with a partner and of rows without one, as the arms of an outer join leave them."""
    for i, b in enumerate(p.bag):
        for n, tests in enumerate(tests_of_rows(b)):
            rows = [(k, r) for k in range(len(tests.parts)) if (r := tests.rows(k)) is not None]
            for (x, joined), (y, alone) in permutations(rows, 2):
                for m, partner in enumerate(map(rows_denied, alone.preds)):
                    if partner is not None and len(joined.vars) == len(alone.vars) + len(partner.vars):
                        yield from ((i, n, x, y, m, *order) for order in _partners(joined, alone, partner))


def _partners(joined: Block, alone: Block, partner: Block) -> Iterator[tuple[int, ...]]:
    """Which row of the one may stand for which of the others: as an outer join has them under one number, or
    any of the same relation.
    """
    numbers = {v: k for k, (v, _) in enumerate(alone.vars)}
    left = [n for n, (v, _) in enumerate(joined.vars) if v not in numbers]
    if len(left) == len(joined.vars):
        yield from _orders(joined, replace(alone, vars=(*alone.vars, *partner.vars)))
    # several partners in all their orders are too many to try
    if len(left) != len(partner.vars) or len(left) > 3:
        return
    for order in permutations(range(len(left))):
        of = {n: len(numbers) + k for n, k in zip(left, order, strict=True)}
        if all(joined.vars[n][1] == partner.vars[k][1] for n, k in zip(left, order, strict=True)):
            yield tuple(of[n] if n in of else numbers[v] for n, (v, _) in enumerate(joined.vars))


def _covers(p: Place, _path: Path) -> Iterator[At]:
    if p.mode == "set":
        # only in a set is an arm that another one covers no loss
        for i in reversed(range(len(p.bag))):
            for j in range(len(p.bag)):
                # the later arms first, so that of two equal ones the first stays
                if i != j:
                    yield (i, j)


def _subscripts(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n in range(len(subscripts(b))):
            yield (i, n)


def _asked_counts(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            if asked_of_count(q) is not None or without_certain_rows(q) is not None:
                yield (i, n)


def _parts_counted(p: Place, _path: Path) -> Iterator[At]:
    """Comparisons of two counts, and how the rows of each may be told apart."""
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            counts = compared_counts(q)
            if counts is not None:
                left, right = (list(ways_told_apart(p, c.bag)) for c in counts)
                # the rows of either count may be told apart by the conditions that the other has
                yield from ((i, n, 0, len(x), *x, *y) for x in left for y in right)
                yield from ((i, n, 1, len(x), *x, *y) for x in right for y in left)


def _asked_for_least(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            if asked_for_least(q) is not None:
                yield (i, n)


def _counted_sums(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n in range(len(sums_with_counts(b))):
            yield (i, n)


def _first_ones(p: Place, _path: Path) -> Iterator[At]:
    if p.mode == "set":
        for i, b in enumerate(p.bag):
            for n, q in enumerate(b.preds):
                if not b.outs and lone_negation(q) is not None:
                    yield (i, n)


def _asked_of_rows(p: Place, _path: Path) -> Iterator[At]:
    """Conditions of EXISTS that are EXISTS themselves."""
    if p.mode == "set":
        for i, b in enumerate(p.bag):
            for n, q in enumerate(b.preds):
                if not b.outs and any(isinstance(t, Nested) for t in walk_shallow(q)):
                    yield (i, n)


def _alike_extremes(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            if both_extremes(q) is not None:
                yield (i, n)


def _equated_extremes(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            if equated_extreme(q) is not None or bounded_extreme(q) is not None:
                yield (i, n)


def _of_counted(wanted: Callable[[Term], bool]) -> Candidates:
    """Conditions of counted rows: that leave the row itself among them, or do not."""

    def candidates(p: Place, _path: Path) -> Iterator[At]:
        for i, b in enumerate(p.bag):
            for n, t in enumerate(nested_terms(b)):
                if t.kind == "agg" and t.name == "cnt":
                    for k, inner in enumerate(t.bag):
                        for m, q in enumerate(inner.preds):
                            if wanted(q):
                                yield (i, n, k, m)

    return candidates


def _is_bound(q: Term) -> bool:
    """Whether there is a `<=` in a condition, among what AND and OR put together."""
    return isinstance(q, App) and (q.sym == LE or (q.sym in {AND, OR} and any(map(_is_bound, q.args))))


def _no_higher(p: Place, _path: Path) -> Iterator[At]:
    """Conditions of different values counted that leave one from outside among them."""
    for i, b in enumerate(p.bag):
        for n, t in enumerate(nested_terms(b)):
            inner = lone_values(t)
            if inner is not None:
                for m, q in enumerate(inner.preds):
                    if isinstance(q, App) and q.sym == LE and inner.outs[0] in q.args:
                        yield (i, n, m)


def _with_zeros(p: Place, _path: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, t in enumerate(nested_terms(b)):
            if without_zeros(t) is not None:
                yield (i, n)


CANDIDATES: dict[str, Candidates] = {
    "nearest-row": _nested("win"),
    "first-of-array": _subscripts,
    "first-rows": _limited_vars,
    "nth-extreme": _of_one_rank,
    "dense-rank": _nested("win"),
    "bounded-count": _asked_counts,
    "part-counted": _parts_counted,
    "least-of-each": _asked_for_least,
    "several": _asked_counts,
    "one-value": _alike_extremes,
    "counted-sum": _counted_sums,
    "some-first": _first_ones,
    "tied-outside": _asked_of_rows,
    "extreme-as-exists": _equated_extremes,
    "own-row": _of_counted(_is_bound),
    "other-rows": _of_counted(rules_out),
    "own-value": _no_higher,
    "zeros": _with_zeros,
    "determined-column": _columns,
    "referred-column": _referred,
    "contradiction": _blocks,
    "multi-to-set": _multi_vars,
    "multi-arms": _multi_vars,
    "multi-within": _multi_pairs,
    "multi-filter": _multi_preds,
    "multi-condition": _multi_conditions,
    "multi-apart": _multi_arms,
    "first-row": _limited_vars,
    "lone-extreme": _nested("the"),
    "rank": _nested("win"),
    "one-of-each": _numbered,
    "product": _products,
    "lone-row": _small_aggregates,
    "keyed-row": _keyed_aggregates,
    "split-scalar": _nested("the"),
    "distinct-to-exists": _distinct_vars,
    "distinct-to-parent": _distinct_vars,
    "child-to-parent": _shown_vars,
    "union-apart": _distinct_vars,
    "flag-apart": _flags,
    "lookup-apart": _lookups,
    "looked-up-again": _keyed_rows,
    "asked-within": _asked_of_distinct,
    "met-outside": _met,
    "other-than-asked": _looked_up,
    "plain-equality": _null_safe,
    "open-distinct": _distinct_rows,
    "merge-copies": _copies,
    "flatten-aggregate": _flat,
    "linear-sum": _made_sums,
    "simplify-case": _cases,
    "drop-column": _columns,
    "bind-column": _columns,
    "prune-limited": _limited_columns,
    "asked-of-groups": _asked_of_groups,
    "semijoin": _plain_vars,
    "redundant": _redundant,
    "alternative": _null_alternatives,
    "arm": _arms_asked,
    "merge-blocks": _pairs,
    "with-or-without": _padded,
    "covered": _covers,
}
