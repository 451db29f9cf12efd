"""Making terms: local simplification that never changes a value, for any types and NULLs.

Every term of the calculus is made here, so that equal values often become equal terms. Owns constant
folding and boolean normal form under three-valued logic. Must not know contexts or catalogs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from rewright.sql.types import BOOL, SqlType

from .inverse import points, shifted
from .symbols import AND, CASE, EQ, IS_NULL, IS_TRUE, LE, LT, NOT, OR, RANGES, SAME, TO_NUMERIC, domain
from .terms import FALSE, INTEGER, TRUE, App, Lit, Nested, Sym, Term, null
from .texts import STARTS, equal
from .truncated import cut_once

UNKNOWN = null(BOOL)

# types whose first and last values are written so
_ENDLESS = frozenset({"date", "timestamp", "timestamptz"})


def app(sym: Sym, args: tuple[Term, ...], type_: SqlType) -> Term:
    """An application, simplified."""
    if sym.strict and any(isinstance(a, Lit) and a.value is None for a in args):
        return null(type_)
    match sym.name:
        case "and" | "or":
            return _connective(sym, args)
        case "not":
            return negate(args[0])
        case "is null":
            return is_null(args[0])
        case "is true":
            return is_true(args[0])
        case "case":
            return case(args, type_)
        case "=" | "<" | "<=":
            return _compare(sym, args[0], args[1])
        case "is not distinct from":
            return same(args[0], args[1])
        case "identical" if args[0] == args[1]:
            return TRUE
        case "integer to numeric" if isinstance(args[0], Lit):
            return Lit(args[0].value, type_)
        # into the results of CASE, where constants can be folded; its conditions stay
        case "integer to numeric" if isinstance(args[0], App) and args[0].sym == CASE:
            parts = args[0].args
            return case(
                tuple(app(sym, (a,), type_) if _is_result(i, parts) else a for i, a in enumerate(parts)),
                type_,
            )
    if (once := cut_once(sym.name, args)) is not None:
        return app(sym, once, type_)
    # the counts of two bags added are the count of both together
    if sym.name == "+ int8" and all(isinstance(a, Nested) and a.name == "cnt" for a in args):
        from .bags import aggregate

        return aggregate("cnt", tuple(b for a in args if isinstance(a, Nested) for b in a.bag), INTEGER)
    if sym.fails == "overflow" and len(args) == 2 and (folded := _fold(sym, args)) is not None:
        return folded
    return App(sym, args, type_)


def _fold(sym: Sym, args: tuple[Term, ...]) -> Term | None:
    """Exact integer arithmetic on constants, when it stays in range."""
    op, _, type_name = sym.name.partition(" ")
    a, b = args
    # counts and the like have no type of PostgreSQL's and do not overflow
    if type_name not in RANGES or not isinstance(a, Lit) or not isinstance(b, Lit):
        return None
    x, y = int(a.value or 0), int(b.value or 0)
    result = {"+": x + y, "-": x - y, "*": x * y}[op]
    return integer(result) if -RANGES[type_name] <= result < RANGES[type_name] else None


def fold_division(a: Term, b: Term) -> Term | None:
    """Truncating integer division of constants."""
    # by 0 it raises, and the least integer by -1 is out of range
    # the quotient is cut towards zero, where Python's goes to the lower side
    if isinstance(a, Lit) and isinstance(b, Lit) and a.value and b.value and int(b.value) not in {0, -1}:
        x, y = int(a.value), int(b.value)
        return integer(abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1))
    return None


def integer(value: int) -> Lit:
    return Lit(str(value), INTEGER)


def conj(terms: Iterable[Term]) -> Term:
    return app(AND, tuple(terms), BOOL)


def disj(terms: Iterable[Term]) -> Term:
    return app(OR, tuple(terms), BOOL)


def eq(a: Term, b: Term) -> Term:
    return app(EQ, (a, b), BOOL)


def _connective(sym: Sym, args: tuple[Term, ...]) -> Term:
    neutral, absorbing = (TRUE, FALSE) if sym == AND else (FALSE, TRUE)
    # nested connectives of one kind are flat, so that `a AND (b AND c)` and `(a AND b) AND c` are one term
    parts = (p for a in args for p in (a.args if isinstance(a, App) and a.sym == sym else (a,)))
    # by their hashes: an IN list may have thousands of parts
    flat = tuple(dict.fromkeys(p for p in parts if p != neutral))
    if absorbing in flat:
        return absorbing
    if not flat:
        return neutral
    return flat[0] if len(flat) == 1 else App(sym, flat, BOOL)


def negate(term: Term) -> Term:
    match term:
        case Lit(None):
            return term
        case Lit(value):
            return FALSE if value == "true" else TRUE
        case App(sym, (a,)) if sym == NOT:
            return a
        case App(sym, args) if sym == AND:
            # de Morgan holds in three values, too
            return disj(negate(a) for a in args)
        case App(sym, args) if sym == OR:
            return conj(negate(a) for a in args)
        # only of types whose order is known to be total (NaN has its place in it)
        # NOT (a < b) is b <= a: also NULL where either is
        case App(sym, (a, b)) if sym == LT and domain(a.type):
            return app(LE, (b, a), BOOL)
        case App(sym, (a, b)) if sym == LE and domain(a.type):
            return app(LT, (b, a), BOOL)
        case _:
            return App(NOT, (term,), BOOL)


def is_null(term: Term) -> Term:
    match term:
        case Lit(value):
            return TRUE if value is None else FALSE
        # EXISTS and count are never NULL
        case Nested("exists") | Nested("agg", "cnt"):
            return FALSE
        case App(sym, (_,)) if sym in {IS_NULL, IS_TRUE}:
            return FALSE
        case App(sym) if sym == SAME or sym.name.startswith("row "):
            return FALSE  # a row of NULLs is a value
        # NULL if and only if an argument is
        # a total function is NULL for NULL arguments and for nothing else
        case App(sym, args) if sym.total:
            return disj(is_null(a) for a in args)
        case App(sym, args) if sym == CASE:
            return case(tuple(is_null(a) if _is_result(i, args) else a for i, a in enumerate(args)), BOOL)
        case _:
            return App(IS_NULL, (term,), BOOL)


def not_null(term: Term) -> Term:
    return negate(is_null(term))


def never_null(term: Term) -> bool:
    return is_null(term) == FALSE


def is_true(term: Term) -> Term:
    """TRUE where the term is TRUE, FALSE elsewhere."""
    match term:
        case Lit(value):
            return TRUE if value == "true" else FALSE
        # TRUE is decided by the arguments that are TRUE alone; NOT would need those that are FALSE
        case App(sym, args) if sym in {AND, OR}:
            return app(sym, tuple(is_true(a) for a in args), BOOL)
    return term if never_null(term) else App(IS_TRUE, (term,), BOOL)


def same(a: Term, b: Term) -> Term:
    """``a IS NOT DISTINCT FROM b``."""
    if a == b:
        return TRUE
    for x, y in ((a, b), (b, a)):
        # a constant is either NULL or never: one of the two comparisons is enough
        if isinstance(x, Lit):
            return is_null(y) if x.value is None else is_true(eq(y, x))
    # two values that are there are distinct where they are not equal
    if never_null(a) and never_null(b):
        return eq(a, b)
    return App(SAME, _ordered(a, b), BOOL)


def _ordered(a: Term, b: Term) -> tuple[Term, Term]:
    # constants stand on the right, so that x = 1 and 1 = x are one term
    return (b, a) if isinstance(a, Lit) and not isinstance(b, Lit) else (a, b)


def _compare(sym: Sym, a: Term, b: Term) -> Term:
    known = domain(a.type)
    # two domains (text against bpchar) may compare by a rule of a third
    if known and known == domain(b.type):
        if a == b:
            # x = x and x <= x are TRUE of all that is there, NaN included, x < x of nothing
            return not_null_or_unknown(a) if sym in {EQ, LE} else _unless_null(a, FALSE)
        if (whole := _at_the_end(sym, a, b, known) or _at_some_end(sym, a, b, known)) is not None:
            return whole
        if isinstance(a, Lit) and isinstance(b, Lit) and (folded := _fold_compare(sym, a, b, known)):
            return folded
        if sym == EQ:
            a, b = _ordered(a, b)
            if known == "bool" and isinstance(b, Lit):
                # b = TRUE is b, and b = FALSE is NOT b
                return a if b.value == "true" else negate(a)
            # no two integers become one numeric
            if isinstance(a, App) and isinstance(b, App) and a.sym == b.sym == TO_NUMERIC:
                return eq(a.args[0], b.args[0])
        if isinstance(a, App) and isinstance(b, Lit):
            return _of_argument(sym, a, b) or App(sym, (a, b), BOOL)
        # c < f(x) is NOT (f(x) <= c), so that only bounds from above need inverting
        if isinstance(a, Lit) and isinstance(b, App) and sym in {LT, LE}:
            flipped = _of_argument(LE if sym == LT else LT, b, a)
            return App(sym, (a, b), BOOL) if flipped is None else negate(flipped)
    return App(sym, (a, b), BOOL)


def _at_the_end(sym: Sym, a: Term, b: Term, known: str) -> Term | None:
    """A comparison with an end of the calendar that holds of every moment, or of none."""
    if known not in _ENDLESS or sym not in {LT, LE}:
        return None
    # a < b never holds of a last a or a first b, and a <= b always of a last b or a first a
    last, first = (b, a) if sym == LE else (a, b)
    ends = (_end_of_time(last) == "infinity", _end_of_time(first) == "-infinity")
    if any(ends):
        other = first if ends[0] else last
        return not_null_or_unknown(other) if sym == LE else _unless_null(other, FALSE)
    return None


def _at_some_end(sym: Sym, a: Term, b: Term, known: str) -> Term | None:
    """A comparison with ``coalesce(until, 'infinity')`` arm by arm."""
    for side in (b, a):
        if not isinstance(side, App) or side.sym != CASE or known not in _ENDLESS:
            continue
        pairs = [(a, r) if side is b else (r, b) for r in (*side.args[1:-1:2], side.args[-1])]
        if any(_at_the_end(sym, x, y, known) is not None for x, y in pairs):
            arms = [app(sym, pair, BOOL) for pair in pairs]
            tests = side.args[:-1:2]
            return case((*(x for pair in zip(tests, arms, strict=False) for x in pair), arms[-1]), BOOL)
    return None


def _end_of_time(term: Term) -> str | None:
    """How the moment is written before or after all others; None for any other."""
    if not isinstance(term, App) or len(term.args) != 1 or term.type.typmod != -1:
        return None
    (text,) = term.args
    read = term.sym.name == f"cast pg_catalog.unknown to pg_catalog.{term.type.name}(-1) io"
    return text.value if read and isinstance(text, Lit) and text.value in {"infinity", "-infinity"} else None


def _of_argument(sym: Sym, a: App, b: Lit) -> Term | None:
    """16: ``f(x)`` against a constant as x against others, for functions that never fall."""
    if sym == EQ and domain(a.type) == "text":
        return _of_text(a, b)
    if (moved := shifted(a, b)) is not None:
        return app(sym, moved, BOOL)
    found = points(a, b)
    if found is None:
        return None
    x, at = found
    if sym == LT:
        return app(LT, (x, at.from_), BOOL)
    if sym == LE:
        return app(LT, (x, at.beyond), BOOL)
    # of whole numbers and days the interval from c to its end may hold one value only
    if at.only is not None:
        return eq(x, at.only)
    # no value reaches c without passing it: date_trunc('month', x) = '2024-01-15'
    if at.from_ == at.beyond:
        return _unless_null(x, FALSE)
    return conj((app(LE, (at.from_, x), BOOL), app(LT, (x, at.beyond), BOOL)))


def _of_text(a: App, b: Lit) -> Term | None:
    """16: a prefix or an integer's text against a constant."""
    found = equal(a, b)
    if found is None:
        return None
    x, test, constant = found
    if test == "never":
        # left(x, 2) = 'abc': a text of two characters is none of three
        return _unless_null(x, FALSE)
    return eq(x, constant) if test == "=" else App(STARTS, (x, constant), BOOL)


def not_null_or_unknown(term: Term) -> Term:
    """The value of ``x = x``: TRUE, or NULL for NULL."""
    return _unless_null(term, TRUE)


def _unless_null(term: Term, value: Lit) -> Term:
    return case((is_null(term), UNKNOWN, value), BOOL)


def _fold_compare(sym: Sym, a: Lit, b: Lit, known: str) -> Term | None:
    assert a.value is not None
    assert b.value is not None
    if known in {"integer", "numeric"}:
        try:
            x, y = Decimal(a.value), Decimal(b.value)
        except InvalidOperation:
            return None
        # NaN equals itself and stands above all, which Decimal sees otherwise
        if not (x.is_finite() and y.is_finite()):
            return None
        return TRUE if {"=": x == y, "<": x < y, "<=": x <= y}[sym.name] else FALSE
    # times and moments may be written in several ways that are one value
    if known == "bool" or (known in {"text", "date", "uuid"} and a.type == b.type and sym == EQ):
        # under another collation two texts that differ may be equal, or not: left to the server
        if known == "text" and a.type.collation not in {"default", "C", "POSIX", "ucs_basic"}:
            return None
        if sym == EQ:
            return TRUE if a.value == b.value else FALSE
    return None


def _is_result(i: int, args: tuple[Term, ...]) -> bool:
    return i % 2 == 1 or i == len(args) - 1


def case(args: tuple[Term, ...], type_: SqlType) -> Term:
    """``args`` are condition, result, …, default."""
    kept: list[Term] = []
    default = args[-1]
    for i in range(0, len(args) - 1, 2):
        condition, result = is_true(args[i]), args[i + 1]
        # CASE WHEN p THEN CASE WHEN p THEN x …: within its own arm p is TRUE
        while isinstance(result, App) and result.sym == CASE and result.args[0] == condition:
            result = result.args[1]
        # a condition that an earlier arm had never comes to this one
        if condition == FALSE or condition in kept[::2]:
            continue
        # what stands behind an arm that is always taken is never reached
        if condition == TRUE:
            default = result
            break
        kept += [condition, result]
    # a last arm that gives what ELSE gives decides nothing
    while kept and kept[-1] == default:
        del kept[-2:]
    # ELSE CASE … END is more arms of the same CASE
    if isinstance(default, App) and default.sym == CASE and kept:
        return case((*kept, *default.args), type_)
    if not kept:
        return default
    # CASE WHEN x IS NOT NULL THEN x END is x
    if len(kept) == 2 and default == null(default.type) and kept[0] == not_null(kept[1]):
        return kept[1]
    if type_ == BOOL and (simple := _boolean_case(kept, default)) is not None:
        return simple
    return App(CASE, (*kept, default), type_)


def _boolean_case(kept: list[Term], default: Term) -> Term | None:
    if len(kept) == 2:
        condition, result = kept
        if (result, default) == (TRUE, FALSE):
            # as values, not as filters: the conditions here are never NULL, by is_true
            return condition
        if (result, default) == (FALSE, TRUE):
            return negate(condition)
    return None


def recollated(term: Term, collation: str) -> Term:
    """M4: the value under the collation, which decides what functions and comparisons make of it."""
    # numbers and the like have no collation, and what has this one needs no cast to it
    if not collation or term.type.collation in {"", collation}:
        return term
    type_ = replace(term.type, collation=collation)
    if isinstance(term, Lit):
        return Lit(term.value, type_)
    return App(Sym(f"collate {collation}", total=True), (term,), type_)


def coalesce(args: tuple[Term, ...], type_: SqlType) -> Term:
    result = args[-1]
    for a in reversed(args[:-1]):
        result = case((not_null(a), a, result), type_)
    return result


def predicates(term: Term) -> tuple[Term, ...]:
    """The conjuncts of a term read as "is TRUE": equal to it as a filter, often simpler."""
    match term:
        case Lit(value):
            return () if value == "true" else (FALSE,)
        case App(sym, args) if sym == AND:
            return tuple(dict.fromkeys(p for a in args for p in predicates(a)))
        # each alternative as a filter: NULL in it counts as FALSE there, too
        case App(sym, args) if sym == OR:
            alternatives = tuple(conj(predicates(a)) for a in args)
            joined = app(OR, alternatives, BOOL)
            return (
                (joined,) if isinstance(joined, App) and joined.sym == OR else predicates_again(joined, term)
            )
        case App(sym, (a,)) if sym == IS_TRUE:
            return predicates(a)
        case App(sym, args) if sym == CASE:
            return predicates_again(_filter_case(args), term)
        case App(sym, (App(inner, args),)) if sym == NOT and inner == CASE:
            flipped = tuple(negate(a) if _is_result(i, args) else a for i, a in enumerate(args))
            return predicates(case(flipped, BOOL))
        # NOT (x IS TRUE) lets NULL pass, and is taken apart for what it is made of
        case App(sym, (App(inner, args),)) if sym == NOT and inner == IS_TRUE and not _atomic(args[0]):
            return predicates(_not_true(args[0]))
        # with one side never NULL, equal and not distinct are the same filter
        case App(sym, (a, b)) if sym == SAME and (never_null(a) or never_null(b)):
            return predicates(eq(a, b))
    return (term,)


def predicates_again(new: Term, old: Term) -> tuple[Term, ...]:
    return predicates(new) if new != old else (new,)


def _atomic(term: Term) -> bool:
    # an atom under NOT IS TRUE stays: taken apart it would only be longer
    return not (isinstance(term, App) and term.sym in {AND, OR, NOT, CASE, IS_TRUE})


def _not_true(term: Term) -> Term:
    match term:
        case App(sym, args) if sym == AND:
            return disj(_not_true(a) for a in args)
        case App(sym, args) if sym == OR:
            return conj(_not_true(a) for a in args)
        case App(sym, (a,)) if sym == IS_TRUE:
            return _not_true(a)
        case _:
            # what is not TRUE is FALSE or NULL
            return disj((negate(term), is_null(term)))


def _filter_case(args: tuple[Term, ...]) -> Term:
    """A boolean CASE as a filter: the disjunction of its TRUE paths."""
    paths: list[Term] = []
    missed: list[Term] = []
    for i in range(0, len(args) - 1, 2):
        # an arm that gives FALSE or NULL lets no row pass, but keeps its rows from the later ones
        if args[i + 1] not in {FALSE, UNKNOWN}:
            paths.append(conj((*missed, args[i], args[i + 1])))
        missed.append(negate(is_true(args[i])))
    if args[-1] not in {FALSE, UNKNOWN}:
        paths.append(conj((*missed, args[-1])))
    return disj(paths)


def rebuild(term: Term) -> Term:
    """The application made anew from its (changed) parts."""
    if isinstance(term, App):
        return app(term.sym, term.args, term.type)
    return term


def exists_value(pred: Term) -> Term:
    """A predicate, read as "is TRUE", as a value."""
    return is_true(pred)
