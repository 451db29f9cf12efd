"""A certificate as data: read from JSON that anybody may have written, within limits.

Owns the format, its limits and its digest. Must not know queries, forms or laws.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from rewright.equivalence.recheck.outcome import NotRechecked, Refused
from rewright.equivalence.records import Assumption

FORMAT = "rewright-certificate"
VERSION = 2
# what says nothing about the pair and may be changed: how long the verdict took and who says so
COSMETIC = frozenset({"seconds", "comment"})
MOST_BYTES = 64 * 2**20
MOST_TEXT = 2**20
MOST_STEPS = 2000
MOST_PARTS = 100
MOST_ITEMS = 5000
_DEEPEST = 600
_SEAL = "digest"
Item = TypeVar("Item")
_LIST = list  # `list` is a method below


@dataclass(frozen=True, slots=True)
class StatedStep:
    """One law applied to one side: where, with which bindings, by which schema facts, and the whole form that
    it gives.
    """

    side: int
    law: str
    path: tuple[int, ...]
    bindings: tuple[int, ...]
    facts: tuple[Assumption, ...]
    gives: Any


@dataclass(frozen=True, slots=True)
class StatedPart:
    """That two queries are the same: the same tree, or by their forms. ``readings``: both queries' forms;
    ``pairing``: for each block of the first last form its partner and its rows' partners.
    """

    method: str
    readings: tuple[Any, ...]
    reading_facts: tuple[Assumption, ...]
    steps: tuple[StatedStep, ...]
    pairing: tuple[tuple[int, tuple[int, ...]], ...]
    pairing_facts: tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class Certificate:
    """``views``: the forms in which the pair is seen; ``parts``: a proof of each pair that these give."""

    schema: str
    search_path: tuple[str, ...]
    catalog_digest: str
    original: str
    candidate: str
    parameters: tuple[tuple[str, str, int, str], ...]
    scope: str
    modulo: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    method: str
    views: tuple[str, ...]
    parts: tuple[StatedPart, ...]


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with its digest, which tells damage, not fraud."""
    return {**document, _SEAL: _digest(document)}


def _digest(document: dict[str, Any]) -> str:
    told = {k: v for k, v in document.items() if k not in COSMETIC and k != _SEAL}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read(data: bytes) -> Certificate:
    """The certificate that the bytes are. Raises Refused, and NotRechecked for a
    format of another version.
    """
    if len(data) > MOST_BYTES:
        raise Refused(f"larger than {MOST_BYTES} bytes")
    try:
        document = json.loads(data.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise Refused("not JSON" if not isinstance(error, RecursionError) else "nested too deeply") from None
    _shallow(document)
    top = _Reader(document, "certificate")
    if top.text("format") != FORMAT:
        raise Refused("not a certificate of rewright verify")
    if (version := top.number("version")) != VERSION:
        raise NotRechecked(f"format version {version}")
    if top.text(_SEAL) != _digest(document):
        raise Refused("the digest is another: the certificate was altered")
    return _certificate(top)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of a key that is there twice, other readers may show the first value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Refused("a key is there twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _shallow(document: Any) -> None:
    level = [document]
    for _ in range(_DEEPEST):
        level = [
            x
            for node in level
            if isinstance(node, list | dict)
            for x in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return
    raise Refused("nested too deeply")


def _certificate(top: _Reader) -> Certificate:
    top.only(
        "format", "version", "checker_version", "schema", "search_path", "catalog_digest", "original",
        "candidate",
        "parameters", "verdict", "scope", "modulo", "assumptions", "proof", _SEAL, *COSMETIC,
    )  # fmt: skip
    if top.text("verdict") != "proved":
        raise Refused("only proofs have certificates")
    top.text("checker_version")
    proof = top.object("proof")
    method = proof.text("method")
    if method == "same tree":
        proof.only("method")
    elif method == "parts":
        proof.only("method", "views", "parts")
    elif method == "by other proofs":
        raise NotRechecked(proof.text("uses"))
    else:
        raise Refused(f"no such method: {method[:40]}")
    parts = method == "parts"
    return Certificate(
        schema=top.text("schema", 4 * MOST_TEXT),
        search_path=top.texts("search_path"),
        catalog_digest=top.text("catalog_digest"),
        original=top.text("original"),
        candidate=top.text("candidate"),
        parameters=top.list("parameters", _parameter),
        scope=top.text("scope"),
        modulo=top.texts("modulo"),
        assumptions=top.list("assumptions", _fact),
        method=method,
        views=proof.texts("views") if parts else (),
        parts=proof.list("parts", _part, MOST_PARTS) if parts else (),
    )


class _Reader:
    """An object of the document, read key by key."""

    def __init__(self, value: Any, name: str) -> None:
        if not isinstance(value, dict):
            raise Refused(f"{name} is not an object")
        self.value = value
        self.name = name

    def only(self, *keys: str) -> None:
        other = sorted(set(self.value) - set(keys))
        if other:
            raise Refused(f"{self.name} has no {other[0][:40]!r}")

    def _get(self, key: str) -> Any:
        if key not in self.value:
            raise Refused(f"{self.name} lacks {key!r}")
        return self.value[key]

    def text(self, key: str, longest: int = MOST_TEXT) -> str:
        return _text(self._get(key), f"{self.name}.{key}", longest)

    def number(self, key: str) -> int:
        return _number(self._get(key), f"{self.name}.{key}")

    def texts(self, key: str) -> tuple[str, ...]:
        return self.list(key, _text)

    def numbers(self, key: str) -> tuple[int, ...]:
        return self.list(key, _number)

    def object(self, key: str) -> _Reader:
        return _Reader(self._get(key), f"{self.name}.{key}")

    def list(self, key: str, item: Callable[[Any, str], Item], most: int = MOST_ITEMS) -> tuple[Item, ...]:
        found, name = self._get(key), f"{self.name}.{key}"
        if not isinstance(found, _LIST):
            raise Refused(f"{name} is not a list")
        if len(found) > most:
            raise Refused(f"{name} has more than {most} items")
        return tuple(item(x, f"{name}[{n}]") for n, x in enumerate(found))


def _text(value: Any, name: str, longest: int = MOST_TEXT) -> str:
    if not isinstance(value, str):
        raise Refused(f"{name} is not a text")
    if len(value) > longest:
        raise Refused(f"{name} is too long")
    return value


def _number(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_TEXT:
        raise Refused(f"{name} is not a number from 0 on")
    return value


def _fact(value: Any, name: str) -> Assumption:
    found = _Reader(value, name)
    found.only("kind", "table", "columns", "name")
    return Assumption(found.text("kind"), found.text("table"), found.texts("columns"), found.text("name"))


def _parameter(value: Any, name: str) -> tuple[str, str, int, str]:
    found = _Reader(value, name)
    found.only("name", "schema", "modifier", "collation")
    modifier = found.value.get("modifier")
    if not isinstance(modifier, int) or isinstance(modifier, bool):
        raise Refused(f"{name}.modifier is not a number")
    return found.text("name"), found.text("schema"), modifier, found.text("collation")


def _part(value: Any, name: str) -> StatedPart:
    found = _Reader(value, name)
    method = found.text("method")
    if method == "same tree":
        found.only("method")
        return StatedPart(method, (), (), (), (), ())
    if method != "forms":
        raise Refused(f"no such method: {method[:40]}")
    found.only("method", "readings", "reading_facts", "steps", "pairing", "pairing_facts")
    return StatedPart(
        method,
        found.list("readings", lambda x, _: x),
        found.list("reading_facts", _fact),
        found.list("steps", _step, MOST_STEPS),
        found.list("pairing", _pair),
        found.list("pairing_facts", _fact),
    )


def _step(value: Any, name: str) -> StatedStep:
    found = _Reader(value, name)
    found.only("side", "law", "path", "bindings", "facts", "gives")
    return StatedStep(
        found.number("side"),
        found.text("law"),
        found.numbers("path"),
        found.numbers("bindings"),
        found.list("facts", _fact),
        found.value.get("gives"),
    )


def _pair(value: Any, name: str) -> tuple[int, tuple[int, ...]]:
    found = _Reader(value, name)
    found.only("block", "rows")
    return found.number("block"), found.numbers("rows")
