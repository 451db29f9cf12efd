"""The assignment problem: each row its own column, greatest sum. Must not know what rows and columns are.

Shortest augmenting paths (Jonker and Volgenant 1987), O(rows² · columns).
"""

from __future__ import annotations

from typing import Any

import numpy as np


def assign(scores: Any) -> list[int]:
    """For each row of a (rows, columns) matrix with rows ≤ columns, the column it gets."""
    # greatest sum as least cost
    cost = np.asarray(-np.asarray(scores, dtype=float))
    n, m = cost.shape
    u, v = np.zeros(n + 1), np.zeros(m + 1)
    match = np.zeros(m + 1, dtype=int)
    for row in range(1, n + 1):
        # column 0 stands for none yet: the path begins at the row that has no column
        match[0] = row
        at = 0
        least = np.full(m + 1, np.inf)
        way = np.zeros(m + 1, dtype=int)
        used = np.zeros(m + 1, dtype=bool)
        while True:
            used[at] = True
            # what is left of a cost when the prices of its row and column are paid
            reduced = cost[match[at] - 1] - u[match[at]] - v[1:]
            better = ~used[1:] & (reduced < least[1:])
            least[1:][better] = reduced[better]
            way[1:][better] = at
            open_ = np.where(used[1:], np.inf, least[1:])
            following = int(np.argmin(open_)) + 1
            delta = open_[following - 1]
            # prices move by what the cheapest next step costs, so that no reduced cost falls below 0
            u[match[used]] += delta
            v[used] -= delta
            least[~used] -= delta
            at = following
            # a column that no row has yet ends the path
            if match[at] == 0:
                break
        # along the path each row takes the column of the one before
        while at:
            match[at] = match[way[at]]
            at = int(way[at])
    out = [-1] * n
    for column in range(1, m + 1):
        if match[column]:
            out[match[column] - 1] = column - 1
    return out
