"""The prover's door: two bound queries in, a proof, a reason or nothing out.

Signatures first, then identical trees, then normal forms and their correspondence, under a deadline. Must not know
servers or counterexamples.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from equivalence.proof import Assumption, Matching, Proof, Step
from sql.algebra import Expr, Param, Query, WholeRow, output_columns
from sql.catalog import Catalog
from sql.types import SqlType
from sql.walk import all_exprs_of_query, all_queries, canonical

from .build import not_null
from .conditions import off
from .constants import failing_constants
from .entail import Context, Engine, OutOfTime, identical
from .failures import failing, orders, recorded, shows_representative
from .fresh import numbering
from .match import match_bags
from .normal import Trace, normalise
from .schema import Schema
from .symbols import TO_NUMERIC
from .terms import App, Bag, Block, Distinct, Lit, Term, Var, free_vars, source_types
from .translate import Form, Translator, Unsupported
from .unique import determined_by, ties

NOT_ACCEPTABLE = frozenset({"errors", "overflow"})


@dataclass(frozen=True, slots=True)
class Reason:
    """Why there is no proof."""

    reason: str
    kind: Literal["unsupported", "signature", "order", "timeout", "open", "internal"] = "open"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query's form as compared: outputs, then the sort keys that count."""

    bag: Bag
    width: int
    sort: tuple[str, ...]
    loose: frozenset[str]
    failing: frozenset[tuple[str, str]]


def prove(
    q1: Query,
    q2: Query,
    catalog: Catalog,
    *,
    deadline_seconds: float = 5.0,
    accept: Collection[str] = (),
    distrust: Collection[str] = (),
) -> Proof | Reason | None:
    """A proof that both queries are the same on every database of the catalog.

    ``accept`` are reservations the caller can live with; others still come back in ``modulo``, for the caller to
    judge. ``distrust``: names of constraints not to rely on (a session's snapshot may be older). ``Reason`` says what stands in the way, None that nothing was found.
    """
    del accept
    engine = Engine(Schema(catalog, distrust=distrust), time.monotonic() + deadline_seconds)
    try:
        with numbering():
            return _prove(engine, q1, q2)
    except Unsupported as why:
        return Reason(f"unsupported {why}", "unsupported")
    except OutOfTime:
        return Reason("timeout", "timeout")
    except RecursionError:
        return Reason("the query is too deep", "unsupported")
    except ImportError as missing:
        return Reason(f"not installed: {missing.name}", "unsupported")
    except Exception as error:  # noqa: BLE001 - a fault of the search must not become the caller's
        return Reason(f"internal error: {error!r}", "internal")


def _prove(engine: Engine, q1: Query, q2: Query) -> Proof | Reason | None:
    difference = signature_difference(q1, q2)
    if difference is not None and difference.kind == "signature":
        return difference
    notes = names_note(q1, q2)
    if same_tree(q1, q2):
        return Proof("same-tree", scope="any", notes=notes)
    types = frozenset({"types"}) if difference is not None else frozenset()
    first, second = prepare(engine, q1), prepare(engine, q2)
    if first.sort != second.sort and not (off("M9")):
        reduced = (reduce_order(engine, first), reduce_order(engine, second))
    else:
        reduced = (first, second)
    left, steps1 = normalise(engine, comparable(reduced[0], typed=not types))
    right, steps2 = normalise(engine, comparable(reduced[1], typed=not types))
    if reduced[0].sort != reduced[1].sort and not off("M9") and left and right:
        again = [reduce_order(engine, replace(p, bag=b)) for p, b in zip(reduced, (left, right), strict=True)]
        if again[0].sort != again[1].sort:
            return Reason("the visible orders differ", "order")
        left, right = again[0].bag, again[1].bag
    left, right = (plain(f, first.width, typed=not types) for f in (left, right))
    blocks = match_bags(engine, Context(), left, right)
    if blocks is None:
        return None
    modulo = set(types) | first.loose | second.loose | reservations(engine, first, second, left, right)
    modulo |= constants_reservation(q1, q2)
    steps = (*_steps(1, steps1), *_steps(2, steps2))
    return Proof(
        "normal form" if steps else "isomorphism",
        steps,
        tuple(sorted(engine.schema.used)),
        scope_of(q1, q2),
        frozenset(modulo),
        Matching(blocks),
        notes,
    )


def same_tree(q1: Query, q2: Query) -> bool:
    """Whether the queries differ in names and numbers nobody sees. A row as one value shows its columns' names
    (to_json), so with one every name counts.
    """
    if any(isinstance(e, WholeRow) for e in _exprs(q1)):
        return repr(q1) == repr(q2)
    if _fences(q1) != _fences(q2):
        return False
    return canonical(q1) == canonical(q2)


def _fences(query: Query) -> list[bool | None]:
    """MATERIALIZED or not, CTE by CTE: it decides which rows an expression that may fail meets."""
    return [cte.materialized for q in all_queries(query) for cte in q.ctes]


def prepare(engine: Engine, query: Query) -> Prepared:
    """The query translated, with what may fail in it."""
    translator = Translator(engine.schema.is_computed)
    form: Form = translator.top(query)
    loose = set(translator.loose)
    if orders(engine, form.bag, len(form.sort)):
        loose.add("tie-order")
    if shows_representative(form.bag):
        loose.add("tie-order")
    found = failing(engine, form.bag)
    found |= recorded(translator, found)
    if off("13"):
        form = Form(tuple(replace(b, outs=b.outs[: form.width]) for b in form.bag), form.width)
    return Prepared(form.bag, form.width, form.sort, frozenset(loose), frozenset(found))


def reservations(engine: Engine, first: Prepared, second: Prepared, left: Bag, right: Bag) -> set[str]:
    """M7: what one side may raise and the other may not, or what the steps have removed."""
    if off("M7"):
        return set()
    modulo = {kind for kind, _ in first.failing ^ second.failing}
    remaining = failing(engine, left), failing(engine, right)
    modulo |= {kind for kind, _ in remaining[0] ^ remaining[1]}
    return modulo


def constants_reservation(q1: Query, q2: Query) -> set[str]:
    """M7: constants that may fail are folded when the query is planned, whatever stands around them."""
    return set() if off("M7") or failing_constants(q1) == failing_constants(q2) else {"errors"}


# --------------------------------------------------------------------------- signatures and order


def signature_difference(q1: Query, q2: Query) -> Reason | None:
    """M5: the numbers of columns (kind signature), or their types and typmods (another kind), differ."""
    a, b = output_columns(q1), output_columns(q2)
    if len(a) != len(b):
        return Reason(f"{len(a)} columns against {len(b)}", "signature")
    if off("M5"):
        return None
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if _shown(x.type) != _shown(y.type):
            return Reason(f"column {i + 1} is {x.type.name} against {y.type.name}", "open")
    return None


def _shown(type_: SqlType) -> tuple[str, str, int]:
    return type_.schema, type_.name, type_.typmod


def names_note(q1: Query, q2: Query) -> tuple[str, ...]:
    names = [[c.name for c in output_columns(q)] for q in (q1, q2)]
    return () if names[0] == names[1] else ("the names of output columns differ",)


def comparable(form: Prepared, *, typed: bool) -> Bag:
    """The form's bag; where types differ, values are compared without them."""
    return plain(form.bag, form.width, typed=typed)


def plain(bag: Bag, width: int, *, typed: bool) -> Bag:
    """The bag, its visible outputs without types unless ``typed``."""
    if typed:
        return bag
    return tuple(
        replace(b, outs=tuple(_untyped(o) if i < width else o for i, o in enumerate(b.outs))) for b in bag
    )


def _untyped(term: Term) -> Term:
    """The value printed the same whatever its type: exact integers as such, NULL as one NULL."""
    while isinstance(term, App) and term.sym == TO_NUMERIC:
        term = term.args[0]
    return term


def reduce_order(engine: Engine, form: Prepared) -> Prepared:
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


def _decided(engine: Engine, b: Block, earlier: list[Term], term: Term) -> bool:
    own = {v for v, _ in b.vars}
    if not free_vars(term) & own:
        return True
    determined = determined_by(engine, Context(), b, earlier)
    if free_vars(term) & own <= determined:
        return True
    return any(isinstance(c, Lit) for c in ties(b.preds, term))


def scope_of(q1: Query, q2: Query) -> Literal["any", "these"]:
    """M18: a proof over constants is one for these; with parameters only, for any."""
    if off("M18") or any(isinstance(e, Param) for q in (q1, q2) for e in _exprs(q)):
        return "any"
    return "these"


def _exprs(query: Query) -> list[Expr]:
    return list(all_exprs_of_query(query))


def _steps(side: Literal[1, 2], trace: Trace) -> tuple[Step, ...]:
    return tuple(Step(side, rule, path, at) for rule, path, at in trace)


__all__ = ["Assumption", "Distinct", "Reason", "Var", "identical", "not_null", "prove", "source_types"]
