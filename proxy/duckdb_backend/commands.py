"""Cursors, COPY and prepared statements over a lake, as SQL spells them: what a DECLARE, FETCH, MOVE, CLOSE,
COPY ... TO STDOUT, PREPARE or EXECUTE asks for.

Owns reading the texts. Must not know sessions or the wire. PostgreSQL manual, reference pages DECLARE, FETCH,
COPY, PREPARE, EXECUTE.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pglast import ast
from pglast.enums import FetchDirection
from pglast.error import Error as PglastError

from rewright.proxy.duckdb_backend.copying import CopyOptions, options_of
from rewright.proxy.duckdb_backend.prepare_texts import ExecutePrepared, Prepare, execute_of, prepare_of
from rewright.proxy.duckdb_backend.tokens import after_words, tokens_of
from rewright.proxy.ports import SqlError
from rewright.sql.parsing import TooDeep, parse

_FIRST = re.compile(
    rb"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*(declare|fetch|move|close|copy|prepare|execute|explain)\b",
    re.IGNORECASE,
)
_PASSES = (
    ast.SelectStmt,
    ast.ExplainStmt,
    ast.VariableSetStmt,
    ast.VariableShowStmt,
    ast.TransactionStmt,
    ast.ConstraintsSetStmt,
    ast.DeclareCursorStmt,
    ast.FetchStmt,
    ast.ClosePortalStmt,
    ast.CopyStmt,
    ast.PrepareStmt,
    ast.ExecuteStmt,
    ast.DeallocateStmt,
    ast.DiscardStmt,
    ast.ListenStmt,
    ast.UnlistenStmt,
)
"""Statements that a session with a lake may send to the server behind it; what they contain is bounded by the
role's rights.
"""
# CURSOR_OPT_BINARY, _SCROLL and _HOLD, and FETCH_ALL (parsenodes.h)
_BINARY, _SCROLL, _HOLD = 0x01, 0x02, 0x20
_ALL = 0x7FFFFFFF
MOST = 100_000
"""Bytes of a text that is read here: of more the tree alone takes the event loop over 0.1 s."""


@dataclass(frozen=True, slots=True)
class Declare:
    """``head``: the text up to the query; ``refused``: what a lake's cursor cannot do."""

    name: str
    head: str
    query: str
    refused: SqlError | None = None


@dataclass(frozen=True, slots=True)
class Fetch:
    """``count`` rows forward, None: all that are left; ``refused``: another direction."""

    name: str
    count: int | None
    move: bool
    refused: SqlError | None = None


@dataclass(frozen=True, slots=True)
class CloseCursor:
    """``name`` None: all."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Copy:
    query: str
    options: CopyOptions | None
    refused: SqlError | None = None


Command = Declare | Fetch | CloseCursor | Copy | Prepare | ExecutePrepared


def refusal(text: bytes) -> SqlError | None:
    """Why the server behind the lake does not get a text: a statement that has no business there. None: it
    does.

    The role's rights are what protects the server; this keeps away what needs no right, such as altering
    one's own role. What does not parse goes to the server, which says why. What is too long to be read in the
    event loop, where all other sessions would wait, is refused.
    """
    if len(text) > MOST:
        return SqlError("54000", f"a statement that reads no table of the lake has at most {MOST} bytes")
    try:
        statements = parse(text.decode("utf-8"))
    except (PglastError, TooDeep, UnicodeDecodeError):
        return None
    for one in statements:
        # EXPLAIN ANALYZE runs what it explains, and EXECUTE what PREPARE has taken.
        wrapped = one.stmt.query if isinstance(one.stmt, (ast.ExplainStmt, ast.PrepareStmt)) else one.stmt
        # SELECT INTO creates a table, though it is a SELECT.
        if not isinstance(wrapped, _PASSES) or getattr(wrapped, "intoClause", None) is not None:
            return SqlError("25006", f"cannot execute {_called(wrapped)} in a lake: it is read-only")
    return None


def _called(statement: Any) -> str:
    """`CREATE`, `ALTER TABLE` of the names of pglast's nodes."""
    if isinstance(statement, ast.SelectStmt):
        return "SELECT INTO"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(statement).__name__.removesuffix("Stmt")).upper()


def command_of(text: bytes) -> Command | None:
    """None: some other statement, several, text that PostgreSQL does not take, or a long one, which `refusal`
    refuses.
    """
    if len(text) > MOST or _FIRST.match(text) is None:
        return None
    try:
        return _read(text.decode("utf-8"))
    except UnicodeDecodeError:
        return None


@lru_cache(maxsize=500)
def _read(text: str) -> Command | None:
    try:
        statements = parse(text)
    except (PglastError, TooDeep):
        return None
    if len(statements) != 1:
        return None
    match statements[0].stmt:
        case ast.DeclareCursorStmt() as node:
            return _declare(node, text)
        case ast.FetchStmt() as node:
            return _fetch(node)
        case ast.ClosePortalStmt() as node:
            return CloseCursor(node.portalname)
        # COPY to a file or a program would happen on the machine of the server: it is left to that and its
        # rights.
        case ast.CopyStmt() as node if not node.is_from and node.filename is None and not node.is_program:
            return _copy(node, text)
        case ast.PrepareStmt() as node:
            return prepare_of(node, text)
        case ast.ExecuteStmt() as node:
            return execute_of(node)
        case ast.ExplainStmt(query=ast.ExecuteStmt() as node):
            refused = SqlError("0A000", "EXPLAIN EXECUTE is not served on a lake", hint="EXPLAIN the query.")
            return ExecutePrepared(str(node.name), refused=refused)
    return None


def _declare(node: Any, text: str) -> Declare | None:
    """The query follows the first FOR behind CURSOR; names cannot be such bare words."""
    behind = after_words(text, ("CURSOR", "FOR"))
    if behind is None:
        return None
    refused = next(
        (
            SqlError("0A000", f"a cursor over a lake cannot be {what}")
            for bit, what in ((_BINARY, "BINARY"), (_SCROLL, "SCROLL"), (_HOLD, "WITH HOLD"))
            if node.options & bit
        ),
        None,
    )
    return Declare(node.portalname, text[:behind], text[behind:].strip().rstrip(";"), refused)


def _fetch(node: Any) -> Fetch:
    # FETCH ALL asks for LONG_MAX rows in the tree (FETCH_ALL in parsenodes.h).
    count = None if node.howMany >= _ALL else int(node.howMany)
    forward = node.direction == FetchDirection.FETCH_FORWARD and (count is None or count > 0)
    refused = None if forward else SqlError("55000", "cursor can only scan forward")
    return Fetch(node.portalname, count, bool(node.ismove), refused)


def _copy(node: Any, text: str) -> Copy | None:
    query = _copied_query(node, text)
    if query is None:
        return None
    try:
        return Copy(query, options_of(node.options or ()))
    except SqlError as refused:
        return Copy(query, None, refused)


def _copied_query(node: Any, text: str) -> str | None:
    if node.relation is None:
        return _between_first_parentheses(text)
    names = [name for name in (node.relation.schemaname, node.relation.relname) if name]
    columns = ", ".join(_quoted(name.sval) for name in node.attlist or ()) or "*"
    return f"SELECT {columns} FROM {'.'.join(map(_quoted, names))}"


def _between_first_parentheses(text: str) -> str | None:
    depth, begin = 0, 0
    for token in tokens_of(text):
        if token.name == "ASCII_40":
            depth += 1
            if depth == 1:
                begin = int(token.end) + 1
        elif token.name == "ASCII_41":
            depth -= 1
            if depth == 0:
                return text[begin : int(token.start)]
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
