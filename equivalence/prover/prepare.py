"""What a search for a proof and its replay have in common: two queries into comparable forms, and what these
leave open.

Owns signatures, visible order, reservations and scope. Must not know rules or search.
"""

from __future__ import annotations

import re
from collections.abc import Sized
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from rewright.sql.algebra import Expr, FunctionScan, Param, Query, Select, WholeRow, output_columns
from rewright.sql.types import NUMERIC, SqlType
from rewright.sql.walk import all_exprs_of_query, all_queries, canonical, walk

from .aggregates import averages
from .asking import Asked
from .children import with_children_apart
from .constants import failing_constants
from .context import Context
from .enums import labels
from .failures import (
    Failures,
    Spared,
    add_crowded,
    evaluated,
    failing,
    gone,
    kinds_apart,
    orders,
    recorded,
    shows_representative,
    spared,
    tested,
)
from .kept import read_kept
from .lasting import Correspondence, Evaluated, told_apart
from .looks import tells_equal_apart
from .own_rows import OwnRows, asked_of_more, own_rows
from .planned import planned_otherwise
from .raising import Computed, apart, computed
from .sortkeys import two_valued
from .sparing import spare
from .symbols import TO_NUMERIC
from .terms import INTEGER, App, Bag, Block, Lit, Term, free_vars
from .translate import Translator
from .translated import Form, Unsupported
from .unique import determined_by, lone, ties
from .unread import without_unread

_WHOLE = re.compile(r"0|-?[1-9]\d*")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why there is no proof."""

    reason: str
    kind: Literal["unsupported", "signature", "order", "timeout", "open", "internal"] = "open"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query's form as compared: outputs, then the sort keys that count; ``read``: the query it is of,
    without outputs that nothing reads.
    """

    read: Query
    bag: Bag
    width: int
    sort: tuple[str, ...]
    loose: frozenset[str]
    failing: Failures
    spared: Spared
    computed: frozenset[Computed]
    evaluated: tuple[Evaluated, ...]
    own_rows: frozenset[OwnRows]
    typed: bool = True


def same_tree(q1: Query, q2: Query) -> bool:
    """Whether the queries differ in names and numbers nobody sees. A row as one value shows its columns'
    names (to_json), so with one every name counts.
    """
    if any(isinstance(e, WholeRow) for e in _exprs(q1)):
        return repr(q1) == repr(q2)
    if _fences(q1) != _fences(q2):
        return False
    return canonical(q1) == canonical(q2)


def _fences(query: Query) -> tuple[list[bool | None], list[bool]]:
    """MATERIALIZED or not, CTE by CTE, and which functions stand in select lists: this decides which rows an
    expression that may fail meets.
    """
    asked = [cte.materialized for q in all_queries(query) for cte in q.ctes]
    return asked, [n.of_target for n in walk(query) if isinstance(n, FunctionScan)]


def _prepare(engine: Asked, read: Query, query: Query, *, quotients: bool) -> Prepared:
    """The query translated, with what may fail in it. ``read``: as it was before tables with children were
    taken apart.
    """
    kept = read_kept(query)
    if kept.decides:
        raise Unsupported(
            "a condition tells equal values apart that are one partition, group or row below it,"
            " or reads a key of several grouping sets that the server does not find in it"
        )
    known = partial(labels, engine.schema.catalog)
    translator = Translator(engine.schema.is_computed, partial(spare, engine), known, quotients, engine.tick)
    form: Form = translator.top(query)
    loose = set(translator.loose)
    if orders(engine, form.bag):
        loose.add("tie-order")
    if kept.shown or shows_representative(form.bag):
        loose.add("tie-order")
        if tells_equal_apart(form.bag):
            raise Unsupported("which of equal values DISTINCT or GROUP BY keeps decides on rows")
    made = computed(translator.raising, translator.sources)
    add_crowded(engine, translator)
    divisors = spared(translator)
    found = failing(engine, form.bag, divisors)
    found |= recorded(translator, found) | gone(engine, translator, form.bag)
    found |= tested(engine, translator, form.bag)
    met = evaluated(translator, found)
    own = own_rows(translator)
    return Prepared(read, form.bag, form.width, form.sort, frozenset(loose), found, divisors, made, met, own)


def prepare_both(engine: Asked, q1: Query, q2: Query) -> tuple[Prepared, Prepared] | Reason:
    """Both queries as forms of one width and one kind of types, or why they can not be the same."""
    difference = signature_difference(q1, q2)
    if difference is not None and difference.kind == "signature":
        return difference
    typed = difference is None
    read = without_unread(q1, engine.schema.catalog), without_unread(q2, engine.schema.catalog)
    queries = with_children_apart(engine.schema, read)
    # an average is best left whole, unless the other query has none to meet it
    quotients = averages(queries[0]) != averages(queries[1])
    first, second = (
        _spelled(engine, _prepare(engine, *pair, quotients=quotients))
        for pair in zip(read, queries, strict=True)
    )
    if first.sort != second.sort:
        first, second = reduce_order(engine, first), reduce_order(engine, second)
    return _plain(first, typed=typed), _plain(second, typed=typed)


def same_order(
    engine: Asked, prepared: tuple[Prepared, Prepared], forms: tuple[Bag, Bag]
) -> tuple[Bag, Bag] | None:
    """The final forms as they are compared, or None where their visible orders differ."""
    first, second = (replace(p, bag=f) for p, f in zip(prepared, forms, strict=True))
    if first.sort != second.sort and first.bag and second.bag:
        first, second = reduce_order(engine, first), reduce_order(engine, second)
        if first.sort != second.sort:
            return None
    return _plain(first, typed=first.typed).bag, _plain(second, typed=second.typed).bag


def reservations(
    engine: Asked,
    q1: Query,
    q2: Query,
    prepared: tuple[Prepared, Prepared],
    ended: tuple[Bag, Bag],
    blocks: Correspondence,
) -> set[str]:
    """What the comparison leaves open: types, ties, rounding, and (M7) what one side may raise and the other
    may not, or what the steps have removed.
    """
    first, second = prepared
    modulo = set(first.loose | second.loose)
    if not first.typed:
        modulo.add("types")
    modulo |= kinds_apart(first.failing, second.failing)
    left, right = (failing(engine, f, p.spared) for p, f in zip(prepared, ended, strict=True))
    modulo |= kinds_apart(left, right)
    keys_first = _asks_keys_first(q1) and _asks_keys_first(q2)
    modulo |= told_apart(first.evaluated, second.evaluated, ended, blocks, keys_first=keys_first)
    modulo |= apart(first.computed, second.computed, ended)
    modulo |= asked_of_more(first.own_rows, second.own_rows)
    # constants that may fail are folded when the query is planned, whatever stands around them
    if failing_constants(q1) != failing_constants(q2):
        modulo.add("errors")
    return modulo | planned_otherwise(first.read, second.read, engine.schema.catalog)


def _asks_keys_first(query: Query) -> bool:
    """Whether conditions on keys alone are asked of the rows before they are grouped: where they stand in the
    one query that groups, and it has one grouping set (subquery_planner). From around a subquery they get
    into it only past no LIMIT, window or MATERIALIZED.
    """
    sets = [(q, q.group_by) for q in all_queries(query) if isinstance(q, Select) and q.group_by is not None]
    return all(q is query and len(by) == 1 for q, by in sets)


# --------------------------------------------------------------------------- signatures and order


def signature_difference(q1: Query, q2: Query) -> Reason | None:
    """M5: the numbers of columns (kind signature), or their types and typmods (another kind), differ."""
    a, b = output_columns(q1), output_columns(q2)
    if len(a) != len(b):
        return Reason(f"{len(a)} columns against {len(b)}", "signature")
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if _shown(x.type) != _shown(y.type):
            return Reason(f"column {i + 1} is {x.type.name} against {y.type.name}", "open")
    return None


def _shown(type_: SqlType) -> tuple[str, str, int]:
    return type_.schema, type_.name, type_.typmod


def names_note(q1: Query, q2: Query) -> tuple[str, ...]:
    names = [[c.name for c in output_columns(q)] for q in (q1, q2)]
    return () if names[0] == names[1] else ("the names of output columns differ",)


def _plain(form: Prepared, *, typed: bool) -> Prepared:
    """The form, its visible outputs without types unless ``typed``."""
    if typed:
        return form
    bag = tuple(
        replace(b, outs=tuple(_untyped(o) if i < form.width else o for i, o in enumerate(b.outs)))
        for b in form.bag
    )
    return replace(form, bag=bag, typed=False)


def _untyped(term: Term) -> Term:
    """The value printed the same whatever its type: exact integers as such, NULL as one NULL."""
    while isinstance(term, App) and term.sym == TO_NUMERIC:
        term = term.args[0]
    match term:
        case Lit(value, type_) if type_ == NUMERIC and value is not None and _WHOLE.fullmatch(value):
            return Lit(value, INTEGER)
    return term


def _spelled(engine: Asked, form: Prepared) -> Prepared:
    """The form with sort keys of two values as booleans."""
    for i, label in enumerate(form.sort):
        at = form.width + i
        found = two_valued(engine, form.bag, at, label) if form.bag else None
        if found is not None:
            bag = tuple(
                replace(b, outs=(*b.outs[:at], key, *b.outs[at + 1 :]))
                for b, key in zip(form.bag, found[1], strict=True)
            )
            form = replace(form, bag=bag, sort=(*form.sort[:i], found[0], *form.sort[i + 1 :]))
    return form


def reduce_order(engine: Asked, form: Prepared) -> Prepared:
    """13: sort keys after a key of the rows, or equal to constants, decide nothing."""
    if len(form.bag) != 1 or not form.sort:
        return form
    (b,) = form.bag
    keep: list[int] = []
    for i in range(len(form.sort)):
        earlier = [b.outs[form.width + k] for k in keep]
        term = b.outs[form.width + i]
        if not _decided(engine, b, earlier, term):
            keep.append(i)
    outs = (*b.outs[: form.width], *(b.outs[form.width + i] for i in keep))
    return replace(form, bag=(replace(b, outs=outs),), sort=tuple(form.sort[i] for i in keep))


def _decided(engine: Asked, b: Block, earlier: list[Term], term: Term) -> bool:
    own = {v for v, _ in b.vars}
    if not free_vars(term) & own:
        return True
    determined = determined_by(engine, Context(), b, earlier)
    if free_vars(term) & own <= determined or lone(engine, Context(), b, tuple(earlier)):
        return True
    return any(isinstance(c, Lit) for c in ties(b.preds, term))


def scope_of(q1: Query, q2: Query) -> Literal["any", "these"]:
    """M18: a proof over constants is one for these; with parameters only, for any."""
    if any(isinstance(e, Param) for q in (q1, q2) for e in _exprs(q)):
        return "any"
    return "these"


def _exprs(query: Query) -> list[Expr]:
    return list(all_exprs_of_query(query))


def method_of(steps: Sized) -> str:
    return "normal form" if steps else "isomorphism"
