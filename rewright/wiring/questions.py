"""The processes of a worker that read questions, and what one user may have of them.

Owns what such a process is asked, and how a question's outcome becomes a query, rows or an error for the
proxy. Must not know the wire, or how a question is read.
docs/decisions/0392-questions-are-read-through-the-clients-session.md.
"""

from __future__ import annotations

import socket
from collections.abc import Callable

from rewright import logs
from rewright.proxy.answers.questions import Question
from rewright.proxy.ports import SessionView, SqlError
from rewright.proxy.serving.asking_ports import Conversation, Lent
from rewright.wiring.lent_process import Setup
from rewright.wiring.lent_processes import Bounds, LentProcesses
from rewright.wiring.questions_told import step_of

log = logs.logger()


class Questions(LentProcesses):
    """The proxy's ``Asker``. Processes are started when they are first needed, and with another [ask] or
    [models] anew.
    """

    name = "question reader"
    keeps = True

    @property
    def bounds(self) -> Bounds:
        ask = self._config.ask
        return Bounds(
            ask.processes,
            ask.per_user,
            ask.read_timeout,
            SqlError("53400", "too many questions of this user are being read", hint="[ask] per_user"),
            SqlError("53300", "too many questions are being read", hint="[ask] processes"),
            SqlError(
                "57014",
                "canceling statement due to the time limit for reading a question",
                hint="[ask] read_timeout",
            ),
        )

    def main(self) -> Callable[[Setup, socket.socket], None]:
        from rewright.processes.question_reader import main

        return main

    def started(self, pid: int | None) -> None:
        log.info("ask.reader_started", pid=pid)

    def failed(self) -> SqlError:
        return SqlError("58000", "the process that read the question ended unexpectedly")

    def begin(
        self, question: Question, session: SessionView, lent: Lent | None, history: object
    ) -> Conversation:
        """Raises SqlError: this user has as many questions read as one may."""

        def request() -> object:
            from rewright.ask.sessions import Before, Wanted
            from rewright.processes.question_reader import Read

            return Read(
                Wanted(question.text, question.explain, question.choose, question.using, question.learn),
                session.database,
                session.role,
                session.application_name,
                session.client_address,
                lent is None,
                session.settings.model,
                history if isinstance(history, Before) else Before(),
            )

        return self.converse(
            (session.database, session.role),
            request,
            lambda outcome: step_of(outcome, question, self._config.ask),
            lent,
        )
