"""Which columns, and which tables, names may have been cut to: `rd` of `read_speed` where no other column has
a claim to it.

Owns their likeness. Must not know vectors: of two letters they know nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from rewright.lake import names
from rewright.lake.catalog.model import Column
from rewright.lake.cut import cut_names, cut_to
from rewright.lake.index import LakeIndex

_TWICE = 0.2
"""What is held against letters that another column of the table has as well a claim to."""
_OTHER_READING, _OF_TWO = 0.9, 0.5
"""What is left where the letters are usually short for something else, and where they are but two."""


class CutColumns:
    """Likeness of asked names to columns that are named by letters, for one index."""

    def __init__(self, index: LakeIndex) -> None:
        self._index = index
        self._named: dict[str, dict[str, str]] = {}

    def likeness(self, name: str, real: Column) -> float:
        """0 to 1: `rd` of `read_speed` in a table that is named so, and `exp` of `expenditure` in any: a list
        of abbreviations knows one reading of it.
        """
        if real.table not in self._named:
            self._named[real.table] = cut_names(self._index.tables[real.table])
        named = self._named[real.table]
        if (letters := named.get(real.name)) is None:
            short = names.normal(real.name)
            known = short in names.ABBREVIATIONS and len(short) > 2
            return _OTHER_READING * cut_to(short, name) if known else 0.0
        own = cut_to(letters, name)
        if own == 0.0:
            return own
        # another column whose letters fit as well
        rival = max((cut_to(other, name) for other in named.values() if other != letters), default=0.0)
        usual = letters in names.ABBREVIATIONS
        sure = (_OTHER_READING if len(letters) > 2 else _OF_TWO) if usual else 1.0
        return own * sure - (_TWICE if own <= rival else 0.0)

    def tables(self, asked: Iterable[str], top: int) -> list[str]:
        """The tables that have the most of the names asked for, as far as these may have been cut."""
        told: dict[str, float] = {}
        for name in asked:
            best: dict[str, float] = {}
            for letters, tables in self._index.letters.items():
                if (sure := cut_to(letters, name)) > 0.0:
                    for table in tables:
                        best[table] = max(best.get(table, 0.0), sure)
            for table, sure in best.items():
                told[table] = told.get(table, 0.0) + sure
        return sorted(told, key=lambda table: (-told[table], table))[:top]
