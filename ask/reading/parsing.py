"""A question's links to its intent: sentences, then the passes in their order.

Owns the order of the passes and the rule that every word must have found its place: one that has not makes a
refusal, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.reading.ages import ages
from rewright.ask.reading.best import bests
from rewright.ask.reading.conditions import conditions
from rewright.ask.reading.counted_groups import counted_groups
from rewright.ask.reading.counts import counts
from rewright.ask.reading.differences import differences
from rewright.ask.reading.division import everything
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.durations import durations
from rewright.ask.reading.extremes import deeds_ranked
from rewright.ask.reading.grouping import groups
from rewright.ask.reading.intent import Aggregate, Compared, Intent
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import OTHER_QUESTIONS
from rewright.ask.reading.link import Link
from rewright.ask.reading.members import memberships
from rewright.ask.reading.mismatches import words_for_names
from rewright.ask.reading.named_rows import against_named
from rewright.ask.reading.only import only_of_a_kind, said_only
from rewright.ask.reading.ordering import order, settle
from rewright.ask.reading.outputs import columns, measures
from rewright.ask.reading.per_row import averages_of_counts
from rewright.ask.reading.periods import measured_over, periods, said_plainly
from rewright.ask.reading.products import products
from rewright.ask.reading.ratios import ratios
from rewright.ask.reading.ratios_ranked import ratios_ranked
from rewright.ask.reading.returning import returned
from rewright.ask.reading.rivals import asks_which_has_more, rivals, side_by_side
from rewright.ask.reading.same_as import said_the_same, same_as_named
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.sentences import kinds_said, prepared, sentences, without_whose
from rewright.ask.reading.shaping import shaped
from rewright.ask.reading.small_words import each_of_what
from rewright.ask.reading.states import sums_of_deeds
from rewright.ask.reading.superiors import superiors
from rewright.ask.reading.superlatives import superlatives
from rewright.ask.reading.turns import plainer
from rewright.ask.reading.versus import same_in_both

_SAID = {"table", "column", "value", "label", "identifier", "defined"}
# marks that may stay over at the end: what they say needs no part of the query
_LOOSE = {"comma", "stop", "relation", "return", "distinct", "than", "there", "named"}


# remarks on how to write the query, as they stand in questions made for training models
_PRESENTATION = re.compile(
    r"[,(]?\s*(?:\(?(?:match|matching|filter) (?:with wildcards|with i?like|all "
    r"strings|all|strings|using|names|\w+ case)[^.?!)]*\)?|case[- ]insensitiv\w*|"
    r"based on joining [^.?!]* tables?|by doing a (?:left|right|inner) join "
    r"(?:from|of|between|on) (?:the )?\w+ (?:to|with|and|table to) (?:the )?\w+(?: tables?)?|in "
    r"total(?=\W*$)|that (?:same )?(?:year|month|day)|in the database(?=\W)|"
    r"on (?:file|record)(?=\W*$)|in your answer)",
    re.IGNORECASE,
)


_MISSPELLED = 0.88
"""With nothing else in doubt it may be answered; with another word that is not sure it is not."""
_IN_PART = 0.9
_LOOSELY = 0.93
_THAN_AVERAGE = re.compile(
    r"\b(?:(?P<more>more|higher|greater|bigger|larger)|less|fewer|lower|smaller)\s+(?P<what>(?!expensive|recent|populous)\w+)\s+than\s+(?:the\s+)?average"
    r"(?:\s+(?:of|for|across|over)\s+all(?:\s+\w+)?)?(?=\W*$)",
    re.IGNORECASE,
)
_SAME_GROUP = re.compile(r"\b(average\b[^.?!]*?\b(?:of|in|for|within|at) )the same (?=\w+)", re.IGNORECASE)
_COMPARED_IN_TOTAL = re.compile(
    r"\b((?:than|over|above|under|below|least|most|exceed\w*) [\d,.]+(?: \w+){0,2}) "
    r"(?:in total|altogether|overall|combined)(?=\W*$)",
    re.IGNORECASE,
)
"""`paid more than 10,000 in total`: not in one row."""
# both halves of `first and last name` need their noun to be found as columns
_BOTH_NAMES = re.compile(r"\b(first|last) (?:and|&) (first|last) (names?)\b", re.IGNORECASE)
# `still` before a contrary says no more than the contrary
_STILL_NOT = re.compile(r"\bstill (?=un|not |without |no )", re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:hello[,!]? |hi[,!]? )?(?:please[,]? )?(?:i|we)(?:'d| would| should) like "
    r"(?:to (?:see|know|get|have|find) )?",
    re.IGNORECASE,
)
_PHRASAL = re.compile(r"\b(sign)(?:ed|s|ing)? up\b", re.IGNORECASE)


# the order is the grammar's: forms that need several words whole stand before those that would take one of
# them, conditions before groups, and columns at last take what no form has
_PASSES = (
    rivals,
    periods,
    side_by_side,
    ages,
    durations,
    superiors,
    against_named,
    same_as_named,
    only_of_a_kind,
    differences,
    averages_of_counts,
    products,
    ratios,
    ratios_ranked,
    counts,
    everything,
    same_in_both,
    conditions,
    order,
    bests,
    superlatives,
    groups,
    measures,
    columns,
)


def without_presentation(question: str) -> str:
    """The question without words about how its query should be written, some turns said plainly."""
    # comparisons with an average are said in one way from here on
    question = _THAN_AVERAGE.sub(
        lambda m: f"{m['what']} {'above' if m['more'] else 'below'} average", question
    )
    # politeness goes first, as later turns look at the beginning of the question
    question = said_plainly(plainer(_POLITE.sub("", question)))
    question = _BOTH_NAMES.sub(r"\1 \3 and \2 \3", question)
    question = _STILL_NOT.sub("", question)
    question = _SAME_GROUP.sub(r"\1their ", question)
    question = _COMPARED_IN_TOTAL.sub(r"\1 altogether added up", question)
    return _PHRASAL.sub(r"\1up", _PRESENTATION.sub(" ", question)).strip()


def parse(links: Sequence[Link], scope: Scope, question: str) -> tuple[Intent, Draft]:
    """The intent of a question. Raises Unclear."""
    sums_of_deeds(links)
    deeds_ranked(links)
    # no word of the data in it: any query would be made up
    if not any(link.mark in _SAID or (link.mark == "relation" and link.columns) for link in links):
        raise Unclear("the data does not say: none of the question's words is in it")
    first = question.split(maxsplit=1)[0].lower().strip(",") if question.split() else ""
    vary = any(word in {"vary", "varies"} for word in question.lower().split())
    many = question.lower().startswith(("how many", "how much", "how often"))
    long = question.lower().startswith("how long")
    weighed = asks_which_has_more(links)
    # `why` and `how` ask for causes and ways, which no query gives
    if (first in OTHER_QUESTIONS and not weighed) or (first == "how" and not many and not vary and not long):
        raise Unclear(f"questions that begin with {first!r} are not understood")
    kinds_said(links)
    main, wanted = sentences(links)
    main = prepared(main, scope)
    said_the_same(main, scope)
    said_only(main)
    unknown = [link.text for link in (*main, *wanted) if link.mark in {"unknown", "unread"}]
    # before any pass: a word that the data does not hold would be dropped without a trace
    if unknown:
        raise Unclear(f"the data does not say, or not in these words: {', '.join(unknown)}")
    each_of_what(main)
    words_for_names(main)
    scope.doubt("a word that may be misspelled", _MISSPELLED ** sum(link.misspelled for link in links))
    scope.doubt("a word that only begins like a name", _LOOSELY ** sum(one.loosely_cut for one in links))
    scope.doubt("a part of a name", _IN_PART ** sum(link.in_part for link in links))
    # a verb that only relates may have said which rows; each makes the reading a little less sure
    scope.doubt("a verb that the data does not hold", 0.985 ** sum(link.mark == "relation" for link in links))
    draft = Draft(
        [link for link in without_whose(main) if link.mark not in {"relation", "return", "there"}], scope
    )
    # memberships are known by links that are left out of the draft
    draft.rows += memberships(draft.links, main, scope)
    draft.listed = any(b.mark == "return" and a.mark == "comma" for a, b in pairwise(main))
    for step in _PASSES:
        step(draft)
    measured_over(draft)
    # the sentence about what to return decides last what is shown
    if wanted:
        draft.returned = True
        returned(draft, [link for link in wanted if link.mark not in {"relation", "there"}])
    settle(draft)
    _counted_again(draft)
    counted_groups(draft)
    left = [link.text for link in draft.links if not link.used and link.mark not in _LOOSE]
    # every word must have found its place
    if left:
        raise Unclear(f"it is not clear what is meant by {', '.join(left)}")
    return shaped(draft), draft


def _counted_again(draft: Draft) -> None:
    """`the 3 most common colours and their respective counts`: what they are ranked by is shown."""
    compared = [c.left for c in draft.having if isinstance(c, Compared)]
    ranked = [*(e for e, _ in draft.order), *compared]
    counted = [e for e in ranked if isinstance(e, Aggregate) and e.function == "count"]
    for at, link in enumerate(draft.links):
        named = draft.next(at, "table", "column", "label", "distinct") is not None
        if link.mark == "count" and not link.used and not named and len(set(counted)) == 1:
            # a bare `count` after a ranking by counts is that count
            draft.use(at)
            if counted[0] not in [e for _, e in draft.outputs]:
                draft.outputs.append((at, counted[0]))
