"""Avro object container files, as table formats keep their lists in.

Owns decoding (https://avro.apache.org/docs/1.12.0/specification/): records become mappings, unions the value
of their branch, logical types stay the numbers and bytes that they are. Must not know what the records mean.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_MAGIC = b"Obj\x01"
# bytes that the header ends with and that stand behind each block
_SYNC = 16
_MOST_BYTES = 256 << 20
"""Of one file, packed or not."""
_LONGEST_NUMBER = 10
"""Bytes of seven bits that 64 bits take."""
_FIXED_SIZE: Mapping[str, tuple[str, int]] = {"float": ("<f", 4), "double": ("<d", 8)}
_HEADER = {"type": "map", "values": "bytes"}


class UnreadableAvro(ValueError):
    """The file is damaged, or packed in a way that is not known; the message says which."""


def records(path: Path) -> Iterator[Any]:
    """The records of a file.

    :raises UnreadableAvro: as soon as something cannot be read.
    :raises OSError: the file is gone.
    """
    if path.stat().st_size > _MOST_BYTES:
        raise UnreadableAvro("larger than 256 MB")
    data = path.read_bytes()
    if not data.startswith(_MAGIC):
        raise UnreadableAvro("no Avro file")
    try:
        yield from _records(_Bytes(data, len(_MAGIC)))
    except (KeyError, IndexError, TypeError, ValueError, struct.error, zlib.error, RecursionError) as error:
        raise error if isinstance(error, UnreadableAvro) else UnreadableAvro("damaged") from error


def _records(source: _Bytes) -> Iterator[Any]:
    header = _decode(source, _HEADER, {})
    codec = header.get("avro.codec", b"null").decode()
    if codec not in {"null", "deflate"}:
        raise UnreadableAvro(f"packed by {codec}")
    schema = json.loads(header["avro.schema"])
    named: dict[str, Any] = {}
    _name_types(schema, named)
    mark = source.take(_SYNC)
    left = _MOST_BYTES
    while not source.ended:
        count, size = source.integer(), source.integer()
        packed = source.take(size)
        block = _unpacked(packed, left) if codec == "deflate" else packed
        left -= len(block)
        if source.take(_SYNC) != mark:
            raise UnreadableAvro("damaged")
        within = _Bytes(block, 0)
        for _ in range(within.plausible(count)):
            yield _decode(within, schema, named)
        # rows that the block does not count would be lost without a word
        if not within.ended:
            raise UnreadableAvro("damaged")


def _unpacked(packed: bytes, most: int) -> bytes:
    # a raw stream, without zlib's header
    stream = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    block = stream.decompress(packed, max(1, most))
    if stream.unconsumed_tail:
        raise UnreadableAvro("larger than 256 MB unpacked")
    # a stream that was cut gives what it has, and no error
    if not stream.eof:
        raise UnreadableAvro("damaged")
    return block


class _Bytes:
    """A place in a sequence of bytes."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    @property
    def ended(self) -> bool:
        return self._at >= len(self._data)

    def take(self, count: int) -> bytes:
        if not 0 <= count <= len(self._data) - self._at:
            raise UnreadableAvro("damaged")
        self._at += count
        return self._data[self._at - count : self._at]

    def plausible(self, count: int) -> int:
        """A number of items that are to follow. No table format has items without bytes: more of them than
        there are bytes would only use up time and memory.
        """
        if not 0 <= count <= len(self._data) - self._at:
            raise UnreadableAvro("damaged")
        return count

    def integer(self) -> int:
        """A number of seven bits a byte, the lowest first, its sign in the lowest bit."""
        found = 0
        for shift in range(0, 7 * _LONGEST_NUMBER, 7):
            byte = self.take(1)[0]
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (found >> 1) ^ -(found & 1)
        raise UnreadableAvro("damaged")

    def place_in(self, choices: Sequence[Any]) -> Any:
        """The one of the choices whose number comes next."""
        number = self.integer()
        # Python would count a negative one from the end
        if not 0 <= number < len(choices):
            raise UnreadableAvro("damaged")
        return choices[number]


def _name_types(schema: Any, named: dict[str, Any]) -> None:
    """Note the types that have a name: later ones refer to them by it."""
    if isinstance(schema, list):
        for one in schema:
            _name_types(one, named)
    elif isinstance(schema, dict):
        if schema["type"] in {"record", "enum", "fixed"}:
            space = schema.get("namespace")
            named[schema["name"]] = schema
            if space:
                named[f"{space}.{schema['name']}"] = schema
        for one in schema.get("fields", ()):
            _name_types(one["type"], named)
        for key in ("items", "values"):
            if key in schema:
                _name_types(schema[key], named)
        if isinstance(schema["type"], (dict, list)):
            _name_types(schema["type"], named)


def _decode(source: _Bytes, schema: Any, named: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        # a union: the number of the branch stands in front of the value
        return _decode(source, source.place_in(schema), named)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if isinstance(kind, (dict, list)):
        return _decode(source, kind, named)
    if (read := _SIMPLE.get(kind)) is not None:
        return read(source)
    match kind:
        case "record":
            return {one["name"]: _decode(source, one["type"], named) for one in schema["fields"]}
        case "array":
            return [_decode(source, schema["items"], named) for _ in _counted(source)]
        case "map":
            return {
                source.take(source.integer()).decode(): _decode(source, schema["values"], named)
                for _ in _counted(source)
            }
        case "enum":
            return source.place_in(schema["symbols"])
        case "fixed":
            return source.take(int(schema["size"]))
    return _decode(source, named[kind], named)


def _counted(source: _Bytes) -> Iterator[None]:
    """Once for each item of an array or map: they come in blocks, of which the last is empty."""
    while (count := source.integer()) != 0:
        if count < 0:
            # the size in bytes, for who wants to skip the block
            count = -count
            source.integer()
        for _ in range(source.plausible(count)):
            yield None


def _number(form: str, size: int) -> Callable[[_Bytes], float]:
    return lambda source: float(struct.unpack(form, source.take(size))[0])


_SIMPLE: Mapping[str, Callable[[_Bytes], Any]] = {
    "null": lambda _: None,
    "boolean": lambda source: source.take(1) == b"\x01",
    "int": _Bytes.integer,
    "long": _Bytes.integer,
    "bytes": lambda source: source.take(source.integer()),
    "string": lambda source: source.take(source.integer()).decode(),
    **{kind: _number(form, size) for kind, (form, size) in _FIXED_SIZE.items()},
}
