"""Children with the environment of who starts them.

One that is forked from a process that has loaded modules before has that process's environment otherwise, as
it was when the loading began: passwords, certificates and folders that are named later would not be found.
Must not know what children do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from typing import Any


def new_child(
    context: Any, main: Callable[..., None], *arguments: object, name: str | None = None
) -> BaseProcess:
    """Not yet started. ``context``: multiprocessing's, of any kind; ``main``: a function of a module."""
    given = (dict(os.environ), main, arguments)
    process: BaseProcess = context.Process(target=_in_environment, args=given, name=name)
    return process


def _in_environment(
    environment: Mapping[str, str], main: Callable[..., None], arguments: tuple[object, ...]
) -> None:
    # variables that were unset since are not the child's either
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)
    main(*arguments)


def reason_of(error: OSError | EOFError) -> str:
    """Why a child could not be started, for clients: without the machine's paths.

    >>> reason_of(OSError(24, "Too many open files", "/tmp/x")), reason_of(EOFError())
    ('Too many open files', 'the process that starts others has ended')
    """
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return "the process that starts others has ended"
