"""What was found of a node is told again of the same node, and of no other."""

from __future__ import annotations

import pytest

from rewright.sql import algebra as a
from rewright.sql.types import INT4
from rewright.sql.walk import memory, remembered, used_rels


def test_a_tree_is_asked_once() -> None:
    asked: list[a.Node] = []

    @remembered
    def question(node: a.Node) -> int:
        asked.append(node)
        return len(asked)

    one, same = a.Const("1", INT4), a.Const("1", INT4)
    assert [question(one), question(one), question(same)] == [1, 1, 2]
    assert asked == [one, same]


def test_what_is_forgotten_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MOST", 2)
    columns = [a.Column(rel, 0, INT4) for rel in range(50)]
    for _ in range(3):
        # trees that live for a moment only have the places of others in memory
        assert [used_rels(a.Not(a.IsNull(c))) for c in columns] == [frozenset({c.rel}) for c in columns]
