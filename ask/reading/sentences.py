"""A question's links made ready for the passes: sentences, and what words say of those beside them.

Owns what is decided of a link by its neighbours alone. Must not know what a question asks for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.agents import agents
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import OUTCOMES
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.timing import SAME_TIMES
from rewright.ask.reading.words import root
from rewright.lake import names

_ENDS_A_VERB = {"stop", "comma", "each", "or", "order"}
_ORDINALS = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}
_MEASURES = {"avg", "sum", "min", "max", "median", "top", "bottom", "first", "last", "count"}
_INSTRUCTIONS = {"order", "desc", "asc", "first", "last", "each"}


def prepared(links: list[Link], scope: Scope) -> list[Link]:
    """The links of the question itself, those of verbs and roles marked as what they are. Raises Unclear."""
    _nouns_of_values(links)
    _still(links)
    _ordinals(links)
    _said_again(links)
    _compounds(links, scope)
    _verbs_between(links, scope)
    _roles(links, scope)
    _verbs_of_times(links, scope)
    _done(links, scope)
    _verbs_of_keys(links, scope)
    made = list(_undone(links, scope))
    _names_wanted(made)
    _never_done(made)
    return _attributes_behind(agents(made, scope))


def sentences(links: Sequence[Link]) -> tuple[list[Link], list[Link]]:
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
            end = next((i for i, link in enumerate(part) if link.mark in _INSTRUCTIONS), len(part))
            wanted += [*part[:end], Link(",", "comma")]
            if end < len(part):
                # `return the name, sorted by price`: what follows is said of the rows
                main += [Link(".", "stop"), *part[end:]]
        else:
            main += [Link(".", "stop"), *part]
    return main, wanted


def _nouns_of_values(links: list[Link]) -> None:
    """`Italian food` beside a column food_type: the noun of a value's column says which column is meant."""
    for value, noun in itertools.pairwise(links):
        if noun.mark == "label" and noun.glued and value.mark == "value" and value.text.islower():
            raise Unclear(f"it is not clear whose {noun.text} is meant by {value.text}")
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


def _ordinals(links: Sequence[Link]) -> None:
    """`the second highest price`: how many are passed over."""
    for ordinal, best in pairwise(links):
        if best.mark in {"top", "bottom"} and best.glued and ordinal.word in _ORDINALS:
            ordinal.mark, ordinal.number = "nth", str(_ORDINALS[ordinal.word])


def _still(links: Sequence[Link]) -> None:
    """`how many are still open`: the same where something says a state."""
    for word, state in pairwise(links):
        if word.word == "still" and word.mark == "unknown" and state.mark == "column" and state.values:
            state.mark = "value"
        told = state.mark in {"value", "without", "not"} or {c.kind for c in state.columns} == {"boolean"}
        if word.mark == "unknown" and word.word in {"still", "currently", "now"} and told:
            word.mark = "relation"


def _said_again(links: Sequence[Link]) -> None:
    """`how many households were hit`, of a column `households_hit`: both words name the one column."""
    for first, second in pairwise(links):
        both = tuple(c for c in first.columns if c in second.columns)
        partly = all(0 < max(link.fits.values(), default=0) < 0.9 for link in (first, second))
        one = first.word != second.word and (first.columns != second.columns or len(both) == 1)
        apart = second.glued or second.added
        if first.mark == second.mark == "column" and not apart and both and partly and one:
            first.columns, second.mark = both, "relation"
            first.fits = {(c.table, c.name): 0.95 for c in both}


def _compounds(links: list[Link], scope: Scope) -> None:
    """`population density`: of two columns side by side the second is meant."""
    for first, second in pairwise(links):
        if (
            first.mark == second.mark == "column"
            and second.glued
            and not first.word.endswith("s")
            and not second.word.endswith(("ed", "ing"))
            and set(_owners(first)) & set(_owners(second))
            and (first.columns == second.columns or any(c.kind != "boolean" for c in first.columns))
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


def _verbs_of_keys(links: Sequence[Link], scope: Scope) -> None:
    """`has authored an appeal`, of filings with an author_id: the verb says by which key, nothing is shown; as
    `opened` of customers who opened tickets, with a time opened_at.
    """
    keys = {(j.many.table, j.many.name) for j in scope.context.joins}
    for at, link in enumerate(links):
        if link.mark == "column" and link.word.endswith("ed") and 0 < at < len(links) - 1:
            later = {t.ref for other in links[at + 1 : at + 4] if other.mark == "table" for t in other.tables[:1]}
            dates = all(c.kind == "date" and c.table in later for c in link.columns)
            if dates and links[at - 1].mark == "table" and links[at - 1].tables[0].ref not in later:
                link.mark = "relation"
                continue
            timed = all(c.kind == "date" for c in link.columns)
            if timed and links[at - 1].mark == "table" and _only_time(link, links[at - 1], links[at + 1 :], scope):
                link.mark = "relation"
                continue
        verb = link.mark == "column" and link.word.endswith("ed") and max(link.fits.values(), default=1) < 0.9
        if verb and all((c.table, c.name) in keys for c in link.columns):
            link.mark = "relation"


def _only_time(verb: Link, noun: Link, behind: Sequence[Link], scope: Scope) -> bool:
    """`members joined in each branch in 2021`: a time is said further behind, and there is but one to say."""
    times = [i for i, link in enumerate(behind) if link.mark in {"moment", "between"}]
    if not times:  # `trips started in the Harbour district`: where, not when
        return scope.links[0].mark == "count" and behind[0].mark not in _ENDS_A_VERB
    return times[0] > 0 and list(verb.columns) == scope.times(noun.tables[0])


def _undone(links: Sequence[Link], scope: Scope) -> Iterator[Link]:
    """`unpaid invoices`, `undelivered orders`: what a column of truth or of dates does not say."""
    for link, behind in itertools.zip_longest(links, links[1:]):
        held = _denied(link, scope)
        tables = {t.ref for t in behind.tables[:1]} if behind is not None and behind.glued else set()
        own = tuple(c for c in held if c.table in tables)
        if len(own) == 1 and behind is not None and behind.mark == "table":
            yield Link(link.text, "undone", columns=own)
        elif held:
            yield Link(link.text, "without")
            fits: dict[object, float] = {(c.table, c.name): 0.9 for c in held}
            yield Link(link.text[2:], "column", columns=held, glued=True, fits=fits)
        else:
            yield link


def _denied(link: Link, scope: Scope) -> tuple[ColumnContext, ...]:
    if link.mark != "unknown" or not link.word.startswith("un") or len(link.word) < 6:
        return ()
    said = root(link.word[2:])
    return tuple(
        c
        for t in scope.context.tables
        for c in t.columns
        if said in {root(w) for w in scope.words(c)}
        and (c.kind == "boolean" or (c.kind == "date" and c.nulls))
    )


def _done(links: list[Link], scope: Scope) -> None:
    """`meters that were removed`, of meters with a date `removed_on` that some lack: those that have one."""
    for at, verb in enumerate(links):
        after = links[at + 1].mark if at + 1 < len(links) else "stop"
        left = verb.mark == "column" and verb.verb and at > 0 and links[at - 1].mark == "table"
        said = (verb.mark == "relation" and verb.word.endswith("ed")) or left
        if not said or after not in _ENDS_A_VERB:
            continue
        spoken = [link.tables[0].ref for link in links if link.mark == "table"]
        held = tuple(c for c in verb.columns if c.kind == "date" and c.nulls and c.table in spoken)
        if len(held) == 1 and root(verb.word) in {root(w) for w in scope.words(held[0])}:
            verb.mark, verb.columns, verb.fits = "done", held, {(held[0].table, held[0].name): 0.9}


def _never_done(links: list[Link]) -> None:
    """`acts that have never performed`: a verb that says the name of a table, which has no row for them."""
    for absent, verb in pairwise(links):
        if absent.mark == "without" and verb.mark == "relation" and verb.tables:
            verb.mark = "table"


def _attributes_behind(links: list[Link]) -> list[Link]:
    """`the average billable hours` as `the average hours, billable ones`: the noun stands beside its measure."""
    for at in range(1, len(links) - 1):
        measure, flag, noun = links[at - 1 : at + 2]
        told = flag.mark == "undone" or (
            flag.mark == "column" and all(c.kind == "boolean" for c in flag.columns)
        )
        if told and measure.mark in _MEASURES and noun.glued and noun.mark in {"column", "table"}:
            links[at], links[at + 1] = noun, flag
            flag.glued = False
    return links


def _verbs_of_times(links: list[Link], scope: Scope) -> None:
    """`members who left in 2023`, of members with a date `cancelled`: the verb says which date is meant."""
    dates = [{root(w) for w in scope.words(c)} for t in scope.mentioned for c in scope.times(t)]
    for at, link in enumerate(links):
        for verb in links[at + 1 : at + 4] if link.mark == "between" else ():
            if (told := _date_of_verb(verb, scope)) is not None:
                verb.mark, verb.columns, verb.values = "column", (told,), ()
                verb.fits = {(told.table, told.name): 0.9}
    for verb, when in pairwise(links):
        if when.mark == "moment" and (told := _date_of_verb(verb, scope)) is not None:
            verb.mark, verb.columns, verb.values = "column", (told,), ()
            verb.fits = {(told.table, told.name): 0.9}
        if verb.mark != "unknown" or when.mark != "moment":
            continue
        said = root(verb.word)
        kind = {r for verbs in SAME_TIMES if said in (roots := {root(w) for w in verbs}) for r in roots}
        if any(words & kind for words in dates):
            verb.mark = "relation"


def _date_of_verb(verb: Link, scope: Scope) -> ColumnContext | None:
    """`albums released in 2022`, of albums with a date released_on and a status `released`: the date."""
    if verb.mark not in {"value", "relation"} or verb.tables or not verb.text.islower():
        return None
    said, spoken = root(verb.word), [t.ref for t in scope.mentioned]
    tables = list(dict.fromkeys(c.table for c, _ in verb.values)) if verb.mark == "value" else spoken
    columns = [c for t in tables for c in scope.context.table(t).columns]
    dates = [c for c in columns if c.kind == "date" or (c.kind == "number" and "year" in scope.words(c))]
    told = [c for c in dates if said in {root(w) for w in scope.words(c)}]
    return told[0] if len(told) == 1 else None


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


def without_whose(links: list[Link]) -> list[Link]:
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
