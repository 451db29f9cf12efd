"""Knowledge units: one executable piece of rewriting lore, one TOML file each.

Owns the format and its checks (QUITE §5.1 keeps question, answer and category; ours adds the schema that the
pair runs on, preconditions, when it hurts, and evidence made by running it). Must not know servers or
retrieval.

    title = "OR across two indexed columns"
    question = '''What is slow, in a user's words.'''
    answer = '''What to write instead, and why PostgreSQL is then faster.'''
    helps = "when …"
    hurts = "when …"
    versions = "14-18"              # optional: where it changed
    source = "PostgreSQL manual, 14.1"   # or "first principles"
    preconditions = ["orders.id is a key"]
    schema = "shop"                 # a file pair in knowledge/schemas/
    before = '''SELECT …'''
    after = '''SELECT …'''
    [evidence]                      # written by `rewright knowledge check --write`
    verdict = "proved"
    gain = 12.4                     # before / after, medians of the server's CPU time
    seed = 0.42
    plan = ["plan.seq_scan"]        # operators of the question's plan there, for retrieval
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rewright.knowledge.classify import category_of

CATEGORIES = (
    "predicate",
    "constant",
    "join",
    "cte",
    "aggregation",
    "subquery",
    "set_operation",
    "window",
    "pagination",
    "others",
)
UNITS = Path(__file__).parent / "units"
SCHEMAS = Path(__file__).parent / "schemas"
_TEXTS = ("title", "question", "answer", "helps", "hurts", "source", "schema", "before", "after")
_OPTIONAL = {"versions", "preconditions", "evidence"}


class UnitError(ValueError):
    """A file that is no unit; the message names the file and the key."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What running the pair showed. ``gain`` is before / after: medians of the server's CPU seconds on our
    data.
    """

    verdict: str
    gain: float
    seed: float
    seconds_before: float = 0.0
    seconds_after: float = 0.0
    # operators of the question's plan on that data, as tokens
    plan: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """A question with its SQL, an answer with its SQL, and what is known about the pair."""

    id: str
    category: str
    title: str
    question: str
    answer: str
    helps: str
    hurts: str
    source: str
    schema: str
    before: str
    after: str
    versions: str = ""
    preconditions: tuple[str, ...] = ()
    evidence: Evidence | None = None
    # the folder of its schema
    schemas: Path = field(default=SCHEMAS, compare=False)

    def speaks_of(self, server_major: int) -> bool:
        """Whether ``versions`` (a range such as 14-18, or nothing) holds a major version of PostgreSQL."""
        # a single version, or a range
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", self.versions.strip())
        return found is None or int(found[1]) <= server_major <= int(found[2] or found[1])

    @property
    def text(self) -> str:
        """All words of the unit, for retrieval."""
        return " ".join((self.title, self.question, self.answer, self.helps, *self.preconditions))


def parse_unit(text: str, *, id_: str, category: str) -> Unit:
    """A unit from the TOML ``text`` of one file.

    Raises UnitError.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnitError(f"{id_}: not TOML: {error}") from error
    _check_keys(raw, id_)
    if category not in CATEGORIES:
        raise UnitError(f"{id_}: no such category: {category}")
    preconditions = raw.get("preconditions", [])
    if not isinstance(preconditions, list) or not all(isinstance(p, str) for p in preconditions):
        raise UnitError(f"{id_}: preconditions must be a list of texts")
    texts = {name: str(raw[name]).strip() for name in _TEXTS}
    return Unit(
        id=id_,
        category=category,
        versions=str(raw.get("versions", "")),
        preconditions=tuple(preconditions),
        evidence=_evidence(raw.get("evidence"), id_),
        **texts,  # type: ignore[arg-type] # the fields left are all text
    )


def _check_keys(raw: Mapping[str, Any], id_: str) -> None:
    for name in _TEXTS:
        if not isinstance(raw.get(name), str) or not raw[name].strip():
            raise UnitError(f"{id_}: {name} is missing or empty")
    if unknown := set(raw) - set(_TEXTS) - _OPTIONAL:
        raise UnitError(f"{id_}: unknown key {min(unknown)}")


def _evidence(raw: Any, id_: str) -> Evidence | None:
    if raw is None:
        return None
    try:
        return Evidence(
            str(raw["verdict"]),
            float(raw["gain"]),
            float(raw["seed"]),
            float(raw.get("seconds_before", 0)),
            float(raw.get("seconds_after", 0)),
            tuple(str(token) for token in raw.get("plan", ())),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UnitError(f"{id_}: evidence needs verdict, gain and seed") from error


def load_units(folder: Path = UNITS) -> Iterator[Unit]:
    """Every unit below ``folder``, by category and name; schemas are in the folder ``schemas`` beside it.

    Raises UnitError at the first file that is none.
    """
    for path in sorted(folder.glob("*/*.toml")):
        category = path.parent.name
        unit = parse_unit(path.read_text(encoding="utf-8"), id_=f"{category}/{path.stem}", category=category)
        schemas = folder.parent / "schemas"
        if not (schemas / f"{unit.schema}.sql").exists():
            raise UnitError(f"{unit.id}: no schema {unit.schema}")
        yield replace(unit, schemas=schemas)


def read_unit(path: Path, category: str | None = None) -> Unit:
    """One file as a unit; classified by its queries where no category is given. Its schema is beside the
    file, or one of ours.

    Raises UnitError; UnicodeDecodeError.
    """
    unit = parse_unit(path.read_text(encoding="utf-8"), id_=f"others/{path.stem}", category="others")
    name = category or category_of(unit.before, unit.after)
    if name not in CATEGORIES:
        raise UnitError(f"{path.name}: no such category: {name}; there are {', '.join(CATEGORIES)}")
    schemas = path.parent if (path.parent / f"{unit.schema}.sql").exists() else SCHEMAS
    if not (schemas / f"{unit.schema}.sql").exists():
        raise UnitError(f"{path.name}: no schema {unit.schema}")
    return replace(unit, id=f"{name}/{path.stem}", category=name, schemas=schemas)


def schema_sql(name: str, folder: Path = SCHEMAS) -> tuple[str, str]:
    """DDL and data statements of one schema. Raises UnitError for a name that is none."""
    ddl, data = folder / f"{name}.sql", folder / f"{name}.data.sql"
    if not name.isidentifier() or not ddl.exists():
        # a name that is no identifier could lead out of the folder
        raise UnitError(f"no schema {name}")
    return ddl.read_text(encoding="utf-8"), data.read_text(encoding="utf-8") if data.exists() else ""


def toml_of(**texts: str) -> str:
    """The file of a unit with these texts (all of title, question, answer, helps, hurts, source, schema,
    before, after).

    What a stranger wrote cannot leave its string: JSON's escapes are TOML's.
    """
    # DEL is the one control character that JSON leaves as it is and TOML refuses
    clean = {name: texts[name].replace("\x7f", "") for name in _TEXTS}
    return "".join(f"{name} = {json.dumps(clean[name], ensure_ascii=False)}\n" for name in _TEXTS)
