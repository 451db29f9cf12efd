"""The reference pages say what the code says."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.cli.ask_command import command as ask
from rewright.cli.augment_command import command as augment
from rewright.cli.doctor_command import command as doctor
from rewright.cli.parts import whole
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


@pytest.mark.parametrize("command", [ask, augment])
def test_options_of_a_command_that_is_done_elsewhere_are_told_with_its_own(command: click.Command) -> None:
    found = whole(command)
    told = {option for parameter in found.params for option in parameter.opts if option.startswith("--")}
    assert {"--config", "--lake", "--json"} <= told
    page = PAGES["commands.md"]().partition(f"## rewright {command.name}\n")[2].partition("\n## ")[0]
    assert all(option in page for option in told)
    assert all(
        option in CliRunner().invoke(rewright, [str(command.name), "--help"]).output for option in told
    )
