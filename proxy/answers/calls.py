"""CALL rewright.*: what admins may do from SQL. Must not know the wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from rewright.proxy.answers import question_calls as questions
from rewright.proxy.answers.recognition import CallOurs
from rewright.proxy.ports import SessionView, SqlError
from rewright.store.api import Store
from rewright.store.errors import NotFound, StoreError
from rewright.store.life import Action, IllegalTransition

DECISIONS: Mapping[str, Action] = {
    "approve": Action.APPROVE,
    "reject": Action.REJECT,
    "pin": Action.PIN,
    "retire": Action.RETIRE,
}
# whether to pause, and who says so; blocks, raises SqlError
Pauser = Callable[[bool, str], None]
# ends the session of a database (empty: of any) whose backend has a number, at whichever worker; False: there
# is none
Killer = Callable[[int, str], Awaitable[bool]]
NAMES = (*DECISIONS, "accept", "pause", "resume", "kill", *questions.NAMES)


@dataclass(frozen=True, slots=True)
class _Arguments:
    identifier: int
    reason: str


def run(call: CallOurs, store: Store, session: SessionView, pause: Pauser | None = None) -> str:
    """Do it; ``pause``: where a pause is told besides the store. The notice that says what was done. Blocks;
    raises SqlError.
    """
    check(call, session)
    try:
        return _do(call, store, session, pause)
    except NotFound as error:
        raise SqlError("P0002", str(error)) from error
    except IllegalTransition as error:
        raise SqlError("55000", str(error)) from error
    except StoreError as error:
        raise SqlError("58030", f"the store of Rewright cannot be written: {error}") from error


async def kill(call: CallOurs, session: SessionView, killer: Killer | None) -> str:
    """End a session of the same database. Raises SqlError."""
    check(call, session)
    match call.arguments:
        case (int() | str() as identifier,) if call.constant:
            pid = _number(call, identifier)
        case _:
            raise _wrong(call, "(pid)")
    of = "" if session.everywhere else session.database
    if killer is None or not 0 < pid < 1 << 31 or not await killer(pid, of):
        raise SqlError(
            "P0002",
            f"no session with pid {pid}",
            hint="SELECT pid FROM rewright.clients names those of this database.",
        )
    return f"session {pid} is terminated"


def check(call: CallOurs, session: SessionView) -> None:
    """Raises SqlError for a procedure that is not there, or not for this session's role."""
    if call.name not in NAMES:
        raise SqlError(
            "42883", f"procedure rewright.{call.name} does not exist", hint=f"Procedures: {', '.join(NAMES)}."
        )
    if not (session.may_pause if call.name in {"pause", "resume"} else session.is_admin):
        listed = (
            "[admins] roles"
            if call.name in {"pause", "resume"}
            else "[admins] roles and [databases.NAME] admins"
        )
        raise SqlError(
            "42501",
            f"permission denied for procedure rewright.{call.name}",
            hint=f"Admins are listed in the configuration, {listed}; the session's current role counts.",
        )


def _do(call: CallOurs, store: Store, session: SessionView, pause: Pauser | None) -> str:
    if call.name in {"pause", "resume"}:
        _no_arguments(call)
        if pause is not None:
            pause(call.name == "pause", session.role)
        else:
            store.switches.set_paused(call.name == "pause", by=session.role)
        return "paused: every query runs as it is written" if call.name == "pause" else "resumed"
    if call.name in questions.NAMES:
        told = questions.run(call, store, session)
        if told is None:
            raise _wrong(call, questions.SIGNATURES[call.name])
        return told
    arguments = _arguments(call)
    if call.name == "accept":
        accepted = store.resolutions.accept(
            arguments.identifier, database=None if session.everywhere else session.database
        )
        return f"resolution {accepted.id} is accepted"
    action = DECISIONS[call.name]
    # Of another database the admin of this one is not to learn even that there is a rewrite of that number.
    of = store.rewrites.get(arguments.identifier).proposal.database
    if not session.everywhere and of != session.database:
        raise NotFound(f"no rewrite {arguments.identifier}")
    rewrite = store.rewrites.act(arguments.identifier, action, reason=arguments.reason, by=session.role)
    return f"rewrite {rewrite.id} is {rewrite.state}"


def _no_arguments(call: CallOurs) -> None:
    if call.arguments:
        raise _wrong(call, "()")


def _arguments(call: CallOurs) -> _Arguments:
    match call.arguments:
        case (int() | str() as identifier,) if call.constant:
            return _Arguments(_number(call, identifier), "")
        case (int() | str() as identifier, str() as reason) if call.constant and call.name != "accept":
            return _Arguments(_number(call, identifier), reason)
        case _:
            raise _wrong(call, "(id)" if call.name == "accept" else "(id [, reason])")


def _number(call: CallOurs, value: int | str) -> int:
    try:
        return int(value)
    except ValueError:
        raise _wrong(call, "(id [, reason])") from None


def _wrong(call: CallOurs, signature: str) -> SqlError:
    return SqlError(
        "42883",
        f"wrong arguments for procedure rewright.{call.name}",
        hint=f"CALL rewright.{call.name}{signature}, with constants.",
    )
