"""Columns that a question names only in part, where they are all that it gets: `jobs`, by how many different
job_types there are; `the mentor`, by a mentor_id; `the weight`, by the fuel_tonnes.

Owns the doubts that make such a reading too unsure to be run. Of twelve wrong readings of such names, on
databases that nobody had seen before, ten showed or counted the column; a condition on it is mostly meant.
Must not know the grammar; adds doubts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.ask.context import ColumnContext
from rewright.ask.reading.adjectives import SAME
from rewright.ask.reading.asked_for import names_its_row
from rewright.ask.reading.intent import Aggregate, Column, Intent
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import PREFIX
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.shortened import cut_from
from rewright.ask.reading.unit_names import UNITS
from rewright.ask.reading.words import listed, root, stem

_AS_LIKELY = 0.75
_WHOLE = 0.9
"""From here on a phrase fits by all that a name says."""
_ADDS_NOTHING = frozenset(
    listed(
        "name names title label text value number amount address total count percent pct percentage rate "
        "level code score rating size quantity qty nm cd avg average mean min max"
    )
)
"""Last words of names that say no more than the word before them: a `city_name`, a `salary_amount`."""


_TIMES = frozenset(("date", "time", "day", "year"))


def partly_said(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Adds the doubts."""
    for column in _shown(intent):
        named = [link for link in _named_by(column, links) if not _names_the_row(link, column, scope)]
        if named and not any(_says_the_noun(link, column, scope) for link in named):
            scope.doubt(f"whether {column.name} is what is asked for", _AS_LIKELY, once=True)
    for column in _measured(intent):
        named = _named_by(column, links)
        if named and not any(_says_any(link, column, scope) for link in named):
            scope.doubt(f"whether {column.name} is what is measured", _AS_LIKELY, once=True)


def _named_by(column: ColumnContext, links: Sequence[Link]) -> list[Link]:
    """The phrases that name it; none where one says all of its name."""
    found = [link for link in links if column in link.columns and link.mark != "value"]
    whole = (_is_written_so(x, column) or (x.fit(column) >= _WHOLE and not x.loosely_cut) for x in found)
    return [] if any(whole) else found


def _is_written_so(link: Link, column: ColumnContext) -> bool:
    """Whether a phrase is the name as it stands, but for a prefix: `acctbal`, of s_acctbal."""
    said, name = "_".join(link.word.lower().split()), column.name.lower()
    prefix, _, rest = name.partition("_")
    return said == name or (said == rest and len(prefix) <= PREFIX)


def _names_the_row(link: Link, column: ColumnContext, scope: Scope) -> bool:
    """`donors`, of rows dnr with a dnr_no and a name: they are asked for, however they are told."""
    rows = link.tables[0] if link.tables else None
    return rows is not None and rows.ref == column.table and (column.key or names_its_row(column, scope))


def _shown(intent: Intent) -> Iterator[ColumnContext]:
    """What is listed or told apart."""
    for expression in intent.outputs:
        if isinstance(expression, Column):
            yield expression.column
    for measure in _measures(intent):
        if measure.function == "count" and measure.distinct and isinstance(measure.of, ColumnContext):
            yield measure.of


def _measured(intent: Intent) -> Iterator[ColumnContext]:
    for measure in _measures(intent):
        if measure.function != "count" and isinstance(measure.of, ColumnContext):
            yield measure.of


def _measures(intent: Intent) -> Iterator[Aggregate]:
    for expression in (*intent.outputs, *(e for e, _ in intent.order)):
        yield from (m for m in aggregates_of(expression) if isinstance(m, Aggregate))


def _says_the_noun(link: Link, column: ColumnContext, scope: Scope) -> bool:
    """Whether a phrase says the last word of a name that tells what it is: not the `type` of a job_type."""
    # `premiere dates`, of a premiered_on
    if column.kind == "date" and _TIMES & {stem(w) for w in link.word.split()}:
        return _says_any(link, column, scope)
    words = [w for w in scope.words(column) if w not in UNITS] or list(scope.words(column))
    while len(words) > 1 and words[-1] in _ADDS_NOTHING:
        words.pop()
    return _says(link, words[-1])


def _says_any(link: Link, column: ColumnContext, scope: Scope) -> bool:
    """Whether a phrase says any word of a name beside its unit."""
    return any(_says(link, word) for word in scope.words(column) if word not in UNITS) or all(
        word in UNITS for word in scope.words(column)
    )


def _says(link: Link, word: str) -> bool:
    said = {form for w in link.word.split() for form in (stem(w), root(w), *map(stem, SAME.get(stem(w), ())))}
    meant = {stem(word), root(word), *map(stem, SAME.get(stem(word), ()))}
    return bool(meant & said) or any(cut_from(w, word) for w in link.word.split())
