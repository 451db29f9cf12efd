"""Sections of the configuration as dataclasses whose fields say what they accept and mean.

Owns ``option`` (one key) and its description. Must not read files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from rewright.values import Parser


@dataclass(frozen=True, slots=True)
class Option:
    """One key: its parser, its meaning, whether it is a secret (then ``key_file`` works, and it is not
    shown).
    """

    name: str
    parse: Parser
    meaning: str
    default: object
    secret: bool = False
    example: object = None


def option(
    default: object, parse: Parser, meaning: str, *, secret: bool = False, example: object = None
) -> Any:
    """A dataclass field; ``default`` is written as in the file and parsed like it.

    ``example`` is what the annotated file shows instead of the default, commented out.
    """
    metadata = {"parse": parse, "meaning": meaning, "written": default, "secret": secret, "example": example}
    return field(default=parse(default), metadata=metadata)


def options_of(section: type[Any]) -> Iterator[Option]:
    """The keys of a section, in order."""
    for item in fields(section):
        if "parse" in item.metadata:
            yield Option(
                name=item.name,
                parse=item.metadata["parse"],
                meaning=item.metadata["meaning"],
                default=item.metadata["written"],
                secret=item.metadata["secret"],
                example=item.metadata["example"],
            )
