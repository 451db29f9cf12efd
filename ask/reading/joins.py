"""Ways between tables: the cheapest tree of joins that reaches all that a query names.

Owns the choice; where two ways are as good, the words that name a role decide (home team, from airport), or
it is unclear.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rewright.ask.context import Context, Join
from rewright.ask.reading.role_words import role
from rewright.ask.reading.words import stem
from rewright.lake import names
from rewright.sql.algebra import TableRef

_STEP = 0.97
"""Each join makes a reading a little less likely."""
PREFIX = 2
"""Letters that all names of a table's columns may begin with."""
_SAID_STEP = 0.99
"""One to a table that the question speaks of, less so."""
_LONGEST_WAY = 5
_BY_PLACE = 0.93
"""The way from what is said right before, of ways as good."""
_BARE_KEY = 0.93
"""The `doctor_id` of an appointment, beside its referring_doctor_id of which nobody speaks."""
_ROLE_UNSAID = 0.75
"""A key that says a role (`lead_employee_id`) that the question does not, while a table between leads there
too.
"""
_UNDECLARED = 0.75
_UNTELLING = {"by"}
"""`approved_by`: not said by every `sorted by`."""
_STRAIGHT = 0.95
"""The way through rows that refer to both, where what both refer to leads there too."""
_SHORT_ROOT = 5
_BY_THE_DEED = 0.95
"""The way through rows called like what was done, where a shorter one is by a role of which nobody speaks."""
_ANOTHER_EVENT = 0.8
"""A way through rows of something that happened, where another such way is a table longer."""
_MOSTLY_NONE = 0.75
"""A way by a key that most rows lack."""
_SIBLINGS = 0.75
"""A way through what two tables refer to, of which nobody spoke: `batches` and `deliveries` of one beer."""


class Unclear(Exception):
    """The question is not answered; the message says why, in plain words."""


@dataclass(frozen=True, slots=True)
class Step:
    """``new`` is reached by ``join``; it multiplies rows where many of its rows meet one."""

    new: TableRef
    join: Join

    @property
    def multiplies(self) -> bool:
        return self.join.many.table == self.new and not self.join.single


def path(
    context: Context,
    start: TableRef,
    targets: Iterable[TableRef],
    roles: Sequence[str] = (),
    said: Sequence[TableRef] = (),
) -> tuple[list[Step], float]:
    """Steps from ``start`` to all targets, and how likely they are meant. Raises Unclear.

    ``roles``: words of the question, by which one of several keys to the same table is chosen. ``said``:
    tables in the order in which the question speaks of them, by which one of several ways is.
    """
    reached, steps, likelihood = [start], list[Step](), 1.0
    wanted = list(targets)
    # `members who rated games`: ratings first, which refer to both, or another way between these would be met
    for target in sorted(wanted, key=lambda ref: not _between(context, ref, {start, *wanted})):
        way, chance = _way(context, reached, target, roles, said)
        likelihood *= chance * (_SIBLINGS if _among_siblings(way, start, said) else 1.0)
        likelihood *= _MOSTLY_NONE if _loses_most(context, way, said) else 1.0
        for step in way:
            likelihood *= _declared(context, step.join) * (_SAID_STEP if step.new in said else _STEP)
            steps.append(step)
            reached.append(step.new)
    return steps, likelihood


def _between(context: Context, ref: TableRef, others: set[TableRef]) -> bool:
    return len({j.one.table for j in context.joins if j.many.table == ref} & (others - {ref})) > 1


def _loses_most(context: Context, way: Sequence[Step], said: Sequence[TableRef]) -> bool:
    """`transactions per merchant`, by coupons, of which nobody spoke and most transactions have none."""
    return any(
        not step.multiplies
        and step.new not in said
        and step.join.many.nulls * 2 > context.table(step.join.many.table).rows
        for step in way[:-1]
    )


def _declared(context: Context, join: Join) -> float:
    """Found in the data beside keys that are declared: that two texts agree tells little."""
    named = join.one.key or any(set(names.words(key.name)[-1:]) & names.KEY_WORDS for key in join.keys)
    if join.likelihood < 1 and not named and any(other.likelihood == 1 for other in context.joins):
        return join.likelihood * _UNDECLARED
    return join.likelihood


def _among_siblings(way: Sequence[Step], start: TableRef, said: Sequence[TableRef]) -> bool:
    up = [step.new for step in way if not step.multiplies]
    return any(
        step.multiplies and step.join.one.table in up and step.join.one.table not in (*said, start)
        for step in way
    )


def _way(
    context: Context,
    reached: list[TableRef],
    target: TableRef,
    roles: Sequence[str],
    said: Sequence[TableRef] = (),
) -> tuple[list[Step], float]:
    if target in reached:
        return [], 1.0
    level: list[tuple[TableRef, list[Step]]] = [(ref, []) for ref in reached]
    seen = set(reached)
    for _ in range(_LONGEST_WAY):
        after = [
            (step.new, [*way, step])
            for ref, way in level
            for step in _steps(context, ref)
            if step.new not in seen
        ]
        ways = [way for ref, way in after if ref == target]
        if ways:
            if (named := _by_the_deed(context, after, target, ways, roles)) is not None:
                return named, _BY_THE_DEED
            way, chance = _best(ways, target, roles, said)
            if (len(ways) == 1 and _unsaid_role(way, roles) and _another(context, after, target)) or (
                len(ways) == 1 and _in_a_role(way, roles) and _paired(context, after, target)
            ):
                chance *= _ROLE_UNSAID
            if _another_event(context, after, way, target, said):
                chance *= _ANOTHER_EVENT
            return way, chance
        seen |= {ref for ref, _ in after}
        level = after
    raise Unclear(f"nothing joins {target.name} to {reached[0].name}")


def _unsaid_role(way: Sequence[Step], roles: Sequence[str]) -> bool:
    said = {role(word) for word in roles}
    for step in way:
        own = _words_of(step.join) - {role(w) for w in names.KEY_WORDS}
        whose = {role(w) for w in names.words(step.join.one.table.name)}
        whose |= {role(w) for _, one in step.join.pairs for w in names.words(one.name)}
        if own & whose and (own - whose) and not (own - whose) & said:
            return True
    return False


def _by_the_deed(
    context: Context,
    after: Sequence[tuple[TableRef, list[Step]]],
    target: TableRef,
    ways: Sequence[list[Step]],
    roles: Sequence[str],
) -> list[Step] | None:
    """`volunteers who attended a course`, of courses with a trainer_id: by the course_attendance, which is
    called like what they did.
    """
    said = {role(word) for word in roles}
    if not all(_in_a_role(way, roles) for way in ways):
        return None
    longer = [
        [*way, step]
        for ref, way in after
        if ref != target
        for step in _steps(context, ref)
        if step.new == target
    ]
    ends = {role(w) for ref in (_begins_at(ways[0]), target) for w in names.words(ref.name)}
    deeds = said - ends
    found = [
        way
        for way in longer
        if any(_akin(role(w), deed) for s in way[:-1] for w in names.words(s.new.name) for deed in deeds)
    ]
    return found[0] if len(found) == 1 else None


def _in_a_role(way: Sequence[Step], roles: Sequence[str]) -> bool:
    """Whether it goes by a key that says a role of which the question does not speak."""
    said = {role(word) for word in roles}
    return any(role_words(s.join) and not role_words(s.join) & said for s in way)


def _paired(context: Context, after: Sequence[tuple[TableRef, list[Step]]], target: TableRef) -> bool:
    """Whether rows called by one of both lead there too: a mission_participant, of missions with a leader."""
    return any(
        step.new == target
        and way[-1].multiplies
        and not step.multiplies
        and {role(w) for end in (_begins_at(way), target) for w in names.words(end.name)}
        & {role(w) for w in names.words(ref.name)}
        for ref, way in after
        if ref != target and len(way) == 1
        for step in _steps(context, ref)
    )


def _akin(one: str, other: str) -> bool:
    """`participant` and `particip`, of participated."""
    shorter, longer = sorted((one, other), key=len)
    return one == other or (len(shorter) > _SHORT_ROOT and longer.startswith(shorter))


def _another_event(
    context: Context,
    after: Sequence[tuple[TableRef, list[Step]]],
    way: Sequence[Step],
    target: TableRef,
    said: Sequence[TableRef],
) -> bool:
    """`members who borrowed titles`: by holds, of which nobody spoke, where loans of copies lead there
    too.
    """
    events = {step.new for step in way[:-1] if step.multiplies and step.new not in said}
    if not events:
        return False
    longer = (
        [*other, step]
        for ref, other in after
        if ref != target
        for step in _steps(context, ref)
        if step.new == target
    )
    return any(
        any(step.multiplies for step in other[:-1])
        and not events & {step.new for step in other}
        and not _through_a_parent(other)
        for other in longer
    )


def _another(context: Context, after: Sequence[tuple[TableRef, list[Step]]], target: TableRef) -> bool:
    """Whether one table more leads to the target too."""
    return any(step.new == target for ref, _ in after if ref != target for step in _steps(context, ref))


def _steps(context: Context, ref: TableRef) -> list[Step]:
    found = []
    for join in context.joins:
        if join.many.table == ref and join.one.table != ref:
            found.append(Step(join.one.table, join))
        elif join.one.table == ref and join.many.table != ref:
            found.append(Step(join.many.table, join))
    return found


_NEARLY, _RIVAL = 0.75, 0.75
"""Of a way that was found in the data, where another is nearly as likely."""


def _best(
    ways: list[list[Step]], target: TableRef, roles: Sequence[str], near: Sequence[TableRef]
) -> tuple[list[Step], float]:
    def likely(way: list[Step]) -> float:
        product = 1.0
        for step in way:
            product *= step.join.likelihood
        return product

    best = max(map(likely, ways))
    kept = [way for way in ways if likely(way) >= best - 0.01]
    rivals = [way for way in ways if way not in kept and likely(way) >= _NEARLY * best]
    if len(kept) == 1:
        return kept[0], _RIVAL if best < 1 and _another_way(kept[0], rivals, near) else 1.0
    # words that name the ends of the way say no role
    ends = {stem(w) for ref in (_begins_at(kept[0]), target) for w in names.words(ref.name)}
    said = {role(word) for word in roles if stem(word) not in ends}
    told = [way for way in kept if _told(way, kept, said)]
    if len(told) == 1:
        return told[0], 0.95
    through = [
        sum(any(role(w) in said for w in names.words(step.new.name)) for step in way[:-1]) for way in kept
    ]
    if max(through) > 0 and through.count(max(through)) == 1:
        return kept[through.index(max(through))], 0.95
    through = [sum(step.new in near for step in way[:-1]) for way in kept]
    if max(through) > 0 and through.count(max(through)) == 1:
        return kept[through.index(max(through))], 0.95
    # a member's favorite_game_id is not said by `rated a game`
    plain = [way for way in kept if not _unsaid_role(way, roles)]
    if len(plain) == 1:
        return plain[0], _BARE_KEY
    beside = [way for way in kept if _begins_at(way) == _said_before(target, near)]
    if len(beside) == 1:
        return beside[0], _BY_PLACE
    bare = [way for way in kept if not any(role_words(step.join) for step in way)]
    if len(bare) == 1:
        return bare[0], _BARE_KEY
    # reviews with an employee_id and a reviewer_id: whose they are
    plainly = [way for way in bare if all(_says_its_table(step.join) for step in way)]
    if len(plainly) == 1:
        return plainly[0], _BARE_KEY
    straight = [way for way in kept if not _through_a_parent(way)]
    if len(straight) == 1:
        others = [way for way in rivals if not _through_a_parent(way)]
        rivalled = best < 1 and _another_way(straight[0], others, near)
        return straight[0], _STRAIGHT * (_RIVAL if rivalled else 1.0)
    raise Unclear(f"several ways lead to {target.name}")


def _another_way(way: Sequence[Step], rivals: Sequence[Sequence[Step]], near: Sequence[TableRef]) -> bool:
    """Whether another way goes by other tables, where nobody spoke of those that this one goes by."""
    by = {step.new for step in way[:-1]}
    another = any(not by & {step.new for step in rival[:-1]} for rival in rivals)
    return another and bool(by) and not by & set(near)


def _through_a_parent(way: Sequence[Step]) -> bool:
    """`students and courses` of one department, where enrolments say which student took which course."""
    up = [not step.multiplies for step in way]
    return any(first and not second for first, second in pairwise(up))


def role_words(join: Join) -> set[str]:
    """What a key's name says beside the names of the tables that it joins, and a prefix (`n_regionkey`)."""
    own = {role(w) for ref in (join.many.table, join.one.table) for w in names.words(ref.name)}
    own |= {role(w) for _, one in join.pairs for w in names.words(one.name)}
    said = {word for word in _words_of(join) if len(word) > PREFIX}
    return said - own - {role(w) for w in names.KEY_WORDS}


def _says_its_table(join: Join) -> bool:
    """Whether a key is called by the table that it refers to, and by nothing else."""
    known = {stem(w) for w in (*names.words(join.one.table.name), *names.KEY_WORDS)}
    return {stem(w) for many, _ in join.pairs for w in names.words(many.name)} <= known


def _begins_at(way: Sequence[Step]) -> TableRef:
    """The table that was reached already, from which a way sets out."""
    join = way[0].join
    return join.one.table if join.many.table == way[0].new else join.many.table


def _said_before(target: TableRef, said: Sequence[TableRef]) -> TableRef | None:
    """`publications in the domain`: what stands right before what a way leads to."""
    at = next((i for i, table in enumerate(said) if table == target), 0)
    return said[at - 1] if at else None


def _told(way: list[Step], others: list[list[Step]], said: set[str]) -> bool:
    """A key's own words, those the other keys lack, are in the question."""
    own = {word for step in way for word in _words_of(step.join)}
    rest = {word for other in others if other is not way for step in other for word in _words_of(step.join)}
    return bool((own - rest) & said)


def _words_of(join: Join) -> set[str]:
    """The roles that its key's words say."""
    return {role(w) for key in join.keys for w in names.words(key.name) if w not in _UNTELLING}


def direct(
    context: Context, a: TableRef, b: TableRef, roles: Sequence[str] = (), said: Sequence[TableRef] = ()
) -> list[Step]:
    """The shortest way from ``a`` to ``b``; ``said`` as of `path`. Raises Unclear."""
    return path(context, a, [b], roles, said)[0]
