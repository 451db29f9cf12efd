"""What several commands share: configuration, the store, times, JSON. Must not know single commands."""

from __future__ import annotations

import datetime as dt
import getpass
import importlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import click

from rewright import values
from rewright.cli import Failure
from rewright.config.loading import ConfigError, load
from rewright.config.model import Config
from store.errors import StoreError

F = TypeVar("F", bound=Callable[..., Any])

CONFIG_OPTION = click.option(
    "--config", "config_path", type=click.Path(path_type=Path), envvar="REWRIGHT_CONFIG", help="rewright.toml"
)
STORE_OPTION = click.option("--store", "store_url", help="a file or postgresql://...; default: as configured")
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="one JSON document on stdout")
MODEL_OPTION = click.option("--model", type=click.Choice(["on", "off"]), default="on", show_default=True)


# a problem of one key
_KEY = re.compile(r"\[([^\]]+)\] (\w+)")


def with_store(command: F) -> F:
    """Options that say which store is meant."""
    return CONFIG_OPTION(STORE_OPTION(command))


def configuration(path: Path | None, **overrides: object) -> Config:
    """The effective configuration; keys of ``overrides`` with ``__`` for the dot, None: not given."""
    given = {key.replace("__", "."): value for key, value in overrides.items() if value is not None}
    try:
        return load(path, overrides=given)
    except ConfigError as error:
        raise Failure("configuration:\n" + "\n".join(f"  {line}" for line in error.problems)) from error


def check(config: Config) -> None:
    """What keys say together, and the files they name: raises Failure with file, key and what is wrong."""
    from rewright.config.showing import effective
    from rewright.wiring.proxies import proxy_config

    try:
        proxy_config(config)
    except ConfigError as error:
        origins = {key: origin for key, _, origin in effective(config)}
        lines = []
        for line in error.problems:
            found = _KEY.match(line)
            origin = origins.get(f"{found[1]}.{found[2]}", "") if found is not None else ""
            lines.append(f"  {origin}: {line}" if origin else f"  {line}")
        raise Failure("configuration:\n" + "\n".join(lines)) from error


@contextmanager
def opened_store(config_path: Path | None, store_url: str | None) -> Iterator[Any]:
    """The configured store (a ``store.api.Store``); its errors become the command's."""
    from rewright.wiring.stores import open_configured

    config = configuration(config_path, store__url=store_url)
    try:
        with open_configured(config) as store:
            yield store
    except StoreError as error:
        raise Failure(f"store: {error}") from error


def whoami() -> str:
    """For the log: who decided, on the command line."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "command line"


def print_json(document: object) -> None:
    click.echo(json.dumps(document, ensure_ascii=False, default=str, indent=2))


def print_json_line(document: object) -> None:
    click.echo(json.dumps(document, ensure_ascii=False, default=str))


def stamp(at: float) -> str:
    """Local time with seconds."""
    return dt.datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def iso(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).isoformat()


def one_line(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


class Duration(click.ParamType[float]):
    """A time such as 30s or 1h, as seconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        try:
            return values.seconds(value)
        except ValueError as error:
            self.fail(f"must be {error}", param, ctx)


DURATION = Duration()


def part(module: str, what: str) -> ModuleType:
    """A house's door, or a clear failure where it is not built yet."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(error.name + ".")):
            raise Failure(f"{what} is not part of this version of Rewright yet") from error
        raise Failure(f"{what} needs the Python package {error.name}; `make install` installs it") from error
