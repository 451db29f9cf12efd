"""Who proposed a rewrite, as people read it."""

from __future__ import annotations

import pytest

from rewright.console.words import proposers


@pytest.mark.parametrize(
    ("sources", "told"),
    [
        ([], ""),
        (["rules: unnest"], "rules: unnest"),
        (["rules: unnest", "rules: share_scans"], "rules: unnest, share_scans"),
        (["rules: a", "knowledge: join/x", "rules: b"], "rules: a, b; knowledge: join/x"),
        (["model", "rules: a"], "model; rules: a"),
        (["rules"], "rules"),
        (["same-text", "same-text"], "same-text"),
    ],
)
def test_each_kind_is_named_once(sources: list[str], told: str) -> None:
    assert proposers(sources) == told
