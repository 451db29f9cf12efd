"""Structured logs on stderr: one event a line, as text or JSON. Must not know what is logged."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

# names of events and fields are documented in docs/guide/operation.md
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


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
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)


def event(name: str, fields: Any) -> None:
    """The proxy's ``Event`` port. Never raises."""
    log: Any = structlog.get_logger()
    try:
        say = log.warning if name.endswith(("failed", "dropped", "refused")) else log.info
        say(name, **{key: value for key, value in dict(fields).items() if key != "event"})
    except Exception:  # noqa: BLE001 - a full disk behind stderr is not the clients' business
        return
