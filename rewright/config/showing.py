"""The configuration as text: effective values with their origins, and the annotated example file."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from rewright import values
from rewright.config.model import SECTIONS, Config, Database
from rewright.config.options import Option, options_of
from rewright.settings import REGISTRY

_PASSWORD = re.compile(r"(://[^:/@\s]*:)[^@\s]*@|(password\s*=\s*)('[^']*'|\S+)", re.IGNORECASE)


def without_passwords(text: str) -> str:
    """A DSN as it may be shown.

    >>> without_passwords("postgresql://joe:secret@db/app password=x")
    'postgresql://joe:***@db/app password=***'
    """
    return _PASSWORD.sub(lambda found: f"{found[1]}***@" if found[1] else f"{found[2]}***", text)


def effective(config: Config) -> Iterator[tuple[str, str, str]]:
    """(key, value, origin) of everything, defaults included; passwords are not shown."""
    for name, kind in SECTIONS.items():
        yield from _rows(config.origins, name, getattr(config, name), kind)
    for name, database in config.databases.items():
        yield from _rows(config.origins, f"databases.{name}", database, Database)
        for short, value in database.defaults.items():
            key = f"databases.{name}.defaults.{short}"
            yield key, value, config.origins.get(key, "default")
    for setting in REGISTRY:
        key = f"defaults.{setting.name}"
        yield key, config.defaults.get(setting.name, setting.default), config.origins.get(key, "default")


def defaults(config: Config) -> Mapping[str, str]:
    """What each key of `effective` means where nobody sets it."""
    found = {
        f"{name}.{option.name}": _spelled(option, option.parse(option.default))
        for name, kind in _kinds(config)
        for option in options_of(kind)
    }
    for name in config.databases:
        # a database's own setting hides the one for all
        short = {setting.name: config.defaults.get(setting.name, setting.default) for setting in REGISTRY}
        found |= {f"databases.{name}.defaults.{one}": value for one, value in short.items()}
    return found | {f"defaults.{setting.name}": setting.default for setting in REGISTRY}


def _kinds(config: Config) -> Iterator[tuple[str, type[Any]]]:
    yield from SECTIONS.items()
    yield from ((f"databases.{name}", Database) for name in config.databases)


def _rows(
    origins: Mapping[str, str], name: str, section: Any, kind: type[Any]
) -> Iterator[tuple[str, str, str]]:
    for option in options_of(kind):
        key = f"{name}.{option.name}"
        value = _spelled(option, getattr(section, option.name))
        yield key, _shown(option, value), origins.get(key, "default")


def _shown(option: Option, value: str) -> str:
    """The value without what of it is secret; whether there is one may be seen."""
    match option.hides:
        case "all":
            return "***" if value else ""
        case "passwords":
            return without_passwords(value)
        case _:
            return value


def _spelled(option: Option, value: object) -> str:
    # durations are floats like other numbers: only their parser tells them
    if option.parse is values.seconds:
        assert isinstance(value, float)
        return values.show_duration(value)
    return "" if value is None else values.show(value)


def example() -> str:
    """An annotated rewright.toml with every key; it loads, and means the defaults."""
    lines = [
        "# rewright.toml: every key, with its default. Each is also an environment variable,",
        "# REWRIGHT_SECTION__KEY; secrets may stand in files (dsn_file = ...). Keys of models come from the",
        "# environment only.",
    ]
    for name, kind in SECTIONS.items():
        if name == "auth":
            lines += _example_databases()
        lines += ["", f"[{name}]", *_example_keys(kind)]
        if name == "auth":
            lines += _example_defaults()
    return "\n".join(lines) + "\n"


def _example_keys(kind: type[Any]) -> Iterator[str]:
    for option in options_of(kind):
        yield from textwrap.wrap(option.meaning, 100, initial_indent="# ", subsequent_indent="# ")
        # an example in place of the default is commented out, so that the file means the defaults
        if option.example is not None:
            yield f"# {option.name} = {_toml(option.example)}"
        else:
            yield f"{option.name} = {_toml(option.default)}"


def _example_databases() -> list[str]:
    lines = ["", "# One section for each name that clients may connect to.", "# [databases.app]"]
    for option in options_of(Database):
        # a path belongs to lakes, which have an example of their own below
        if option.name != "path":
            lines += [f"# {option.name} = {_toml(option.example or option.default)}    # {option.meaning}"]
    lines += ["# [databases.lake]", '# engine = "duckdb"', '# path = "./lake"', "# any other name:"]
    return [*lines, '# [databases."*"]', '# engine = "postgres"', '# dsn = "postgresql://db.internal"']


def _example_defaults() -> list[str]:
    lines = ["", "# Defaults of the settings; [databases.NAME.defaults] for one database.", "[defaults]"]
    for setting in REGISTRY:
        lines += textwrap.wrap(setting.meaning, 100, initial_indent="# ", subsequent_indent="# ")
        lines += [f"{setting.name} = {_toml(setting.default)}    # {setting.allowed}"]
    return lines


def _toml(value: object) -> str:
    match value:
        # before int: True is an int in Python
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
