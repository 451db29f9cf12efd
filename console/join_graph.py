"""The join graph of lakes as a picture's parts: which tables are drawn, where, and which lines join them.
Pure.

Names are strangers' text; they go into the document as they are, and the template escapes them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

Node: TypeAlias = tuple[str, str]
"""Database and table."""

# more tables are not told apart on one page; lines beyond the strongest only hide them
MOST_TABLES = 60
_MOST_LINES = 240
# beyond, texts on the lines would cover each other
_MOST_SAID = 14
_WIDTH, _MARGIN = 960, 110
# steps in which the drawing settles: with more of them nothing moves visibly
_ROUNDS = 160
_LONGEST_LABEL = 26


def drawn(joins: Sequence[Mapping[str, Any]], chosen: Node | None = None) -> dict[str, Any]:
    """``nodes`` and ``lines`` with their places, ``width`` and ``height``; ``chosen``: whose neighbourhood it
    is, if only that.

    ``joins``: ``database``, ``a``, ``b``, ``strength`` from 0 to 2, ``columns`` (pairs with their strength),
    best first. All joined tables are drawn while they are at most MOST_TABLES; otherwise, or where one is
    ``chosen``, that table with those it joins best, by default the one that joins most tables. ``left_out``:
    tables and joins that are not drawn.
    """
    ranked = sorted(joins, key=lambda one: (-one["strength"], *_ends(one)))
    counts = Counter(end for one in ranked for end in _ends(one))
    if chosen not in counts:
        chosen = None
    if chosen is None and len(counts) > MOST_TABLES:
        chosen = min(counts, key=lambda node: (-counts[node], node))
    nodes = sorted(counts) if chosen is None else _around(chosen, ranked)
    among = set(nodes)
    inside = [one for one in ranked if among.issuperset(_ends(one))]
    shown = inside[:_MOST_LINES]
    height = _height(len(nodes))
    places = dict(zip(nodes, _places(nodes, shown, height), strict=True))
    return {
        "width": _WIDTH,
        "height": height,
        "chosen": chosen,
        "nodes": [_node(node, places[node], counts[node], node == chosen) for node in nodes],
        "lines": [_line(one, places, said=len(shown) <= _MOST_SAID) for one in shown],
        "left_out": {"tables": len(counts) - len(nodes), "joins": len(ranked) - len(shown)},
    }


def _ends(one: Mapping[str, Any]) -> tuple[Node, Node]:
    return (one["database"], one["a"]), (one["database"], one["b"])


def _around(chosen: Node, ranked: Iterable[Mapping[str, Any]]) -> list[Node]:
    found = dict.fromkeys([chosen])
    for one in ranked:
        if chosen in _ends(one) and len(found) < MOST_TABLES:
            found |= dict.fromkeys(_ends(one))
    return sorted(found)


def _height(count: int) -> int:
    return min(260 + 12 * count, 800)


def _places(
    nodes: Sequence[Node], lines: Sequence[Mapping[str, Any]], height: int
) -> list[tuple[float, float]]:
    """By forces (Fruchterman and Reingold 1991): tables repel each other, joins pull. Always the same for the
    same graph.
    """
    import numpy as np

    if not nodes:
        return []
    index = {node: number for number, node in enumerate(nodes)}
    turns = np.arange(len(nodes)) * (math.pi * (3 - math.sqrt(5)))
    radius = np.sqrt((np.arange(len(nodes)) + 0.5) / len(nodes))
    at = np.stack([radius * np.cos(turns), radius * np.sin(turns)], axis=1)
    ends = np.array([[index[a], index[b]] for a, b in map(_ends, lines)], dtype=int).reshape(-1, 2)
    rest = 1.6 / math.sqrt(len(nodes))
    for heat in np.linspace(0.2, 0.004, _ROUNDS):
        apart = at[:, None, :] - at[None, :, :]
        far = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        push = (apart / far[:, :, None] * (rest**2 / far)[:, :, None]).sum(axis=1)
        between = at[ends[:, 0]] - at[ends[:, 1]]
        pull = between * np.linalg.norm(between, axis=1, keepdims=True) / rest
        np.add.at(push, ends[:, 0], -pull)
        np.add.at(push, ends[:, 1], pull)
        push -= 0.3 * at  # parts that nothing joins stay near
        length = np.maximum(np.linalg.norm(push, axis=1, keepdims=True), 1e-9)
        at = at + push / length * np.minimum(length, heat)
    low, high = at.min(axis=0), at.max(axis=0)
    share = np.where(high - low > 1e-9, (at - low) / np.maximum(high - low, 1e-9), 0.5)
    return [(_MARGIN + x * (_WIDTH - 2 * _MARGIN), 24 + y * (height - 64)) for x, y in share.tolist()]


def _node(node: Node, place: tuple[float, float], joins: int, chosen: bool) -> dict[str, Any]:
    database, name = node
    label = name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 1] + "…"
    x, y = (round(one, 1) for one in place)
    return {
        "database": database, "name": name, "label": label, "x": x, "y": y, "joins": joins, "chosen": chosen,
    }  # fmt: skip


def _line(
    one: Mapping[str, Any], places: Mapping[Node, tuple[float, float]], *, said: bool
) -> dict[str, Any]:
    (x1, y1), (x2, y2) = (places[end] for end in _ends(one))
    told = [f"{one['a']}.{a} = {one['b']}.{b} ({strength:.2f})" for a, b, strength in one["columns"]]
    a, b, strength = one["columns"][0] if one["columns"] else ("", "", one["strength"])
    best = a if a == b else f"{a} = {b}"
    return {
        "x1": round(x1, 1), "y1": round(y1, 1), "x2": round(x2, 1), "y2": round(y2, 1),
        "x": round((x1 + x2) / 2, 1), "y": round((y1 + y2) / 2, 1),
        "wide": round(0.8 + 2 * min(max(float(one["strength"]), 0.0), 2.0), 1),
        "told": "; ".join(told),
        "label": f"{best[:_LONGEST_LABEL]} {strength:.2f}" if said else "",
    }  # fmt: skip
