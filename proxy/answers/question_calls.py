"""CALL rewright.*: what admins do about questions and the lessons learned from them.
Must not know the wire.
"""

from __future__ import annotations

from collections.abc import Mapping

from pglast import ast
from pglast.error import Error as PglastError
from pglast.parser import parse_sql

from rewright.proxy.answers.recognition import CallOurs
from rewright.proxy.ports import SessionView, SqlError
from rewright.store.api import Store

SIGNATURES: Mapping[str, str] = {
    "correct_ask": "(id, 'query')",
    "validate_ask": "(id)",
    "forget_question": "(id)",
    "remove_lesson": "(id [, reason])",
}
NAMES = tuple(SIGNATURES)


def run(call: CallOurs, store: Store, session: SessionView) -> str | None:
    """What was done, in words; None: the arguments do not fit. Blocks; raises SqlError, StoreError (NotFound
    among them).
    """
    here = None if session.everywhere else session.database
    match call.name, call.arguments:
        case "correct_ask", (int() | str() as number, str() as sql) if _is_number(number) and call.constant:
            store.asks.correct(int(number), _one_select(sql), by=session.role, database=here)
            return f"question {number} is answered by this query from now on"
        case "validate_ask", (int() | str() as number,) if _is_number(number) and call.constant:
            asked = store.asks.get(int(number), database=here)
            if not asked.sql:
                raise SqlError(
                    "55000", f"question {number} has no query", hint="CALL rewright.correct_ask(id, 'query')."
                )
            store.asks.correct(asked.id, asked.sql, by=session.role, database=here)
            return f"question {number} is answered by its query from now on"
        case "forget_question", (int() | str() as number,) if _is_number(number) and call.constant:
            store.validated.remove(int(number), database=here)
            return f"validated question {number} is forgotten"
        case "remove_lesson", (int() | str() as number, *rest) if (
            _is_number(number) and call.constant and len(rest) <= 1
        ):
            reason = str(rest[0] or "") if rest else ""
            store.ask_lessons.change(int(number), "removed", reason=reason, by=session.role, database=here)
            return f"lesson {number} is removed"
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and value.isdecimal())


def _one_select(text: str) -> str:
    """Whether it may run is checked when it is used; what is wrong already here is reported here."""
    try:
        statements = parse_sql(text)
    except (PglastError, ValueError, RecursionError) as error:
        raise SqlError("42601", f"the query is not SQL: {error.args[0]}") from None
    if len(statements) != 1 or not isinstance(statements[0].stmt, ast.SelectStmt):
        raise SqlError("42601", "the query that answers a question must be a single SELECT")
    return text
