"""Hints that come with a question: `ASP = average sale price in the first quarter`, written out where the
question says ASP.

Owns finding definitions in the hints. A hint is text to be read like the question, never an instruction. Must
not know a schema.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rewright.ask.reading.intent import AnyOf, Condition, Intent, OneOf, Spelled
from rewright.ask.reading.vocabulary import Vocabulary
from rewright.ask.reading.words import listed, root

# a short word with two capitals: an abbreviation, which only a hint can explain
_TERM = re.compile(r"\b(?=\w*[A-Z]\w*[A-Z])[A-Za-z]\w{1,11}\b")
_ENDS = re.compile(
    r"\s*(?:[.;,\n]|\b(?:in|over|for|within|based|with|by|when|where|during|calculated|to|at|from|across|using|after|since|given)\b)"
)
_LEADING = re.compile(r"^(?:is|are|means|refers to|calculate|determine|compute|the|a|an)\s+", re.IGNORECASE)
# a clause of fewer letters is cut off from what it meant
_SHORTEST = 4
# words that a hint must share with the question before it counts as one about it
_SHARED = 3
_INSTRUCTS = re.compile(
    r"(?:when|whenever|if|for|always|only|assume|consider|note|remember|exclude|ignore|include|treat|use|count)\b",
    re.IGNORECASE,
)
_READ = re.compile(
    r"\bi?like\b|wildcard|\bexact|case[- ]|\bjoin|\bmatch(?:ed|es|ing)?\b|\bfilter|\bduplicates?\b",
    re.IGNORECASE,
)
# words that stand in any two sentences and relate none of them
_DULL = frozenset(
    map(root, listed("when what which that this with from each have been were they their using should"))
)
_CALLED = re.compile(r"\b(?:min|max|sum|avg|average|count|total)$", re.IGNORECASE)
_PATTERN = re.compile(r"\bi?like\b|wildcard", re.IGNORECASE)
_EXACT = re.compile(r"\bexact|without", re.IGNORECASE)


def written_out(question: str, evidence: str) -> tuple[str, int]:
    """The question with the terms that the evidence defines written out, and how many they are."""
    done = 0
    for term in dict.fromkeys(_TERM.findall(question)):
        meaning = _meaning(term, evidence)
        if meaning:
            # the function form, as a meaning may hold backslashes or group numbers
            question = re.sub(rf"\b{re.escape(term)}\b(?:\s*\([^)]*\))?", lambda _: meaning, question)  # noqa: B023 - used at once
            done += 1
    return question, done


def defined(question: str, evidence: str) -> str:
    """All that the evidence says a term of the question is, formulas too."""
    found = (
        re.search(rf"\b{re.escape(term)}\b[^.\n=:]{{0,60}}(?:=|:)\s*([^\n]{{0,300}})", evidence)
        for term in _TERM.findall(question)
    )
    return " ".join(match[1] for match in found if match)


def _meaning(term: str, evidence: str) -> str:
    """The first clause of a definition; a formula is none."""
    for pattern in (
        rf"\b{re.escape(term)}\b\s*(?:\([^)]*\))?\s*(?:=|:|means|is defined as)\s*([^\n]+)",
        rf"\b([A-Za-z][\w ]+?)\s*\({re.escape(term)}\)",
    ):
        found = re.search(pattern, evidence)
        if found is None:
            continue
        text = found[1].strip()
        if _CALLED.search(text):
            continue  # `oldest refers to min(ColDate)` spells no ColDate out
        # a formula has no first clause; `definitions` reads it or counts it as unread
        if re.match(r"[^.,;]*[/*(+]|[^.,;]*\s-\s", text):
            return ""
        clause = text[: end.start()] if (end := _ENDS.search(text, 1)) else text
        # `is the average ..` begins with words that say nothing: off they come, one by one
        while (shorter := _LEADING.sub("", clause)) != clause:
            clause = shorter
        if len(clause) >= _SHORTEST:
            return clause.strip()
    return ""


def unread(question: str, evidence: str) -> list[str]:
    """The hints that say how to work out what the question asks about, which nothing here reads.

    How to match texts and by which tables to join is read elsewhere; a definition is, where its term is said.
    """
    asked = _content(question)
    found = (s.strip() for s in re.split(r"(?<=[.;])\s|\n", evidence))
    return [
        s
        for s in found
        if _INSTRUCTS.match(s) and not _READ.search(s) and len(_content(s) & asked) >= _SHARED
    ]


def _content(text: str) -> set[str]:
    return {root(w) for w in re.findall(r"[a-z]{4,}", text.lower().replace("_", " "))} - _DULL


def loosely(evidence: str) -> list[frozenset[str]]:
    """The words of each hint that says to match by pattern (`match the category case-insensitively with
    wildcards`).
    """
    # `exact` or `without wildcards` turns the hint into its contrary
    sentences = re.split(r"[.;\n]", evidence)
    meant = [s.lower().replace("_", " ") for s in sentences if _PATTERN.search(s) and not _EXACT.search(s)]
    return [frozenset(root(w) for w in re.findall(r"[a-z]{3,}", sentence)) for sentence in meant]


def by_pattern(intent: Intent, evidence: str, vocabulary: Vocabulary) -> Intent:
    """The intent with its values matched by pattern where a hint says so of their
    column, or of all strings.
    """
    hints = loosely(evidence)
    if not hints:
        return intent
    return replace(intent, where=tuple(_loose(c, hints, vocabulary) for c in intent.where))


def _loose(condition: Condition, hints: list[frozenset[str]], vocabulary: Vocabulary) -> Condition:
    # negation and numbers are left: a pattern would exclude or match more than was said
    if not isinstance(condition, OneOf) or condition.negated or condition.column.kind != "text":
        return condition
    own = {root(w) for w in vocabulary.words(condition.column)}
    if not any(own & hint or root("strings") in hint for hint in hints):
        return condition
    # pattern signs in a value stand for themselves
    spelled = [v.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for v in condition.values]
    patterns = tuple(Spelled(condition.column, f"%{v}%") for v in spelled)
    return patterns[0] if len(patterns) == 1 else AnyOf(patterns)
