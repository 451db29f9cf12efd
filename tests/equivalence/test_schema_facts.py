"""What unique indexes, references, partitions and types say of rows, and what writes of ranges, patterns and
extremes mean: pairs in both directions.

A file of `schema_facts` is a schema, an empty line, and pairs a line each: ``===`` is proved without reservation
and certified, ``!==`` is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

FOLDER = Path(__file__).parent / "schema_facts"
SAME, OTHER = " === ", " !== "


def parts(name: str) -> tuple[str, list[str]]:
    schema, _, pairs = (FOLDER / name).read_text(encoding="utf-8").partition("\n\n")
    return schema, pairs.splitlines()


@cache
def catalog(name: str) -> Catalog:
    return catalog_from_ddl(parts(name)[0])


def lines(sign: str) -> Iterator[tuple[str, str, str]]:
    for file in sorted(FOLDER.glob("*.txt")):
        for line in parts(file.name)[1]:
            if sign in line:
                first, second = line.split(sign)
                yield file.name, first, second


def bound(name: str, first: str, second: str) -> Binding:
    return Binding(bind(first, catalog(name)), bind(second, catalog(name)), catalog(name))


@pytest.mark.parametrize(("name", "first", "second"), list(lines(SAME)))
def test_what_is_known_proves_the_pair(name: str, first: str, second: str) -> None:
    both = bound(name, first, second)
    found = prove_pair(both, both.catalog, 20.0).proved
    assert found is not None
    assert not found.modulo
    document = certificate(found, Texts(parts(name)[0], first, second), both)
    assert recheck(json.dumps(document).encode()).word == "good"


@pytest.mark.parametrize(("name", "first", "second"), list(lines(OTHER)))
def test_what_is_not_known_does_not(name: str, first: str, second: str) -> None:
    both = bound(name, first, second)
    found = prove_pair(both, both.catalog, 3.0).proved
    assert found is None or found.modulo
