"""Reading the configuration: a file, then the environment, then the command line; the last wins.

Owns where values come from and every complaint about them: each names the place, the key and what is
allowed. Must not know what the values are used for.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rewright.config.checking import check_together, origin_of
from rewright.config.model import SECTIONS, Config, Database
from rewright.config.options import Option, options_of
from rewright.config.sources import Sources, spelt
from rewright.extras import install, missing
from rewright.settings import BY_NAME, allowed_sentence

PREFIX = "REWRIGHT_"
COMMAND_LINE = "command line"  # where values of options come from
DEFAULT_FILES = ("rewright.toml", "~/.config/rewright/rewright.toml", "/etc/rewright/rewright.toml")


class ConfigError(Exception):
    """One line a problem."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


def load(
    path: Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Config:
    """The effective configuration.

    ``path`` None: the first of DEFAULT_FILES that exists, or none. ``overrides``: by dotted key, from the
    command line. Raises ConfigError with every problem found.
    """
    # later sources win: file, environment, command line
    sources = Sources()
    _read_file(sources, path or _default_file())
    _read_environment(sources, os.environ if environment is None else environment)
    for key, value in (overrides or {}).items():
        sources.put(tuple(key.split(".")), value, COMMAND_LINE)
    _read_secret_files(sources)
    config = _build(sources)
    if sources.problems:
        raise ConfigError(sources.problems)
    return config


def _default_file() -> Path | None:
    candidates = (Path(name).expanduser() for name in DEFAULT_FILES)
    return next((file for file in candidates if file.is_file()), None)


def _read_file(sources: Sources, path: Path | None) -> None:
    if path is None:
        return
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError([f"{path}: {error.strerror}"]) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path}: not TOML: {error}"]) from error
    for section, content in document.items():
        if isinstance(content, dict):
            _flatten(sources, (section,), content, str(path))
        else:
            sources.problems.append(f"{path}: {section}: keys stand in sections: {', '.join(_sections())}")


def _flatten(sources: Sources, path: tuple[str, ...], table: Mapping[str, object], origin: str) -> None:
    # [databases.app] without a key is still a database
    if not table and path[0] == "databases" and len(path) == 2:
        sources.put((*path, "engine"), "postgres", origin)
    for key, value in table.items():
        if isinstance(value, dict):
            _flatten(sources, (*path, key), value, origin)
        else:
            sources.put((*path, key), value, origin)


def _read_environment(sources: Sources, environment: Mapping[str, str]) -> None:
    """REWRIGHT_SECTION__KEY; names of databases are lower case unless a file has them otherwise."""
    names = {path[1].lower(): path[1] for path in sources.values if path[0] == "databases" and len(path) > 2}
    for variable, value in environment.items():
        # REWRIGHT_... variables without a section are other programs' (REWRIGHT_DSN)
        if not variable.startswith(PREFIX) or "__" not in variable:
            continue
        path = tuple(variable.removeprefix(PREFIX).lower().split("__"))
        if path[0] == "databases" and len(path) > 2:
            # environment variables have no case that everybody keeps to
            path = (path[0], names.get(path[1], path[1]), *path[2:])
        sources.put(path, value, f"environment: {variable}")


def _read_secret_files(sources: Sources) -> None:
    """``key_file`` in place of ``key``: the file's text, without the line end."""
    for path in list(sources.values):
        key = path[-1].removesuffix("_file")
        # NAME_file is only read where NAME is a secret: other keys may end like that
        if key == path[-1] or key not in {option.name for option in _options_at(path) if option.hides}:
            continue
        # popped: the key itself is what is read from now on
        written = sources.values.pop(path)
        try:
            # editors end a file with a line end, and no secret does
            content = Path(str(written.value)).expanduser().read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            sources.problems.append(f"{written.origin}: {spelt(path)}: cannot read {written.value}: {error}")
            continue
        sources.put((*path[:-1], key), content, f"{written.origin} ({written.value})")


def _options_at(path: tuple[str, ...]) -> Iterable[Option]:
    # below a database's defaults there are four names, and none of them is a secret
    if path[0] == "databases" and len(path) == 3:
        return options_of(Database)
    section = SECTIONS.get(path[0])
    return options_of(section) if section is not None and len(path) == 2 else ()


def _build(sources: Sources) -> Config:
    sections = {name: _section(sources, (name,), kind) for name, kind in SECTIONS.items()}
    # a name without any key was given its engine when it was read
    names = dict.fromkeys(path[1] for path in sources.values if path[0] == "databases" and len(path) > 2)
    databases = {name: _database(sources, name) for name in names}
    defaults = _settings(sources, ("defaults",))
    _unknown(sources)
    # for `rewright config`: where each value comes from
    origins = {".".join(path): written.origin for path, written in sources.values.items()}
    config = Config(**sections, databases=databases, defaults=defaults, origins=origins)
    # last: it looks at values that have all been parsed
    check_together(sources, config)
    return config


def _section(sources: Sources, prefix: tuple[str, ...], kind: type[Any], **more: object) -> Any:
    found: dict[str, object] = {}
    for item in options_of(kind):
        path = (*prefix, item.name)
        if path in sources.values:
            try:
                found[item.name] = item.parse(sources.values[path].value)
            except ValueError as error:
                # a secret's value must not stand in a message
                sources.complain(path, f"must be {error}") if not item.hides else sources.problems.append(
                    f"{sources.values[path].origin}: {spelt(path)}: must be {error}"
                )
    return kind(**found, **more)


ENGINE_EXTRAS: Mapping[str, tuple[str, ...]] = {"duckdb": ("lake",), "spark": ("lake", "spark")}


def _database(sources: Sources, name: str) -> Database:
    prefix = ("databases", name)
    database: Database = _section(
        sources, prefix, Database, defaults=_settings(sources, (*prefix, "defaults"))
    )
    if database.engine in {"duckdb", "spark"} and not database.path:
        sources.problems.append(
            f"{origin_of(sources, prefix)}: {spelt(prefix)}: engine {database.engine} needs path"
        )
    for extra in ENGINE_EXTRAS.get(database.engine, ()):
        if packages := missing(extra):
            # packages of extras are checked here, so that serve does not fail at the first client
            sources.problems.append(
                f"{origin_of(sources, prefix)}: {spelt(prefix)}: engine {database.engine} needs the Python "
                f"packages {', '.join(packages)}: {install(extra)}"
            )
    if database.engine == "postgres" and not database.dsn:
        sources.problems.append(f"{origin_of(sources, prefix)}: {spelt(prefix)}: engine postgres needs dsn")
    return database


def _settings(sources: Sources, prefix: tuple[str, ...]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for path, written in sources.values.items():
        if path[:-1] != prefix or path[-1] not in BY_NAME:
            # "on" and "off" as PostgreSQL spells booleans
            continue
        setting = BY_NAME[path[-1]]
        value = ("on" if written.value else "off") if isinstance(written.value, bool) else str(written.value)
        try:
            # parsed for its complaint alone: sessions parse the text again
            setting.parse(value)
            found[setting.name] = value
        except ValueError:
            sources.complain(path, allowed_sentence(setting))
    return found


def _unknown(sources: Sources) -> None:
    for path, written in sources.values.items():
        known = _known(path)
        if path[-1] in known:
            continue
        # no key is known beside it: the section itself is wrong
        if not known:
            near = difflib.get_close_matches(path[0], _sections(), 1)
            hint = f"did you mean [{near[0]}]?" if near else f"sections: {', '.join(_sections())}"
            sources.problems.append(f"{written.origin}: there is no section [{'.'.join(path[:-1])}]; {hint}")
            continue
        near = difflib.get_close_matches(path[-1], known, 1)
        hint = f"did you mean {near[0]}?" if near else f"allowed: {', '.join(sorted(known))}"
        sources.problems.append(f"{written.origin}: there is no key {spelt(path)}; {hint}")


def _known(path: tuple[str, ...]) -> frozenset[str]:
    """The keys allowed beside ``path``; empty where there is no such section."""
    if path[:-1] == ("defaults",) or (
        path[0] == "databases" and path[2:-1] == ("defaults",) and len(path) == 4
    ):
        return frozenset(BY_NAME)
    names = frozenset(option.name for option in _options_at(path))
    return names | {f"{option.name}_file" for option in _options_at(path) if option.hides}


def _sections() -> list[str]:
    return [*SECTIONS, "databases", "defaults"]
