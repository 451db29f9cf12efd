"""Overload resolution of functions and operators (manual chapter 10; parse_func.c, parse_oper.c).

Owns candidate lists, variadic expansion, default arguments and the tie-breaking rules. Must not know syntax
or scopes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rewright.sql.algebra import Expr, Op, OperatorRef
from rewright.sql.binder.coerce import (
    POLYMORPHIC,
    base_type,
    can_coerce,
    coerce,
    merge_collations,
    resolve_polymorphic,
)
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.scope import Context
from rewright.sql.catalog import Catalog, FunctionInfo, OperatorInfo, key_of
from rewright.sql.types import SqlType


@dataclass(frozen=True, slots=True)
class Candidate:
    """A function with its argument list as this call sees it: variadic expanded, defaults dropped."""

    info: FunctionInfo
    args: tuple[str, ...]
    expanded: bool = False
    # positions of declared arguments that the call's arguments fill (named calls), else None
    order: tuple[int, ...] | None = None


def resolve_function(
    context: Context,
    schemas: Sequence[str],
    name: str,
    arg_types: Sequence[str],
    *,
    variadic: bool = False,
    names: Sequence[str] = (),
) -> Candidate | None:
    """func_get_detail: the function a call means; None when there is none, 42725 when several fit."""
    found = candidates(context.catalog, schemas, name, len(arg_types), variadic=variadic, names=names)
    for candidate in found:
        # an exact match wins over all others, before any conversion
        if list(candidate.args) == list(arg_types):
            return candidate
    return _pick(context.catalog, found, list(arg_types), name)


def _pick(catalog: Catalog, found: list[Candidate], arg_types: list[str], name: str) -> Candidate | None:
    fitting = [c for c in found if can_coerce(catalog, arg_types, c.args, "i")]
    # conversions of arguments in calls are implicit ones
    if len(fitting) <= 1:
        return fitting[0] if fitting else None
    kept = select_candidates(catalog, arg_types, [c.args for c in fitting])
    if len(kept) == 1:
        return fitting[kept[0]]
    # more than one is left: "could not choose a best candidate"
    raise BindError("42725", f"function {name} is not unique")


def refuse_opaque(catalog: Catalog, name: str) -> None:
    """Raises Unsupported where a function of the name is not understood: it may be the one that is meant."""
    if name in catalog.opaque_functions:
        raise Unsupported(f"function {name}")


def candidates(
    catalog: Catalog,
    schemas: Sequence[str],
    name: str,
    count: int,
    *,
    variadic: bool = False,
    names: Sequence[str] = (),
) -> list[Candidate]:
    """FuncnameGetCandidates: one per distinct argument list, nearest schema first."""
    refuse_opaque(catalog, name)
    best: dict[tuple[str, ...], Candidate] = {}
    for info in catalog.functions_named(name, schemas):
        candidate = _candidate(info, count, variadic=variadic, names=names)
        if candidate is None:
            continue
        other = best.get(candidate.args)
        # the same arguments in two schemas: the nearer one hides the other
        if other is None or _preferred(candidate, other, schemas):
            best[candidate.args] = candidate
    return list(best.values())


def _preferred(new: Candidate, old: Candidate, schemas: Sequence[str]) -> bool:
    """Of two with the same argument types: the nearer schema, then not variadic, then fewer defaults."""
    new_at, old_at = schemas.index(new.info.schema), schemas.index(old.info.schema)
    if new_at != old_at:
        return new_at < old_at
    # the plain form wins over one that takes any number of arguments
    if new.expanded != old.expanded:
        return old.expanded
    return len(new.info.args) < len(old.info.args)


def _candidate(info: FunctionInfo, count: int, *, variadic: bool, names: Sequence[str]) -> Candidate | None:
    declared = info.args
    if names:
        return _named(info, count, names)
    # VARIADIC array: the declared form, one array at the end
    if variadic:
        return Candidate(info, declared) if info.variadic and len(declared) == count else None
    # variadic: as many arguments as the call has, each of the element's type
    if info.variadic and count >= len(declared):
        rest = count - len(declared) + 1
        return Candidate(info, declared[:-1] + (info.variadic,) * rest, expanded=True)
    if len(declared) == count:
        return Candidate(info, declared)
    # arguments at the end may be left out where they have defaults
    if len(declared) - info.defaults <= count < len(declared):
        return Candidate(info, declared[:count])
    return None


def _named(info: FunctionInfo, count: int, names: Sequence[str]) -> Candidate | None:
    """MatchNamedCall: positional arguments first, then by name; the rest must have defaults."""
    positional = count - len(names)
    inputs = info.arg_names[: len(info.args)]
    # all input arguments need names
    if len(inputs) < len(info.args) or info.variadic or count > len(info.args):
        return None
    order = list(range(positional))
    for name in names:
        # a name that is given twice, or by position and by name
        if name not in inputs or inputs.index(name) in order:
            return None
        order.append(inputs.index(name))
    first_default = len(info.args) - info.defaults
    # those without defaults have to be there
    if any(i not in order for i in range(first_default)):
        return None
    return Candidate(info, tuple(info.args[i] for i in order), order=tuple(order))


def select_candidates(
    catalog: Catalog, arg_types: Sequence[str], lists: Sequence[tuple[str, ...]]
) -> list[int]:
    """func_select_candidate: indexes of the argument lists that survive the tie-breaking rules."""
    # rule 4.b: domains count as their base types
    inputs = [a if a == "unknown" else base_type(catalog, a) for a in arg_types]
    alive = list(range(len(lists)))
    # rule 4.c (manual, 10.3): most exact matches
    alive = _best(alive, lambda i: _exact(lists[i], inputs))
    if len(alive) == 1:
        return alive
    # rule 4.d: most exact or preferred ones, only for known arguments
    alive = _best(alive, lambda i: _exact_or_preferred(catalog, lists[i], inputs))
    if len(alive) == 1 or "unknown" not in inputs:
        return alive
    # rule 4.e: unknown arguments by category
    narrowed = _by_category(catalog, lists, inputs, alive)
    if narrowed:
        alive = narrowed
        if len(alive) == 1:
            return alive
    # rule 4.f: the known arguments' type
    return _assume_known(catalog, lists, inputs, alive)


def _best(alive: list[int], score: Callable[[int], int]) -> list[int]:
    scores = {i: score(i) for i in alive}
    top = max(scores.values())
    return [i for i in alive if scores[i] == top]


def _exact(args: tuple[str, ...], inputs: list[str]) -> int:
    return sum(i != "unknown" and a == i for a, i in zip(args, inputs, strict=True))


def _exact_or_preferred(catalog: Catalog, args: tuple[str, ...], inputs: list[str]) -> int:
    matches = 0
    for a, i in zip(args, inputs, strict=True):
        if i == "unknown":
            continue
        if a == i:
            matches += 1
            continue
        info = catalog.type(a)
        matches += info.preferred and info.category == catalog.type(i).category
    return matches


def _by_category(
    catalog: Catalog, lists: Sequence[tuple[str, ...]], inputs: list[str], alive: list[int]
) -> list[int]:
    """Decide unknown arguments by type category: string if any accepts one, else the one all agree on."""
    wanted: dict[int, tuple[str, bool]] = {}
    for at, source in enumerate(inputs):
        if source != "unknown":
            continue
        infos = [catalog.type(lists[i][at]) for i in alive]
        categories = {info.category for info in infos}
        # string wins: every type reads texts
        if "S" in categories:
            category = "S"
        elif len(categories) == 1:
            category = categories.pop()
        else:
            # categories disagree: nothing is decided
            return []
        preferred = any(info.preferred for info in infos if info.category == category)
        wanted[at] = (category, preferred)
    kept = []
    for i in alive:
        infos_at = {at: catalog.type(lists[i][at]) for at in wanted}
        # a preferred type in the category, if any candidate has one there
        if all(
            infos_at[at].category == category and (infos_at[at].preferred or not preferred)
            for at, (category, preferred) in wanted.items()
        ):
            kept.append(i)
    return kept


def _assume_known(
    catalog: Catalog, lists: Sequence[tuple[str, ...]], inputs: list[str], alive: list[int]
) -> list[int]:
    """If all known arguments share a type, assume the unknown ones have it too."""
    known = {i for i in inputs if i != "unknown"}
    # all known arguments must be of one type
    if len(known) != 1:
        return alive
    assumed = [known.pop()] * len(inputs)
    fitting = [i for i in alive if can_coerce(catalog, assumed, lists[i], "i")]
    return fitting if len(fitting) == 1 else alive


# --------------------------------------------------------------------------- operators


def resolve_operator(
    context: Context, name: str, left: str, right: str, schemas: Sequence[str] | None = None
) -> OperatorInfo:
    """oper() / left_oper(): ``left`` is empty for a prefix operator. 42883 or 42725 otherwise; Unsupported
    where one of the name is not understood.
    """
    catalog = context.catalog
    if name in catalog.opaque_operators:
        raise Unsupported(f"operator {name}")
    found = catalog.operators_named(name, schemas or context.schemas)
    # an exact match, one side unknown taken as the other's type (manual, 10.2, rule 2.a)
    exact = _exact_operator(catalog, found, left, right)
    if exact is not None:
        return exact
    fitting: list[OperatorInfo] = []
    seen: set[tuple[str, str]] = set()
    inputs = [right] if not left else [left, right]
    for o in found:
        # prefix and infix are told apart; a nearer schema's operator hides a farther one
        if bool(o.left) != bool(left) or (o.left, o.right) in seen:
            continue
        seen.add((o.left, o.right))
        if can_coerce(catalog, inputs, _operands(o), "i"):
            fitting.append(o)
    if not fitting:
        raise BindError("42883", f"operator does not exist: {left} {name} {right}")
    if len(fitting) > 1:
        kept = select_candidates(catalog, inputs, [_operands(o) for o in fitting])
        if len(kept) != 1:
            raise BindError("42725", f"operator is not unique: {left} {name} {right}")
        return fitting[kept[0]]
    return fitting[0]


def _operands(o: OperatorInfo) -> tuple[str, ...]:
    return (o.left, o.right) if o.left else (o.right,)


def _exact_operator(
    catalog: Catalog, found: list[OperatorInfo], left: str, right: str
) -> OperatorInfo | None:
    was_unspecified = False
    if left:
        # a unary operator has no other side
        if left == "unknown" and right != "unknown":
            left, was_unspecified = right, True
        elif right == "unknown" and left != "unknown":
            right, was_unspecified = left, True
    for o in found:
        if (o.left, o.right) == (left, right):
            return o
    if was_unspecified:
        # domains: the operator of the base type
        based = base_type(catalog, left)
        if based != left:
            for o in found:
                if (o.left, o.right) == (based, based):
                    return o
    return None


def make_op(
    context: Context,
    name: str,
    left: Expr | None,
    right: Expr,
    schemas: Sequence[str] | None = None,
) -> Op:
    """An operator call with its arguments coerced."""
    left_key = key_of(left.type) if left is not None else ""
    info = resolve_operator(context, name, left_key, key_of(right.type), schemas)
    args = [right] if left is None else [left, right]
    keys = [key_of(a.type) for a in args]
    real, result = resolve_polymorphic(context.catalog, keys, _operands(info), info.result)
    coerced = coerce_args(context, args, real)
    return Op(info.to_ref(), coerced, result_type(context, result, coerced))


def coerce_args(context: Context, args: Sequence[Expr], types: Sequence[str]) -> tuple[Expr, ...]:
    """Arguments as values of the declared (real) types; modifiers are left alone."""
    done = []
    for arg, key in zip(args, types, strict=True):
        if key == "any" or key in POLYMORPHIC or key_of(arg.type) == key:
            done.append(arg)
        else:
            done.append(coerce(context, arg, context.catalog.type(key).sql_type))
    return tuple(done)


def result_type(context: Context, key: str, args: Sequence[Expr]) -> SqlType:
    """The type of a call's result: collatable results take the arguments' collation."""
    info = context.catalog.type(key)
    if not info.collation:
        return info.sql_type
    collation = merge_collations([a for a in args if a.type.collation])
    return replace(info.sql_type, collation=collation or info.collation)


def ordering_operator(context: Context, type_: SqlType, name: str) -> OperatorRef:
    """The ``<``, ``=`` or ``>`` that ORDER BY, GROUP BY and DISTINCT use for a type; 42883 if none."""
    catalog = context.catalog
    key = base_type(catalog, key_of(type_))
    info = catalog.type(key)
    tries = [key]
    # types without operators of their own use those of the type they are relabelled to
    if key == "varchar":
        tries.append("text")
    if key == "cidr":
        tries.append("inet")
    # arrays compare where their elements do
    if info.element:
        _need_element(context, info.element, name)
        tries.append("anyarray")
    # enums, ranges and rows have one set of operators each
    generic = {"e": "anyenum", "r": "anyrange", "m": "anymultirange", "c": "record"}.get(info.kind)
    if generic:
        tries.append(generic)
    for candidate in tries:
        for o in catalog.operators_named(name, ("pg_catalog",)):
            # "=" need not be of the btree class: types may have a hash class alone
            if o.left == candidate and o.right == candidate and name in {o.btree, "="}:
                return o.to_ref()
    # a user's type: its own operators of its default classes
    own = [o for o in catalog.operators if o.name == name and o.left == key == o.right and o.btree == name]
    if own:
        return own[0].to_ref()
    what = "equality" if name == "=" else "ordering"
    raise BindError("42883", f"could not identify an {what} operator for type {key}")


def _need_element(context: Context, element: str, name: str) -> None:
    ordering_operator(context, context.catalog.type(element).sql_type, name)
