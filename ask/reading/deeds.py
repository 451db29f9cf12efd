"""Verbs that say what one does with another: `hosts who manage a station`, `customers who own a boat`.

Owns the doubt whether rows that are joined do it. Two rows have to do with each other by many ways, and few
of them are owning, managing or visiting. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.ask.context import TableContext
from rewright.ask.reading.agents import DOES
from rewright.ask.reading.intent import Intent
from rewright.ask.reading.intent_parts import aggregates_of, columns_of, tables_of
from rewright.ask.reading.joins import Step, Unclear, direct
from rewright.ask.reading.lexicon import RELATING
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root, stem
from rewright.lake import names
from rewright.sql.algebra import TableRef

_NAMED = frozenset(
    map(
        root,
        listed(
            "manage direct lead led design develop manufacture compose study studied visit supervise command "
            "live reside teach"
        ),
    )
)
"""What a row must say: that one refers to the other is no sign of it."""
_BELONGING = frozenset(
    map(
        root,
        listed(
            "own run ran operate employ host issue found submit publish write wrote written produce create"
        ),
    )
)
"""What is done by one to many: who does it is what the other refers to."""
_ANYWHERE = frozenset(
    map(root, listed("sell sold buy bought make made record recorded produce produced eat use used"))
)
"""What may be done to a thing anywhere, whatever place those that it refers to have."""
_PAID = frozenset(
    listed(
        "price amount total cost fee fare value quantity revenue premium paid sale order purchase invoice "
        "transaction"
    )
)
_EMPLOYED = frozenset(map(root, listed("work serve belong study")))
"""What one does for somebody, or somewhere, whom the rows name."""
_FAR = 2
_TRADED = frozenset(map(root, listed("sell sold buy bought purchase")))
_BE = frozenset(listed("is are was were be been being"))
_SAID_OF = frozenset({"table", "value", "quoted", "column"})
_FEW = 2
"""Columns of a table that only says which rows belong together, beside its keys."""
_ANOTHER_WAY = 0.78
_ELSEWHERE = 0.75


def deeds(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Doubts a verb of which the rows on the way between those it relates say nothing."""
    # `who designed it?` names nobody, so whoever is shown is the one who did
    shown = {t for e in intent.outputs for t in tables_of(e)} if scope.roles[:1] == ("who",) else set()
    measured = {c.table for e in intent.outputs for m in aggregates_of(e) for c in columns_of(m)}
    for at, verb in enumerate(links):
        if verb.mark == "relation" and _anywhere(links, at, scope):
            scope.doubt(f"whether {verb.text} is said of the place", _ELSEWHERE, once=True)
        if verb.mark != "relation":
            continue
        spoken = list(_who_and_what(links, at, scope))
        if any(_by_far(verb, who, what, scope) for who, what in spoken if who != what):
            scope.doubt(f"whether {verb.text} is how they belong together", _ANOTHER_WAY, once=True)
        if not _is_deed(verb):
            continue
        behind = [ref for link in links[at + 1 :] for ref in _of(link)]
        if not spoken and len(shown) == 1 and behind and not _named_by(verb, shown, behind[0], scope):
            scope.doubt(f"whether {verb.text} is how they belong together", _ANOTHER_WAY, once=True)
        for who, what in spoken:
            # `the total price of volumes sold by cloth`: what they cost is told
            priced = root(verb.word) in _TRADED and bool({who, what} & measured)
            if who != what and not priced and not _says_so(verb, who, what, scope):
                scope.doubt(f"whether {verb.text} is how they belong together", _ANOTHER_WAY, once=True)


def _anywhere(links: Sequence[Link], at: int, scope: Scope) -> bool:
    """`games sold in Germany` read as those of a publisher there: a thing that has no time of its own is sold
    elsewhere than where its publisher is.
    """
    value = links[at + 1] if at + 1 < len(links) else None
    before = [ref for link in links[:at] for ref in _of(link)]
    if value is None or value.mark != "value" or value.preposition != "in" or not before:
        return False
    thing, held = scope.context.table(before[-1]), {c.table for c, _ in value.values}
    happens = any(c.kind == "date" for c in scope.times(thing)) or thing.ref in held
    return (
        root(links[at].word) in _ANYWHERE and not happens and not _named_on_the_way(links[at], [*held], scope)
    )


def _is_deed(verb: Link) -> bool:
    """A verb that says what was done; one that the data does not hold may be any."""
    # known verbs hold whatever they were linked to: `run` may have met a column by chance
    if root(verb.word) in _NAMED | _BELONGING | _TRADED:
        return True
    done = verb.word.endswith(("ed", "ing")) and " " not in verb.word and verb.text.islower()
    # a verb that is a column, table or value of the data says itself what is meant; a date only says when
    dated = all(c.kind == "date" for c in verb.columns)
    return done and verb.word not in RELATING and dated and not (verb.tables or verb.values)


def _was_done(verb: Link, scope: Scope) -> bool:
    """Whether it was done to what stands before."""
    place = scope.roles.index(verb.word) if verb.word in scope.roles else 0
    return bool(_BE & set(scope.roles[max(0, place - 2) : place]))


def _leading(link: Link) -> str:
    """The preposition before a phrase, or that of `by each`; `per`, of what is grouped."""
    return link.word.split()[0] if link.mark == "each" and link.word != "each" else link.preposition


def _who_and_what(links: Sequence[Link], at: int, scope: Scope) -> Iterator[tuple[TableRef, TableRef]]:
    """Whoever does it and what it is done to: by their order, `by` before whoever does it."""
    before = [ref for link in links[:at] for ref in _of(link)]
    behind = [ref for link in links[at + 1 :] for ref in _of(link)]
    leading = _leading(links[at + 1]) if at + 1 < len(links) else ""
    by = leading == "by"
    done = links[at].word.endswith("ed")
    if leading not in {"", "by"} and root(links[at].word) in _BELONGING:
        return  # `papers published in Nature`: by whom is not said
    if leading not in {"", "by"} and _of_their_own(links[at + 1], before):
        return  # `customers who live in Brazil`, of customers with a country
    if before and behind:
        by_whom = by or not _was_done(links[at], scope) or links[at + 1].mark != "table"
        if by_whom:  # not `sites that were visited on a trip`
            # with two tables on both sides the nearest ones are meant
            yield (behind[0], before[-1]) if by else (before[-1], behind[0])
    elif len(set(before)) > 1:
        other = next(ref for ref in reversed(before) if ref != before[-1])
        # `which stations does Ann manage`; `merchants and the number of coupons issued`
        # behind another verb the order turns: `stations managed`, `stations .. does Ann manage`
        yield (other, before[-1]) if done else (before[-1], other)


def _of_their_own(value: Link, before: Sequence[TableRef]) -> bool:
    held = {c.table for c, _ in value.values} if value.mark in {"value", "quoted"} else set()
    return bool(before) and before[-1] in held


def _named_by(verb: Link, shown: set[TableRef], what: TableRef, scope: Scope) -> bool:
    """`who designed Garden House?`: somebody else than the house, or the house says who."""
    who = next(iter(shown))
    return _named_on_the_way(verb, [what], scope) if who == what else _says_so(verb, who, what, scope)


def _of(link: Link) -> list[TableRef]:
    if link.mark not in _SAID_OF:
        return []
    tables = {t.ref for t in link.tables[:1]} if link.mark == "table" else set()
    tables |= {c.table for c, _ in link.values} if link.mark in {"value", "quoted"} else set()
    tables |= {c.table for c in link.columns} if link.mark == "column" else set()
    # a phrase of several tables names nobody in particular
    return list(tables) if len(tables) == 1 else []


def _says_so(verb: Link, who: TableRef, what: TableRef, scope: Scope) -> bool:
    try:
        steps = direct(scope.context, who, what, scope.roles)
    except Unclear:
        # no way at all between them is refused elsewhere, not doubted here
        return True
    if scope.words(scope.context.table(who))[-1] in DOES.get(root(verb.word), ()):
        return True  # lecturers of courses teach them
    # some table or column on the way is called like the verb: the rows say it
    # `technicians who installed a lift`, by callouts: when it was installed says not by whom
    dated = set[TableRef]() if who in scope.told_by(what) else {c.table for c in verb.columns}
    tables = [who, *(s.new for s in steps if s.new not in dated)]
    if not steps or _named_on_the_way(verb, tables, scope):
        return True
    if root(verb.word) in _TRADED:
        # `publishers who sold the most games`: theirs they are, but nothing says that and when one was sold
        by_way = [s.new for s in steps[:-1]]
        sold = not by_way or any(_costs(ref, scope) for ref in by_way)
        return sold and any(_happens(s.new, scope) for s in steps)
    # `managed by` of two rows that only refer to each other: refusal of a guess
    if root(verb.word) in _NAMED:
        return False
    between = [scope.context.table(s.new) for s in steps[:-1]]
    pairs = all(_only_joins(t, who, what, scope) or _spoken_of(t, scope) for t in between)
    # what belongs is on the many side: a boat refers to its owner, not an owner to a boat
    return pairs and (bool(between) or root(verb.word) not in _BELONGING or _refers_to_whom(steps[0], who))


def _happens(ref: TableRef, scope: Scope) -> bool:
    """Whether rows have a date: a policy of an agent, no game of a publisher."""
    return any(c.kind == "date" for c in scope.times(scope.context.table(ref)))


def _costs(ref: TableRef, scope: Scope) -> bool:
    """Whether rows say what was paid: an order, no trip."""
    table = scope.context.table(ref)
    held = {w for c in table.columns if c.kind == "number" for w in scope.words(c)}
    return bool({*held, *scope.words(table)} & _PAID)


def _by_far(verb: Link, who: TableRef, what: TableRef, scope: Scope) -> bool:
    """`pilots who work for an agent`, by jobs in calls of ships that one looks after: tables lie between of
    which nobody speaks, and none says that.
    """
    try:
        steps = direct(scope.context, who, what, scope.roles)
    except Unclear:
        return False
    between = [s.new for s in steps[:-1] if not _spoken_of(scope.context.table(s.new), scope)]
    does = scope.words(scope.context.table(who))[-1] in DOES.get(root(verb.word), ())
    # the jobs that belong to an account, of pipelines of its repositories, are its own
    theirs = who in scope.told_by(what) or what in scope.told_by(who)
    far = len(between) > (1 if root(verb.word) in _EMPLOYED else _FAR) and not theirs and not does
    return far and not _named_on_the_way(verb, [who, *(s.new for s in steps)], scope)


def _named_on_the_way(verb: Link, tables: Sequence[TableRef], scope: Scope) -> bool:
    said = root(verb.word)
    for ref in tables:
        table = scope.context.table(ref)
        words = {*scope.words(table), *(w for c in table.columns for w in scope.words(c))}
        if said in {root(w) for w in words}:
            return True
    return False


def _only_joins(table: TableContext, who: TableRef, what: TableRef, scope: Scope) -> bool:
    """A table of pairs, called by what it joins or what is done: an authorship of authors, `writes`; no
    comment of theirs.
    """
    keys = {key.name for j in scope.context.joins if j.many.table == table.ref for key in j.keys}
    others = [c for c in table.columns if c.name not in keys and not c.key]
    ends = [stem(w) for ref in (who, what) for w in scope.words(scope.context.table(ref))]
    own = names.normal(table.ref.name).split()
    # a comment on an article joins two as well, but is called by neither
    called = all(any(w.startswith(end) for end in ends) or root(w) in _BELONGING for w in own)
    return len(keys) > 1 and len(others) <= _FEW and called


def _spoken_of(table: TableContext, scope: Scope) -> bool:
    return any(t.ref == table.ref for link in scope.links for t in link.tables[:1])


def _refers_to_whom(step: Step, who: TableRef) -> bool:
    return step.join.one.table == who
