"""The place of each group by its measure, shown beside it: `the rank of each driver by total fare`,
`SR = sales rank ordered by total amount`.

Owns taking such words out of a question, and adding the rank to what it is read as. Rows that tie share a
place. Must not know a schema; raises Unclear where it is not clear by which measure rows are ranked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rewright.ask.reading.intent import Aggregate, Direction, Expression, Intent, Measured, Rank
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import Unclear

_BY = r"\b(?:by|based on|in terms of|according to|on) (?:(?:the|their|its|his|her) )?"
_DEFINED = (
    r"\b{term}\b\s*(?:\([^)]*\))?\s*(?:=|:|is|means)\s*(?P<meaning>[^\n.;]*\brank(?:s|ed|ing)?\b[^\n.;]*)"
    r"|\b[A-Za-z][\w ]*\({term}\)\s*(?:=|:|is|means)\s*(?P<backwards>[^\n.;]*\brank(?:s|ed|ing)?\b[^\n.;]*)"
)
# an abbreviation in capitals, as hints define them
_TERM = re.compile(r"\b[A-Z][A-Z\d]{1,7}\b")
_SAID = re.compile(
    r"\b(?:the |their |its )?(?:(?!and\b|or\b|the\b)\w+ )?\brank(?:ing)?"
    rf"(?: of (?:each|the|every|all) (?P<rows>\w+))? {_BY}(?P<by>[\w ]+?)"
    r"(?P<way>,? (?:in )?(?:descending|ascending)(?: order)?)?"
    r"(?=,| and\b| for each\b| for all\b| per\b|\s*[.;?]|\s*$)",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    rf"{_BY}(?P<by>\w+(?: \w+)*?)(?= (?:descending|ascending|in\b|for\b|from\b|where\b|within\b|with\b)|,|$)",
    re.IGNORECASE,
)
_NEXT_SENTENCE = re.compile(r"\s(?=(?:[A-Z][a-z]+ [a-z]|[A-Z]{2,}\b\s*[=(]))")
"""Hints often stand one behind the other without a full stop."""
_FUNCTIONS = {
    "number": "count",
    "count": "count",
    "total": "sum",
    "sum": "sum",
    "average": "avg",
    "avg": "avg",
}
_ASCENDING = re.compile(r"\bascending\b|\b(?:lowest|fewest|smallest|least)\b", re.IGNORECASE)
# ranked within something the window would need partitions, which this form has not
_OTHERWISE = re.compile(r"\bwithin\b|\bper\b|\bpartition", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranked ``by`` a measure, in words; ``alone``: the measure itself is not shown."""

    by: str
    way: Direction = "desc"
    alone: bool = False


def ranking(question: str, evidence: str) -> tuple[str, Ranking | None]:
    """The question without the rank that it asks for, its measure in the place where nothing else says it.

    >>> ranking("Return the name, total pay and PR for each shop", "PR = rank of each shop by total pay")
    ('Return the name, total pay for each shop', Ranking(by='total pay', way='desc', alone=False))
    """
    for term in dict.fromkeys(_TERM.findall(question)):
        found = re.search(_DEFINED.replace("{term}", term), evidence)
        meaning = (found["meaning"] or found["backwards"]) if found is not None else ""
        # the next definition may hold a `by` of its own
        meaning = _NEXT_SENTENCE.split(meaning)[0]
        by = _MEASURE.search(meaning) if meaning else None
        if by is not None and not _OTHERWISE.search(meaning):
            return _without(
                question, rf"\b{term}\b(?:\s*\([^)]*\))?", by["by"].strip(), _way(evidence, found)
            )
    said = _SAID.search(question) if re.search(r"\brank", question, re.IGNORECASE) else None
    # a rank that the question begins with is the answer, not an addition to it
    if said is None or said.start() == 0:
        return question, None
    way: Direction = "asc" if "asc" in (said["way"] or "") else "desc"
    text, found_by = _without(question, re.escape(said[0]), said["by"].strip(), way)
    # without groups the rank's own rows are the groups
    grouped = said["rows"] is None or re.search(r"\b(?:each|every|per|for all)\b", text) is not None
    return (text if grouped else f"{text.rstrip(' .?;')} for each {said['rows']}?"), found_by


def _way(evidence: str, found: re.Match[str] | None) -> Direction:
    """From the definition to the end of its line: `..., with rank 1 for the lowest amount`."""
    start = found.start() if found is not None else 0
    line = _NEXT_SENTENCE.split(evidence[start:].partition("\n")[0].partition(".")[0])[0]
    # highest first is what a rank is by default
    return "asc" if _ASCENDING.search(line) else "desc"


def _without(question: str, spelled: str, by: str, way: Direction) -> tuple[str, Ranking]:
    listed = re.compile(
        # where the measure is in the question too the rank is left out of the list, else it takes its place
        rf"(?:,? and|,)\s+(?:the |their )?{spelled}|\b(?:the |their )?{spelled}(?:,? and|,)\s+"
    )
    rest = listed.sub("", question)
    again = by.lower() in rest.lower()
    if rest != question and again:
        return " ".join(rest.split()), Ranking(by, way)
    return re.sub(spelled, lambda _: by, question), Ranking(by, way, alone=not again)


def ranked(intent: Intent, wanted: Ranking | None) -> Intent:
    """The intent with the rank that was asked for. Raises Unclear."""
    if wanted is None:
        return intent
    measure = _measure(intent, wanted.by)
    rank: Expression = Rank(measure, wanted.way)
    # a rank among the first ten rows or among all: the query could mean either
    if intent.best_of or intent.limit or intent.exists:
        raise Unclear("it is not clear among which rows the rank is wanted")
    kept = tuple(rank if e == measure and wanted.alone else e for e in intent.outputs)
    return replace(intent, outputs=kept if wanted.alone else (*kept, rank))


def _measure(intent: Intent, by: str) -> Expression:
    """What is shown of each group and fits the words it is ranked by."""
    measures = [e for e in intent.outputs if aggregates_of(e)]
    function = next((_FUNCTIONS[w] for w in by.lower().split() if w in _FUNCTIONS), "")
    # a word without a function fits any of the measures
    fitting = [e for e in measures if isinstance(e, Aggregate | Measured) and function in {e.function, ""}]
    if len(fitting) != 1 or not intent.groups:
        raise Unclear(f"it is not clear what is ranked by {by}")
    return fitting[0]
