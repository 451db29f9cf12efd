"""What a pattern is: two terms with variables, and when two patterns say the same.

Must not know how patterns come about or are matched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewright.knowledge.patterns.terms import Term, Var, mapped


@dataclass(frozen=True, slots=True)
class Pattern:
    """``before`` is matched, ``after`` is made of what was bound. ``fresh``: aliases that only the answer
    has;
    ``copies``: those that stand for a second copy of a range variable of the question; ``keys``: columns that
    only the answer names and that are their table's only key column.
    """

    before: Term
    after: Term
    fresh: tuple[str, ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    keys: frozenset[Any] = frozenset()
    # the table of each range variable of the pair
    tables: Mapping[str, str] = field(default_factory=dict)

    @property
    def form(self) -> tuple[Any, Any]:
        """The pattern with its variables numbered in order of appearance: equal for patterns that say the
        same.
        """
        seen: dict[Any, int] = {}

        def number(term: Term) -> Term:
            fields: list[tuple[str, Any]] = []
            for name, value in term.fields:
                if isinstance(value, Var):
                    fields.append((name, (value.sort, seen.setdefault(value, len(seen)))))
                # blocks are numbered by appearance, too
                elif name in {"number", "slots", "inner", "of"} and not isinstance(value, Var):
                    fields.append((name, tuple(seen.setdefault(("b", v), len(seen)) for v in _tupled(value))))
                else:
                    fields.append((name, _numbered(value, seen)))
            return Term(term.kind, tuple(fields))

        return mapped(self.before, number), mapped(self.after, number)


def _tupled(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _numbered(value: Any, seen: dict[Any, int]) -> Any:
    if isinstance(value, tuple):
        return tuple(
            (v.sort, seen.setdefault(v, len(seen))) if isinstance(v, Var) else _numbered(v, seen)
            for v in value
        )
    return value
