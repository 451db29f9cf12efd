"""Knowledge units as documents, for pages. Owns what of a unit is told; the units themselves are
`rewright.knowledge`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewright.knowledge.api import KnowledgeBase
    from rewright.knowledge.units import Unit

MOST_FOUND = 50
_LONGEST_SEARCH = 2000


@dataclass(frozen=True, slots=True)
class UnitPages:
    """The units that come with Rewright and those of the installation, read when a
    page first asks for them.
    """

    store_url: str

    def search(self, text: str) -> Sequence[Mapping[str, Any]]:
        """Those that fit words or a query best, each with ``why`` it was found; all, by category and title,
        for no text.
        """
        base = self._base()
        if not text.strip():
            listed = sorted(base.units, key=lambda unit: (unit.category, unit.title))
            return [_summary(unit) | {"why": []} for unit in listed]
        hits = base.search(text[:_LONGEST_SEARCH], MOST_FOUND)
        return [_summary(hit.unit) | {"why": list(hit.why)} for hit in hits]

    def one(self, id_: str) -> Mapping[str, Any] | None:
        """Everything of one unit, by ``category/name``; None where there is none."""
        base = self._base()
        return next((_whole(unit) for unit in base.units if unit.id == id_), None)

    def _base(self) -> KnowledgeBase:
        # with what retrieval needs it is half of what a start would load
        from rewright.wiring.knowledge_provider import knowledge_base, own_folder

        return knowledge_base(own_folder(self.store_url))


def _summary(unit: Unit) -> dict[str, Any]:
    from rewright.knowledge.units import SCHEMAS

    evidence = unit.evidence
    return {
        "id": unit.id,
        "category": unit.category,
        "title": unit.title,
        "answer": unit.answer,
        "source": unit.source,
        "own": unit.schemas != SCHEMAS,
        "verdict": evidence.verdict if evidence else None,
        "gain": evidence.gain if evidence else None,
    }


def _whole(unit: Unit) -> dict[str, Any]:
    names = ("question", "helps", "hurts", "versions", "schema", "before", "after")
    told = {name: getattr(unit, name) for name in names}
    evidence = asdict(unit.evidence) if unit.evidence else None
    return _summary(unit) | told | {"preconditions": list(unit.preconditions), "evidence": evidence}
