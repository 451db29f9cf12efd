"""For which literals a rewrite holds: the `Scoper` port over templates and the prover.

A proof with constants is a proof for these constants (hazards M18). Here the original's literals become
parameters in its tree, the same literals in the replacement's tree likewise, and the prover is asked again:
what it proves then holds for all literals of the same kinds. Which literal of the replacement stands for
which of the original is guessed by value and order; a wrong guess is not proved. Must not know agents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.decomposition.search import at_once, proved_by_parts
from rewright.equivalence.decomposition.templates import generalised, literals_of
from rewright.equivalence.gates import behind_gate, gated, split
from rewright.equivalence.promises import Promise
from rewright.equivalence.proving import Binding, as_kept
from rewright.equivalence.verdicts import Proved, to_json, with_implied
from rewright.rewrite.model import Deadline, Evidence
from rewright.rewrite.ports import Scoped
from rewright.sql.algebra import Expr, Query
from rewright.sql.asked_values import asked_for
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.placeholders import HOLE
from rewright.sql.printing import to_sql
from rewright.sql.templates import Template, bind_template, fill, template_of
from rewright.sql.walk import canonical

_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class _Holes:
    """Which of a text's literals become parameters, see `template_of`."""

    fixed: frozenset[int] = frozenset()
    tied: bool = False


_ALL = _Holes()


@dataclass(frozen=True, slots=True)
class TemplateScoper:
    """``accept``: reservations with which a proof still counts. ``between``: called before each single proof.
    ``seconds``: the most that one takes.
    """

    # what is proved for these constants alone is served for this text alone
    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    accept: frozenset[str] = frozenset({"float-order"})
    between: Callable[[], None] = at_once
    seconds: float = _SECONDS

    def scope(self, original: str, candidate: str, deadline: Deadline) -> Scoped:
        """``any`` with both templates where the template is proved, else ``these`` with the reason. A
        template may keep literals that say how something is computed (`rewright.sql.asked_values`), and hold
        only where some are alike.
        """
        behind = split(candidate, self.catalog, self.search_path)
        candidate, kept = (candidate, frozenset[Promise]()) if behind is None else behind
        scoped = self._scope(original, candidate, kept, deadline)
        if not kept or scoped.scope == "these":
            return scoped
        # the template looks at the rows as the text does
        text = _gated(scoped.replacement, kept)
        if text is None:
            return Scoped("these", reason="no place for a look at the rows in the template")
        return replace(scoped, replacement=text)

    def _scope(self, original: str, candidate: str, kept: frozenset[Promise], deadline: Deadline) -> Scoped:
        """For all literals; else for all that are alike where the text's are; else for all that are asked
        for, where those that say how something is computed stay as they are.
        """
        whole = self._with(original, candidate, kept, deadline)
        template = template_of(original)
        if whole.scope == "any" or template is None:
            return whole
        texts = [x.text for x in template.literals]
        asked = asked_for(template)
        fixed = set(range(1, len(texts) + 1)) - asked
        ways = [_Holes(tied=True)] if len(set(texts)) < len(texts) else []
        ways += [_Holes(tied=True, fixed=frozenset(fixed))] if asked and fixed else []
        for way in ways:
            partly = self._with(original, candidate, kept, deadline, way)
            if partly.scope == "any":
                return partly
        return whole

    def _with(
        self,
        original: str,
        candidate: str,
        kept: frozenset[Promise],
        deadline: Deadline,
        holes: _Holes = _ALL,
    ) -> Scoped:
        try:
            bound = bind_template(
                original, self.catalog, search_path=self.search_path, fixed=holes.fixed, tied=holes.tied
            )
            if bound is None:
                # a text that cannot be made a template holds for itself
                return Scoped("these", reason="the text has no template")
            plain = bind(original, self.catalog, search_path=self.search_path)
            target = bind(candidate, self.catalog, search_path=self.search_path)
        except (BindError, Unsupported) as error:
            return Scoped("these", reason=f"the template does not bind: {error}")
        query, template = bound
        found = literals_of(plain, query)
        # literals that the parser folds, or types by their value, would mean something else as parameters
        if found is None:
            return Scoped("these", reason="the template means something else than the text")
        if not template.literals:
            return self._without_literals(plain, target, template, candidate, kept, deadline)
        return self._prove(query, template, target, found, kept, deadline)

    def _without_literals(
        self,
        query: Query,
        target: Query,
        template: Template,
        candidate: str,
        kept: frozenset[Promise],
        deadline: Deadline,
    ) -> Scoped:
        """The text as it is, as pg_stat_statements and prepared statements have it: its parameters stand for
        any values.
        """
        # a statement that has parameters already is its own template
        found = self._proved(query, target, kept, min(self.seconds, deadline.left()))
        if found is None:
            return Scoped("these", reason="no proof for all values of its parameters")
        # a proof with reservations would be served for values that nobody has looked at
        if set(found.modulo) - with_implied(self.accept):
            return Scoped("these", reason=f"proved only modulo {', '.join(found.modulo)}")
        return Scoped("any", template.text, candidate, (), Evidence.of(to_json(found)))

    def _prove(
        self,
        query: Query,
        template: Template,
        target: Query,
        holes: Sequence[tuple[Expr, Expr]],
        kept: frozenset[Promise],
        deadline: Deadline,
    ) -> Scoped:
        reason = "no proof for all literals"
        # which literal of the replacement stands for which: guesses, the likeliest first
        for general in generalised(target, holes):
            if deadline.passed:
                return Scoped("these", reason="out of time")
            seconds = min(self.seconds, deadline.left())
            found = self._proved(query, general, kept, seconds)
            if found is None:
                continue
            if set(found.modulo) - with_implied(self.accept):
                reason = f"for all literals only modulo {', '.join(sorted(found.modulo))}"
            elif (text := self._text(general, template, target)) is not None:
                literals = tuple(x.text for x in template.literals)
                return Scoped("any", template.text, text, literals, Evidence.of(to_json(found)))
        return Scoped("these", reason=reason)

    def _proved(self, query: Query, target: Query, kept: frozenset[Promise], seconds: float) -> Proved | None:
        if not kept:
            return proved_by_parts(query, target, self.catalog, seconds, self.between)
        pair, _ = as_kept(Binding(query, target, self.catalog), kept)
        found = proved_by_parts(pair.original, pair.candidate, self.catalog, seconds, self.between)
        return None if found is None else behind_gate(found, kept)

    def _text(self, general: Query, template: Template, target: Query) -> str | None:
        """The replacement's template, if filling in the very literals gives the replacement again."""
        text = to_sql(general, catalog=self.catalog, search_path=self.search_path)
        filled = fill(text, [x.text for x in template.literals])
        # the very literals have to give the very replacement: a template that prints otherwise is not served
        if filled is None:
            return None
        try:
            again = bind(filled, self.catalog, search_path=self.search_path)
        except (BindError, Unsupported):
            return None
        return text if canonical(again) == canonical(target) else None


def _gated(template: str, kept: frozenset[Promise]) -> str | None:
    """The template behind its look at the rows: to those who parse it a hole is a quoted name."""
    text = gated(HOLE.sub(r'"\g<0>"', template), kept)
    return None if text is None else re.sub(f'"({HOLE.pattern})"', r"\1", text)
