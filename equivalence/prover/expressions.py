"""Scalar expressions into terms.

Values that coincide become equal terms: widening casts between integers vanish, IN lists become disjunctions,
quantified comparisons become EXISTS under three-valued logic. Must not know schema facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never

from rewright.sql import algebra as a
from rewright.sql.binder import Unsupported as Unbound
from rewright.sql.binder.coerce import is_explicitly_collated, merge_derived
from rewright.sql.facts.effects import RANGE_SIDES, RANGE_TESTS, SEARCHES, searchable, sees_storage
from rewright.sql.facts.guards import Known, branches, division, is_division
from rewright.sql.facts.looks import WHOLE_NUMBER
from rewright.sql.facts.moments import stays_in_time
from rewright.sql.records import key_of
from rewright.sql.types import BOOL, TEXT, TIMESTAMP, TIMESTAMPTZ, SqlType, equality_is_identity
from rewright.sql.walk import deep_exprs

from .aggregates import aggregate_term, window_term
from .aliases import as_cast, as_operator, other_name
from .arrays import array_of_rows, compared_with_elements, in_parts, no_elements
from .bags import block, exists, the
from .build import (
    app,
    case,
    coalesce,
    conj,
    disj,
    fold_division,
    is_null,
    is_true,
    negate,
    rebuild,
    recollated,
    same,
)
from .commuting import in_order, sorted_operands
from .enums import compared, equals_label
from .folding import as_float, constant, moved
from .looks import shown_type
from .meanings import meaning, where_known
from .modifiers import obeys
from .symbols import (
    CASE,
    EQ,
    IN_TIME,
    INTS,
    LE,
    LT,
    ORDERED,
    RANGES,
    TO_NUMERIC,
    arithmetic,
    cast,
    domain,
    equal_as_values,
    exact_integer,
    failure,
    function,
    of_field,
)
from .terms import FALSE, INTEGER, TRUE, App, Bag, Block, Lit, Row, Sym, Table, Term, Var, null
from .texts import pattern
from .translated import Env, Failure, Scope, Unsupported

if TYPE_CHECKING:
    from .translate import Translator

UNKNOWN = null(BOOL)
_MOMENTS = frozenset({"date", "timestamp", "timestamptz"})
# what evaluates its parts on other rows than what stands around it
_EVALUATED_APART = a.Aggregate | a.WindowCall | a.Case | a.Coalesce


@dataclass(frozen=True, slots=True)
class Translation:
    """Translates the expressions of one scope."""

    to: Translator
    scope: Scope

    def over(self, scope: Scope) -> Translation:
        """The same for another scope."""
        return Translation(self.to, scope)

    def term(self, e: a.Expr) -> Term:
        # GROUP BY lower(name): wherever the text stands above the grouping it is the key, and not computed
        # anew
        for expr, value in self.scope.groups:
            if expr == e:
                return value
        outer = self.to.apart
        # an aggregate's argument is evaluated on the rows of the group, CASE's arms on some rows only
        if outer is None or isinstance(e, _EVALUATED_APART):
            self.to.apart = e
        try:
            return self._collated(self._term(e), e)
        finally:
            self.to.apart = outer

    def _collated(self, x: Term, e: a.Expr) -> Term:
        """M4: the value under the expression's own collation, when simplification or a set operation has put
        one of another there: what functions and comparisons make of it depends on it.
        """
        return recollated(x, e.type.collation)

    def branch(self, e: a.Expr, type_: SqlType) -> Term:
        """One of the values that an expression of the type may give, under the collation of the whole: it
        stays when the others fall away.
        """
        x = self.term(e)
        return recollated(x, type_.collation)

    def _term(self, e: a.Expr) -> Term:
        if self._reads_groups(e):
            return self._as_it_is(e)
        # a meaning is translated in place of what was written; it may have a meaning itself
        if (made := meaning(e)) is not None:
            return self._term(made)
        return self._where_known(where_known(e), e)

    def _reads_groups(self, e: a.Expr) -> bool:
        """Whether a part of the expression is what rows are grouped by: then it is known only as a whole."""
        keys = [expr for expr, _ in self.scope.groups if not isinstance(expr, a.Column)]
        # a column as a key is found in the environment; only larger expressions hide their parts
        return bool(keys) and any(part in keys for part in deep_exprs(e))

    def _where_known(self, known: tuple[tuple[a.Expr, a.Expr], ...], e: a.Expr) -> Term:
        """The term of an expression that is another where conditions are met."""
        plain = self._as_it_is(e)
        parts = tuple(self.term(x) for pair in known for x in pair)
        # CASE WHEN the condition is met THEN the meaning …, ELSE the plain application
        return case((*parts, plain), e.type) if parts else plain

    def _as_it_is(self, e: a.Expr) -> Term:
        match e:
            case a.Const(value, type_):
                return self._constant(value, type_)
            case a.Column(rel, pos):
                columns = self.scope.env.get(rel)
                if columns is None:
                    raise Unsupported("reference out of scope")
                return self._read(columns[pos])
            case a.And(args):
                return self._connective("and", args)
            case a.Or(args):
                return self._connective("or", args)
            case a.Not(arg):
                return negate(self.term(arg))
            case a.IsNull(arg, negated, row_form):
                if row_form:
                    # row(a, b) IS NULL asks the fields, x IS NULL the value
                    return self._row_is_null(arg, negated=negated)
                tested = self.term(arg)
                test = is_null(tested)
                return negate(test) if negated else test
            case a.IsBool(arg, test_, negated):
                return self._is_bool(self.term(arg), test_, negated=negated)
            case a.IsDistinct(op, left, right, negated):
                alike = self._alike(op, *self._operands(op.name, (left, right)))
                # IS DISTINCT FROM is the negation; the negated operator is IS NOT DISTINCT FROM
                return alike if negated else negate(alike)
            case a.Case() | a.Coalesce():
                return self._guard(e)
            case a.NullIf(op, left, right, type_):
                equal = self._operator(op, self._operands(op.name, (left, right)), BOOL)
                return case((equal, null(type_), self.branch(left, type_)), type_)
            case a.InList(op, left, items, all_):
                # 'a' IN (x COLLATE nd, y): which of them decides depends on the element
                if under_other_collations((left, *items)):
                    raise Unsupported("IN under several collations")
                pairs = self._pairs([op] * len(items), [left] * len(items), items)
                tests = [self._operator(op, pair, BOOL) for pair in pairs]
                return conj(tests) if all_ else disj(tests)
            case a.RowCompare():
                return self._row_compare(e)
            case a.Op(op, args, type_):
                # a comparison of arrays that are written out is one of their parts
                if len(args) == 2 and (found := in_parts(self, op, args)) is not None:
                    return found
                return self._operator(op, self._operands(op.name, args), type_, e)
            case a.Call(func, args, type_):
                self.check(func)
                # mod(a, b) is a % b, and date(at) is at::date
                if (same := as_operator(e) or as_cast(e)) is not None:
                    return self._term(same)
                schema = func.schema
                symbol = function(schema, other_name(e), seen_types(func, args), strict=func.strict)
                if func.is_builtin and func.name in SEARCHES and not searchable(x.type for x in args):
                    symbol = replace(symbol, fails="errors")
                operands = self._operands("", args)
                symbol = of_field(symbol, operands)
                # a year is whole: of those that are equal all look alike
                whole = shown_type(App(symbol, operands, type_)) == WHOLE_NUMBER
                return self.made(symbol, operands, WHOLE_NUMBER if whole else type_, e)
            case a.Cast():
                return self._cast(e)
            case a.ScalarSubquery(query, type_):
                row = the(self.to.scalar(query, self.env_inside()), type_)
                # more than one row is an error: it is recorded where the subquery stands, whatever becomes of
                # the value
                self.to.rows.append(
                    Failure(
                        "errors",
                        row,
                        self.to.sites,
                        within=self.to.within,
                        apart=self.to.apart,
                        before=self.to.before,
                    )
                )
                return row
            case a.Exists(query):
                return exists(self.subquery(query, "exists"))
            case a.Quantified():
                return self._quantified(e)
            case a.Aggregate():
                return aggregate_term(self, e)
            case a.WindowCall():
                return window_term(self, e)
            case a.Grouping(args):
                return self._grouping(args)
            case _:
                return self._plain(e)

    def _plain(self, e: a.Expr) -> Term:
        """Constructs understood only as functions of their parts."""
        match e:
            case a.Param(index, type_):
                # a parameter is one unknown value for the whole pair; the type tells $1 of int4 from $1 of
                # text
                return App(Sym(f"${index} {type_.name}", strict=False), (), type_)
            case a.Collate(arg, type_):
                return self._recollated(self.term(arg), type_)
            # of two values of plain types GREATEST is a CASE over their order, which entailment understands
            case a.MinMax(greatest, args, type_) if len(args) == 2 and _is_comparable(type_, args):
                return _of_two(*(self.term(x) for x in args), greatest=greatest)
            case a.MinMax(greatest, args, type_):
                name = f"{'greatest' if greatest else 'least'} {type_.collation}"
                return self.made(Sym(name, strict=False), tuple(self.term(x) for x in args), type_)
            case a.ArrayExpr((), type_):
                return no_elements(type_)
            case a.ArrayExpr(args, type_):
                # ARRAY[x, y] of arrays fails where their lengths differ
                uneven = any(x.type.is_array for x in args)
                symbol = Sym("array", strict=False, fails="errors" if uneven else "")
                return self.made(symbol, tuple(self.term(x) for x in args), type_)
            case a.RowExpr(args, type_, names):
                shown = ",".join(key_of(x.type) for x in args)
                # to_json shows what the columns are called
                shown += f" {names}" if names else ""
                return self.made(Sym(f"row {shown}", strict=False), tuple(self.term(x) for x in args), type_)
            case a.ValueFunction(name, type_):
                return App(Sym(f"value {name} {type_.typmod}", strict=False), (), type_)
            case a.ArraySubquery():
                return array_of_rows(self, e)
            case a.ArrayOp(op, left, array, all_):
                self.check(op.function)
                # a user's operator over any type may look at the element type, which casts between integers
                # change
                if not op.is_builtin:
                    _refuse_any_type(op)
                if (found := compared_with_elements(self, e)) is not None:
                    return found
                name = f"{op.schema}.{op.name}({op.left},{op.right}) {'all' if all_ else 'any'} array"
                symbol = Sym(name, strict=False, fails="errors")
                return self.made(symbol, self._operands(op.name, (left, array)), BOOL)
            case a.Opaque(tag, args, type_, volatility):
                # what the binder does not know may be evaluated any number of times only if it is not
                # volatile
                if volatility is a.Volatility.VOLATILE:
                    raise Unsupported(f"volatile {tag}")
                return self.made(
                    Sym(f"opaque {tag}", strict=False, fails="errors"),
                    tuple(self.term(x) for x in args),
                    type_,
                )
            case a.FieldSelect(arg, field_name, type_):
                return self.made(Sym(f"field {field_name}"), (self.term(arg),), type_)
            # x[1] of one dimension; x[1:2] and x[1][2] are other functions
            case a.Subscript(arg, lower, upper, False, type_) if not any(lower) and len(upper) == 1:
                assert upper[0] is not None
                return self.made(Sym("subscript"), (self.term(arg), self.term(upper[0])), type_)
            # ctid and whole rows see more than the columns that a row has here
            case a.SystemColumn() | a.WholeRow() | a.Subscript():
                raise Unsupported(type(e).__name__)
            case _:
                raise Unsupported(type(e).__name__)

    # ---------------------------------------------------------------- leaves and helpers

    def _constant(self, value: str | None, type_: SqlType) -> Term:
        if value is None:
            return null(type_)
        if type_.is_builtin and type_.name in INTS:
            # 1::int2 and 1::int8 are one number: widths are kept where values may leave them
            return Lit(value, INTEGER)
        # 't' and 'true' as written, 't' and 'f' as the server stores them
        if type_.name == "bool" and type_.is_builtin:
            return TRUE if value in {"t", "true"} else FALSE
        return Lit(value, type_)

    def check(self, func: a.FunctionRef) -> None:
        """Refuse what may differ between two evaluations, return many rows, or see how a value is stored."""
        if sees_storage(func):
            raise Unsupported(f"function {func.name}()")
        if func.volatility is a.Volatility.VOLATILE:
            raise Unsupported(f"volatile function {func.name}()")

    def made(self, sym: Sym, args: tuple[Term, ...], type_: SqlType, e: a.Expr | None = None) -> Term:
        """An application, its possible failure remembered. ``e``: what it is in the query, for divisions and
        moments.
        """
        if sym.fails:
            made = App(sym, args, type_)
            kind = failure(made, self._sure(e, self.to.known))
            # CHECKs of the tables read rule out the values for which it fails
            if kind and self.to.spares(made, self.to.sources):
                return app(sym, args, type_)
            # whether the conditions beside this one would keep it from failing
            otherwise = failure(made, self._sure(e, self.to.known.and_known(self.to.beside)))
            # kept from failing by what AND happens to ask first: the server may or may not fail
            if kind != otherwise:
                self.to.fails(kind, made, optional=True)
            if otherwise:
                self.to.fails(otherwise, made)
        return app(sym, args, type_)

    def _sure(self, e: a.Expr | None, known: Known) -> Collection[str]:
        """What is known of a division, or of what makes a moment."""
        if e is None:
            return ()
        if isinstance(e, a.Op) and is_division(e):
            return division(e, known)
        return (IN_TIME,) if stays_in_time(e, known.where(*self.to.bounds)) else ()

    def _read(self, x: Term) -> Term:
        """A column's value; a virtual generated one is computed where it is read."""
        # a computed column of a subquery in FROM is evaluated where it is read
        if not isinstance(x, Var | Row | Lit):
            self.to.reading(x)
        if isinstance(x, Var):
            source = self.to.sources.get(x.var)
            if isinstance(source, Table) and self.to.computed(source.ref, x.pos):
                self.to.fails("errors", App(Sym("virtual column"), (x,), x.type))
        return x

    def _connective(self, name: str, args: tuple[a.Expr, ...]) -> Term:
        """AND and OR of a value stop at the first part that decides: with parts that may fail their order
        counts.
        """
        met = self.to.met()
        parts = (self.term(args[0]), *(self._behind(x) for x in args[1:]))
        # SELECT a = 1 OR 1 / b > 2: the second part is not reached where the first is TRUE
        in_order = App(Sym(f"{name} in order", strict=False), parts, BOOL)
        self.to.fails_by_parts(in_order, met)
        self.to.stops_before(in_order, met)
        return conj(parts) if name == "and" else disj(parts)

    def _behind(self, e: a.Expr) -> Term:
        """What is evaluated only where something before it does not decide."""
        with self.to.behind():
            return self.term(e)

    def _guard(self, e: a.Case | a.Coalesce) -> Term:
        """CASE and COALESCE: what may fail inside is remembered as guarded."""
        met = self.to.met()
        match e:
            case a.Case(_, _, type_):
                made = []
                for i, (part, known) in enumerate(branches(e, self.to.known)):
                    # of CASE the odd parts are results and so is the last, the conditions are between
                    is_result = i % 2 == 1 or i == 2 * len(e.whens)
                    with self.to.with_known(known), self.to.behind(guarded=i > 0):
                        made.append(self.branch(part, type_) if is_result else self.term(part))
                parts = tuple(made)
                value = case(parts, type_)
            case a.Coalesce(args, type_):
                with_first = self.branch(args[0], type_)
                with self.to.behind():
                    parts = (with_first, *(self.branch(x, type_) for x in args[1:]))
                value = coalesce(parts, type_)
        # which part keeps which from failing, in so many words
        guard = App(Sym(f"guard {type(e).__name__}", strict=False), parts, type_)
        self.to.fails_by_parts(guard, met)
        self.to.guards(met)
        return value

    def subquery(self, query: a.Query, read: str) -> Bag:
        """The rows of a subquery; ``read``: by what."""
        return self.to.query(query, self.env_inside(), read=read).bag

    def env_inside(self) -> Env:
        """A subquery sees the columns in scope, and of a grouped query its grouping columns."""
        env = dict(self.scope.env)
        for expr, value in self.scope.groups:
            # a grouped query's own columns are gone inside: only keys are read there
            if isinstance(expr, a.Column):
                row = list(env.get(expr.rel, ()))
                # columns that are no key are given a NULL that nobody reads, to keep the places
                row += [Lit(None, INTEGER)] * (expr.pos + 1 - len(row))
                row[expr.pos] = value
                env[expr.rel] = tuple(row)
        return env

    def _is_bool(self, x: Term, test: str, *, negated: bool) -> Term:
        result = {"true": is_true(x), "false": is_true(negate(x)), "unknown": is_null(x)}[test]
        return negate(result) if negated else result

    def _alike(self, op: a.OperatorRef, x: Term, y: Term) -> Term:
        # one notion of equal and of NULL: SAME is understood by entailment, the CASE below only as a function
        known = bool(domain(x.type)) and domain(x.type) == domain(y.type)
        if op.is_builtin and op.btree == "=" and (known or equal_as_values(x.type, y.type)):
            return same(x, y)
        equal = self._operator(op, (x, y), BOOL)
        return case((is_null(x), is_null(y), is_null(y), FALSE, equal), BOOL)

    def _operator(
        self, op: a.OperatorRef, args: tuple[Term, ...], type_: SqlType, e: a.Op | None = None
    ) -> Term:
        self.check(op.function)
        if not op.is_builtin:
            _refuse_any_type(op)
            name = f"operator {op.schema}.{op.name}({op.left},{op.right})"
            return self.made(Sym(name, strict=op.function.strict, fails="errors"), args, type_)
        op, args = in_order(op, args)
        if len(args) == 2 and op.right in ORDERED and (found := self._comparison(op, *args)) is not None:
            return found
        if len(args) == 2 and (made := self._with_constant(op, *args)) is not None:
            return made
        if len(args) == 2 and (made := self._of_arrays(op, *args)) is not None:
            return made
        if len(args) == 2 and (made := self._of_enum(op, *args)) is not None:
            return made
        if op.name == "/" and op.left in INTS and (folded := fold_division(*args)) is not None:
            return folded
        if op.name in {"+", "-"} and not op.left and isinstance(args[0], Lit) and exact_integer(args[0].type):
            value = args[0].value
            # +1 is 1
            if value is None or op.name == "+":
                return args[0]
            # -(-2147483648) leaves int4: it stays an application, which may overflow
            if -int(value) < RANGES.get(type_.name, 0):
                return Lit(str(-int(value)), INTEGER)
        if op.name == "*" and {op.left, op.right} <= INTS and (signed := _signs(args)) is not None:
            return self._with_sign(*signed, type_)
        symbol = arithmetic(op.name, op.left, op.right, type_.name, strict=op.function.strict)
        if (
            op.name in RANGE_TESTS
            and {op.left, op.right} <= RANGE_SIDES
            and all(x.type.is_builtin for x in args)
        ):
            symbol = replace(symbol, fails="")
        return self.made(symbol, sorted_operands(symbol, args), type_, e)

    def _with_sign(self, signs: App, x: Term, type_: SqlType) -> Term:
        """``CASE … THEN -1 ELSE 1 END * x``: x or its opposite."""
        met = self.to.met()
        opposite = self.made(arithmetic("-", "", type_.name, type_.name), (x,), type_)
        self.to.guards(met)  # it is only taken where the sign is -1
        values = {"1": x, "-1": opposite, None: null(type_)}
        last = len(signs.args) - 1
        return case(
            tuple(
                values[t.value] if isinstance(t, Lit) and (i % 2 or i == last) else t
                for i, t in enumerate(signs.args)
            ),
            type_,
        )

    def _operands(self, operator: str, args: tuple[a.Expr, ...]) -> tuple[Term, ...]:
        """The operands of an operator (or, without a name, the arguments of a function) under the collation
        that it is given.
        """
        return self._under_one(operator, tuple(self.term(x) for x in args), [derived_of(x) for x in args])

    def _under_one(
        self, operator: str, terms: tuple[Term, ...], derived: Collection[tuple[str, bool]]
    ) -> tuple[Term, ...]:
        """M4: the terms under the one collation of the operation, where their own differ. What COLLATE has
        decided does not show in a term that has that collation anyhow. Equality is the same under all
        deterministic collations.
        """
        own = {t.type.collation for t in terms} - {""}
        # = and <> under two deterministic collations are the same test of the bytes
        plain = operator in {"=", "<>"} and all(deterministic(c) for c in own)
        if len(own) < 2:
            return terms
        try:
            one = merge_derived(derived)
        except Unbound:
            # the server does not know either which it is, and raises an error where it has to
            raise Unsupported("collations in conflict") from None
        if plain:
            return terms
        return tuple(recollated(t, one) for t in terms)

    def _with_constant(self, op: a.OperatorRef, x: Term, y: Term) -> Term | None:
        """Constant moments are computed, patterns that are prefixes or plain text said as such."""
        if op.right == "interval":
            # '2024-01-01'::timestamp + interval '1 day' is a constant
            return moved(op.name, x, y)
        if op.right != "text" or not isinstance(y, Lit):
            return None
        if op.name in {"~~", "!~~"}:
            test = pattern(x, y)
            return test if test is None or op.name == "~~" else negate(test)
        # x || '' is x, if it is text: of a char(n) it strips blanks
        if op.name == "||" and op.left == "text" and y.value == "" and x.type.name == "text":
            return x
        return None

    def _of_arrays(self, op: a.OperatorRef, x: Term, y: Term) -> Term | None:
        """Whether two arrays are the very same one, or not."""
        if op.name not in {"=", "<>"} or (op.left, op.right) != ("anyarray", "anyarray"):
            return None
        if not equal_as_values(x.type, y.type):
            return None
        equal = app(EQ, (x, y), BOOL)
        return equal if op.name == "=" else negate(equal)

    def _of_enum(self, op: a.OperatorRef, x: Term, y: Term) -> Term | None:
        """A comparison of values of an enum."""
        # two enums have no order with each other; the binder has refused that
        if (op.left, op.right) != ("anyenum", "anyenum") or x.type != y.type:
            return None
        return compared(op.name, x, y, self.to.labels(x.type))

    def _of_label(self, op: a.OperatorRef, x: Term, y: Term) -> Term | None:
        """The text of a value of an enum against a constant."""
        # all of it: a shorter varchar would be what several labels begin with
        written = isinstance(x, App) and x.sym.name.endswith(" to pg_catalog.text(-1) io")
        if op.name not in {"=", "<>"} or not isinstance(x, App) or not written or not isinstance(y, Lit):
            return None
        made = equals_label(x, y, self.to.labels(x.args[0].type)) if deterministic(x.type.collation) else None
        return made if made is None or op.name == "=" else negate(made)

    def _comparison(self, op: a.OperatorRef, x: Term, y: Term) -> Term | None:
        """A builtin comparison in terms of = < <= only; days and moments of two types as of the later one."""
        # date against timestamptz: by the moment of its midnight in the session's zone
        if op.left != op.right and {op.left, op.right} <= _MOMENTS:
            x, y = _among_moments(x, y)
        # a type without a total order that is known, or two domains of values, stay an opaque operator
        if op.left not in ORDERED or not domain(x.type) or domain(x.type) != domain(y.type):
            return None
        if op.left == "text" and (of_label := self._of_label(op, x, y)) is not None:
            return of_label
        match op.name:
            case "=":
                return app(EQ, (x, y), BOOL)
            case "<>":
                return negate(app(EQ, (x, y), BOOL))
            case "<":
                return app(LT, (x, y), BOOL)
            case "<=":
                return app(LE, (x, y), BOOL)
            case ">":
                return app(LT, (y, x), BOOL)
            case ">=":
                return app(LE, (y, x), BOOL)
            case _:
                return None

    def _cast(self, e: a.Cast) -> Term:
        x, source, target = self.term(e.arg), e.arg.type, e.type
        # a domain's CHECK may refuse the value; a user's cast may do anything
        if e.method == "domain" or not target.is_builtin:
            return self.made(cast(source, target, e.method), (x,), target)
        if isinstance(x, Lit) and x.value is None:
            return null(target)
        ints = source.name in INTS and source.is_builtin
        # int4(bool) is 1 or 0, and NULL of NULL
        if source == BOOL and target.name == "int4":
            return case((x, Lit("1", INTEGER), negate(x), Lit("0", INTEGER), null(INTEGER)), INTEGER)
        if source.is_builtin and source.name == "int4" and target == BOOL:
            return negate(app(EQ, (x, Lit("0", INTEGER)), BOOL))
        if ints and target.name in INTS:
            wider = ["int2", "int4", "int8"]
            # an int8 that is known to be small, as a constant is, fits
            if wider.index(source.name) > wider.index(target.name) and not self._fits(x, target):
                self.to.fails("overflow", App(Sym(f"cast narrows to {target.name}"), (x,), target))
            return x
        # to_numeric keeps all digits; numeric(p, s) would round, and is a cast with a failure below
        if ints and target.name == "numeric" and target.typmod == -1:
            return rebuild(App(TO_NUMERIC, (x,), target))
        inner = _integral(x) if source.name == "numeric" and target.name == "int8" else None
        if inner is not None:
            # sums of bigint may leave int8, counts do not
            if not _small(inner):
                self.to.fails("overflow", App(Sym("cast numeric to int8"), (inner,), target))
            return inner
        if source.is_builtin and {source.name, target.name} <= {"text", "varchar"} and e.method == "binary":
            return x
        if source == target or (e.method == "binary" and source.without_typmod() == target):
            return x  # the same bytes of the same type; what the result is described as is compared elsewhere
        # char(3) to char(3): a column's values have its modifier already
        if e.method == "typmod" and source == target.without_typmod() and obeys(x, target):
            return x
        if isinstance(x, Lit) and x.value is not None and source.is_builtin:
            known = constant(x.value, target) if source.name == "unknown" else None
            # as_float: an integer constant beside a double is the double that it is cast to
            known = as_float(x, target) if ints else known
            if known is not None:
                return known
        if e.method == "func" and e.func is not None:
            self.check(e.func)
        if e.method == "io" and target.name == "text" and self.to.labels(source):
            # every value of an enum has a label
            return app(replace(cast(source, target, "io"), total=True, fails=""), (x,), target)
        return self.made(cast(source, target, e.method), (x,), target, e)

    def _fits(self, x: Term, target: SqlType) -> bool:
        if not isinstance(x, Lit) or x.value is None:
            return False
        return -RANGES[target.name] <= int(x.value) < RANGES[target.name]

    def _recollated(self, x: Term, type_: SqlType) -> Term:
        if isinstance(x, Lit):
            return Lit(x.value, type_)
        return recollated(x, type_.collation)

    # ---------------------------------------------------------------- rows and subqueries

    def _row_is_null(self, row: a.Expr, *, negated: bool) -> Term:
        """A row IS NULL where each of its columns is, and IS NOT NULL where none is; a row among its columns
        is a value like any other (ExecEvalRowNullInt). A row that an outer join leaves out has NULLs.
        """
        match row:
            case a.RowExpr(args):
                columns = tuple(self.term(x) for x in args)
            # over groups the row's columns are known only where they are keys
            case a.WholeRow(rel) if rel in self.scope.env and not self.scope.groups:
                columns = tuple(map(self._read, self.scope.env[rel]))
            case _:
                raise Unsupported("IS NULL of a row")
        return conj(negate(is_null(x)) if negated else is_null(x) for x in columns)

    def _row_compare(self, e: a.RowCompare) -> Term:
        values = self._pairs(e.ops, e.left, e.right)
        if e.kind in {"=", "<>"}:
            pairs = [self._operator(op, pair, BOOL) for op, pair in zip(e.ops, values, strict=True)]
            return conj(pairs) if e.kind == "=" else disj(pairs)
        return self._in_order(e, values)

    def _pairs(
        self, ops: Sequence[a.OperatorRef], left: Sequence[a.Expr], right: Sequence[a.Expr]
    ) -> list[tuple[Term, ...]]:
        """What is compared pair by pair, until one of them decides."""
        made = []
        for n, (op, *pair) in enumerate(zip(ops, left, right, strict=True)):
            with self.to.behind(guarded=n > 0):
                made.append(self._operands(op.name, tuple(pair)))
        return made

    def _in_order(self, e: a.RowCompare, values: list[tuple[Term, ...]]) -> Term:
        """Rows compared by their first pair that differs: ``a < x OR (a = x AND b <= y)``, in three values,
        too. Where a pair is NULL on a side nothing later counts.
        """
        alternatives: list[Term] = []
        alike: list[Term] = []
        for op, (x, y) in zip(e.ops, values, strict=True):
            last = len(alike) == len(values) - 1
            kind = e.kind if last else e.kind[0]
            plain = op.is_builtin and op.name == op.btree == e.kind and op.left == op.right
            # pairs are compared by < and = of one built-in type: another operator's class might have its own
            # equality
            if not plain or x.type.collation != y.type.collation:
                raise Unsupported("row comparison")
            made = self._comparison(replace(op, name=kind), x, y)
            same_ = self._comparison(replace(op, name="="), x, y)
            # a pair of types without an order known here
            if made is None or same_ is None:
                raise Unsupported("row comparison")
            alternatives.append(conj((*alike, made)))
            alike.append(same_)
        return disj(alternatives)

    def _quantified(self, e: a.Quantified) -> Term:
        """``= ANY`` and its like: TRUE if some row gives TRUE, else NULL if some row gives NULL."""
        # (a, b) < ANY (…) is compared pair by pair, which is not written out here
        if e.kind not in {"=", "<>"} and len(e.ops) > 1:
            raise Unsupported("row comparison with a subquery")
        bag = self.subquery(e.query, "all" if e.all else "any")
        left = [self.term(x) for x in e.left]
        # what comes out of a subquery has no collation of its own making
        derived = [
            (derived_of(x), (c.type.collation, False))
            for x, c in zip(e.left, a.output_columns(e.query), strict=True)
        ]

        def rows(read: Callable[[Term], Term]) -> Term:
            result: list[Block] = []
            for b in bag:
                pairs = [
                    self._under_one(op.name, pair, d)
                    for op, pair, d in zip(e.ops, zip(left, b.outs, strict=True), derived, strict=True)
                ]
                tests = [self._operator(op, pair, BOOL) for op, pair in zip(e.ops, pairs, strict=True)]
                # (a, b) <> (c, d) is TRUE where one of the pairs differs
                test = disj(tests) if e.kind == "<>" and len(tests) > 1 else conj(tests)
                result.extend(block(b.vars, (*b.preds, read(test)), ()))
            return exists(tuple(result))

        if e.all:
            # ALL over no rows is TRUE, ANY FALSE; a NULL among the tests leaves it open unless another one
            # decides
            unknown = rows(is_null)
            return case((rows(negate), FALSE, unknown, UNKNOWN, TRUE), BOOL)
        unknown = rows(is_null)
        return case((rows(lambda t: t), TRUE, unknown, UNKNOWN, FALSE), BOOL)

    def _grouping(self, args: tuple[a.Expr, ...]) -> Term:
        present = self.scope.grouping
        if present is None:
            # GROUPING() outside of grouping sets: there is no set to tell
            raise Unsupported("GROUPING")
        value = 0
        for x in args:
            # one bit for each argument, the last one the lowest: 1 where the set leaves it out
            value = value * 2 + (0 if x in present else 1)
        return Lit(str(value), INTEGER)


def derived_of(e: a.Expr) -> tuple[str, bool]:
    """The collation of an expression, and whether COLLATE has decided it."""
    return e.type.collation, is_explicitly_collated(e)


def deterministic(collation: str) -> bool:
    """Whether texts that are equal under the collation are the same (also for types whose values are not,
    such as char(n)).
    """
    return equality_is_identity(replace(TEXT, collation=collation))


def under_other_collations(exprs: Collection[a.Expr]) -> bool:
    """Whether a list is compared under a collation that not all of it has: of those that say what is equal,
    none may differ.
    """
    own = {e.type.collation for e in exprs} - {""}
    return len(own) > 1 and not all(deterministic(c) for c in own)


_PSEUDO = ("any", "record")


def seen_types(func: a.FunctionRef, args: tuple[a.Expr, ...]) -> tuple[str, ...]:
    """The types that tell a function what to do: the arguments' own where it takes any type (pg_typeof sees a
    cast between integers that changes no value).
    """
    # pg_typeof(1::int2) is another text than pg_typeof(1::int8), though the numbers are one term
    if any(t.startswith(_PSEUDO) for t in func.arg_types):
        return (*func.arg_types, *(key_of(x.type) for x in args))
    return func.arg_types


def _refuse_any_type(op: a.OperatorRef) -> None:
    """Refuse a schema's operator that takes any type: it may be told one by a cast that changes no value."""
    if op.left.startswith(_PSEUDO) or op.right.startswith(_PSEUDO):
        raise Unsupported("operator of any type")


def _among_moments(x: Term, y: Term) -> tuple[Term, Term]:
    """Days and moments of two types, as the later of them: comparisons take a day for its midnight, and what
    has no zone for the moment it is in the session's, in one order however far away it is.
    """
    if TIMESTAMPTZ.name in {x.type.name, y.type.name}:
        return _in_the_zone(x), _in_the_zone(y)
    return (_midnight(x), y) if x.type.name == "date" else (x, _midnight(y))


def _in_the_zone(term: Term) -> Term:
    if term.type.name == TIMESTAMPTZ.name:
        return term
    return app(Sym(f"moment of {term.type.name} in the zone", total=True), (term,), TIMESTAMPTZ)


def _midnight(day: Term) -> Term:
    """A date as the timestamp that comparisons take it for; nothing is too far away for them."""
    # four figures: of other years text and order are not the same
    if isinstance(day, Lit) and day.value is not None and re.fullmatch(r"\d{4}-\d\d-\d\d", day.value):
        return Lit(f"{day.value} 00:00:00", TIMESTAMP)
    return app(Sym("moment of date", total=True), (day,), TIMESTAMP)


def _integral(term: Term) -> Term | None:
    """The exact integer that a numeric term is known to be."""
    match term:
        case App(sym, (x,)) if sym == TO_NUMERIC:
            return x
        case Lit(None):
            return null(INTEGER)
        # 1.0 is the integer 1 with a decimal, which a cast back would drop: only digits are taken
        case Lit(value) if value is not None and value.lstrip("-").isdigit():
            return Lit(value, INTEGER)
        case App(sym, args) if sym == CASE:
            results = [_integral(x) if i % 2 or i == len(args) - 1 else x for i, x in enumerate(args)]
            if all(x is not None for x in results):
                return case(tuple(x for x in results if x is not None), INTEGER)
    return None


def _small(term: Term) -> bool:
    """Whether an exact integer surely fits int8: a count, or a sum of int4s."""
    from .terms import Nested

    match term:
        case Nested("agg", "cnt"):
            # a count of rows stays far below 2^63
            return True
        case Nested("agg", name, bag):
            return name == "isum" and all(_small_argument(o) for b in bag for o in b.outs)
        case Lit(value):
            limit = RANGES["int8"]
            return value is None or -limit <= int(value) < limit
        case App(sym, args) if sym.name == "case":
            return all(_small(x) for i, x in enumerate(args) if i % 2 or i == len(args) - 1)
        case _:
            return term.type.name in INTS


def _signs(factors: tuple[Term, ...]) -> tuple[App, Term] | None:
    """A factor that is 1, -1 or NULL by a CASE, and the other."""
    for signs, x in (factors, factors[::-1]):
        if isinstance(signs, App) and signs.sym == CASE:
            results = (*signs.args[1:-1:2], signs.args[-1])
            if all(isinstance(t, Lit) and t.value in {"1", "-1", None} for t in results):
                return signs, x
    return None


_PRODUCT = arithmetic("*", "int8", "int8", "int8")
_SUMS = tuple(arithmetic(op, "int8", "int8", "int8") for op in "+-")
# what two thousand million rows of an int4 and one of its neighbours add up to stays in int8
_ADDED_UP = 4 * RANGES["int4"]


def _small_argument(term: Term) -> bool:
    """Whether sums of the values stay in int8: of little more than int4s, of counts, of such sums. One int8
    fits, a sum of them need not.
    """
    from .terms import Nested

    match term:
        case Nested("agg"):
            return _small(term)
        # an int4 as often as rows were counted adds up to what it does row by row
        case App(sym, (Nested("agg", "cnt"), value) | (value, Nested("agg", "cnt"))) if sym == _PRODUCT:
            return _greatest(value) <= RANGES["int4"]
    # one int8 value may already be at the limit, and two of them beyond it
    return _greatest(term) <= _ADDED_UP


def _greatest(term: Term) -> int:
    """The greatest absolute value of an exact integer that its form alone allows."""
    match term:
        case Lit(value):
            return abs(int(value or 0))
        case App(sym, args) if sym == CASE:
            return max(_greatest(x) for i, x in enumerate(args) if i % 2 or i == len(args) - 1)
        case App(sym, args) if sym in _SUMS:
            return sum(_greatest(x) for x in args)
        case _:
            return RANGES.get(term.type.name, RANGES["int8"])


__all__ = ["Scope", "Translation", "assert_never"]


def _is_comparable(type_: SqlType, args: tuple[a.Expr, ...]) -> bool:
    """Whether the values are of one type whose equal values are the same, compared in one way everywhere."""
    plain = type_.is_builtin and type_.name in {"int2", "int4", "int8", "date", "timestamp"}
    return plain and all(x.type.same_base(type_) for x in args)


def _of_two(x: Term, y: Term, *, greatest: bool) -> Term:
    """GREATEST or LEAST: NULLs do not count."""
    first = app(LE, (y, x) if greatest else (x, y), BOOL)
    # CASE in the order of the NULLs: x is NULL, then y is, then both are there
    return case((is_null(x), y, is_null(y), x, first, x, y), x.type)
