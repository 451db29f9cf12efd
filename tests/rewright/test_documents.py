"""The documents: every link of the site leads somewhere, and the newcomer's page names files that exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
PAGE = (TREE / "docs" / "where-is-what.md").read_text()


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", TREE / "docs", tmp_path],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


# NAME stands for one of many
NAMED = sorted(path for path in set(re.findall(r"`([a-z]\w*/[\w/]*(?:\.py|/))`", PAGE)) if "NAME" not in path)


@pytest.mark.parametrize("path", NAMED)
def test_the_page_for_newcomers_names_what_exists(path: str) -> None:
    assert (TREE / path).exists()
