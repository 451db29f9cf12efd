"""A question's links made ready for the passes: sentences, and what words say of those beside them.

Owns what is decided of a link by its neighbours alone. Must not know what a question asks for.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.agents import agents
from rewright.ask.reading.ages import births
from rewright.ask.reading.beside_nouns import (
    attributes_behind,
    floors,
    kinds,
    numbered,
    ordinals,
    rates,
    rows_of_kinds,
)
from rewright.ask.reading.homonyms import (
    kinds_like_grammar,
    rows_like_values,
    verbs_like_values,
    verbs_of_subjects,
)
from rewright.ask.reading.how_much import how_much
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.key_roles import keys_of_values, verbs_of_keys
from rewright.ask.reading.lexicon import OUTCOMES
from rewright.ask.reading.link import Link
from rewright.ask.reading.lives import lives
from rewright.ask.reading.own_columns import verbs_of_rows
from rewright.ask.reading.own_rows import own_rows
from rewright.ask.reading.peoples import peoples
from rewright.ask.reading.products import times
from rewright.ask.reading.rows_ranked import most_paid, rows_ranked
from rewright.ask.reading.said_otherwise import times_of_rows, verbs_before_groups
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.states import states, still_so
from rewright.ask.reading.takings import takings
from rewright.ask.reading.times_over import times_over
from rewright.ask.reading.timing import SAME_TIMES
from rewright.ask.reading.verbs_of_columns import (
    referred_by_another,
    verbs_of_absence,
    verbs_of_numbers,
    years_of_verbs,
)
from rewright.ask.reading.words import listed, root
from rewright.lake import names

_BEFORE_NOUNS = frozenset(listed("have has had having with of for no any without the"))
_ON = frozenset(listed("on in at from to among between per each every all"))
_BE = frozenset(listed("is are was were be been being get gets got"))
_IN_TURN = frozenset(map(root, listed("open close begin end finish precede follow headline")))
_PLACES = frozenset(listed("position order sequence seq place rank turn ordinal"))
_ENDS_IT = frozenset({"stop", "comma", "moment"})
"""Behind these a participle says which rows: `coupons redeemed per shop`."""
# what little such a verb may still mean by itself: few questions are misread without it
_SIGNED_UP, _WHOSE_MONEY = 0.95, 0.95
_PAYING = frozenset(listed("paid pay pays charged charge charges"))
_BETWEEN, _PASSIVE = 0.93, 0.72
"""A verb between two tables that only relates them; one that may tell which rows are meant."""
_PARTICIPLES = frozenset(
    listed("built born sold held sent paid made left bought won lost spent taught written given taken driven")
)
"""What was done to a thing, no noun of it."""
# words that end what is to be returned: what follows them sorts or limits
_INSTRUCTIONS = {"order", "desc", "asc", "first", "last", "each"}

_KINDS = frozenset({"type", "kind", "category"})
_NUMBERS = frozenset({"value", "values", "figure", "figures"})
_AGENTS = ("er", "or", "ist", "ian", "person", "man", "woman")
_MEASURES = frozenset({"count", "sum", "avg", "max", "min", "median", "ratio", "percent", "share"})


def prepared(links: list[Link], scope: Scope) -> list[Link]:
    """The links of the question itself, those of verbs and roles marked as what they are. Raises Unclear."""
    # the order matters: each pass reads the marks that those before it left, so words that are grammar or
    # rows must lose their other meanings before verbs and then nouns are told by their neighbours
    kinds_like_grammar(links)
    verbs_before_groups(links, scope)
    times_of_rows(links, scope)
    peoples(links)
    rows_like_values(links, scope)
    verbs_like_values(links, scope)
    links = own_rows(takings(links, scope))
    verbs_of_rows(links, scope)
    verbs_of_absence(links)
    links = referred_by_another(links, scope)
    verbs_of_numbers(links, scope)
    years_of_verbs(links, scope)
    _nouns_of_values(links)
    _last_ones(links)
    links = _done_to_measures(links)
    _under_a_state(links)
    _signed_up(links, scope)
    _paid(links, scope)
    _what_for(links)
    births(links, scope)
    still_so(links, scope)
    lives(links, scope)
    times(links)
    times_over(links, scope)
    verbs_of_subjects(links, scope)
    _kinds_of_rows(links)
    _columns_of_rows(links)
    _flags_of_others(links)
    _times_compared(links)
    _shares_of_numbers(links)
    ordinals(links)
    _said_again(links)
    _said_of_the_best(links)
    _compounds(links, scope)
    _verbs_between(links, scope)
    keys_of_values(links, scope)
    verbs_of_keys(links, scope)
    _roles(links, scope)
    _verbs_of_times(links, scope)
    made = states(links, scope)
    _names_wanted(made)
    made = rows_of_kinds(numbered(floors(rates(made, scope)), scope), scope)
    made = most_paid(rows_ranked(made, scope), scope)
    return attributes_behind(how_much(agents(kinds(made, scope), scope), scope))


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
        # `list them in order of price` gives an order, not columns
        listed = part[0].mark == "return" and not any(link.mark == "order" for link in part[:2])
        # `return it.` names nothing to show, so it stays with the question
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
        # `the large ones' name`: a label right behind a value may be of the value's row or of the one asked
        # for
        if noun.mark == "label" and noun.glued and value.values and value.text.islower():
            raise Unclear(f"it is not clear whose {noun.text} is meant by {value.text}")
        named = {t.ref for t in noun.tables}
        of_table = tuple((c, v) for c, v in value.values if c.table in named)
        if of_table and value.mark in {"value", "quoted"} and noun.mark == "table" and noun.glued:
            value.values = of_table
            # `North Branch`: written as a name, the noun is a part of it and names no rows
            if noun.text[0].isupper():
                noun.mark = "relation"
        if (
            value.mark not in {"value", "quoted"}
            or noun.mark not in {"unknown", "column", "table"}
            or noun.used
        ):
            continue
        said = noun.word.rstrip("s")
        # the stem without s meets both `types` and a column's word `type`
        held = tuple((c, v) for c, v in value.values if said in c.words or noun.word in c.words)
        if held and noun.mark == "unknown":
            value.values, noun.mark = held, "relation"
        if noun.mark == "column" and noun.glued and value.preposition == "with" and not held:
            # `with gold status`: a value is named, not a column to show
            raise Unclear(f"{value.text} is no {noun.text} that the data holds")


def kinds_said(links: Sequence[Link]) -> None:
    """`for each storage type`, of a column `storage` that holds few texts: the noun says nothing more; nor
    does that of `a pressure value`.
    """
    for column, noun in pairwise(links):
        # a unique text names rows: `title type` would be another column, not the titles again
        kinds = column.mark == "column" and all(c.kind == "text" and not c.unique for c in column.columns)
        if kinds and noun.mark == "unknown" and noun.glued and noun.word.rstrip("s") in _KINDS:
            noun.mark = "relation"
        numbers = column.mark == "column" and all(c.kind == "number" and not c.key for c in column.columns)
        if numbers and noun.mark == "unknown" and noun.glued and noun.word in _NUMBERS:
            noun.mark = "relation"  # `the highest pressure value`


def _done_to_measures(links: list[Link]) -> list[Link]:
    """`the amount paid by card`, of payments with a date paid_on: no column beside the measure."""
    said = list[Link]()
    for measure, verb, by in zip(links, links[1:], links[2:], strict=False):
        past = verb.word.endswith("ed") or verb.word in _PARTICIPLES
        numbers = measure.mark == "column" and any(c.kind == "number" for c in measure.columns)
        tables = {c.table for c in measure.columns}
        dates = all(c.kind == "date" and c.table in tables for c in verb.columns)
        if (
            numbers
            and past
            and dates
            and verb.mark == "column"
            and by.mark == "each"
            and by.word in {"by", "per"}
        ):
            said.append(verb)
    # identity, not equality: two links of the same word may stand in one question
    return [link for link in links if not any(link is verb for verb in said)]


def _paid(links: Sequence[Link], scope: Scope) -> None:
    """`the total commission paid by each customer`, `who paid the most tax`, where the data says nothing of
    payments: the verb says no more than whose money it is.
    """
    # another word of paying is linked to data, so the data does speak of payments
    if any(root("paid") in {root(w) for w in link.word.split()} for link in links if link.mark != "unknown"):
        return
    for at, link in enumerate(links):
        if link.mark != "unknown" or link.word not in _PAYING or _speaks_of_it(link.word, scope):
            continue
        before = links[at - 1] if at else None
        # `paid the most tax`: the superlative stands between the verb and its number
        behind = next((o for o in links[at + 1 : at + 3] if o.mark not in {"top", "bottom"}), None)
        if any(o is not None and _is_number(o) for o in (before, behind)):
            link.mark = "relation"
            scope.doubt(f"whether {link.text} says which rows are meant", _WHOSE_MONEY)


def _speaks_of_it(verb: str, scope: Scope) -> bool:
    """Whether a name or a value of the data has the verb in it."""
    said = root(verb)
    # a value of the data: `payment status: paid` would be a condition that this drops
    texts = (v for t in scope.context.tables for c in t.columns for v in c.values)
    return said in map(root, scope.vocabulary.known) or any(
        said in map(root, text.lower().split()) for text in texts
    )


def _is_number(link: Link) -> bool:
    return link.mark == "column" and any(c.kind == "number" and not c.key for c in link.columns)


def _signed_up(links: Sequence[Link], scope: Scope) -> None:
    """`subscribed to the newsletter`, of a column of yes or no: the verb says no more than the column."""
    for verb, flag in pairwise(links):
        flags = flag.mark == "column" and all(c.kind == "boolean" for c in flag.columns)
        if (
            verb.mark == "unknown"
            and verb.word.endswith("ed")
            and flags
            and flag.preposition in {"to", "for", "in"}
        ):
            verb.mark = "relation"
            scope.doubt(f"whether {flag.text} says who {verb.text}", _SIGNED_UP)


def _what_for(links: Sequence[Link]) -> None:
    """`the reasons for leaving`, of a date: nothing to be shown beside the reasons. Raises Unclear."""
    for what, behind in pairwise(links):
        deed = behind.mark == "column" and behind.word.endswith("ing") and behind.preposition == "for"
        # `the number of hours for training` measures a number, which can be for something; a date cannot
        if deed and what.mark != "return" and all(c.kind == "date" for c in behind.columns):
            raise Unclear(f"it is not clear what {what.text} for {behind.text} is")


def _under_a_state(links: Sequence[Link]) -> None:
    """`berths that are under maintenance`: a value, nothing to compare with."""
    for below, value in pairwise(links):
        if below.word == "under" and below.mark == "<" and value.values and value.text.islower():
            below.mark = "relation"


def _last_ones(links: Sequence[Link]) -> None:
    """`their last appointment`: no duration, as of what lasts. Raises Unclear."""
    for last, noun in pairwise(links):
        if last.word == "last" and last.mark == "column" and noun.mark == "table" and noun.glued:
            raise Unclear(f"it is not clear which {noun.text} is the last")


def _kinds_of_rows(links: Sequence[Link]) -> None:
    """`which business categories`: the categories are meant, the word before only says of what."""
    for first, second in pairwise(links):
        # a plural first noun is a list of its own: `suppliers products` are two things
        singular = not first.word.endswith("s") or first.word.endswith("ss")
        if first.mark == second.mark == "table" and second.glued and singular:
            same = first.tables[:1] == second.tables[:1]
            first.mark = first.mark if same else "relation"


def _columns_of_rows(links: Sequence[Link]) -> None:
    """`for every ship type`, of vessels with a type: the noun only says of what."""
    for each, noun, column in zip(links, links[1:], links[2:], strict=False):
        if each.mark != "each" or noun.mark != "table" or column.mark != "column":
            continue
        own = tuple(c for c in column.columns if c.table == noun.tables[0].ref and not c.key)
        deed = column.word.endswith(("ed", "ing")) or column.word in _PARTICIPLES
        if own and noun.glued and column.glued and not deed and not noun.word.endswith("s"):
            noun.mark, column.columns = "relation", own


def _flags_of_others(links: Sequence[Link]) -> None:
    """`customers that are active`, of customers with that status where tickers may be active too; `pipelines
    that failed`, where reports count what failed.
    """
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    for link in links:
        # the value as the asked table holds it, in place of a flag of a table that nobody named
        own = tuple((c, v) for c, v in link.values if c.table in spoken)
        written = any(v == link.text for _, v in own)
        flags = link.mark == "column" and all(
            c.kind == "boolean" or (c.kind == "number" and written) for c in link.columns
        )
        # a flag of a spoken table is the nearer meaning and stays
        if flags and own and not any(c.table in spoken for c in link.columns):
            link.mark, link.values, link.columns, link.fits = "value", own, (), {}


def _times_compared(links: Sequence[Link]) -> None:
    """`filled after needed`: the verbs of two dates of one row."""
    for first, way, second in zip(links, links[1:], links[2:], strict=False):
        both = {c.table for c in first.columns} & {c.table for c in second.columns}
        verbs = first.mark == second.mark == "relation" and way.mark in {"after", "before"}
        # both dates in one row: only then is there one pair to compare
        if verbs and both and all(c.kind == "date" for c in (*first.columns, *second.columns)):
            for verb in (first, second):
                verb.mark, verb.fits = "column", {(c.table, c.name): 0.9 for c in verb.columns}


def _shares_of_numbers(links: Sequence[Link]) -> None:
    """`share of the units requested that were delivered`: of two numbers of a row the second is the part."""
    for at, link in enumerate(links):
        if link.mark not in {"share", "percent"} or at + 2 >= len(links):
            continue
        whole, part = links[at + 1 : at + 3]
        numbers = [c for c in (*whole.columns, *part.columns) if c.kind == "number" and not c.key]
        # each word must name one column, of one table and not the same, or the division is a guess
        held = len(whole.columns) == len(part.columns) == 1 and len({c.table for c in numbers}) == 1
        if whole.mark == "column" and part.mark == "relation" and held and len(set(numbers)) == 2:
            part.mark = "part"


def _said_again(links: Sequence[Link]) -> None:
    """`how many households were hit`, of a column `households_hit`: both words name the one column."""
    for first, second in pairwise(links):
        both = tuple(c for c in first.columns if c in second.columns)
        # a word that names its column exactly needs no second one: both then name different things
        partly = all(0 < max(link.fits.values(), default=0) < 0.9 for link in (first, second))
        # the same word twice names nothing new; two words with one set of columns narrow it only when it is
        # one
        one = first.word != second.word and (first.columns != second.columns or len(both) == 1)
        apart = second.glued or second.added
        if first.mark == second.mark == "column" and not apart and both and partly and one:
            first.columns, second.mark = both, "relation"
            first.fits = {(c.table, c.name): 0.95 for c in both}


def _said_of_the_best(links: Sequence[Link]) -> None:
    """`which club charges the highest fee`: the verb says no more than the column behind it."""
    for verb, best, column in zip(links, links[1:], links[2:], strict=False):
        same = verb.mark == column.mark == "column" and verb.columns == column.columns
        # a verb right behind its subject (`club charges`) has that subject; elsewhere it may be what is asked
        # for
        if same and best.mark in {"top", "bottom"} and verb.glued and verb.word.endswith(("s", "ed")):
            verb.mark, column.fits = "relation", {(c.table, c.name): 0.9 for c in column.columns}


def _compounds(links: list[Link], scope: Scope) -> None:
    """`population density`: of two columns side by side the second is meant."""
    for first, second in pairwise(links):
        if (
            first.mark == second.mark == "column"
            and second.glued
            # a plural, a participle or a verbal noun is no first part of a compound: `prices paid`, `cities
            # population`
            and not first.word.endswith("s")
            and not second.word.endswith(("ed", "ing"))
            and second.word not in _PARTICIPLES
            and set(_owners(first)) & set(_owners(second))
            # a flag before another column (`active members`) is a condition, not half of a name
            and (first.columns == second.columns or any(c.kind != "boolean" for c in first.columns))
        ):
            first.mark = "relation"
            scope.doubt("which of two columns is meant", 0.92)


def _owners(link: Link) -> list[object]:
    return [c.table for c in link.columns]


def _roles(links: list[Link], scope: Scope) -> None:
    """`home games`: the word of a key, which says by which of several keys to join."""
    keys = {(key.table, key.name) for j in scope.context.joins for key in j.keys}
    for word, table in itertools.pairwise(links):
        # an exact name of a column is that column, even where it is a key
        partial = word.mark == "column" and all(link_fit < 0.8 for link_fit in word.fits.values())
        if (
            partial
            and table.mark == "table"
            and table.glued
            and all((c.table, c.name) in keys for c in word.columns)
        ):
            word.mark = "relation"
            table.theirs = table.theirs or word.theirs


def _verbs_of_times(links: list[Link], scope: Scope) -> None:
    """`members who left in 2023`, of members with a date `cancelled`: the verb says which date is meant."""
    dates = [{root(w) for w in scope.words(c)} for t in scope.mentioned for c in scope.times(t)]
    for at, link in enumerate(links):
        # `between` may be followed by the subject before its verb: `between those who left`
        for verb in links[at + 1 : at + 4] if link.mark == "between" else ():
            if (told := _date_of_verb(verb, scope)) is not None:
                verb.mark, verb.columns, verb.values = "column", (told,), ()
                verb.fits = {(told.table, told.name): 0.9}
    for noun, verb, by, unit in zip(links, links[1:], links[2:], links[3:], strict=False):
        dates_only = verb.mark == "column" and all(c.kind == "date" for c in verb.columns)
        # `sent date` names the column itself, so it may be wanted
        alone = " " not in verb.text and "date" not in verb.word
        if dates_only and alone and noun.mark == "table" and by.mark == "each" and unit.mark == "unit":
            verb.mark = "relation"  # `parcels sent each month`: grouped by when they were
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
    if verb.mark == "relation" and (only := _only_date(verb)) is not None and only.table not in spoken:
        # the spoken table has a date with that verb, which is nearer than one of another table
        own = [c for t in spoken for c in scope.context.table(t).columns if c.kind == "date"]
        if not any(said in {root(w) for w in scope.words(c)} for c in own):
            return only  # `patients admitted in May`, of stays with a date admitted_on
    held = list(dict.fromkeys(c.table for c, _ in verb.values))
    # `people hired in 2019`, where applicants may have the stage `hired`: the time of those spoken of
    tables = held if verb.mark == "value" and (not spoken or set(held) & set(spoken)) else spoken
    columns = [c for t in tables for c in scope.context.table(t).columns]
    dates = [c for c in columns if c.kind == "date" or (c.kind == "number" and "year" in scope.words(c))]
    told = [c for c in dates if said in {root(w) for w in scope.words(c)}]
    # two dates of one verb (released_on, re_released_on): neither may be chosen
    return told[0] if len(told) == 1 else None


def _only_date(verb: Link) -> ColumnContext | None:
    return verb.columns[0] if len(verb.columns) == 1 and verb.columns[0].kind == "date" else None


def _names_wanted(links: list[Link]) -> None:
    """`with the name of the act`: a name that is to be shown. Raises Unclear where it is followed by none."""
    for at, link in enumerate(links):
        after = links[at + 1] if at + 1 < len(links) else None
        if link.mark != "named" or (after is not None and after.mark in {"value", "quoted", "number"}):
            continue
        # `with the name of ..` has its owner behind it; any other `named` needs a value to name
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
            # `red`, `seen`: short words end so by chance
            and len(link.word) > 4
        )
        if verb and at + 1 < len(links) and _says_the_column(link, links[at + 1], scope):
            link.mark = "relation"
            continue
        if (
            verb
            and before is not None
            and after is not None
            # farther apart another clause lies between, and the verb belongs to that
            and after - before <= 3
            and links[after].mark == "table"
        ):
            if after == at + 1 and _tells(link, links[after], scope):
                continue
            link.mark = "relation"
            # `the coupons redeemed per shop`: nothing follows that the verb could relate, so it tells which
            ends = links[at - 1].mark == "table" and (
                links[at + 1].mark in _ENDS_IT or links[at + 1].word == "per"
            )
            # `never returned a delivery`: what was never done is all that is asked
            ends = ends or links[at - 1].mark == "without"
            passive = _is_passive(link, links[at + 1], scope) or ends
            scope.doubt("a verb that the data does not hold", _PASSIVE if passive else _BETWEEN)
        elif link.mark == "relation" and 0 < at < len(links) - 1 and _says_a_place(link, scope):
            scope.doubt(f"whether {link.text} says which of them", _PASSIVE)


def _is_passive(verb: Link, behind: Link, scope: Scope) -> bool:
    """`tickets that were refunded for concerts`: what was done to them tells which are meant, unless it is
    said by whom.
    """
    at = scope.roles.index(verb.word) if verb.word in scope.roles else 0
    # said by whom (`refunded by agents`) it relates the two tables, as an active verb does
    return at > 0 and scope.roles[at - 1] in _BE and behind.preposition != "by"


def _says_a_place(verb: Link, scope: Scope) -> bool:
    """`which piece opened the concert`, where a table has the place of each."""
    if root(verb.word) not in _IN_TURN:
        return False
    numbers = [c for t in scope.context.tables for c in t.columns if c.kind == "number" and not c.key]
    return any(set(scope.words(c)) & _PLACES for c in numbers)


def _tells(word: Link, noun: Link, scope: Scope) -> bool:
    """`customers with damaged parcels`, `who have unsettled bills`: it says which parcels, and is no verb.

    `doctors that have prescribed treatments` have done so: behind `that have` stands a verb.
    """
    at = scope.roles.index(word.word) if word.word in scope.roles else 0
    before = scope.roles[at - 1] if at else ""
    if before in {"have", "has", "had"} and set(scope.roles[max(0, at - 2) : at - 1]) & {
        "that",
        "who",
        "which",
    }:
        # `that have unsettled bills`: no verb begins with un- there
        return word.word.startswith("un")
    # `on departing flights`: a preposition has a noun behind it, and what is said of that
    adverbial = before in _ON and word.word.endswith("ing")
    return noun.glued and (before in _BEFORE_NOUNS or adverbial or word.word.startswith("un"))


def _says_the_column(verb: Link, value: Link, scope: Scope) -> bool:
    """`tagged election`: the verb has the root of a word of the value's table or column."""
    said = root(verb.word)
    return value.mark in {"value", "quoted"} and any(
        said in {root(w) for w in (*scope.words(c), *names.normal(f"{c.table.name} {c.name}").split())}
        for c, _ in value.values
    )


def _never_so(links: Sequence[Link], at: int) -> bool:
    """`never been used by a flight`: by none."""
    # `never been used by a flight`: the `by` is part of the absence, not a grouping
    if at < 2 or at + 1 >= len(links) or links[at + 1].mark != "table":
        return False
    verb, absent = links[at - 1], links[at - 2]
    return verb.mark == "relation" and not verb.tables and not verb.columns and absent.mark == "without"


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
            told = at + 2 < len(links) and links[at + 2].mark in {"value", "quoted", "named"}
            if _never_so(links, at):
                continue
            if related and after is not None and after.mark == "table" and not plural and not told:
                # `the total sold by branch` groups; `paintings made by artist` tells whose: an agent's noun
                # decides
                measured = any(link.mark in _MEASURES for link in links[:at])
                if measured and after.glued and not after.word.endswith(_AGENTS):
                    kept.append(link)  # `the total volume sold by branch`, which does not sell
                    continue
                raise Unclear(f"it is not clear whether by {after.text} means for each")
            # `orders placed by more than 3 customers`: the count belongs to the agents
            compared = after is not None and after.mark in {">", "<", ">=", "<=", "="}
            # a plural agent is whose it is, but `the first orders by customers` ranks within each
            if (
                related
                or valued
                or (compared and at > 0 and links[at - 1].mark in {"relation", "column", "unknown"})
                or (plural and not ranked)
            ):
                continue
        kept.append(link)
    return kept
