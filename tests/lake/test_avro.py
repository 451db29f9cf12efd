"""Avro files that are damaged, or written to harm: rows are never lost without a word, nor does reading run on."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from rewright.lake.files.avro import UnreadableAvro, records
from tests.lake.iceberg_files import _SYNC, _integer, _text

ROW = {"type": "record", "name": "row", "fields": [{"name": "n", "type": "long"}]}
NULLS = {
    "type": "record",
    "name": "row",
    "fields": [{"name": "n", "type": {"type": "array", "items": "null"}}],
}
CHOICE = {"type": "record", "name": "row", "fields": [{"name": "n", "type": ["null", "long"]}]}
LETTER = {
    "type": "record",
    "name": "row",
    "fields": [{"name": "n", "type": {"type": "enum", "name": "letter", "symbols": ["a", "b"]}}],
}


def avro(schema: Any, *blocks: tuple[int, bytes], codec: str = "null") -> bytes:
    head = _integer(2) + _text("avro.schema") + _text(json.dumps(schema)) + _text("avro.codec") + _text(codec)
    body = b"".join(_integer(count) + _integer(len(block)) + block + _SYNC for count, block in blocks)
    return b"Obj\x01" + head + _integer(0) + _SYNC + body


def read(tmp_path: Path, data: bytes) -> list[Any]:
    (tmp_path / "a.avro").write_bytes(data)
    return list(records(tmp_path / "a.avro"))


def test_blocks_follow_each_other(tmp_path: Path) -> None:
    one, two = (2, _integer(1) + _integer(-2)), (1, _integer(1 << 62))
    assert [row["n"] for row in read(tmp_path, avro(ROW, one, two))] == [1, -2, 1 << 62]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(avro(ROW, (-2, _integer(1) + _integer(2))), id="a block of less than no rows"),
        pytest.param(avro(ROW, (1, _integer(1) + _integer(2))), id="more rows than a block counts"),
        pytest.param(avro(ROW, (3, _integer(1) + _integer(2))), id="fewer rows than a block counts"),
        pytest.param(avro({"type": "null"}, (1 << 60, b"")), id="rows of no bytes without end"),
        pytest.param(avro(NULLS, (1, _integer(1 << 60) + _integer(0))), id="items of no bytes without end"),
        pytest.param(avro(ROW, (1, b"\xff" * 10_000_000 + b"\x01")), id="a number without end"),
        pytest.param(avro(CHOICE, (1, _integer(-1) + _integer(7))), id="a branch below the first"),
        pytest.param(avro(LETTER, (1, _integer(-1))), id="a symbol below the first"),
        pytest.param(
            avro(ROW, (1, zlib.compress(_integer(1) * 9, wbits=-15)[:-1]), codec="deflate"),
            id="a packed block that was cut",
        ),
    ],
)
def test_what_does_not_add_up_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UnreadableAvro):
        read(tmp_path, data)
