"""What words say of the state of rows: what is open, unpaid, has left, was never done; verbs that say by
which key or at what time.

Owns turning them into conditions or marking them as relations. Must not know what a question asks for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.lacking import lacking
from rewright.ask.reading.lexicon import RELATING
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.shortened import cut_from
from rewright.ask.reading.words import listed, root

_ENDS_A_VERB = {"stop", "comma", "each", "or", "order"}
_PAST = frozenset(listed("paid sent sold built left made held lent bought taken given done"))
_OPEN = frozenset(listed("open ongoing running unfinished unresolved"))
_CONTRARY = {
    word: frozenset(map(root, others.split()))
    for pair in (
        "failed: passed", "public: private", "private: public", "indoor: outdoor", "outdoor: indoor",
        "inactive: active enabled", "closed: open", "offline: online", "online: offline",
        "dead: alive living", "domestic: international", "international: domestic", "internal: external",
        "external: internal", "manual: automatic automated", "disabled: enabled active",
        "voluntary: mandatory compulsory", "optional: required", "permanent: temporary",
        "temporary: permanent",
    )
    for word, _, others in (pair.partition(": "),)
}  # fmt: skip
"""Of which the one is true where a column of the other is not."""
_OF_A_WHOLE_NAME, _BE = frozenset({"failed"}), frozenset(listed("is has was"))
"""What is no contrary of a season_pass."""
_BY_MEANS = frozenset(listed("paid settled made sent done ordered booked delivered received submitted given"))
_MEANS = frozenset(listed("method means channel type mode way form medium"))
_WHAT_REFERS = 0.9
_PLACED = frozenset(listed("under over above below"))
_PLACING = frozenset(listed("in at for with under"))
_NEGATING = ("un", "in", "im", "ir", "il", "dis", "non")
_CLOSED = frozenset(map(root, listed("closed ended finished completed resolved")))


def still_so(links: Sequence[Link], scope: Scope) -> None:
    """`still open`, `still unpaid`, before anything else is made of these words."""
    _by_which_means(links, scope)
    lacking(links, scope)
    _open(links, scope)
    _still(links)
    _done_ones(links)


def _done_ones(links: Sequence[Link]) -> None:
    """`archived projects`, of projects with a date archived_at that most lack: those that have one."""
    for verb, noun in pairwise(links):
        held = (
            verb.mark in {"column", "relation"} and noun.mark == "table" and noun.glued and bool(verb.columns)
        )
        past = verb.word.endswith("ed") or verb.word in _PAST
        if not held or not past or " " in verb.word:
            continue
        # only of the noun's own rows, one date and nullable: `archived projects` lack no date if archived
        own = [c for c in verb.columns if c.table == noun.tables[0].ref]
        if len(own) == len(verb.columns) == 1 and own[0].kind == "date" and own[0].nulls:
            verb.mark, verb.fits = "done", {(own[0].table, own[0].name): 0.9}


def states(links: list[Link], scope: Scope) -> list[Link]:
    """The links, those that say a state marked as conditions."""
    _under_a_flag(links)
    _done(links, scope)
    _verbs_of_keys(links, scope)
    made = list(_undone(links, scope))
    _never_done(made, scope)
    return made


def sums_of_deeds(links: Sequence[Link]) -> None:
    """`how much was donated in 2024`, `total donated per region`: the amounts of the donations."""
    for total, verb in pairwise(links):
        past = verb.word.endswith("ed") or verb.word in _PAST
        if total.mark == "sum" and verb.mark == "relation" and past and verb.tables:
            total.text, verb.mark = "total amount", "table"


def _by_which_means(links: Sequence[Link], scope: Scope) -> None:
    """`paid by card`, of donations with a method: the verb says no more than the value."""
    for at, verb in enumerate(links[:-1]):
        by = links[at + 1] if links[at + 1].word == "by" and at + 2 < len(links) else None
        value = links[at + 1] if by is None else links[at + 2]
        if verb.mark != "unknown" or verb.word not in _BY_MEANS or value.mark not in {"value", "quoted"}:
            continue
        told = [c for c, _ in value.values if set(scope.words(c)) & _MEANS]
        if value.preposition in {"by", "with", "via", "in", "through"} and told:
            verb.mark = "relation"
            value.values = tuple((c, v) for c, v in value.values if c in told)
            if by is not None:
                by.mark = "relation"


def _open(links: Sequence[Link], scope: Scope) -> None:
    """`matters that are still open`, of matters with a date closed_on that these lack."""
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    spoken |= {table.ref for link in links if (table := scope.said_table(link)) is not None}
    for at, link in enumerate(links):
        # `open tickets` as a name of a status is read elsewhere; here only `that are open`
        told = link.verb or (at > 0 and links[at - 1].word == "still")
        if link.word not in _OPEN or not told or link.values or link.mark == "value":
            continue
        dates = [c for t in scope.context.tables if t.ref in spoken for c in t.columns if c.kind == "date"]
        ends = [c for c in dates if c.nulls and {root(w) for w in scope.words(c)} & _CLOSED]
        if len(ends) == 1:
            link.mark, link.columns, link.fits = "undone", (ends[0],), {}


def _still(links: Sequence[Link]) -> None:
    """`how many are still open`: the same where something says a state."""
    for word, state in pairwise(links):
        if word.word == "still" and word.mark == "unknown" and state.mark == "column" and state.values:
            state.mark = "value"
        if (
            state.word in {"currently", "now"}
            and state.mark == "unknown"
            and word.mark in {"value", "undone"}
        ):
            state.mark = "relation"
        # a state beside it makes `still` redundant; before anything else it says something of its own
        told = state.mark in {"value", "without", "not", "undone"} or {c.kind for c in state.columns} == {
            "boolean"
        }
        if word.mark == "unknown" and word.word in {"still", "currently", "now"} and told:
            word.mark = "relation"


def _verbs_of_keys(links: Sequence[Link], scope: Scope) -> None:
    """`has authored an appeal`, of filings with an author_id: the verb says by which key, nothing is shown;
    as `opened` of customers who opened tickets, with a time opened_at.
    """
    keys = {(key.table, key.name) for j in scope.context.joins for key in j.keys}
    for at, link in enumerate(links):
        if link.mark == "column" and link.word.endswith("ed") and 0 < at < len(links) - 1:
            later = {
                t.ref for other in links[at + 1 : at + 4] if other.mark == "table" for t in other.tables[:1]
            }
            dates = all(c.kind == "date" and c.table in later for c in link.columns)
            if dates and links[at - 1].mark == "table" and links[at - 1].tables[0].ref not in later:
                link.mark = "relation"
                continue
            timed = all(c.kind == "date" for c in link.columns)
            if (
                timed
                and links[at - 1].mark == "table"
                and _only_time(link, links[at - 1], links[at + 1 :], scope)
            ):
                link.mark = "relation"
                continue
        if 0 < at < len(links) - 1 and _is_placed(links[at - 1], link, links[at + 1]):
            link.mark = "relation"
            continue
        verb = link.mark == "column" and link.word.endswith("ed") and max(link.fits.values(), default=1) < 0.9
        if verb and all((c.table, c.name) in keys for c in link.columns):
            link.mark = "relation"


def _is_placed(rows: Link, verb: Link, where: Link) -> bool:
    """`how many employees work in Vienna`, of timesheets with a work_date: where they do, no time; `the
    interviews held in French`, of interviews with a time held_at.
    """
    said = verb.mark == "column" and verb.word in RELATING and rows.mark == "table"
    dates = said and all(c.kind == "date" for c in verb.columns)
    own = dates and any(c.table == rows.tables[0].ref for c in verb.columns)
    there = {"value", "quoted"} if own else {"value", "quoted", "table"}
    return dates and where.mark in there and where.preposition in _PLACING


def _only_time(verb: Link, noun: Link, behind: Sequence[Link], scope: Scope) -> bool:
    """`members joined in each branch in 2021`: a time is said further behind, and there is but one to say."""
    times = [i for i, link in enumerate(behind) if link.mark in {"moment", "between"}]
    if not times:  # `trips started in the Harbour district`: where, not when
        return scope.links[0].mark == "count" and behind[0].mark not in _ENDS_A_VERB
    return times[0] > 0 and list(verb.columns) == scope.times(noun.tables[0])


def _undone(links: Sequence[Link], scope: Scope) -> Iterator[Link]:
    """`unpaid invoices`, `undelivered orders`: what a column of truth or of dates does not say."""
    for link, behind in itertools.zip_longest(links, links[1:]):
        held = denied(link, scope)
        tables = {t.ref for t in behind.tables[:1]} if behind is not None and behind.glued else set()
        own = tuple(c for c in held if c.table in tables)
        measure = behind is not None and behind.mark == "column" and behind.glued
        if measure and behind is not None:
            own = tuple(c for c in held if all(c.table == other.table for other in behind.columns))
        # right before its noun it is a condition of these rows; elsewhere a lack of the column's word
        if len(own) == 1 and behind is not None and (measure or behind.mark == "table"):
            yield Link(link.text, "undone", columns=own, preposition=link.preposition)
        elif held:
            yield Link(link.text, "without", preposition=link.preposition)
            fits: dict[object, float] = {(c.table, c.name): 0.9 for c in held}
            prefix = next((p for p in _NEGATING if link.word.startswith(p)), "")
            text = link.text if link.word in _CONTRARY else link.text[len(prefix) :]
            yield Link(text, "column", columns=held, glued=True, fits=fits)
        else:
            yield link


def denied(link: Link, scope: Scope) -> tuple[ColumnContext, ...]:
    """The columns of yes or no, or of dates, whose contrary a word says."""
    if link.mark == "unknown" and link.word in _CONTRARY:
        return tuple(
            c
            for t in scope.context.tables
            for c in t.columns
            if c.kind == "boolean" and _CONTRARY[link.word] & {root(w) for w in scope.words(c)}
            # `failed` is the contrary of `passed` alone, not of season_pass_id
            if link.word not in _OF_A_WHOLE_NAME or len(set(scope.words(c)) - _BE) == 1
        )
    prefix = next((p for p in _NEGATING if link.word.startswith(p)), "")
    # shorter words begin so by chance: `under`, `until`, `input`
    if link.mark != "unknown" or not prefix or len(link.word) < 6:
        return ()
    said = root(link.word[len(prefix) :])
    dates = prefix == "un"  # `unpaid`, never `inpaid`
    return tuple(
        c
        for t in scope.context.tables
        for c in t.columns
        if said in {root(w) for w in scope.words(c)}
        # only `un` says that something was not done; `inactive` needs a flag
        and (c.kind == "boolean" or (dates and c.kind == "date" and c.nulls))
    )


def _done(links: list[Link], scope: Scope) -> None:
    """`meters that were removed`, of meters with a date `removed_on` that some lack: those that have one."""
    for at, verb in enumerate(links):
        after = links[at + 1].mark if at + 1 < len(links) and not links[at + 1].added else "stop"
        negated = at > 0 and links[at - 1].mark == "not"
        # `subscribers from Norway who cancelled`
        said_of = {"table", "value", "quoted"} if _who_did(links[at - 1 : at + 1], scope) else {"table"}
        left = verb.mark == "column" and verb.verb and at > 0 and links[at - 1].mark in said_of
        past = verb.word.endswith("ed") or verb.word in _PAST
        # a date to show is asked for with `the`; behind `that were` or `not` it tells which rows
        said = (verb.mark in {"relation", "column"} and past and (verb.mark == "relation" or negated)) or left
        if not said or after not in _ENDS_A_VERB:
            continue
        spoken = [link.tables[0].ref for link in links if link.mark == "table"]
        if verb.verb and links[at - 1].mark in {"value", "quoted"}:
            spoken += [table.ref for link in links[:at] if (table := scope.said_table(link)) is not None]
        held = tuple(c for c in verb.columns if c.kind == "date" and c.nulls and c.table in spoken)
        own = {root(w) for w in scope.words(held[0])} if len(held) == 1 else set()
        parts = verb.word.split("-")
        # the date's own word, or what it is cut from: `rmvd` of `removed`
        if own & {*map(root, parts), root(verb.word)} or any(cut_from(p, w) for p in parts for w in own):
            verb.mark, verb.columns, verb.fits = "done", held, {(held[0].table, held[0].name): 0.9}


def _under_a_flag(links: Sequence[Link]) -> None:
    """`species under quota`, of species with a flag of that name: nothing is compared."""
    for word, flag in pairwise(links):
        compares = word.mark in {"<", ">"} and word.word in _PLACED
        said = flag.mark == "column" and flag.glued and {c.kind for c in flag.columns} == {"boolean"}
        if compares and said:
            word.mark = "relation"


def _who_did(pair: Sequence[Link], scope: Scope) -> bool:
    """Whether a `who` stands between the two."""
    words = [link.word.split()[0] for link in pair if link.word.split()]
    place = scope.roles.index(words[-1]) if len(words) == 2 and words[-1] in scope.roles else 0
    return place > 0 and scope.roles[place - 1] == "who"


def _never_done(links: list[Link], scope: Scope) -> None:
    """`acts that have never performed`: a verb that says the name of a table, which has no row for them;
    `parts that were never used`, where only one table refers to parts.
    """
    for rows, absent, verb in zip(links, links[1:], links[2:], strict=False):
        never = absent.mark == "without" and absent.word.endswith("never") and verb.mark == "relation"
        ends = verb is links[-1] or links[links.index(verb) + 1].mark == "stop"
        if not never or not ends or verb.tables or verb.columns or rows.mark != "table":
            continue
        refer = {j.many.table for j in scope.context.joins if j.one.table == rows.tables[0].ref}
        if len(refer) == 1:
            table = scope.context.table(refer.pop())
            verb.mark, verb.tables, verb.fits = "table", (table,), {table.ref: 1.0}
            scope.doubt(f"what has not been {verb.text}", _WHAT_REFERS)
    for absent, verb in pairwise(links):
        if absent.mark == "without" and verb.mark == "relation" and verb.tables:
            verb.mark = "table"
        elif absent.mark == "without" and verb.mark == "relation" and _of_one_table(verb):
            verb.mark = "column"


def _of_one_table(verb: Link) -> bool:
    """`books that were never borrowed`, of loans with a date borrowed_on: the verb names what they lack."""
    own = {root(w) for w in verb.word.split()}
    dates = [c for c in verb.columns if c.kind == "date" and own & {root(w) for w in c.words}]
    return verb.word.endswith("ed") and len(dates) == 1
