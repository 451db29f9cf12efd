"""What several commands share: configuration, the store, times, JSON. Must not know single commands."""

from __future__ import annotations

import datetime as dt
import getpass
import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import click

from rewright.cli import Failure, WrongUsage, without_package
from rewright.cli.parameters import IN_FILE
from rewright.config.loading import COMMAND_LINE, ConfigError, load
from rewright.config.model import Config
from rewright.store.errors import StoreError

F = TypeVar("F", bound=Callable[..., Any])

CONFIG_OPTION = click.option(
    "--config", "config_path", type=IN_FILE, envvar="REWRIGHT_CONFIG", help="rewright.toml"
)
STORE_OPTION = click.option("--store", "store_url", help="a file or postgresql://...; default: as configured")
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="one JSON document on stdout")
MODEL_OPTION = click.option("--model", type=click.Choice(["on", "off"]), default="on", show_default=True)


# a problem of one key
_KEY = re.compile(r"\[([^\]]+)\] (\w+)")


def text_of(path: Path) -> str:
    """Raises WrongUsage for what is no text."""
    try:
        return path.read_text(encoding="utf-8")
    # `store__url` on this side, since keyword arguments have no dots
    except UnicodeDecodeError as error:
        raise WrongUsage(f"{path}: not UTF-8 text: invalid from byte {error.start + 1} on") from error


def with_store(command: F) -> F:
    """Options that say which store is meant."""
    return CONFIG_OPTION(STORE_OPTION(command))


def configuration(path: Path | None, **overrides: object) -> Config:
    """The effective configuration; keys of ``overrides`` with ``__`` for the dot, None: not given."""
    given = {key.replace("__", "."): value for key, value in overrides.items() if value is not None}
    try:
        return load(path, overrides=given)
    except ConfigError as error:
        raise _failure(error.problems) from error


def check(config: Config) -> None:
    """What keys say together, and the files they name: raises Failure with file, key and what is wrong."""
    from rewright.config.showing import effective
    from rewright.wiring.proxies import proxy_config

    try:
        proxy_config(config)
    except ConfigError as error:
        origins = {key: origin for key, _, origin in effective(config)}
        lines = []
        # what is wrong names its key: the file or variable that it came from is put before it
        for line in error.problems:
            found = _KEY.match(line)
            origin = origins.get(f"{found[1]}.{found[2]}", "") if found is not None else ""
            lines.append(f"{origin}: {line}" if origin else line)
        raise _failure(lines) from error


def _failure(problems: Iterable[str]) -> Failure:
    """What was typed wrong is wrong usage; what a file or a variable says is a configuration that can't be
    used.
    """
    lines = [line.strip() for line in problems]
    # one problem of the command line among others makes the whole wrong usage
    typed = any(line.startswith(COMMAND_LINE) for line in lines)
    return (WrongUsage if typed else Failure)("\n".join(["configuration:", *(f"  {line}" for line in lines)]))


@contextmanager
def opened_store(config_path: Path | None, store_url: str | None, *, create: bool = False) -> Iterator[Any]:
    """The configured store (a ``rewright.store.api.Store``); its errors become the command's. That there is
    none is one, unless it is to be made.
    """
    from rewright.config.showing import without_passwords
    from rewright.wiring.stores import open_configured

    config = configuration(config_path, store__url=store_url)
    try:
        with open_configured(config, create=create) as store:
            yield store
    except StoreError as error:
        place, told = without_passwords(config.store.url), str(error)
        # the message may name the place already
        raise Failure(f"store: {told}" if place in told else f"store {place}: {told}") from error


def whoami() -> str:
    """For the log: who decided, on the command line."""
    try:
        return getpass.getuser()
    # a user without an entry in passwd (a container's number)
    except (KeyError, OSError):
        return "command line"


def stamp(at: float) -> str:
    """Local time with seconds."""
    return dt.datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def iso(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).isoformat()


def one_line(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def part(module: str, what: str) -> ModuleType:
    """A module of ours, imported when a command needs it; Failure where it is not built yet or lacks a
    package.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # our own module is missing, not a package that it needs
        if error.name is not None and (module == error.name or module.startswith(error.name + ".")):
            raise Failure(f"{what} is not part of this version of Rewright yet") from error
        raise without_package(error, what) from error
