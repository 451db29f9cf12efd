"""The hint benchmarks: `rewright bench hints [skew|films|arms] [options of that one]`; without a name, skew.

rewright bench hints skew --seeds 0.1,0.4,0.7 --out skew.json
rewright bench hints films --films 120000 --out films.json
rewright bench hints arms --out table5.json
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import hints_arms, hints_films, hints_skew


def main() -> None:
    suites = {"skew": hints_skew.main, "films": hints_films.main, "arms": hints_arms.main}
    named = len(sys.argv) > 1 and sys.argv[1] in suites
    suite = suites[sys.argv.pop(1)] if named else hints_skew.main
    suite()


if __name__ == "__main__":
    main()
