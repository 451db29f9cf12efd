"""The commit-msg hook of `.pre-commit-config.yaml`: whether a message has the form that CONTRIBUTING.md asks for.

    python tests/commit_message.py .git/COMMIT_EDITMSG

Prints what is wrong and ends with 1, else with 0. Needs nothing but Python: a hook runs before everything.
"""

from __future__ import annotations

import sys
from pathlib import Path

SHORTEST, LONGEST = 50, 72
# git's own subjects; a fixup is squashed into a commit that has its message
GITS_OWN = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")
# what `git commit --verbose` shows below is no message
SCISSORS = "# ------------------------ >8 ------------------------"


def complaints(message: str) -> list[str]:
    """What is wrong with a message, as one writes it: git's comments are left out."""
    lines = [line for line in message.partition(SCISSORS)[0].splitlines() if not line.startswith("#")]
    subject, below = (lines[0].rstrip(), lines[1:]) if lines else ("", [])
    if subject.startswith(GITS_OWN):
        return []
    found = []
    if not SHORTEST <= len(subject) <= LONGEST:
        found.append(f"the subject has {len(subject)} characters, not {SHORTEST} to {LONGEST}")
    if subject.endswith("."):
        found.append("the subject ends with a full stop")
    if below and below[0].strip():
        found.append("the line below the subject is not empty")
    if not any(line.strip() for line in below[1:]):
        found.append("there is no body that says why")
    return found


def main(path: str) -> int:
    found = complaints(Path(path).read_text(encoding="utf-8"))
    for one in found:
        print(f"commit message: {one} (CONTRIBUTING.md)", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
