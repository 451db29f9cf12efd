"""The rewriter's ``Scoper`` port: does a pair hold for all literals, not only for these?

Owns carrying the original's literals over to the replacement, and asking the prover about the two templates.
Which literal of the replacement came from where is a guess; the proof is about the templates as guessed, so a
wrong guess only loses a chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from equivalence.proving import Binding, prove_both
from equivalence.verdicts import to_json
from rewrite.ports import Scoped
from rewrite.words import Deadline, Evidence
from sql.algebra import Query
from sql.binder import BindError, Unsupported, bind
from sql.catalog import Catalog
from sql.placeholders import hole, index_of, sentinel
from sql.templates import Literal, Template, template_of

SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class TemplateScoper:
    catalog: Catalog
    search_path: tuple[str, ...]

    def scope(self, original: str, candidate: str, deadline: Deadline) -> Scoped:
        """Scope ``any`` with both templates and the proof of them, or ``these`` with the reason."""
        first, second = template_of(original), template_of(candidate)
        if first is None or second is None or not first.literals:
            return Scoped("these", reason="the text has no template")
        replacement = carried_over(second, first.literals)
        try:
            trees = self._bind(first.text, first.literals), self._bind(replacement, first.literals)
        except (BindError, Unsupported) as error:
            return Scoped("these", reason=f"the template is not understood: {error}")
        attempt = prove_both(Binding(*trees, self.catalog), self.catalog, min(SECONDS, deadline.left()))
        if attempt.proved is None:
            return Scoped("these", reason=f"proved for these literals only: {attempt.reason}")
        literals = tuple(literal.text for literal in first.literals)
        return Scoped("any", first.text, replacement, literals, Evidence.of(to_json(attempt.proved)))

    def _bind(self, template: str, literals: Sequence[Literal]) -> Query:
        """The tree of a template, each hole a parameter."""
        marks = [(n, literal.kind, sentinel(n, literal.kind)) for n, literal in enumerate(literals, 1)]
        text = template
        for n, kind, mark in marks:
            text = text.replace(hole(n, kind), f"'{mark}'" if kind == "s" else mark)
        indexes = {mark: index_of(n, kind) for n, kind, mark in marks}
        return bind(text, self.catalog, search_path=self.search_path, placeholders=indexes)


def carried_over(candidate: Template, literals: Sequence[Literal]) -> str:
    """The candidate's template with holes numbered as the original's literals; those that are not the
    original's stay literals. Equal literals are taken in their order, the last one again and again.
    """
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for n, literal in enumerate(literals, 1):
        places[literal.kind, literal.text].append(n)
    text = candidate.text
    filled: list[tuple[str, str]] = []
    for n, literal in enumerate(candidate.literals, 1):
        numbers = places.get((literal.kind, literal.text))
        if not numbers:
            filled.append((hole(n, literal.kind), literal.text))
            continue
        number = numbers.pop(0) if len(numbers) > 1 else numbers[0]
        filled.append((hole(n, literal.kind), hole(number, literal.kind)))
    parts = []
    for old, new in filled:
        head, _, text = text.partition(old)
        parts += [head, new]
    return "".join([*parts, text])
