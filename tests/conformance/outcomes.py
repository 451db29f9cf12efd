"""Outcomes of two runs of one suite, compared test by test. Pure."""

from __future__ import annotations

import xml.etree.ElementTree as ET  # reports of our own making
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Outcomes: TypeAlias = Mapping[str, str]
MISSING = "missing"


def from_junit(report: Path) -> dict[str, str]:
    """Test name -> passed, failure, error or skipped."""
    found: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):
        name, outcome = f"{case.get('classname')}.{case.get('name')}", _outcome(case)
        # an error in teardown comes as a second case of the name
        found[name] = outcome if found.get(name, "passed") == "passed" else found[name]
    return found


def _outcome(case: ET.Element) -> str:
    tags = {child.tag for child in case}
    return next((tag for tag in ("error", "failure", "skipped") if tag in tags), "passed")


@dataclass(frozen=True, slots=True)
class Comparison:
    """``different``: test -> (directly, through). ``unsteady``: those that agreed
    when they were run again.
    """

    direct: Outcomes
    through: Outcomes
    unsteady: Mapping[str, tuple[str, str]]

    @property
    def different(self) -> dict[str, tuple[str, str]]:
        return {
            name: pair
            for name, pair in differences(self.direct, self.through).items()
            if name not in self.unsteady
        }

    def text(self, suite: str) -> str:
        count = Counter(outcome.partition(" ")[0] for outcome in self.direct.values())
        parts = ", ".join(f"{number} {outcome}" for outcome, number in count.most_common())
        lines = [
            f"{suite}: {len(self.direct)} tests directly ({parts}); {len(self.different)} differ through the proxy"
        ]
        for name, (direct, through) in sorted(self.different.items()):
            lines.append(f"  {name}: {direct} directly, {through} through the proxy")
        for name, (direct, through) in sorted(self.unsteady.items()):
            lines.append(f"  unsteady: {name}: {direct} directly, {through} through; the same when run again")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        return {
            "direct": dict(self.direct),
            "through": dict(self.through),
            "different": self.different,
            "unsteady": dict(self.unsteady),
        }


def differences(direct: Outcomes, through: Outcomes) -> dict[str, tuple[str, str]]:
    """Also what only one of the runs knows."""
    names = list(dict.fromkeys([*direct, *through]))
    pairs = {name: (direct.get(name, MISSING), through.get(name, MISSING)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
