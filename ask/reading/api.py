"""One question in, one reading or one refusal out; nothing runs.

Owns what the readers of a question share: `read`, `Reading`, `Refusal`. A follow-up changes the reading
before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rewright.ask.context import ColumnContext, Context
from rewright.ask.linking import Linker
from rewright.ask.reading.all_of_them import all_of_them
from rewright.ask.reading.asked_again import LISTED, OF_THEM, OF_THOSE
from rewright.ask.reading.asked_rows import rows_shown
from rewright.ask.reading.below import most_below
from rewright.ask.reading.carriers import both_ends, without_carriers
from rewright.ask.reading.clock import clocks_written
from rewright.ask.reading.coverage import covered, phrases
from rewright.ask.reading.definitions import defined_terms, stands_for
from rewright.ask.reading.done_by import joined_by_the_way
from rewright.ask.reading.evidence import by_pattern, defined, unread, written_out
from rewright.ask.reading.follow import changed, follows, goes_on, kept_words
from rewright.ask.reading.guards import guard, second_question
from rewright.ask.reading.intent import Intent
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.many_of_one import by_shared_names
from rewright.ask.reading.marked_values import MarkedValues
from rewright.ask.reading.modifiers import modified, modifiers
from rewright.ask.reading.none_of import none_or_some
from rewright.ask.reading.odd_names import spelled_plainly
from rewright.ask.reading.parsing import parse, without_presentation
from rewright.ask.reading.plain import plain
from rewright.ask.reading.ranking import SHARE, columns_in, kept
from rewright.ask.reading.ranks import ranked, ranking
from rewright.ask.reading.references import names_of_referred
from rewright.ask.reading.said_of_absent import said_of_absent
from rewright.ask.reading.said_terms import terms_said
from rewright.ask.reading.scope import Doubt, Scope
from rewright.ask.reading.sense import check
from rewright.ask.reading.shown import always_there
from rewright.ask.reading.spelled import as_spelled
from rewright.ask.reading.times_between import times_between
from rewright.ask.reading.turned_hints import called_by_hints, term_first
from rewright.ask.reading.turns import headcounts, joined_verbs, lengths, sorts_of_money, weekdays
from rewright.ask.reading.typed import typed_out
from rewright.ask.reading.unit_names import Unit, numbers_spelled_out, without_unit
from rewright.ask.reading.units import compared_in, shown_in
from rewright.ask.reading.writing import Written, write

# even a reading without any doubt may have misheard: no answer is called certain
_START = 0.97
_KEPT_READERS = 8
# a hint is there for a reason, so a reading that leaves one out is as doubtful as a value read afar
_HINT = 0.75
_DEFINED = 0.98
_OF_ALL, _RANKED = 0.85, 0.97
# a reading about as sure as those that are run is trusted to name the columns as well
_SURE = 0.7
_NARROW = 0.45
_WIDE = 1.13
"""How much of the usual share of columns is kept where a reading is sure, and where there is none."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A query, what it was taken to mean in plain words, how likely that is right (0 to 1), and what its
    words were linked to.

    ``doubts``: the decisions that lowered the confidence, the gravest first.
    """

    question: str
    sql: str
    plain: str
    confidence: float
    links: tuple[Link, ...] = ()
    intent: Intent = field(default_factory=Intent)
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """No reading: why in plain words, and what was linked all the same."""

    question: str
    why: str
    links: tuple[Link, ...] = ()


class Reader:
    """Reads questions over one context; made once for it. Not for several threads at once."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.linker = Linker(context)
        self.marked = MarkedValues(context)

    def read(
        self, question: str, *, evidence: str = "", previous: Reading | None = None
    ) -> Reading | Refusal:
        """See `read`."""
        found = self._as_said(question, evidence, previous)
        return replace(found, question=question)

    def _as_said(self, question: str, evidence: str, previous: Reading | None) -> Reading | Refusal:
        """``question`` of what is returned may be written out."""
        question, evidence = (spelled_plainly(text, self.context) for text in (question, evidence))
        question = self.marked.quoted(numbers_spelled_out(clocks_written(typed_out(question))))
        question, said = terms_said(question, self.context)
        evidence = f"{said}\n{evidence}" if said else evidence
        evidence = term_first(evidence, question, self.context)
        found = self._read(question, evidence, previous)
        # a unit that no column has is tried without it, the result then converted (`in hours`, of minutes)
        stripped = without_unit(question) if isinstance(found, Refusal) else None
        if stripped is None:
            return found
        again = self._read(stripped[0], evidence, previous, stripped[1])
        return found if isinstance(again, Refusal) else again

    def _read(
        self, question: str, evidence: str, previous: Reading | None, unit: Sequence[Unit] = ()
    ) -> Reading | Refusal:
        """``unit``: what the question, which speaks no more of it, wants its numbers in."""
        known = self.linker.vocabulary.known
        terms = defined_terms(question, evidence, self.context)
        terms.question = both_ends(
            without_carriers(terms.question, self.linker.vocabulary), self.linker.vocabulary
        )
        kept, wanted = modifiers(
            without_presentation(
                times_between(
                    weekdays(
                        lengths(
                            sorts_of_money(headcounts(as_spelled(terms.question, known), known), known), known
                        ),
                        known,
                    ),
                    known,
                )
            )
        )
        kept, place = ranking(kept, evidence)
        asked, done = written_out(joined_verbs(kept, known), evidence)
        links = stands_for(self.linker.link(asked), terms)
        said = phrases(links)
        scope = Scope(links, self.context, self.linker.vocabulary, asked)
        scope.called = called_by_hints(evidence, self.context)
        scope.hinted = frozenset(re.findall(r"\w+", evidence)) if evidence else frozenset()
        scope.doubt("a term defined by a hint", 0.95**done * _DEFINED**terms.done)
        scope.doubt("a hint that is not read", _HINT**terms.unread)
        scope.doubt("a hint that is not read", _HINT ** len(unread(question, evidence)))
        try:
            # two questions in one would be answered by half
            second_question(asked)
            if previous is None and any(said.match(asked) for said in (OF_THEM, OF_THOSE, LISTED)):
                raise Unclear("it is not clear of which of them that is asked")
            if previous is None and goes_on(asked):
                raise Unclear("it is not clear what that adds to: no question before it was answered")
            intent = self._follow_up(asked, previous) if previous is not None and follows(asked) else None
            scope.continued = intent is not None
            below = most_below(asked, scope) if intent is None and not evidence.strip() else None
            if below is not None:
                return _complete(question, below, write(below, self.context), links, scope)
            if intent is None:
                intent, _ = parse(links, scope, asked)
            intent = by_pattern(intent, evidence, self.linker.vocabulary)
            intent = ranked(modified(intent, wanted), place)
            scope.doubt("among which rows the rank is wanted", _RANKED if place is not None else 1.0)
            every = all_of_them(intent, links, self.context)
            scope.doubt("whether those without any are wanted", _OF_ALL if every != intent else 1.0)
            intent = every
            # from here each step may only narrow or complete: the rows and measures are settled
            intent = none_or_some(by_shared_names(intent, scope), self.context)
            intent = said_of_absent(names_of_referred(intent, links, scope), scope)
            # checks come before the conversions, which hide the columns that are looked at
            check(intent, links, scope)
            intent = compared_in(intent, asked, scope)
            intent = rows_shown(guard(intent, links, scope, asked), links, scope)
            always_there(intent, links, scope)
            intent = shown_in(intent, unit, scope) if unit else intent
            written = write(intent, self.context, scope.roles, scope.said())
            joined_by_the_way(written.tables, intent, scope)
            # last, on the SQL itself: each word of the question must have left a trace in it
            covered(said, scope, asked, written.sql)
        except Unclear as unclear:
            return Refusal(question, str(unclear), tuple(links))
        return _complete(question, intent, written, links, scope)

    def _follow_up(self, question: str, previous: Reading) -> Intent | None:
        """The reading before, changed; None where the question stands by itself."""
        asked = kept_words(question)
        links = self.linker.link(asked)
        # the words before count too: `and the cheapest?` is still said of the dishes of the question before
        scope = Scope(links, self.context, self.linker.vocabulary, f"{previous.question} {asked}")
        return changed(previous.intent, links, scope, question)

    def columns(self, question: str, *, evidence: str = "", share: float = SHARE) -> list[ColumnContext]:
        """Columns that the question may need, likeliest first, as many as a share of all (recall before
        precision).

        Fewer where the question has a reading: then those of the reading come first.
        """
        found = self.read(question, evidence=evidence)
        sure = isinstance(found, Reading) and found.confidence >= _SURE
        first = columns_in(found.intent, self.context) if isinstance(found, Reading) else []
        share = share * (_NARROW if sure else _WIDE)
        asked = f"{self.marked.quoted(written_out(question, evidence)[0])} {defined(question, evidence)}"
        links = self.linker.link(asked)
        return kept(
            asked,
            links,
            Scope(links, self.context, self.linker.vocabulary, asked),
            self.linker.nearness,
            share,
            first,
        )


def _complete(
    question: str, intent: Intent, written: Written, links: Sequence[Link], scope: Scope
) -> Reading:
    # the joins are only known when the query is written, so their doubt is the last
    scope.doubt(f"how {', '.join(t.name for t in written.tables)} are joined", written.likelihood)
    confidence = round(_START * scope.confidence, 3)
    doubts = tuple(sorted(scope.doubts, key=lambda doubt: doubt.worth))
    return Reading(question, written.sql, plain(intent), confidence, tuple(links), intent, doubts)


_readers: dict[int, Reader] = {}


def read(
    question: str, context: Context, *, evidence: str = "", previous: Reading | None = None
) -> Reading | Refusal:
    """The reading of a question over what the context describes. Never raises for what a question says.

    ``evidence``: hints that came with the question (definitions of terms). ``previous``: the reading that
    this question may follow up.
    """
    return reader_of(context).read(question, evidence=evidence, previous=previous)


def reader_of(context: Context) -> Reader:
    """The reader of a context; those of the contexts asked last are kept."""
    reader = _readers.get(id(context))
    # ids are used again after a context is gone: the identity of the one kept is what counts
    if reader is None or reader.context is not context:
        while len(_readers) >= _KEPT_READERS:
            _readers.pop(next(iter(_readers)))
        reader = _readers[id(context)] = Reader(context)
    return reader
