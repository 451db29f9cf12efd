"""Rows that a join of the resolver's would count more than once.

A table that is joined for a column of it (or by what the client calls its id) gives one row for each of the
aggregated table's. Where its key occurs more often there, sums and counts grow with it, and a list of rows by
what only tests them: it is joined by its different rows of key and columns that are asked for; where those
still say several things of one key, that is a doubt. Joins that the client wrote between tables of several
rows mean what they say.

Owns finding such tables. Must not write.
docs/decisions/0621-joins-that-would-multiply-what-is-summed.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from rewright.lake import names
from rewright.lake.joins.keys import JoinKey, KeyFinder
from rewright.lake.resolve.candidate import Candidate
from rewright.lake.resolve.imagined import Relation, Site

_ONCE_IS_ENOUGH = (exp.Max, exp.Min, exp.ArgMax, exp.ArgMin, exp.LogicalAnd, exp.LogicalOr)
"""Aggregates that say the same of rows that occur twice."""


@dataclass(slots=True)
class Multiplied:
    """``once``: tables to be joined by their different rows, with the columns of these; ``doubts``: where
    rows of the first table are counted once for each of theirs in the second.
    """

    once: dict[str, tuple[str, ...]] = field(default_factory=dict)
    doubts: list[tuple[str, str]] = field(default_factory=list)


def multiplied(site: Site, candidate: Candidate, keys: KeyFinder) -> Multiplied:
    """What the joins of one SELECT would count more than once; before its columns are replaced."""
    found = Multiplied()
    # without a join every row is there once
    if not candidate.joins:
        return found
    counted = _counted(site, candidate)
    listed = set() if counted else _listed(site, candidate)
    for table in sorted(counted | listed):
        for key in _away_from(table, candidate.joins):
            joined = key.b
            # what is shown itself is no table that only repeats rows
            # tables that were counted already are joined by their rows
            if joined in listed or joined in found.once or not _is_one(joined, table, site, candidate):
                continue
            # the key's columns and all that is read: what else differs there does not show
            columns = tuple(dict.fromkeys([*_own(key), *_used(joined, site, candidate)]))
            # One row for each value of its key: nothing is multiplied.
            # as many keys as rows: nothing is multiplied
            if keys.rows(joined) <= keys.distinct(joined, _own(key)):
                continue
            # the different rows say one thing of each key
            single = keys.distinct(joined, columns) <= keys.distinct(joined, _own(key))
            if single and joined not in counted and not _nested(site):
                found.once[joined] = columns
            else:
                found.doubts.append((table, joined))
    return found


def _counted(site: Site, candidate: Candidate) -> set[str]:
    """The tables whose rows are summed or counted."""
    tables: set[str] = set()
    placed = {id(node): candidate.column_of(c) for c in site.columns() for node in c.nodes}
    for call in site.select.find_all(exp.AggFunc):
        if (
            # aggregates of inner SELECTs are theirs, windows keep their rows, and DISTINCT counts each once
            call.parent_select is not site.select
            or isinstance(call, _ONCE_IS_ENOUGH)
            or isinstance(call.this, exp.Distinct)
            or isinstance(call.parent, exp.Window)
        ):
            continue
        reals = [real for c in call.find_all(exp.Column) if (real := placed.get(id(c))) is not None]
        if reals:
            tables |= {real.table for real in reals}
        elif isinstance(call, exp.Count):
            # COUNT(*) counts the first table's rows
            tables.add(candidate.homes[site.relations[0].alias])
    return tables


def _listed(site: Site, candidate: Candidate) -> set[str]:
    """The tables of which rows are shown as they are: one of which nothing is shown only repeats these."""
    select = site.select
    # grouped or distinct rows are merged anyway
    if select.args.get("distinct") or select.args.get("group") or select.find(exp.AggFunc):
        return set()
    shown = {id(node) for told in select.expressions for node in told.find_all(exp.Column)}
    return {
        real.table
        for c in site.columns()
        if any(id(node) in shown for node in c.nodes) and (real := candidate.column_of(c)) is not None
    }


def _away_from(table: str, joins: tuple[JoinKey, ...]) -> Iterator[JoinKey]:
    """The joins in the order in which one comes to them from a table, each towards the table behind it."""
    reached, left = {table}, list(joins)
    while left:
        for key in left:
            # exactly one end is reached: the other is the next table
            if (key.a in reached) != (key.b in reached):
                yield key if key.a in reached else key.flipped()
                reached |= {key.a, key.b}
                left.remove(key)
                break
        else:
            return


def _is_one(joined: str, table: str, site: Site, candidate: Candidate) -> bool:
    """Does the client see one row of it for each of the other table's?"""
    relations = [r for r in site.relations if candidate.homes[r.alias] == joined]
    # found by the resolver: for the client its columns are another table's own
    if not relations:
        return True
    # the client's table, of which the resolver found the summed column elsewhere
    if any(_has(relation, table, candidate) for relation in relations):
        return True
    return all(_is_referred_to(relation, site) for relation in relations)


def _has(relation: Relation, table: str, candidate: Candidate) -> bool:
    # a table of its own would be joined as the client wrote it
    homes = set(candidate.homes.values())
    return table not in homes and any(
        (real := candidate.column_of(c)) is not None and real.table == table
        for c in relation.columns.values()
    )


def _is_referred_to(relation: Relation, site: Site) -> bool:
    """Is the table joined by what the client calls its id (`customers.id`, `customers.customer_id`), from a
    column that is not the other table's own?
    """
    others = {r.alias: r.name for r in site.relations}
    joined = [c for c in relation.columns.values() if c.joined]
    return bool(joined) and all(
        _is_own_id(c.name, relation.name)
        # both sides: the id of this table, and not the own id of the other
        and all(alias in others and not _is_own_id(name, others[alias]) for alias, name in c.joined)
        for c in joined
    )


def _is_own_id(column: str, table: str) -> bool:
    words = set(names.words(column))
    return bool(words & names.KEY_WORDS) and words <= names.KEY_WORDS | set(names.words(table))


def _own(key: JoinKey) -> tuple[str, ...]:
    return tuple(y.name for _, y in key.pairs)


def _used(table: str, site: Site, candidate: Candidate) -> list[str]:
    """The columns of a table that a SELECT reads, those of its joins included."""
    reals = [real for c in site.columns() if not c.only_key and (real := candidate.column_of(c)) is not None]
    reals += [end for key in candidate.joins for pair in key.pairs for end in pair]
    return [real.name for real in reals if real.table == table]


def _nested(site: Site) -> bool:
    """Are there SELECTs within, which may ask for more of its tables?"""
    return any(select is not site.select for select in site.select.find_all(exp.Select)) or any(
        relation.twins for relation in site.relations
    )
