"""Which statements are Rewright's own, read from their text: pure, and None in every doubt.

Owns the grammar of ours: SHOW rewright.last, SELECT over rewright.*, CALL rewright.*, EXPLAIN (REWRITE),
ASK, AUGMENT. Must not answer anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pglast import ast
from pglast.error import Error as PglastError
from pglast.parser import parse_sql

from rewright.proxy.answers.parameters import parameter_types
from rewright.proxy.answers.questions import Question, read_question
from rewright.proxy.answers.relations import BY_NAME, INT8, TEXT
from rewright.sql.parsing import nodes_of

SCHEMA = "rewright"
_AUGMENT = re.compile(
    r"(?:explain\s+|create\s+(?:or\s+replace\s+)?(?:temp\s+|temporary\s+)?view\s[^;]{1,300}?\sas\s+)?augment\b",
    re.IGNORECASE,
)
_NOISE = re.compile(r"\s+|--[^\n]*(?:\n|\Z)|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ShowLast:
    """SHOW rewright.last"""


@dataclass(frozen=True, slots=True)
class SelectOurs:
    """A SELECT that names relations of ours; ``relations`` without the schema, ``strange`` all others.

    ``parameters``: their types, as far as the text tells. ``evaluated``: DuckDB would
    work out an expression to tell what columns there are, which nothing can stop it at: a call without a
    column, an argument of a function in FROM, a LIMIT.
    """

    sql: str
    relations: tuple[str, ...]
    strange: tuple[str, ...]
    parameters: tuple[int, ...] = ()
    evaluated: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$number``"""

    number: int


@dataclass(frozen=True, slots=True)
class CallOurs:
    """CALL rewright.name(arguments), each a constant or a parameter; anything else is None and not
    ``constant``.
    """

    name: str
    arguments: tuple[object, ...]
    constant: bool

    @property
    def parameters(self) -> tuple[int, ...]:
        """Types: numbers come first, reasons behind them."""
        numbers = [one.number for one in self.arguments if isinstance(one, Parameter)]
        places = {one.number: at for at, one in enumerate(self.arguments) if isinstance(one, Parameter)}
        return tuple(INT8 if places.get(n, 1) == 0 else TEXT for n in range(1, max(numbers, default=0) + 1))

    def filled(self, values: Sequence[object]) -> CallOurs:
        """With values in the place of parameters."""
        if not self.parameters:
            return self
        known = [values[one.number - 1] if isinstance(one, Parameter) else one for one in self.arguments]
        return CallOurs(self.name, tuple(known), self.constant)


@dataclass(frozen=True, slots=True)
class ExplainRewrite:
    """EXPLAIN (REWRITE ...) of ``sql``; ``problem``: why it can't be done, in the server's words."""

    sql: str
    analyze: bool
    format: Literal["text", "json"]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Augment:
    """``[EXPLAIN | CREATE VIEW name AS] AUGMENT TABLE ...``: whoever answers it reads the rest. ``creates``:
    a view.
    """

    sql: str
    creates: bool = False


Recognised = ShowLast | SelectOurs | CallOurs | ExplainRewrite | Question | Augment


def recognise(text: str) -> Recognised | None:
    """What of ours ``text`` is; None: the server's business (several statements, too)."""
    question = read_question(text)
    if question is not None:
        return question
    if (begun := _AUGMENT.match(behind_comments(text))) is not None:
        return Augment(text, begun[0][:6].lower() == "create")
    try:
        statements = parse_sql(text)
    except (PglastError, ValueError, RecursionError, UnicodeError):
        return None
    if len(statements) != 1:
        return None
    statement = statements[0].stmt
    match statement:
        case ast.VariableShowStmt():
            return ShowLast() if (statement.name or "").lower() == f"{SCHEMA}.last" else None
        case ast.SelectStmt():
            return _select(text, statement)
        case ast.CallStmt():
            return _call(statement)
        case ast.ExplainStmt():
            return _explain(text, statement)
        case _:
            return None


def behind_comments(text: str) -> str:
    """What a text begins with, but for blanks and comments."""
    position = 0
    while (found := _NOISE.match(text, position)) is not None and found.end() > position:
        position = found.end()
    # As far as the expression for AUGMENT may have to look.
    return text[position : position + 400]


def _select(text: str, statement: ast.SelectStmt) -> SelectOurs | None:
    nodes = list(nodes_of(statement))
    tables = [node for node in nodes if isinstance(node, ast.RangeVar)]
    ours = tuple(dict.fromkeys(str(t.relname) for t in tables if (t.schemaname or "") == SCHEMA))
    # SELECT INTO would create a table in the database, of which nothing is known here.
    if not ours or statement.intoClause is not None:
        return None
    ctes = {node.ctename for node in nodes if isinstance(node, ast.CommonTableExpr)}
    strange = tuple(
        f"{t.schemaname}.{t.relname}" if t.schemaname else str(t.relname)
        for t in tables
        if t.schemaname != SCHEMA and (t.schemaname or t.relname not in ctes)
    )
    known = tuple(BY_NAME[name] for name in ours if name in BY_NAME)
    return SelectOurs(text, ours, strange, parameter_types(statement, known), _is_evaluated(nodes))


# of constants, these make nothing that is larger than the text
_HARMLESS = frozenset(
    {"now", "today", "count", "row_number", "rank", "dense_rank", "date_trunc", "date_part", "extract", "age"}
    | {"to_timestamp", "strptime", "abs", "length", "lower", "upper", "trim", "btrim", "ltrim", "rtrim"}
    | {"sum", "min", "max", "avg", "round", "floor", "ceil", "make_date", "timezone", "current_date"}
)


def _is_evaluated(nodes: Sequence[Any]) -> bool:
    in_from = {
        id(call) for node in nodes if isinstance(node, ast.RangeFunction) for call, _ in node.functions or ()
    }
    if any(isinstance(node, ast.FuncCall) and id(node) not in in_from and _may_grow(node) for node in nodes):
        return True
    return any(
        not isinstance(inner, (ast.A_Const, ast.String, ast.Integer, ast.Float, ast.Boolean, ast.ParamRef))
        for place in _places_of_constants(nodes)
        for inner in nodes_of(place)
    )


def _may_grow(call: Any) -> bool:
    """Whether what a call of constants gives may be larger than the text; of one string, or nothing, not."""
    arguments = call.args or ()
    if not arguments or call.funcname[-1].sval in _HARMLESS:
        return False
    if len(arguments) == 1 and isinstance(getattr(arguments[0], "val", None), (ast.String, ast.Boolean)):
        return False
    return not any(isinstance(inner, ast.ColumnRef) for inner in nodes_of(call))


def _places_of_constants(nodes: Sequence[Any]) -> Iterator[Any]:
    for node in nodes:
        if isinstance(node, ast.RangeFunction):
            for call, _ in node.functions or ():
                # what is no call is a keyword's function: CURRENT_DATE
                yield from getattr(call, "args", None) or ()
        elif isinstance(node, ast.SelectStmt):
            yield from (part for part in (node.limitCount, node.limitOffset) if part is not None)
        elif isinstance(node, ast.RangeTableSample):
            yield from node.args or ()


def _call(statement: ast.CallStmt) -> CallOurs | None:
    call: Any = statement.funccall
    names = [str(part.sval) for part in call.funcname]
    if len(names) != 2 or names[0] != SCHEMA:
        return None
    arguments, constant = [], not (call.agg_star or call.agg_distinct or call.func_variadic)
    for argument in call.args or ():
        known, value = _constant(argument)
        constant = constant and known
        arguments.append(value)
    return CallOurs(names[1], tuple(arguments), constant)


def _constant(node: Any) -> tuple[bool, object]:
    if isinstance(node, ast.TypeCast):
        return _constant(node.arg)
    if isinstance(node, ast.ParamRef):
        return True, Parameter(int(node.number or 1))
    if not isinstance(node, ast.A_Const):
        return False, None
    if node.isnull:
        return True, None
    match node.val:
        case ast.Integer():
            return True, node.val.ival or 0
        case ast.String():
            return True, node.val.sval or ""
        case ast.Float():
            return True, node.val.fval
        case _:
            return False, None


def _explain(text: str, statement: ast.ExplainStmt) -> ExplainRewrite | None:
    options = {str(option.defname).lower(): option.arg for option in statement.options or ()}
    if "rewrite" not in options or not _on(options.pop("rewrite")):
        return None
    analyze = _on(options.pop("analyze")) if "analyze" in options else False
    chosen = options.pop("format", None)
    wanted = str(chosen.sval).lower() if chosen is not None else "text"
    problem = ""
    if options:
        problem = f"EXPLAIN option {min(options)} can't be combined with REWRITE"
    elif wanted not in {"text", "json"}:
        problem = "EXPLAIN (REWRITE) has the formats TEXT and JSON"
    elif not isinstance(statement.query, ast.SelectStmt):
        problem = "EXPLAIN (REWRITE) is for SELECT"
    sql = _after_options(text)
    return ExplainRewrite(sql, analyze, "json" if wanted == "json" else "text", problem)


def _on(argument: Any) -> bool:
    """An option's value, as defGetBoolean reads it; without one it is on."""
    if argument is None:
        return True
    value = getattr(argument, "sval", None)
    if value is None:
        return bool(getattr(argument, "ival", 1))
    return str(value).lower() in {"on", "true", "1"}


def _after_options(text: str) -> str:
    """The statement behind EXPLAIN ( ... ); options hold no parentheses."""
    return text[text.index(")", text.index("(")) + 1 :].strip().rstrip(";").strip()
