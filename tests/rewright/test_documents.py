"""The documents: every link of the site leads somewhere, and the newcomer's page names files that exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
PAGE = (TREE / "docs" / "where-is-what.md").read_text()


def site(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.long
def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    """All pages, with a plain theme: the site's own draws a list of all pages beside each."""
    done = site("-D", "html_theme=basic", TREE / "docs", tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_page_in_the_sites_theme(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# A page\n")
    done = site("-c", TREE / "docs", tmp_path, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    assert "furo" in (tmp_path / "site" / "index.html").read_text()


# NAME stands for one of many
NAMED = sorted(path for path in set(re.findall(r"`([a-z]\w*/[\w/]*(?:\.py|/))`", PAGE)) if "NAME" not in path)


@pytest.mark.parametrize("path", NAMED)
def test_the_page_for_newcomers_names_what_exists(path: str) -> None:
    assert (TREE / path).exists()
