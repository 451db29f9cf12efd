"""The reference pages say what the code says."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from rewright.cli.doctor_command import command as doctor
from rewright.reference import DIRECTORY, MADE, PAGES, installed


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_in_sync(name: str) -> None:
    path = DIRECTORY / name
    assert path.exists(), "make reference"
    assert path.read_text(encoding="utf-8") == MADE + PAGES[name](), "make reference"


def test_the_page_is_the_same_after_a_command_was_used_by_itself() -> None:
    """As another test in this process may have done."""
    before = PAGES["commands.md"]()
    doctor._help_option = None
    assert CliRunner().invoke(doctor, ["--no-such-option"]).exit_code == 2
    assert PAGES["commands.md"]() == before


def test_the_verbs_of_a_group_have_their_options_told() -> None:
    page, manual = PAGES["commands.md"](), installed()["share/rewright.1"]
    assert "### rewright lake query\n" in page
    assert "rewright lake search\\-table\n" in manual
    for text, option in ((page, "--confidence"), (manual, r"\fB\-\-confidence FLOAT RANGE\fR")):
        assert option in text.partition("rewright lake query")[2]


def test_what_is_installed_beside_is_in_sync() -> None:
    for name, contents in installed().items():
        assert (DIRECTORY / name).read_text(encoding="utf-8") == contents, "make reference"
    assert r"\fB\-\-upstream DSN\fR" in installed()["share/rewright.1"]
    assert "_REWRIGHT_COMPLETE=bash_complete" in installed()["share/rewright.bash"]
