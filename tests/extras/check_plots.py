"""A plot as PNG, of tables whose names look like formulas, too. Needs the extra `plots`."""

from __future__ import annotations

import csv
import random
from pathlib import Path

from click.testing import CliRunner

from rewright.lake.augment.command import command


def check_a_plot_is_a_png(tmp_path: Path) -> None:
    chance = random.Random(3)
    folder = tmp_path / "lake"
    folder.mkdir()
    shops = {f"S{i * 37 + 1009}": chance.gauss(0, 1) for i in range(120)}
    for name, column, values in (
        ("sales", "revenue", [20 + 4 * s + chance.gauss(0, 1) for s in shops.values()]),
        ("str$eets $", "footfall", [100 + 9 * s for s in shops.values()]),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["shop", column], *zip(shops, values, strict=True)])
    figure = tmp_path / "gain.png"
    given = ["--lake", str(folder), "--table", "sales", "--target", "revenue", "--plot", str(figure)]
    told = CliRunner(env={"XDG_CACHE_HOME": str(tmp_path / "cache")}).invoke(command, given)
    assert told.exit_code == 0, told.output
    data = figure.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(data) > 2000
