"""Sections of the configuration as dataclasses whose fields say what they accept and mean.

Owns ``option`` (one key) and its description. Must not read files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from rewright.values import Parser

# what of a value is never shown
Secret: TypeAlias = Literal["", "passwords", "all"]


@dataclass(frozen=True, slots=True)
class Option:
    """One key: its parser, its meaning, and what of it is secret (all of it, or the passwords in a DSN), if
    anything: then ``key_file`` works.
    """

    name: str
    parse: Parser
    meaning: str
    default: object
    hides: Secret = ""
    example: object = None


def option(
    default: object, parse: Parser, meaning: str, *, hides: Secret = "", example: object = None
) -> Any:
    """A dataclass field; ``default`` is written as in the file and parsed like it.

    ``example`` is what the annotated file shows instead of the default, commented out.
    """
    metadata = {"parse": parse, "meaning": meaning, "written": default, "hides": hides, "example": example}
    return field(default=parse(default), metadata=metadata)


def options_of(section: type[Any]) -> Iterator[Option]:
    """The keys of a section, in order."""
    for item in fields(section):
        # fields without a parser (a database's defaults) are read otherwise
        if "parse" in item.metadata:
            yield Option(
                name=item.name,
                parse=item.metadata["parse"],
                meaning=item.metadata["meaning"],
                default=item.metadata["written"],
                hides=item.metadata["hides"],
                example=item.metadata["example"],
            )
