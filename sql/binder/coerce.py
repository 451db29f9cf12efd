"""Conversions between types: which exist, which one an expression gets (after parse_coerce.c).

Owns coercion pathways, implicit-cast rules, common types of CASE/UNION/VALUES, polymorphic arguments and
length coercion. Must not know scopes or syntax.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rewright.sql.algebra import (
    Aggregate,
    ArrayExpr,
    Call,
    Case,
    Cast,
    Coalesce,
    Collate,
    Const,
    Expr,
    FunctionRef,
    MinMax,
    NullIf,
    Op,
    Param,
    RowExpr,
    WindowCall,
)
from rewright.sql.binder.constants import normalise
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.scope import Context
from rewright.sql.catalog import Catalog, TypeInfo, key_of
from rewright.sql.placeholders import is_placeholder
from rewright.sql.types import TEXT, SqlType

CoercionContext = Literal["i", "a", "e"]
# implicit, assignment, explicit: pg_cast.castcontext, each allowing what the one before allows
_STRENGTH = {"i": 0, "a": 1, "e": 2}
Method = Literal["binary", "func", "io", "array"]

# pseudo-types that stand for the types of a call's arguments (manual, 36.2.5)
POLYMORPHIC = frozenset(
    {"anyelement", "anyarray", "anynonarray", "anyenum", "anyrange", "anymultirange"}
    | {"anycompatible", "anycompatiblearray", "anycompatiblenonarray"}
    | {"anycompatiblerange", "anycompatiblemultirange"}
)
# types whose modifier bounds or rounds values; others have none, or keep it without a cast
_LENGTH_TYPES = frozenset(
    {
        "varchar",
        "bpchar",
        "bit",
        "varbit",
        "numeric",
        "time",
        "timetz",
        "timestamp",
        "timestamptz",
        "interval",
    }
)


@dataclass(frozen=True, slots=True)
class Path:
    method: Method
    function: FunctionRef | None = None


def base_type(catalog: Catalog, key: str) -> str:
    """The type under a domain (or the type itself)."""
    info = catalog.type(key)
    while info.kind == "d":
        info = catalog.type(info.base)
    return info.key


def base_of(catalog: Catalog, type_: SqlType) -> SqlType:
    """The type under a domain, with the domain's modifier."""
    info = catalog.type(key_of(type_))
    while info.kind == "d":
        below = catalog.type(info.base)
        type_ = replace(below.sql_type, typmod=info.base_typmod)
        info = below
    return type_


def info_of(catalog: Catalog, type_: SqlType) -> TypeInfo:
    return catalog.type(key_of(type_))


def array_of(catalog: Catalog, type_: SqlType) -> SqlType:
    """The array type over ``type_``; 42704 when there is none."""
    info = catalog.type(key_of(type_))
    # a domain over an array has no array type of its own element's
    if not info.array:
        raise BindError("42704", f"could not find array type for data type {info.name}")
    collation = type_.collation or catalog.type(info.array).collation
    return replace(catalog.type(info.array).sql_type, collation=collation)


def element_of(catalog: Catalog, type_: SqlType) -> SqlType | None:
    """The element type of an array type (or a domain over one), else None."""
    based = base_of(catalog, type_)
    info = catalog.type(key_of(based))
    if not info.element:
        return None
    # an array's modifier and collation are its elements'
    element = catalog.type(info.element).sql_type
    return replace(element, typmod=based.typmod, collation=based.collation or element.collation)


def find_path(catalog: Catalog, source: str, target: str, context: CoercionContext) -> Path | None:
    """find_coercion_pathway: how ``source`` becomes ``target`` in this context, None if it can't."""
    source, target = base_type(catalog, source), base_type(catalog, target)
    # domains over one base are relabelled; checks come with the conversion to a domain, in _convert
    if source == target:
        return Path("binary")
    cast = catalog.cast(source, target)
    if cast is not None:
        # a cast AS ASSIGNMENT is none for an operand, one that is EXPLICIT only where it is written
        if _STRENGTH[context] < _STRENGTH[cast.context]:
            return None
        match cast.method:
            case "f":
                return Path("func", cast.function)
            # castmethod i: by way of text, WITH INOUT
            case "i":
                return Path("io")
            case "b":
                return Path("binary")
    source_info, target_info = catalog.type(source), catalog.type(target)
    # as in the server, the old vector types take no other arrays, or they would compete with real arrays
    if source_info.element and target_info.element and target not in {"oidvector", "int2vector"}:
        path = find_path(catalog, source_info.element, target_info.element, context)
        if path is not None:
            # elements that are only relabelled need no work for each one
            return path if path.method == "binary" else Path("array", path.function)
    # every type has a text form: explicit and assignment casts to strings go through it
    if context != "i" and target_info.category == "S":
        return Path("io")
    # from strings explicitly only: else '1' || 2 would be ambiguous
    if context == "e" and source_info.category == "S":
        return Path("io")
    return None


def can_coerce(
    catalog: Catalog, sources: Sequence[str], targets: Sequence[str], context: CoercionContext
) -> bool:
    """can_coerce_type over a list of arguments."""
    generics: list[tuple[str, str]] = []
    for source, target in zip(sources, targets, strict=True):
        if target in {source, "any"}:
            continue
        # polymorphic arguments have to agree with each other, not only one by one
        if target in POLYMORPHIC:
            generics.append((source, target))
            continue
        # an unknown literal may become anything that its input function reads
        if source == "unknown" or find_path(catalog, source, target, context):
            continue
        if not _row_compatible(catalog, source, target):
            return False
    if any(t in POLYMORPHIC for t in targets):
        try:
            resolve_polymorphic(catalog, sources, targets, None)
        # no common type: this function is not meant
        except (BindError, Unsupported):
            return False
    return True


def _row_compatible(catalog: Catalog, source: str, target: str) -> bool:
    """RECORD against composite types."""
    source_info, target_info = catalog.type(source), catalog.type(target)
    # whether fields fit is looked at when the row is converted
    if source == "record" and target_info.kind == "c":
        return True
    return target == "record" and source_info.kind == "c"


# --------------------------------------------------------------------------- polymorphic functions


def resolve_polymorphic(
    catalog: Catalog, sources: Sequence[str], declared: Sequence[str], result: str | None
) -> tuple[list[str], str]:
    """The real argument and result types of a polymorphic call (enforce_generic_type_consistency).

    Raises BindError 42883/42804 when the arguments do not agree.
    """
    # nothing polymorphic: the declared types are the real ones
    if not any(d in POLYMORPHIC for d in declared) and result not in POLYMORPHIC:
        return list(declared), result or ""
    found = _Polymorphs(catalog)
    for source, want in zip(sources, declared, strict=True):
        if want in POLYMORPHIC and source != "unknown":
            # a domain over an array or range counts as what it is over; anyelement keeps the domain
            found.add(base_type(catalog, source) if "array" in want or "range" in want else source, want)
    found.settle(declared)
    real = [found.real(d) if d in POLYMORPHIC else d for d in declared]
    real_result = found.real(result) if result in POLYMORPHIC else (result or "")
    return real, real_result


class _Polymorphs:
    """The bindings of anyelement & co. in one call; the anycompatible family unifies by common type."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.element = ""
        # empty: not given by any argument
        self.array = ""
        self.range = ""
        self.multirange = ""
        self.compatible: list[str] = []
        self.compatible_range = ""
        self.compatible_element = ""

    def add(self, source: str, want: str) -> None:
        info = self.catalog.type(source)
        match want:
            case "anyelement" | "anynonarray" | "anyenum":
                # all arguments declared anyelement have one type exactly
                self.element = self._same(self.element, source)
                self._check_kind(info, want)
            case "anyarray":
                self._need(bool(info.element), source, "array")
                self.array = self._same(self.array, source)
            case "anyrange":
                self._need(info.kind == "r", source, "range")
                self.range = self._same(self.range, source)
            case "anymultirange":
                self._need(info.kind == "m", source, "multirange")
                self.multirange = self._same(self.multirange, source)
            case "anycompatible" | "anycompatiblenonarray":
                # anycompatible arguments are converted to a common type (since PostgreSQL 13)
                self.compatible.append(source)
            case "anycompatiblearray":
                self._need(bool(info.element), source, "array")
                self.compatible.append(info.element)
            case _:
                raise Unsupported(f"argument of type {want}")

    def _check_kind(self, info: TypeInfo, want: str) -> None:
        # anynonarray and anyenum are anyelement with a condition
        if want == "anynonarray" and info.element:
            raise BindError("42804", "type matched to anynonarray is an array type")
        if want == "anyenum" and self.catalog.type(base_type(self.catalog, info.key)).kind != "e":
            raise BindError("42804", "type matched to anyenum is not an enum type")

    def _same(self, have: str, new: str) -> str:
        if have and have != new:
            raise BindError("42804", "arguments declared alike are not all alike")
        return new

    def _need(self, ok: bool, source: str, what: str) -> None:
        if not ok:
            raise BindError("42804", f"argument declared polymorphic is not {what} but type {source}")

    def settle(self, declared: Sequence[str]) -> None:
        """Derive what was not given from what was."""
        if self.array:
            # of anyarray and anyelement, one determines the other
            self.element = self._same(self.element, self.catalog.type(self.array).element)
        if self.multirange and not self.range:
            self.range = self._range_of_multirange(self.multirange)
        if self.range:
            # an array over the range's subtype would be inconsistent with another anyelement
            self.element = self._same(self.element, self.catalog.type(self.range).subtype)
        elif self.multirange:
            self.element = self._same(self.element, self.catalog.type(self.multirange).subtype)
        if any(d.startswith("anycompatible") for d in declared):
            self.compatible_element = (
                # all anycompatible arguments unknown: text (select_common_type)
                common_type_of(self.catalog, self.compatible) if self.compatible else "text"
            )
        family = any(d in POLYMORPHIC and not d.startswith("anycompatible") for d in declared)
        # nothing but unknown literals: f(NULL) of anyelement
        if family and not self.element:
            raise BindError("42804", "could not determine polymorphic type because input has type unknown")

    def _range_of_multirange(self, key: str) -> str:
        # in the catalog's naming int4multirange and int4range belong together
        name = key.replace("multirange", "range")
        return name if self.catalog.find_type(name, ()) else ""

    def real(self, want: str | None) -> str:
        match want:
            case "anyelement" | "anynonarray" | "anyenum":
                return self.element
            case "anyarray":
                # array_append(NULL, 1): the array's type follows from the element
                return self.array or self.catalog.type(self.element).array
            case "anyrange" if self.range:
                return self.range
            case "anymultirange" if self.multirange:
                return self.multirange
            case "anymultirange" if self.range:
                return self.range.replace("range", "multirange")
            case "anycompatible" | "anycompatiblenonarray" if self.compatible_element:
                return self.compatible_element
            case "anycompatiblearray" if self.compatible_element:
                return self.catalog.type(self.compatible_element).array
            case _:
                raise BindError("42804", f"could not determine {want}")


# --------------------------------------------------------------------------- common types


def common_type_of(catalog: Catalog, keys: Sequence[str], what: str = "") -> str:
    """select_common_type: the type UNION, CASE and friends settle on; 42804 when there is none."""
    first = keys[0]
    # domains survive where all are the same domain
    if first != "unknown" and all(k == first for k in keys):
        return first
    best = base_type(catalog, first)
    for key in keys[1:]:
        candidate = base_type(catalog, key)
        # unknown gives way to any type
        if candidate in {"unknown", best}:
            continue
        if best == "unknown":
            best = candidate
            continue
        have, new = catalog.type(best), catalog.type(candidate)
        # another category can't be matched, whatever casts there are
        if have.category != new.category:
            raise BindError("42804", f"{what or 'types'} {best} and {candidate} cannot be matched")
        if (
            # the preferred type of a category wins; else one that the other converts to, and not back
            not have.preferred
            and can_coerce(catalog, [best], [candidate], "i")
            and not can_coerce(catalog, [candidate], [best], "i")
        ):
            best = candidate
    # all unknown
    return "text" if best == "unknown" else best


def common_type(context: Context, exprs: Sequence[Expr], what: str = "") -> SqlType:
    """The common type of expressions, with the modifier they all share and a merged collation."""
    types = [e.type for e in exprs]
    key = common_type_of(context.catalog, [key_of(t) for t in types], what)
    info = context.catalog.type(key)
    # varchar(3) and varchar(3) stay varchar(3); with varchar(5) no modifier is left
    typmod = types[0].typmod if all(key_of(t) == key for t in types) else -1
    if any(t.typmod != typmod for t in types):
        typmod = -1
    # types without collations take part by their types alone
    collation = merge_collations(exprs) if info.collation else ""
    return replace(info.sql_type, typmod=typmod, collation=collation or info.collation)


def merge_collations(exprs: Sequence[Expr]) -> str:
    """The collation of an expression over these: an explicit one, else the one not default.

    Raises Unsupported where the implicit ones conflict.
    """
    return merge_derived([(e.type.collation, is_explicitly_collated(e)) for e in exprs])


def merge_derived(derived: Iterable[tuple[str, bool]]) -> str:
    """As `merge_collations`, of collations and whether each is explicit."""
    found = list(derived)
    # the first explicit one: two different ones would be an error of the server's before
    for collation, explicit in found:
        if explicit:
            return collation
    # the default collation gives way to any other (manual, 23.2.1.1)
    own = {collation for collation, _ in found} - {"", "default"}
    if len(own) > 1:
        # indeterminate: an error only where something compares, which is not known here
        raise Unsupported("conflicting implicit collations")
    if own:
        return own.pop()
    return "default" if any(collation == "default" for collation, _ in found) else ""


def is_explicitly_collated(expr: Expr) -> bool:
    """Whether a COLLATE in the expression decides its collation: it passes through whatever merges the
    collations of its parts (assign_collations_walker), not out of a subquery.
    """
    if not expr.type.collation:
        return False
    match expr:
        case Collate():
            return True
        # a cast passes COLLATE through, unless its type has none
        case Cast(arg=arg):
            return is_explicitly_collated(arg)
        case Op(args=args) | Call(args=args) | Coalesce(args=args) | MinMax(args=args) | ArrayExpr(args=args):
            return any(is_explicitly_collated(a) for a in args)
        case Aggregate(args=args) | WindowCall(args=args):
            return any(is_explicitly_collated(a) for a in args)
        case NullIf(left=left, right=right):
            return is_explicitly_collated(left) or is_explicitly_collated(right)
        # conditions of CASE do not merge into the result
        case Case(whens=whens, default=default):
            results = [result for _, result in whens]
            return any(is_explicitly_collated(r) for r in (*results, default))
        case _:
            return False


# --------------------------------------------------------------------------- coercing expressions


def coerce(
    context: Context, expr: Expr, target: SqlType, how: CoercionContext = "i", *, implicit: bool = True
) -> Expr:
    """``expr`` as a value of ``target``, length coercion included (coerce_to_target_type).

    Raises 42846 (no such cast) or 42804 (not allowed implicitly); literals raise what their type's
    input function raises.
    """
    # COLLATE stands outside of the conversion: the value is converted, then collated (coerce_type)
    if isinstance(expr, Collate):
        below: Expr = coerce(context, expr.arg, target, how, implicit=implicit)
        # an integer has no collation: COLLATE is dropped
        if below.type.collation:
            return Collate(below, replace(below.type, collation=expr.type.collation))
        return below
    source_key, target_key = key_of(expr.type), key_of(target)
    # polymorphic and any: nothing to convert, only to bound
    if source_key == target_key or target_key in POLYMORPHIC or target_key == "any":
        return _apply_length(context, expr, target, implicit=implicit)
    done = _convert(context, expr, target, how, implicit=implicit)
    return _apply_length(context, done, target, implicit=implicit)


def _convert(context: Context, expr: Expr, target: SqlType, how: CoercionContext, *, implicit: bool) -> Expr:
    catalog = context.catalog
    target_info = info_of(catalog, target)
    # a domain's checks run after its base type's value exists
    if target_info.kind == "d":
        based = base_of(catalog, target)
        # implicit: only the domain's own step was written
        inner = coerce(context, expr, based, how, implicit=True)
        return Cast(inner, target_info.sql_type, implicit, "domain")
    if expr.type.name == "unknown" and expr.type.is_builtin:
        return _convert_unknown(context, expr, target, implicit=implicit)
    path = find_path(catalog, key_of(expr.type), key_of(target), how)
    plain = _plain(target, target_info, expr)
    # no path: RECORD and composite types are handled by their fields
    if path is None:
        return _convert_row(context, expr, target_info, plain, how, implicit=implicit)
    # applied to each element by ArrayCoerceExpr
    if path.method == "array":
        return Cast(expr, plain, implicit, "func", path.function)
    if path.method == "io":
        return Cast(expr, plain, implicit, "io")
    return Cast(expr, plain, implicit, path.method, path.function)


def _plain(target: SqlType, info: TypeInfo, expr: Expr) -> SqlType:
    """The target without modifier, keeping a collation that flows through."""
    collation = info.collation
    # a collation that was given with the value survives the relabelling
    if collation and expr.type.collation not in {"", collation}:
        collation = expr.type.collation
    return replace(target, typmod=-1, collation=collation)


def _convert_row(
    context: Context, expr: Expr, info: TypeInfo, plain: SqlType, how: CoercionContext, *, implicit: bool
) -> Expr:
    source = key_of(expr.type)
    # to RECORD: every composite is one
    if info.key == "record" and info_of(context.catalog, expr.type).kind == "c":
        return Cast(expr, plain, implicit, "binary")
    # ROW(...)::type converts field by field
    if isinstance(expr, RowExpr) and info.kind == "c" and len(expr.args) == len(info.fields):
        args = tuple(
            coerce(context, a, t, how, implicit=False)
            for a, (_, t) in zip(expr.args, info.fields, strict=True)
        )
        return Cast(RowExpr(args, expr.type), plain, implicit, "binary")
    raise BindError("42846" if how == "e" else "42804", f"cannot cast type {source} to {info.key}")


def _convert_unknown(context: Context, expr: Expr, target: SqlType, *, implicit: bool) -> Expr:
    """A literal or parameter whose type the context decides."""
    info = info_of(context.catalog, target)
    plain = replace(target, typmod=-1, collation=target.collation or info.collation)
    if isinstance(expr, Param):
        known = context.params.get(expr.index)
        # $1 = 1 AND $1 = 'a': the first use decides (variable_coerce_param_hook)
        if known is not None and known.name != "unknown" and not known.same_base(plain):
            raise BindError("42P08", f"inconsistent types deduced for parameter ${expr.index}")
        context.params[expr.index] = plain
        # interval's modifier is part of how its text is read: '1' with SECOND or DAY
        if info.name == "interval" and is_placeholder(expr.index):
            return Param(expr.index, replace(target, collation=plain.collation))
        return Param(expr.index, plain)
    # unknown, and neither literal nor parameter: a column of a subquery's literal
    if not isinstance(expr, Const):
        return Cast(expr, plain, implicit, "io")
    typed = replace(target, collation=plain.collation) if info.name == "interval" else plain
    # NULL has no text to read
    if expr.value is None:
        return Const(None, plain)
    # labels are known here, so a wrong one is an error now, as in the server
    if info.kind == "e" and expr.value not in info.labels:
        raise BindError("22P02", f'invalid input value for enum {info.name}: "{expr.value}"')
    text = expr.value if info.kind == "e" else None
    if target.is_builtin:
        text = normalise(info.name, expr.value)
    # no plain form: its input function is called where the server calls it, at bind time
    if text is None:
        return Cast(expr, typed, implicit, "io")
    return Const(text, plain)


def _apply_length(context: Context, expr: Expr, target: SqlType, *, implicit: bool) -> Expr:
    """coerce_type_typmod: nothing when the modifier is absent or already there."""
    # the same modifier again would be a cast that changes nothing
    if target.typmod < 0 or expr.type.typmod == target.typmod:
        return expr
    info = info_of(context.catalog, target)
    # arrays carry the modifier of their elements
    name = info.element or info.key
    if name not in _LENGTH_TYPES:
        return expr
    return Cast(expr, replace(expr.type, typmod=target.typmod), implicit, "typmod")


def without_modifier(expr: Expr) -> Expr:
    """An explicit cast to the type that the expression has, with no modifier: the server relabels it, so that
    ``p::numeric`` is described without the column's scale (coerce_type_typmod of its parser).
    """
    if expr.type.typmod < 0:
        return expr
    return Cast(expr, expr.type.without_typmod(), implicit=False, method="binary")


def resolve_unknown(context: Context, expr: Expr) -> Expr:
    """An unknown literal or parameter that nothing else decided is text."""
    if expr.type.name == "unknown" and expr.type.is_builtin:
        return coerce(context, expr, TEXT)
    return expr


def coerce_boolean(context: Context, expr: Expr, construct: str) -> Expr:
    """A condition; 42804 unless it is boolean."""
    from rewright.sql.types import BOOL

    # a domain over boolean is a condition, too
    key = base_type(context.catalog, key_of(expr.type))
    if key == "unknown":
        return coerce(context, expr, BOOL)
    if key != "bool":
        raise BindError("42804", f"argument of {construct} must be type boolean, not type {key}")
    return coerce(context, expr, BOOL)


def explicit_cast(context: Context, arg: Expr, target: SqlType) -> Expr:
    """CAST(arg AS target): only the outermost of the steps it takes counts as written."""
    done = coerce(context, arg, target, "e", implicit=False)
    match done:
        # two casts made by one written: type and length
        case Cast(arg=Cast() as inner, method="typmod") if inner is not arg and not inner.implicit:
            return replace(done, arg=replace(inner, implicit=True))
        case _:
            # ::numeric of a column numeric(9,2) takes the modifier away
            return without_modifier(done) if target.typmod < 0 else done


def shared_typmod(type_: SqlType, exprs: Sequence[Expr]) -> SqlType:
    """ExprTypmod of CASE and friends: kept when every branch has the same type and modifier."""
    # a branch's modifier survives only if all branches have it
    typmods = {e.type.typmod for e in exprs}
    same = all(e.type.same_base(type_) for e in exprs)
    return replace(type_, typmod=typmods.pop() if same and len(typmods) == 1 else -1)
