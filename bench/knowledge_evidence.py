"""Check every unit, or those named, and write what was seen into their files.

python bench/knowledge_evidence.py [CATEGORY/NAME or CATEGORY ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from knowledge.check import check_all, with_evidence
from knowledge.units import UNITS, load_units


def main() -> None:
    wanted = sys.argv[1:]
    units = [u for u in load_units() if not wanted or u.category in wanted or u.id in wanted]
    problems = gains = 0
    for done in check_all(units):
        if done.evidence is not None:
            path = UNITS / f"{done.unit.id}.toml"
            path.write_text(with_evidence(path.read_text(encoding="utf-8"), done.evidence), encoding="utf-8")
        problems += bool(done.problem)
        gains += done.gains
        print(
            done.unit.id,
            done.verdict,
            done.evidence.gain if done.evidence else done.problem[:300],
            flush=True,
        )
    print(f"{len(units)} units, {problems} refused, {gains} with a gain of 10 % or more")


if __name__ == "__main__":
    main()
