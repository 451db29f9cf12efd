"""A question's links to its intent: sentences, then the passes in their order.

Owns the order of the passes and the rule that every word must have found its place: one that has not makes a
refusal, never a guess.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.linking import Link
from rewright.ask.reading.best import bests
from rewright.ask.reading.conditions import conditions
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Column, Expression, Intent, aggregates_of, tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import OTHER_QUESTIONS, OUTCOMES
from rewright.ask.reading.ordering import order, settle
from rewright.ask.reading.outputs import columns, groups, measures
from rewright.ask.reading.per_row import averages_of_counts
from rewright.ask.reading.ratios import ratios
from rewright.ask.reading.returning import returned
from rewright.ask.reading.rivals import asks_which_has_more, rivals
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.superlatives import superlatives
from rewright.ask.reading.words import root
from rewright.ask.reading.writing import key_of
from rewright.lake import names

_SAID = {"table", "column", "value", "label", "identifier"}
_LOOSE = {"comma", "stop", "relation", "return", "distinct", "than", "there", "named"}


_PRESENTATION = re.compile(
    r"[,(]?\s*(?:\(?(?:match|matching|filter) (?:with wildcards|with i?like|all "
    r"strings|all|strings|using|names|\w+ case)[^.?!)]*\)?|case[- ]insensitiv\w*|"
    r"based on joining [^.?!]* tables?|by doing a (?:left|right|inner) join [^.?!]*|of the week|in "
    r"total(?=\W*$)|that (?:same )?(?:year|month|day)|in the database(?=\W)|in your answer)",
    re.IGNORECASE,
)


_THAN_AVERAGE = re.compile(
    r"\b(?:(?P<more>more|higher|greater)|less|fewer|lower)\s+(?P<what>\w+)\s+than\s+(?:the\s+)?average"
    r"(?:\s+(?:of|for|across|over)\s+all(?:\s+\w+)?)?(?=\W*$)",
    re.IGNORECASE,
)
_PHRASAL = re.compile(r"\b(sign)(?:ed|s|ing)? up\b", re.IGNORECASE)


_PASSES = (
    rivals,
    averages_of_counts,
    ratios,
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
    question = _THAN_AVERAGE.sub(
        lambda m: f"{m['what']} {'above' if m['more'] else 'below'} average", question
    )
    return _PHRASAL.sub(r"\1up", _PRESENTATION.sub(" ", question)).strip()


def parse(links: Sequence[Link], scope: Scope, question: str) -> tuple[Intent, Draft]:
    """The intent of a question. Raises Unclear."""
    if not any(link.mark in _SAID for link in links):
        raise Unclear("the data does not say: none of the question's words is in it")
    first = question.split(maxsplit=1)[0].lower().strip(",") if question.split() else ""
    vary = any(word in {"vary", "varies"} for word in question.lower().split())
    many = question.lower().startswith(("how many", "how much", "how often"))
    weighed = asks_which_has_more(links)
    if (first in OTHER_QUESTIONS and not weighed) or (first == "how" and not many and not vary):
        raise Unclear(f"questions that begin with {first!r} are not understood")
    main, wanted = _sentences(links)
    _nouns_of_values(main)
    _compounds(main, scope)
    _verbs_between(main, scope)
    _roles(main, scope)
    _names_wanted(main)
    _never_done(main)
    unknown = [link.text for link in (*main, *wanted) if link.mark in {"unknown", "unread"}]
    if unknown:
        raise Unclear(f"the data does not say, or not in these words: {', '.join(unknown)}")
    scope.doubt("a word that may be misspelled", 0.93 ** sum(link.misspelled for link in links))
    scope.doubt("a verb that the data does not hold", 0.985 ** sum(link.mark == "relation" for link in links))
    draft = Draft(
        [link for link in _without_whose(main) if link.mark not in {"relation", "return", "there"}], scope
    )
    for step in _PASSES:
        step(draft)
    if wanted:
        draft.returned = True
        returned(draft, [link for link in wanted if link.mark not in {"relation", "there"}])
    settle(draft)
    left = [link.text for link in draft.links if not link.used and link.mark not in _LOOSE]
    if left:
        raise Unclear(f"it is not clear what is meant by {', '.join(left)}")
    return _intent(draft), draft


def _sentences(links: Sequence[Link]) -> tuple[list[Link], list[Link]]:
    """The question itself, and the sentence that says what to return."""
    parts: list[list[Link]] = [[]]
    for link in links:
        if link.mark == "stop":
            parts.append([])
        else:
            parts[-1].append(link)
    kept = [part for part in parts if part]
    main, wanted = list(kept[0]) if kept else [], list[Link]()
    for part in kept[1:]:
        listed = part[0].mark == "return" and not any(link.mark == "order" for link in part[:2])
        if listed and any(link.mark not in {"return", "comma"} for link in part):
            wanted += [*part, Link(",", "comma")]
        else:
            main += [Link(".", "stop"), *part]
    return main, wanted


def _nouns_of_values(links: list[Link]) -> None:
    """`Italian food` beside a column food_type: the noun of a value's column says which column is meant."""
    for value, noun in itertools.pairwise(links):
        named = {t.ref for t in noun.tables}
        of_table = tuple((c, v) for c, v in value.values if c.table in named)
        if of_table and value.mark in {"value", "quoted"} and noun.mark == "table" and noun.glued:
            value.values = of_table
            if noun.text[0].isupper():
                noun.mark = "relation"
        if (
            value.mark not in {"value", "quoted"}
            or noun.mark not in {"unknown", "column", "table"}
            or noun.used
        ):
            continue
        said = noun.word.rstrip("s")
        held = tuple((c, v) for c, v in value.values if said in c.words or noun.word in c.words)
        if held and noun.mark == "unknown":
            value.values, noun.mark = held, "relation"
        if noun.mark == "column" and noun.glued and value.preposition == "with" and not held:
            # `with gold status`: a value is named, not a column to show
            raise Unclear(f"{value.text} is no {noun.text} that the data holds")


def _compounds(links: list[Link], scope: Scope) -> None:
    """`population density`: of two columns side by side the second is meant."""
    for first, second in pairwise(links):
        if (
            first.mark == second.mark == "column"
            and second.glued
            and not first.word.endswith("s")
            and not second.word.endswith(("ed", "ing"))
            and set(_owners(first)) & set(_owners(second))
        ):
            first.mark = "relation"
            scope.doubt("which of two columns is meant", 0.92)


def _owners(link: Link) -> list[object]:
    return [c.table for c in link.columns]


def _roles(links: list[Link], scope: Scope) -> None:
    """`home games`: the word of a key, which says by which of several keys to join."""
    keys = {(j.many.table, j.many.name) for j in scope.context.joins}
    for word, table in itertools.pairwise(links):
        partial = word.mark == "column" and all(link_fit < 0.8 for link_fit in word.fits.values())
        if (
            partial
            and table.mark == "table"
            and table.glued
            and all((c.table, c.name) in keys for c in word.columns)
        ):
            word.mark = "relation"
            table.theirs = table.theirs or word.theirs


def _never_done(links: list[Link]) -> None:
    """`acts that have never performed`: a verb that says the name of a table, which has no row for them."""
    for absent, verb in pairwise(links):
        if absent.mark == "without" and verb.mark == "relation" and verb.tables:
            verb.mark = "table"


def _names_wanted(links: list[Link]) -> None:
    """`with the name of the act`: a name that is to be shown. Raises Unclear where it is followed by none."""
    for at, link in enumerate(links):
        after = links[at + 1] if at + 1 < len(links) else None
        if link.mark != "named" or (after is not None and after.mark in {"value", "quoted", "number"}):
            continue
        if not link.word.startswith("with ") or after is None or after.preposition != "of":
            raise Unclear(f"it is not clear what is meant by {link.text}")
        link.mark = "label"


def _verbs_between(links: list[Link], scope: Scope) -> None:
    """`doctors that prescribed treatments`: a verb between two joined tables relates them."""
    named = [i for i, link in enumerate(links) if link.mark in {"table", "column"}]
    for at, link in enumerate(links):
        before = next((i for i in reversed(named) if i < at), None)
        after = next((i for i in named if i > at), None)
        verb = (
            link.mark == "unknown"
            and link.word not in OUTCOMES
            and link.word.endswith(("ed", "ing", "en"))
            and len(link.word) > 4
        )
        if verb and at + 1 < len(links) and _says_the_column(link, links[at + 1], scope):
            link.mark = "relation"
            continue
        if (
            verb
            and before is not None
            and after is not None
            and after - before <= 3
            and links[after].mark == "table"
        ):
            link.mark = "relation"
            scope.doubt("a verb that the data does not hold", 0.93)


def _says_the_column(verb: Link, value: Link, scope: Scope) -> bool:
    """`tagged election`: the verb has the root of a word of the value's table or column."""
    said = root(verb.word)
    return value.mark in {"value", "quoted"} and any(
        said in {root(w) for w in (*scope.words(c), *names.normal(f"{c.table.name} {c.name}").split())}
        for c, _ in value.values
    )


def _without_whose(links: list[Link]) -> list[Link]:
    """The `by` that says whose left out: `written by`, `paintings by artists`, `by "Bo Lind"`."""
    kept = []
    ranked = any(link.mark in {"first", "last"} for link in links)
    for at, link in enumerate(links):
        if link.word == "by" and link.mark == "each":
            after = links[at + 1] if at + 1 < len(links) else None
            plural = (
                after is not None
                and after.mark == "table"
                and after.word.endswith("s")
                and not after.word.endswith("ss")
            )
            valued = after is not None and after.mark in {"value", "quoted"}
            related = at > 0 and links[at - 1].mark == "relation"
            told = at + 2 < len(links) and links[at + 2].mark in {"value", "quoted", "named", "moment"}
            if related and after is not None and after.mark == "table" and not plural and not told:
                raise Unclear(f"it is not clear whether by {after.text} means for each")
            if related or valued or (plural and not ranked):
                continue
        kept.append(link)
    return kept


def _who(draft: Draft) -> None:
    """`Who` asks for people: an identifier of something else is no answer."""
    if draft.scope.roles[:1] == ("who",) and draft.head is not None:
        labels = draft.scope.label(draft.head)
        if not any(c.kind == "text" and draft.scope.words(c)[-1] != "title" for c in labels):
            raise Unclear(f"it is not clear who is meant: {draft.head.ref.name} names no one")


def _kinds_asked(draft: Draft, outputs: Sequence[Expression]) -> bool:
    """`Which categories are there?`: each value once, where it is the values that are asked for, not whose
    they are.
    """
    only = outputs[0] if len(outputs) == 1 else None
    first = draft.links[0] if draft.links else None
    asked = draft.scope.roles[:1] in {("which",), ("what",)} and first is not None and first.mark == "column"
    tabled = any(link.mark == "table" for link in draft.links)
    listed = first is not None and first.mark == "column" and first.word.endswith("s") and not tabled
    return (
        (asked or listed)
        and isinstance(only, Column)
        and not only.column.unique
        and only.column in (first.columns if first else ())
    )


def _row_wise(draft: Draft) -> bool:
    """`for each aircraft code`: groups that are rows, so that nothing need be measured."""
    keys = [key_of(draft.scope.context.table(t)) for e in draft.groups for t in tables_of(e)]
    return all(isinstance(e, Column) and e.column in (k for k in keys if k) for e in draft.groups[:1])


def _not_by_row(
    draft: Draft, outputs: tuple[Expression, ...]
) -> tuple[tuple[Expression, ...], list[Expression]]:
    """`the average attendance per match`, a column of matches: the average over all, not of each row."""
    measures = [m for e in outputs for m in aggregates_of(e)]
    by_row = [
        m
        for m in measures
        if isinstance(m, Aggregate) and isinstance(m.of, ColumnContext) and m.of.table in draft.grouped_rows
    ]
    if not by_row:
        return outputs, draft.groups
    if len(by_row) < len(measures) or any(m.function != "avg" for m in by_row) or draft.having or draft.order:
        raise Unclear("each row would be measured by itself")
    kept = tuple(e for e in outputs if aggregates_of(e))
    return kept, [g for g in draft.groups if not set(tables_of(g)) & set(draft.grouped_rows)]


def _beside(draft: Draft, outputs: Sequence[Expression]) -> None:
    """A column after a measure that nothing joins to it in a list has no place there."""
    measures = [p for p, e in draft.outputs if aggregates_of(e)]
    for place, expression in draft.outputs:
        if not measures or place <= min(measures) or aggregates_of(expression) or expression in draft.groups:
            continue
        if 0 < place < len(draft.links) and not draft.returned and draft.links[place - 1].mark != "comma":
            raise Unclear(f"it is not clear what {draft.links[place].text} is beside a measure")
    del outputs


def _intent(draft: Draft) -> Intent:
    outputs = tuple(dict.fromkeys(e for _, e in sorted(draft.outputs, key=lambda pair: pair[0])))
    if not outputs:
        raise Unclear("it is not clear what is wanted")
    measured = any(aggregates_of(e) for e in (*outputs, *(e for e, _ in draft.order))) or draft.having
    if draft.groups and not measured and not _row_wise(draft):
        raise Unclear("groups without a measure")
    _beside(draft, outputs)
    _who(draft)
    outputs, draft.groups = _not_by_row(draft, outputs)
    counted = {m.of for e in outputs for m in aggregates_of(e) if hasattr(m, "of")}
    if counted & set(draft.grouped_rows):
        raise Unclear("each row would be measured by itself")
    return Intent(
        outputs,
        tuple(dict.fromkeys(draft.groups)) if measured else (),
        tuple(dict.fromkeys(draft.where)),
        tuple(dict.fromkeys(draft.having)),
        tuple(dict.fromkeys(draft.order)),
        draft.limit,
        draft.ties,
        (draft.distinct or _kinds_asked(draft, outputs)) and not measured,
        draft.head.ref if draft.head is not None else None,
        tuple(dict.fromkeys(draft.rows)),
        draft.best_of,
    )
