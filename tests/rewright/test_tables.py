"""Tables on a terminal, plain lines for programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from rewright.cli import log_command
from rewright.lake import command as lake_command
from rewright.store.api import open_store
from rewright.store.records import LogEntry
from rewright.terminal import lines_of


def test_what_steers_a_terminal_is_left_out() -> None:
    lines = list(lines_of(["a", "b"], [["\x1b[31mred\x07", "line\nline"], ["東京", "x" * 90]], 30))
    assert not any(character in line for line in lines for character in "\x1b\x07\n")
    assert lines[1].index("line") == lines[0].index("b")
    # two columns of the terminal for each character
    assert lines[2].index("x") == lines[0].index("b") - 2
    assert all(len(line) <= 30 for line in lines)
    assert lines[2].endswith("…")


def test_the_log_is_a_table_for_people_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = str(tmp_path / "store.db")
    with open_store(store) as opened:
        opened.log.add(
            [LogEntry(at=1e9, database="app", role="ann", query="select 1", route="held", duration_ms=7)]
        )
    piped = CliRunner().invoke(log_command.command, ["--store", store]).output
    assert piped.splitlines()[1] == "    select 1"
    monkeypatch.setattr(log_command, "on_terminal", lambda: True)
    shown = CliRunner().invoke(log_command.command, ["--store", store]).output.splitlines()
    assert len(shown) == 2
    assert shown[0].split() == ["when", "took", "route", "who", "why", "query"]
    assert shown[1].split()[2:] == ["7", "ms", "held", "ann@app", "select", "1"]


def test_a_lake_is_shown_in_tables_to_people_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vessels.csv").write_text("vessel_id,vessel_name\n1,Aurora\n2,Borealis\n")

    def said(*words: str) -> list[str]:
        done = CliRunner().invoke(lake_command.command, [words[0], str(tmp_path), *words[1:]])
        assert done.exit_code == 0, done.output
        return done.stdout.splitlines()

    query = "select vessel_id, vessel_name from vessels order by 1"
    assert said("tables")[0].startswith("vessels (2 rows): vessel_id ")
    assert said("query", query) == ["vessel_id\tvessel_name", "1\tAurora", "2\tBorealis"]
    monkeypatch.setattr(lake_command, "on_terminal", lambda: True)
    names, vessels = said("tables")
    assert names.split() == ["table", "rows", "columns"]
    assert vessels.split()[:3] == ["vessels", "2", "vessel_id"]
    assert said("query", query) == ["vessel_id  vessel_name", "1          Aurora", "2          Borealis"]
    assert said("search-table", "vessel")[0].split() == ["table", "score"]
