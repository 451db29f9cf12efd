"""The reference pages say what the code says."""

from __future__ import annotations

import pytest

from rewright.reference import DIRECTORY, MADE, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_in_sync(name: str) -> None:
    path = DIRECTORY / name
    assert path.exists(), "make reference"
    assert path.read_text(encoding="utf-8") == MADE + PAGES[name](), "make reference"
