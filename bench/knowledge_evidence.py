"""Check every unit, or those named, and write what was seen into their files.

python bench/knowledge_evidence.py [CATEGORY/NAME or CATEGORY ...] [--seconds 10] [--keep] [--out report.json]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rewright.knowledge.check import check_all, document_of, lines_of, summary_of, with_evidence
from rewright.knowledge.patterns.fits import same_patterns
from rewright.knowledge.units import UNITS, load_units


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="units or categories; all without")
    parser.add_argument("--seconds", type=float, default=10.0, help="the most a verdict may take")
    parser.add_argument("--keep", action="store_true", help="leave the files as they are")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    units = [u for u in load_units() if not chosen.names or {u.category, u.id} & set(chosen.names)]
    documents = []
    for done in check_all(units, seconds=chosen.seconds):
        if done.evidence is not None and not chosen.keep:
            path = UNITS / f"{done.unit.id}.toml"
            path.write_text(with_evidence(path.read_text(encoding="utf-8"), done.evidence), encoding="utf-8")
        evidence = None if done.evidence is None else asdict(done.evidence)
        documents.append(document_of(done) | {"evidence": evidence})
        print(done.unit.id, done.verdict, evidence["gain"] if evidence else done.problem[:300], flush=True)
    summary = summary_of(documents) | {"same_pattern": same_patterns(units)}
    print(*lines_of(summary), sep="\n")
    if chosen.out is not None:
        machine = {"cpus": os.cpu_count(), "platform": platform.platform()}
        report = {"machine": machine, "seconds": chosen.seconds, "summary": summary, "units": documents}
        chosen.out.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
