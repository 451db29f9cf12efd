"""Lakes with planted gains: tables that help to predict a target, and decoys that do not, chosen by a seed.

Names, keys, sizes and noise come from the seed, so that lakes kept aside are unlike those looked at.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.lake_scale_bench import generate

_SYLLABLES = ("ba", "ce", "do", "fi", "gu", "ha", "je", "ko", "li", "mu", "na", "pe", "ro", "si", "tu", "va", "we", "zo")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Planted:
    """A lake that was written: its base table and target, the tables with signal, and the R² with all of it
    (noise aside).
    """

    folder: Path
    base: str
    target: str
    helpful: tuple[str, ...]
    possible: float


class _Names:
    """Words that no table or column has yet."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._taken: set[str] = set()

    def word(self) -> str:
        while (word := "".join(self._chance.choices(_SYLLABLES, k=3))) in self._taken:
            pass
        self._taken.add(word)
        return word

    def codes(self, n: int) -> list[str]:
        stem = self.word()[:2].upper()
        numbers = self._chance.sample(range(10_000, 99_999), n)
        return [f"{stem}{number}" for number in numbers]


def planted_tables(
    folder: Path, seed: int, *, rows: int = 240, helpful: int = 3, decoys: int = 12
) -> Planted:
    """A base table, tables that help (one row per key, many rows per key whose sum tells), and decoys with
    the same key.
    """
    chance = random.Random(seed)
    told = _Names(chance)
    folder.mkdir(parents=True, exist_ok=True)
    key, target, base = told.word(), told.word(), f"{told.word()}_base"
    codes = told.codes(rows)
    signals = {c: [chance.gauss(0, 1) for _ in range(helpful)] for c in codes}
    weights = [1.0 / (1 + 0.4 * i) for i in range(helpful)]
    noise = chance.uniform(0.4, 0.8)
    own = {c: chance.gauss(0, 1) for c in codes}
    y = {c: sum(w * s for w, s in zip(weights, signals[c], strict=True)) + 0.5 * own[c] + chance.gauss(0, noise) for c in codes}  # fmt: skip
    _write(folder, base, [key, told.word(), target], [[c, round(own[c], 4), round(y[c], 4)] for c in codes])
    names = []
    for i in range(helpful):
        names.append(f"{told.word()}_{told.word()}")
        value, spoiled = told.word(), chance.random() < 0.5
        rows_of: list[list[object]] = []
        for c in codes:
            if chance.random() < 0.05:
                continue
            code = c.lower() if spoiled and chance.random() < 0.1 else c
            if i % 2 == 0:
                rows_of.append([code, round(10 + 3 * signals[c][i], 4), chance.randrange(100)])
                continue
            parts = chance.randint(2, 4)
            shares = [signals[c][i] / parts + chance.gauss(0, 0.05) for _ in range(parts)]
            rows_of += [[code, round(s, 4), chance.randrange(100)] for s in shares]
        _write(
            folder, names[-1], [key if chance.random() < 0.5 else f"{key}_code", value, told.word()], rows_of
        )
    for _ in range(decoys):
        columns = chance.randint(1, 6)
        header = [key if chance.random() < 0.5 else f"{key}_ref", *(told.word() for _ in range(columns))]
        some = chance.sample(codes, int(rows * chance.uniform(0.6, 1.0)))
        _write(folder, f"{told.word()}_{told.word()}", header, [[c, *(round(chance.gauss(5, 2), 4) for _ in range(columns))] for c in some])  # fmt: skip
    total = sum(w * w for w in weights) + 0.25
    return Planted(folder, base, target, tuple(names), total / (total + noise**2))


def planted_lake(folder: Path, seed: int, tables: int) -> Planted:
    """A lake of about so many tables: planted ones, decoys with the same key (one table in twenty), and
    others that join neither.
    """
    planted = planted_tables(folder, seed, helpful=4, decoys=max(12, tables // 20))
    generate(folder, tables - len(list(folder.iterdir())), seed)
    return planted


def planted_chain(
    folder: Path, seed: int, *, length: int, rows: int = 240, decoys: int = 3, anywhere: bool = False
) -> Planted:
    """A chain of `length` joins with decoys beside every table of it; the signal is in its last table.

    `anywhere`: the signal is in a table of the chain that chance chooses, and some decoys lead on to others.
    """
    chance = random.Random(seed)
    told = _Names(chance)
    folder.mkdir(parents=True, exist_ok=True)
    target, base = told.word(), f"{told.word()}_base"
    keys = [told.word() for _ in range(length)]
    levels = [told.codes(max(60, int(rows * 0.85**i))) for i in range(length)]
    onward = [
        {c: levels[i + 1][n % len(levels[i + 1])] for n, c in enumerate(levels[i])} for i in range(length - 1)
    ]
    at = chance.randrange(length) if anywhere else length - 1
    signal = {c: chance.gauss(0, 1) for c in levels[at]}
    noise = chance.uniform(0.3, 0.6)

    def reached(code: str) -> str:
        for step in onward[:at]:
            code = step[code]
        return code

    _write(folder, base, [keys[0], told.word(), target], [[c, round(chance.gauss(0, 1), 4), round(signal[reached(c)] + chance.gauss(0, noise), 4)] for c in levels[0]])  # fmt: skip
    path = []
    for i in range(length):
        path.append(f"{told.word()}_{told.word()}")
        further = [keys[i + 1]] if i < length - 1 else []
        _write(
            folder,
            path[-1],
            [keys[i], *further, told.word()],
            [
                [
                    c,
                    *([onward[i][c]] if further else []),
                    round(signal[c] if i == at else chance.gauss(0, 1), 4),
                ]
                for c in levels[i]
            ],
        )
        for _ in range(decoys):
            _decoy(
                folder, told, chance, keys[i], levels[i], leads=2 if anywhere and chance.random() < 0.4 else 0
            )
    return Planted(folder, base, target, (path[at],), 1 / (1 + noise**2))


def _decoy(
    folder: Path, told: _Names, chance: random.Random, key: str, codes: Sequence[str], *, leads: int
) -> None:
    """A table without signal; `leads`: how many joins it leads on to others."""
    other, others = told.word(), told.codes(60)
    further = [other] if leads else []
    _write(
        folder,
        f"{told.word()}_{told.word()}",
        [key, *further, told.word(), told.word()],
        [
            [
                c,
                *([chance.choice(others)] if leads else []),
                round(chance.gauss(0, 1), 4),
                chance.randrange(50),
            ]
            for c in codes
        ],
    )
    if leads:
        _decoy(folder, told, chance, other, others, leads=leads - 1)


def _write(folder: Path, name: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with (folder / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
