"""Structured logs on stderr: one event a line, as text or JSON. Must not know what is logged."""

from __future__ import annotations

import importlib
import logging
import sys
import threading
import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any


def _without_rich() -> Any:
    """structlog, which loads rich wherever that is installed, to draw tracebacks: 60 modules in each process,
    and lines of another form than where it is not.
    """
    hidden = "rich" not in sys.modules
    if hidden:
        # what an import of it meets: there is none
        sys.modules["rich"] = None  # type: ignore[assignment] # documented for sys.modules
    try:
        return importlib.import_module("structlog")
    finally:
        if hidden:
            del sys.modules["rich"]


if TYPE_CHECKING:
    import structlog
else:
    structlog = _without_rich()

# names of events and fields are documented in docs/guide/operation.md
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class _Lines:
    """A logger for lines on what is stderr when a line is said: of a command, and of who uses parts as a
    library.
    """

    def __init__(self, *_names: object) -> None: ...

    def msg(self, message: str) -> None:
        print(message, file=sys.stderr, flush=True)

    debug = info = warning = warn = error = critical = exception = fatal = failure = log = msg


# a command's stdout is its answer, and a tool's its protocol
if not structlog.is_configured():
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING), logger_factory=_Lines
    )


def logger() -> Any:
    """What events are said to: ``logger().info("lake.changed", database=name)``."""
    return structlog.get_logger()


def set_up(format_: str, level: str, process: str) -> None:
    """For this process; called once, early."""
    renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    if format_ == "text":
        renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), sort_keys=False)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _where,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)
    sys.excepthook = lambda _kind, error, _trace: _uncaught(error)
    threading.excepthook = lambda arguments: _uncaught(arguments.exc_value)


def _where(_logger: object, _method: str, event: Any) -> Any:
    """Where an exception came from. Its message may hold values of queries and rows,
    which are not for logs.
    """
    # structlog's callers give an exception, a triple, or True for the one being handled
    error = event.pop("exc_info", None)
    if isinstance(error, tuple):
        error = error[1]
    if error is True:
        error = sys.exc_info()[1]
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_frames(error))
    return event


def _frames(error: BaseException) -> Iterator[str]:
    # a cause may lead back to where it began
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        state = getattr(following, "sqlstate", None)
        yield type(following).__name__ + (f" {state}" if state else "")
        for frame in traceback.extract_tb(following.__traceback__):
            yield f"  {frame.filename}:{frame.lineno} {frame.name}"
        # as Python prints them: the cause, else what was being handled
        following = following.__cause__ or following.__context__


def _uncaught(error: BaseException | None) -> None:
    log = logger()
    log.error("process.exception", exc_info=error)


def event(name: str, fields: Any) -> None:
    """The proxy's ``Event`` port. Never raises."""
    log = logger()
    try:
        # names of events end in what happened
        say = log.warning if name.endswith(("failed", "dropped", "refused")) else log.info
        say(name, **{key: value for key, value in dict(fields).items() if key != "event"})
    except Exception:  # noqa: BLE001 - a full disk behind stderr is not the clients' business
        return
