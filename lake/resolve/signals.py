"""Computes the measures that an answer's confidence is based on, from the trial that gave it.

Owns the measures; their weights are `confidence`'s. Must not choose or run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rewright.lake import names
from rewright.lake.catalog.model import Family
from rewright.lake.resolve.candidate import Candidate
from rewright.lake.resolve.chance import coded_by_chance
from rewright.lake.resolve.confidence import Signals
from rewright.lake.resolve.evidence import Evidence
from rewright.lake.resolve.imagined import Site
from rewright.lake.resolve.kinds import DATE, NAMED, YEAR, numbers_rows, numeric_code
from rewright.lake.resolve.likeness import covered, lexical
from rewright.lake.resolve.literals import of_other_years
from rewright.lake.resolve.partial import parts_of
from rewright.lake.resolve.resolution import Join, Mapping
from rewright.lake.resolve.rivals import Rival, disputed
from rewright.lake.resolve.trial import Trial, by_identity, lists_taken_whole

_STRANGE_TABLE = 0.6
# so many lookalikes are as bad as any number of them
_LOOKALIKES = 3
_ALONE = 0.95
_SAYS_NOTHING = 0.4
"""Likeness of a table to what is asked for below which its name does not speak for it."""
_POOR, _AGAINST = 0.5, 0.15
"""Score of a column below which it is poor, and how much less it is than its name's likeness where what the
column holds speaks against it.
"""
_LEADS = 0.4
"""Likeness of a key's words to a relation's name from which on the key speaks for it."""
_TELLING = 2
"""Words of columns that say together which table is meant, where its own name does not."""
# words that columns of any table may have
_UNTELLING = names.GENERIC | NAMED | YEAR | DATE | {"quantity", "amount", "total", "count", "status"}
_CROWD = 40
"""Other columns of a table from which on one more makes no difference."""


def signals_of(
    best: Trial,
    ranked: list[list[Candidate]],
    judged: list[Evidence],
    mappings: list[Mapping],
    joins: list[Join],
    rivals: list[Rival],
    *,
    in_part: bool,
) -> Signals:
    """The measures of the best trial. `in_part`: does it leave out files or rows that were asked for?"""
    spoken = list(_spoken(best, judged))
    likeness = [c.likeness for c in spoken]
    tested = _texts_compared(best)
    # a score above 1 comes of values; the confidence must not grow with their number
    scores = [min(m.score, 1.1) for m in mappings] or [0.5]
    told = [candidate.table_fit for candidate in best.choice]
    margins = [found[0].score - found[1].score for found in ranked if len(found) > 1]
    return Signals(
        mean_column=sum(scores) / len(scores),
        worst_column=min(scores),
        mean_name=sum(likeness) / len(likeness) if likeness else 0.5,
        worst_name=min(likeness, default=0.5),
        columns=len(scores),
        literals=tested,
        found_literals=max(0, tested - len(best.written.missing_values)),
        table=sum(told) / len(told) if told else 0.0,
        # without a join nothing speaks for or against one
        join=min((min(1.0, j.quality) for j in joins), default=0.8),
        margin=min(margins, default=0.3),
        # years and times outside of the data count as values that are not there
        missing_values=len(best.written.missing_values) + _other_years(best, judged) + _other_times(best),
        missing_columns=len(best.written.missing_columns),
        empty=best.empty,
        failed=bool(best.error),
        extra_tables=sum(
            max(0, len(c.tables) - len(s.relations)) for s, c in zip(best.sites, best.choice, strict=True)
        ),
        lost_table=max(_lost(s, c, e) for s, c, e in zip(best.sites, best.choice, judged, strict=True)),
        disputed_tables=disputed(rivals, "tables"),
        disputed_columns=disputed(rivals, "column"),
        unsaid=max((c.unsaid * c.crowd for c in spoken), default=0.0),
        left_unsaid=max((c.unsaid for c in spoken), default=0.0),
        lookalikes=_alike(best, judged),
        groups_of_one=_groups_of_one(best),
        multiplied=bool(best.written.multiplied),
        in_parts=bool(best.written.in_parts or best.written.two_units),
        namesake=any(_namesake(s, c, e) for s, c, e in zip(best.sites, best.choice, judged, strict=True)),
        swallowed=any(_swallowed(s, c, e) for s, c, e in zip(best.sites, best.choice, judged, strict=True)),
        said_elsewhere=max((c.elsewhere for c in spoken), default=0.0),
        moved=any(_moved(s, c, e) for s, c, e in zip(best.sites, best.choice, judged, strict=True)),
        borrowed=any(_borrowed(s, c, e) for s, c, e in zip(best.sites, best.choice, judged, strict=True)),
        keys_added=any(_keys_added(s, c) for s, c in zip(best.sites, best.choice, strict=True)),
        by_chance=any(coded_by_chance(c, e) for c, e in zip(best.choice, judged, strict=True)),
        in_part=in_part,
        whole_lists=bool(lists_taken_whole(best)),
        unspoken=any(
            _unspoken(s, c, e) or _hardly_spoken(s, c, e) or _rows_alone(s, c)
            for s, c, e in zip(best.sites, best.choice, judged, strict=True)
        ),
        name_alone=any(c.score < _POOR and c.likeness - c.score >= _AGAINST for c in spoken),
    )


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What a mapped column's name says of what was asked for, 0 to 1: how like it is alone, what share of the
    words it leaves unsaid, how many others its table has, and how much of the unsaid another of them says;
    and the column's score by all that it is.
    """

    likeness: float = 0.0
    unsaid: float = 1.0
    crowd: float = 1.0
    elsewhere: float = 0.0
    score: float = 0.0


def _spoken(best: Trial, judged: list[Evidence]) -> Iterator[_Spoken]:
    for site, candidate, evidence in zip(best.sites, best.choice, judged, strict=True):
        placed = by_identity(candidate, site)
        taken = {real.key for real in candidate.columns.values()}
        for c in site.columns():
            # keys that only join are measured by their joins
            if c.only_key:
                continue
            real = placed.column_of(c)
            # a column that nothing fits leaves all unsaid
            if real is None:
                yield _Spoken()
                continue
            around = evidence.index.tables[real.table].columns
            yield _Spoken(
                evidence.name_score(c.table, c.name, real),
                1.0 - evidence.said(c, real),
                min(1.0, (len(around) - 1) / _CROWD),
                # columns that answer for something else do not say this
                evidence.said_elsewhere(c, real, [o for o in around if o.key not in taken]),
                placed.scores.get(id(c), 0.0),
            )


def _texts_compared(best: Trial) -> int:
    columns = (c for site in best.sites for c in site.columns() if not c.only_key)
    # patterns are left out, as they find something in any text
    return sum(isinstance(t.value, str) and t.op in {"=", "<>"} for c in columns for t in c.tests)


def _alike(best: Trial, judged: list[Evidence]) -> float:
    """Where a table's name does not say that it is the one that was asked for, its columns must: how surely
    they cannot, because other tables have them, too; the most.
    """
    found = [0.0]
    for site, candidate, evidence in zip(best.sites, best.choice, judged, strict=True):
        for r in site.relations:
            # a table that is called as asked needs no columns to tell it
            strange = max(0.0, _STRANGE_TABLE - evidence.table_score(r.alias, candidate.homes[r.alias]))
            others = evidence.lookalikes(r.alias, candidate.homes[r.alias])
            found.append(strange / _STRANGE_TABLE * min(others, _LOOKALIKES) / _LOOKALIKES)
    return max(found)


def _other_years(best: Trial, judged: list[Evidence]) -> int:
    """Relations whose name tells a year for which tables of other years were found."""
    found = 0
    for site, candidate, evidence in zip(best.sites, best.choice, judged, strict=True):
        for r in site.relations:
            united = evidence.index.unions.get(home := candidate.homes[r.alias])
            parts = united.part_names() if united is not None else [home]
            # a union is of the year that is asked for if one of its parts is
            found += all(names.of_another_year(r.name, part) for part in parts)
    return found


def _other_times(best: Trial) -> int:
    """Years in conditions that lie far from all the years of the column they are compared with."""
    found = 0
    for site, candidate in zip(best.sites, best.choice, strict=True):
        placed = by_identity(candidate, site)
        for c in site.columns():
            real = placed.column_of(c)
            found += sum(of_other_years(test, real) for test in c.tests) if real is not None else 0
    return found


def _groups_of_one(best: Trial) -> bool:
    """Is all that rows are grouped by different in each of them?"""
    for site, candidate in zip(best.sites, best.choice, strict=True):
        placed = by_identity(candidate, site)
        groups = [real for c in site.columns() if c.grouped and (real := placed.column_of(c)) is not None]
        # with a join each may meet several rows
        if groups and not candidate.joins and any(c.uniqueness > _ALONE and c.rows > 2 for c in groups):
            return True
    return False


def _namesake(site: Site, candidate: Candidate, evidence: Evidence) -> bool:
    """Is a table of just the name of a relation neither read nor a part, copy or half of what is?"""
    index = evidence.index
    read = set(candidate.tables)
    for table in candidate.tables:
        read.update(parts_of(index, table), index.halves.get(table, ()))
    # an older state's name is the newer one's, too
    read.update(older for older, newer in index.copies.items() if newer in read)
    asked = {names.words(r.name) for r in site.relations}
    called = (table for table in index.tables if names.words(table) in asked)
    return any(table not in read and read.isdisjoint(parts_of(index, table)) for table in called)


def _keys_added(site: Site, candidate: Candidate) -> bool:
    """Would keys or numbers of rows be calculated with, which the name does not ask for?"""
    placed = by_identity(candidate, site)
    # an id that is asked for by the name of an id may be added up
    calculated = (c for c in site.columns() if c.numeric and not set(names.words(c.name)) & names.KEY_WORDS)
    return any(
        (real := placed.column_of(c)) is not None and (numeric_code(real) or numbers_rows(real))
        for c in calculated
    )


def _swallowed(site: Site, candidate: Candidate, evidence: Evidence) -> bool:
    """Is a relation, which is no class of things, only part of another's home, that is not called like it?"""
    homes = [candidate.homes[r.alias] for r in site.relations]
    return any(
        # a class has no table of its own, so it lives in another's by design
        homes.count(homes[i]) > 1
        and r.name not in evidence.classes
        and evidence.table_score(r.alias, homes[i]) < _SAYS_NOTHING
        for i, r in enumerate(site.relations)
    )


def _moved(site: Site, candidate: Candidate, evidence: Evidence) -> bool:
    """Whoever joins guests and hotels, and asks for `g.nights`, does not mean a hotel's."""
    homes = {r.alias: candidate.homes[r.alias] for r in site.relations}
    placed = by_identity(candidate, site)
    return any(
        real.table != home
        and real.table in homes.values()
        and real.table not in evidence.index.halves.get(home, ())
        for r in site.relations
        # a name of a thing is looked for wherever the thing is named
        if r.name not in evidence.classes
        for c in r.columns.values()
        if not c.only_key and (real := placed.column_of(c)) is not None and (home := homes[r.alias])
    )


def _unspoken(site: Site, candidate: Candidate, evidence: Evidence) -> bool:
    """Is there a relation for which no name speaks: neither its table's, nor a column's (a bare `name` is
    anything's, and of what codes stand for the codes' name must speak), nor a key's that leads to it?
    """
    placed = by_identity(candidate, site)
    for r in site.relations:
        home, thing = candidate.homes[r.alias], names.words(r.name)
        asked = [c for c in r.columns.values() if not c.only_key]
        reals = [real for c in asked if (real := placed.column_of(c)) is not None]
        codes = evidence.codes.of(home)
        if not reals:
            continue
        # of a table of codes both what is asked and what the codes are called may speak
        if codes is not None and reals == [codes[1]]:
            told = (*thing, *names.words(asked[0].name))
            if any(lexical(told, names.words(name)) > 0.0 for name in (codes[0].name, home)):
                continue
        elif evidence.table_score(r.alias, home) >= _SAYS_NOTHING or any(
            not set(names.words(real.name)) <= NAMED for real in reals
        ):
            # otherwise the table's name, or any column with a name of its own
            continue
        keys = (end.name for key in candidate.joins if home in {key.a, key.b} for x in key.pairs for end in x)
        if not any(covered(thing, names.words(names.referred(name))) >= _LEADS for name in keys):
            return True
    return False


def _hardly_spoken(site: Site, candidate: Candidate, evidence: Evidence) -> bool:
    """Does one word alone speak for a lone table that is not called as it is asked for? `year` and
    `passengers` many tables may have. Columns that are asked for by the table's own name, and values that
    are found, are another matter.
    """
    # of several relations each tells something of the others
    if len(site.relations) != 1 or site.relations[0].name in evidence.classes:
        return False
    relation, several = site.relations[0], len(candidate.tables) > 1
    home = candidate.homes[relation.alias]
    # where further tables say the rest, columns that are like those of such a table do not speak for this one
    called = lexical(names.words(relation.name), names.words(home)) if several else 0.0
    if called >= _LEADS or (not several and evidence.table_score(relation.alias, home) >= _SAYS_NOTHING):
        return False
    asked = [c for c in site.columns() if not c.only_key]
    told = {word for c in asked for word in names.words(c.name)}
    if several:
        placed = by_identity(candidate, site)
        own = {id(c): real for c in asked if (real := placed.column_of(c)) is not None and real.table == home}
        asked = [c for c in asked if id(c) in own]
        told = {word for c in asked for word in evidence.told(c, own[id(c)])}
    # a value that was found is better evidence than words
    if any(t.op == "=" and isinstance(t.value, str) for c in asked for t in c.tests):
        return False
    # two words of its columns: one is anything's
    return len(told - _UNTELLING - set(names.words(relation.name))) < _TELLING


def _rows_alone(site: Site, candidate: Candidate) -> bool:
    """Does the lone relation's table give nothing but its rows, while all that is asked of it stands in
    another one? `orders` with a `status`, counted by the lines of orders: what is said of a customer by that
    word may be elsewhere, a bare status is the orders' own.
    """
    placed = by_identity(candidate, site)
    # columns of other relations are theirs
    asked = [c for c in site.columns() if not c.only_key and c.relation in candidate.homes]
    told = [(c, real) for c in asked if (real := placed.column_of(c)) is not None]
    if len(site.relations) != 1 or not told:
        return False
    home = candidate.homes[site.relations[0].alias]
    return all(
        real.table != home and lexical(names.words(c.name), names.words(real.table)) == 0.0
        for c, real in told
    )


def _borrowed(site: Site, candidate: Candidate, evidence: Evidence) -> bool:
    """Is a day taken from a table that nobody asked for, beside one of the relation's own table?"""
    placed, homes = by_identity(candidate, site), set(candidate.homes.values())
    placings = [(c, real) for c in site.columns() if (real := placed.column_of(c)) is not None]
    used = {real.key for _, real in placings}
    taken = [c for c, real in placings if real.meaning is Family.DATE and real.table not in homes]
    return any(
        # another day of the own table would have been the plain reading
        own.meaning is Family.DATE and own.key not in used
        for c in taken
        if c.relation in candidate.homes
        for own in evidence.index.tables[candidate.homes[c.relation]].columns
    )


def _lost(site: Site, candidate: Candidate, evidence: Evidence) -> float:
    """How much better than the chosen table another one of the lake fits the name and columns of some
    relation.
    """
    return max(
        float(evidence.table_scores[r.alias].max()) - evidence.table_score(r.alias, candidate.homes[r.alias])
        for r in site.relations
    )
