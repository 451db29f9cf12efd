"""The search for normal forms: which rule to try where, cheapest first, until nothing applies.

Everything it does goes through the kernel and is recorded as steps; it may be as clever or as wrong as it
likes. Must not know how forms are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from .entail import Context, Engine
from .kernel import RULES, At, Place, case_terms, first_free
from .places import Mode, Path, at_path, nested_terms, places, put
from .terms import Bag, Block, Distinct, Multi, Nested, Table, Var, free_in_bag, free_vars, walk_shallow

MAX_STEPS = 400
Trace = list[tuple[str, Path, At]]

ORDER = (
    "contradiction",
    "multi-to-set",
    "split-scalar",
    "distinct-to-exists",
    "open-distinct",
    "merge-copies",
    "flatten-aggregate",
    "simplify-case",
    "drop-column",
    "semijoin",
    "redundant",
    "merge-blocks",
    "covered",
)


def normalise(engine: Engine, form: Bag, *, mode: Mode = "bag") -> tuple[Bag, Trace]:
    """A normal form with the steps that lead to it."""
    trace: Trace = []
    tried: set[tuple[str, Path, At, Bag]] = set()
    while len(trace) < MAX_STEPS:
        step = _next(engine, form, mode, tried)
        if step is None:
            break
        rule, path, at, form = step
        trace.append((rule, path, at))
    return form, trace


def _next(
    engine: Engine, form: Bag, mode: Mode, tried: set[tuple[str, Path, At, Bag]]
) -> tuple[str, Path, At, Bag] | None:
    """The first rule that changes something, inner places first."""
    for path in places(form):
        ctx, bag, inner_mode = at_path(Context(), form, mode, path)
        place = Place(engine, ctx, bag, inner_mode, first_free(form))
        for rule in ORDER:
            for at in CANDIDATES[rule](place, path):
                key = (rule, path, at, form)
                if key in tried:
                    continue
                tried.add(key)
                engine.tick()
                new = RULES[rule](place, at)
                if new is not None and new != bag:
                    return rule, path, at, put(form, path, new)
    return None


def apply(engine: Engine, form: Bag, rule: str, path: Path, at: At, mode: Mode = "bag") -> Bag | None:
    """One step, as replayed."""
    ctx, bag, inner_mode = at_path(Context(), form, mode, path)
    new = RULES[rule](Place(engine, ctx, bag, inner_mode, first_free(form)), at)
    return None if new is None else put(form, path, new)


# --------------------------------------------------------------------------- candidates


def _blocks(p: Place, _: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        if b.preds:
            yield (i,)


def _distinct_vars(p: Place, _: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for v, s in b.vars:
            if isinstance(s, Distinct):
                yield (i, v)


def _multi_vars(p: Place, _: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for v, s in b.vars:
            if isinstance(s, Multi):
                yield (i, v)


def _plain_vars(p: Place, _: Path) -> Iterator[At]:
    if p.mode == "set":
        return
    for i, b in enumerate(p.bag):
        for v, s in reversed(b.vars):
            if isinstance(s, Table):
                yield (i, v)


def _columns(p: Place, _: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for v, s in b.vars:
            if isinstance(s, Distinct) and len(s.bag) == 1:
                for c in range(len(s.bag[0].outs)):
                    yield (i, v, c)


def _copies(p: Place, _: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        scope = [(v, s) for v, s in p.ctx.vars if isinstance(s, Table)]
        for n, (v, s) in enumerate(b.vars):
            if isinstance(s, Table):
                for w, t in (*scope, *b.vars[:n]):
                    if s == t and _linked(b, v):
                        yield (i, v, w)


def _linked(b: Block, v: int) -> bool:
    return any(v in free_vars(q) for q in b.preds)


def _nested(kinds: str) -> object:
    def candidates(p: Place, _: Path) -> Iterator[At]:
        for i, b in enumerate(p.bag):
            for n, t in enumerate(nested_terms(b)):
                if t.kind == kinds:
                    yield (i, n)

    return candidates


def _flat(p: Place, _: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n, t in enumerate(nested_terms(b)):
            if t.kind == "agg" and t.bag and all(_aggregated(x) for x in t.bag):
                yield (i, n)


def _aggregated(b: Block) -> bool:
    return bool(b.outs) and not isinstance(b.outs[0], Var)


def _cases(p: Place, _: Path) -> Iterator[At]:
    for i, b in enumerate(p.bag):
        for n in range(len(case_terms(b))):
            yield (i, n)


def _redundant(p: Place, path: Path) -> Iterator[At]:
    """Predicates with EXISTS in them, and in inner bags those that the context may imply."""
    for i, b in enumerate(p.bag):
        for n, q in enumerate(b.preds):
            nested = any(isinstance(t, Nested) for t in walk_shallow(q))
            if nested or path:
                yield (i, n)


def _pairs(p: Place, _: Path) -> Iterator[At]:
    for j in range(len(p.bag)):
        for i in range(j):
            left, right = p.bag[i], p.bag[j]
            if len(left.vars) != len(right.vars) or len(left.vars) > 4:
                continue
            for order in permutations(range(len(left.vars))):
                if all(left.vars[n][1] == right.vars[k][1] for n, k in enumerate(order)):
                    yield (i, j, *order)


def _covers(p: Place, _: Path) -> Iterator[At]:
    if p.mode == "set":
        for i in reversed(range(len(p.bag))):
            for j in range(len(p.bag)):
                if i != j:
                    yield (i, j)


CANDIDATES = {
    "contradiction": _blocks,
    "multi-to-set": _multi_vars,
    "split-scalar": _nested("the"),
    "distinct-to-exists": _distinct_vars,
    "open-distinct": _distinct_vars,
    "merge-copies": _copies,
    "flatten-aggregate": _flat,
    "simplify-case": _cases,
    "drop-column": _columns,
    "semijoin": _plain_vars,
    "redundant": _redundant,
    "merge-blocks": _pairs,
    "covered": _covers,
}
__all__ = ["apply", "free_in_bag", "normalise"]
