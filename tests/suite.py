"""The whole suite, and what failed in it once more with the machine to itself.

``python -m tests.suite ARGUMENTS`` runs pytest with these arguments. Where at most ``MOST`` tests failed they run
again, one after another: a scenario of several processes may have missed a deadline because others kept both
processors busy. One that fails alone, too, fails the run; one that passes is printed last, to be mended like any
other fault. Owns the exit code; must not change which tests there are.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

# more failures than these are no matter of a busy machine
MOST = 5
_FAILED = Path(".pytest_cache/v/cache/lastfailed")
# what says how a run is shared among processes, with its value
_SHARING = ("-n", "--dist")


def alone(arguments: list[str]) -> list[str]:
    """The arguments for one process. ``-n 3`` and the like are left out with their values."""
    kept: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument in _SHARING:
            next(rest, None)
        else:
            kept.append(argument)
    return kept


def main(arguments: list[str]) -> int:
    """pytest's exit code: of the run, or of the second one."""
    _FAILED.unlink(missing_ok=True)
    code = _pytest(arguments)
    failed = sorted(json.loads(_FAILED.read_text(encoding="utf-8"))) if code == 1 and _FAILED.exists() else []
    if not 0 < len(failed) <= MOST:
        return code
    # --thorough: what a run takes of the cases must not depend on how many of them failed
    code = _pytest([*alone(arguments), "--thorough", "--last-failed", "--last-failed-no-failures=none"])
    if code == 0:
        print("passed only when run alone:", *failed, sep="\n  ")
    return code


def _pytest(arguments: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
