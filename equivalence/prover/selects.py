"""One SELECT block into the calculus: grouping, windows, targets, DISTINCT, sort keys.

Must not know schema facts or rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rewright.sql import algebra as a
from rewright.sql.facts.aggregates import asks_groups, waits
from rewright.sql.facts.guards import Known, of_groups
from rewright.sql.facts.moments import bounds
from rewright.sql.walk import QUERIES, all_exprs, parts, subqueries, walk

from .bags import block
from .build import conj
from .expressions import Translation
from .fresh import fresh
from .nullkeys import without_null_keys
from .terms import Block, Limited, Source, Term, Var, bag_types, null, substitute
from .translated import Env, Form, Made, Rows, Scope, Unsupported, columns_of, sort_label

if TYPE_CHECKING:
    from .translate import Translator

Context = tuple[Rows, Scope]


def translate_select(t: Translator, query: a.Select, env: Env) -> Form:
    with t.bounded((*t.bounds, *bounds(query))):
        return _of_block(t, query, env)


def _of_block(t: Translator, query: a.Select, env: Env) -> Form:
    # of a grouped block all rows are made before any group is dropped
    before = t.before if query.group_by is None else (*t.before, Made())
    with t.making(before), t.below(query.from_, "grouped", apart=query.group_by is not None, joined=t.joined):
        rows = _rows(t, query, env)
    if query.group_by is None:
        return _outputs(t, query, _with_windows([(r, Scope(r.env)) for r in rows]))
    of_rows, of_groups_ = of_groups(query)
    with t.with_known(inside=of_rows):
        contexts = [c for s in query.group_by for c in _grouped(t, query, rows, s, env, before)]
        with t.with_known(of_groups_):
            return _outputs(t, query, _with_windows(contexts))


def _rows(t: Translator, query: a.Select, env: Env) -> list[Rows]:
    """The rows of FROM that meet WHERE."""
    # with WHERE or a second item in FROM not all rows get as far as the outputs
    t.whole = t.whole and query.where is None and len(query.from_) == 1
    outer = t.joined
    asks = query.where is not None and any(subqueries(e) for e in all_exprs(query.where))
    # a subquery in WHERE is planned as a join
    t.joined = outer or asks or len(query.from_) > 1 or any(isinstance(i, a.Join) for i in query.from_)
    found = t.from_list(query.from_, env)
    t.whole, t.joined = False, outer
    rows = [_filtered(t, r, query.where) for r in found]
    # a block that can't have rows is left out at once
    return [r for r in rows if block(r.vars, r.preds, ())]


def _filtered(t: Translator, r: Rows, where: a.Expr | None) -> Rows:
    if where is None:
        return r
    return Rows(r.vars, (*r.preds, t.condition(where, r)), r.env)


# --------------------------------------------------------------------------- grouping


def _grouped(
    t: Translator,
    query: a.Select,
    rows: list[Rows],
    keys: tuple[a.Expr, ...],
    env: Env,
    before: tuple[Made, ...],
) -> list[Context]:
    """The groups of one grouping set, the last of ``before``."""
    assert query.group_by is not None
    every = tuple(dict.fromkeys(k for s in query.group_by for k in s))
    keys = tuple(dict.fromkeys(keys))
    # GROUP BY a.id lets a.name stand ungrouped
    if keys and len(query.group_by) == 1:
        keys = (*keys, *_dependent_columns(query, keys))
    elif len(query.group_by) > 1 and any(True for _ in _dependent_columns(query, every)):
        # under several sets the key may be NULL in one of them, and its row's columns with it
        raise Unsupported("ungrouped column under grouping sets")
    keys = _as_shown(query, keys)
    groups: list[tuple[a.Expr, Term]] = []
    vars_: tuple[tuple[int, Source], ...] = ()
    shown: list[tuple[Term, ...]] = [()] * len(rows)
    if keys:
        with t.with_known(t.inside), t.making(before):
            shown = [tuple(Translation(t, Scope(r.env)).term(k) for k in keys) for r in rows]
        bag = tuple(b for r, outs in zip(rows, shown, strict=True) for b in block(r.vars, r.preds, outs))
        # no rows, no groups; without keys there is one group all the same
        if not bag:
            return []
        (made,) = t.distinct(bag)
        vars_ = made.vars
        groups = list(zip(keys, made.outs, strict=True))
    # a key of another grouping set is NULL in this one
    groups += [(k, null(k.type)) for k in every if k not in keys]
    scope = Scope(env, tuple(groups), (tuple(rows), keys), grouping=keys, before=before)
    if query.having is None:
        return [(Rows(vars_, (), env), scope)]
    # HAVING is asked of groups, which have a row: a count there is not 0
    with t.with_known(Known(grouped=bool(keys))):
        having = t.conjuncts(Translation(t, scope), query.having)
    # HAVING on keys alone is asked of the rows before they are grouped
    early = [term for e, term in having.items() if not waits(query, e)]
    before[-1].unsure += (term for e, term in having.items() if waits(query, e) and not asks_groups(e))
    before[-1].having += having.values()
    before[-1].late |= len(early) < len(having)
    for r, outs in zip(rows, shown, strict=True):
        of_row = dict(zip((value for _, value in groups), outs, strict=False))
        before[-1].rows.append(Block(r.vars, (*r.preds, *(substitute(c, of_row.get) for c in early)), ()))
    return [(Rows(vars_, (conj(having.values()),), env), scope)]


def _as_shown(query: a.Select, keys: tuple[a.Expr, ...]) -> tuple[a.Expr, ...]:
    """Grouping keys in the order in which the block shows them: that of GROUP BY means nothing."""
    shown = [node for target in query.targets for node in walk(target.expr)]
    places = {node: i for i, node in reversed(list(enumerate(shown)))}
    return tuple(sorted(keys, key=lambda k: places.get(k, len(places))))


def _dependent_columns(query: a.Select, keys: tuple[a.Expr, ...]) -> tuple[a.Column, ...]:
    """Columns that PostgreSQL lets stand ungrouped because a grouped primary key determines them."""
    own = {rel for item in query.from_ for rel in columns_of(item, None)}
    found: dict[a.Column, None] = {}
    having = () if query.having is None else (query.having,)
    shown: tuple[a.Node, ...] = (*query.targets, *having, *query.order_by, *(query.distinct or ()))
    for node in shown:
        for c in _free_columns(node, keys):
            if c.rel in own:
                found[c] = None
    return tuple(found)


def _free_columns(node: a.Node, keys: tuple[a.Expr, ...], *, inside: bool = False) -> Iterator[a.Column]:
    """Columns outside grouping expressions and outside this level's aggregates."""
    # within an aggregate's arguments columns are the rows', not the group's
    if node in keys or (isinstance(node, a.Aggregate) and not inside):
        return
    if isinstance(node, a.Column):
        yield node
    # an aggregate of a query within is not one of this level
    inside = inside or isinstance(node, QUERIES)
    for part in parts(node):
        yield from _free_columns(part, keys, inside=inside)


# --------------------------------------------------------------------------- windows and outputs


def _with_windows(contexts: list[Context]) -> list[Context]:
    def rows() -> list[Context]:
        return contexts

    return [(r, replace(s, windows=rows)) for r, s in contexts]


def _outputs(t: Translator, query: a.Select, contexts: list[Context]) -> Form:
    blocks: list[Block] = []
    # DISTINCT ON goes by its first sort keys as they are written
    order = without_null_keys(query.order_by) if query.distinct is None else query.order_by
    keys = tuple(k.expr for k in order)
    leading = query.distinct or ()
    # rows are made, then their outputs: a filter protects those of the result's own SELECT (others may be
    # inlined)
    plain = query is t.topmost and query.group_by is None and query.distinct is None
    # what a condition reads may be computed where that is asked: beside WHERE
    unasked = t.unasked(query) if query.group_by is None and query.where is not None else ()
    met = t.known.where(*t.met_by(query))
    for r, scope in contexts:
        make, outs = Translation(t, scope), list[Term]()
        with t.rows_given(r.preds if plain else ()), t.once(query):
            for n, target in enumerate(query.targets):
                with t.with_known(met if n in unasked else t.known):
                    outs.append(make.term(target.expr))
        # DISTINCT sorts by its outputs, DISTINCT ON and others also by what is not shown
        extra = () if query.distinct == () else tuple(make.term(e) for e in (*leading, *keys))
        blocks.extend(block(r.vars, r.preds, (*outs, *extra)))
    bag = tuple(blocks)
    width = len(query.targets)
    labels = tuple(sort_label(k, k.expr.type.collation) for k in order)
    if query.distinct is None:
        return Form(bag, width, labels)
    if query.distinct == ():
        return _distinct(t, query, Form(bag, width, labels))
    return _distinct_on(query, Form(bag, width, labels))


def _distinct(t: Translator, query: a.Select, form: Form) -> Form:
    """SELECT DISTINCT: sort keys are among the targets."""
    bag = t.distinct(form.bag)
    exprs = [target.expr for target in query.targets]
    at: list[int] = []
    for k in query.order_by:
        if k.expr not in exprs:
            raise Unsupported("sort key outside DISTINCT")
        at.append(exprs.index(k.expr))
    sorted_ = tuple(Block(b.vars, b.preds, (*b.outs, *(b.outs[i] for i in at))) for b in bag)
    return Form(sorted_, form.width, form.sort)


def _distinct_on(query: a.Select, form: Form) -> Form:
    """SELECT DISTINCT ON: the first row of each group in the order given."""
    if not form.bag:
        return form
    on = len(query.distinct or ())
    v = fresh()
    source = Limited(form.bag, form.sort, None, None, on=on)
    columns = [Var(v, i, type_) for i, type_ in enumerate(bag_types(form.bag))]
    outs = (*columns[: form.width], *columns[form.width + on :])
    return Form(block(((v, source),), (), tuple(outs)), form.width, form.sort)
