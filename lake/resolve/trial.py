"""A candidate for a whole statement that was written and run, and what follows from its run.

Owns the trial and what is read off it for a resolution. Must not choose, run or judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from rewright.engines.duckdb.database import Rows
from rewright.lake.catalog.model import Column, Family
from rewright.lake.resolve.candidate import Candidate
from rewright.lake.resolve.corrections import Written
from rewright.lake.resolve.imagined import ImaginedColumn, Site
from rewright.lake.resolve.own_tree import SiteEdit, restored
from rewright.lake.resolve.readings import differing
from rewright.lake.resolve.resolution import Join, Mapping, OwnWords
from rewright.lake.resolve.words_kept import NotRestored

_GUESS = 0.4
"""Score of a column below which nothing speaks for it but that nothing else is better."""


@dataclass(slots=True)
class Trial:
    """One whole-statement candidate: a choice for each site."""

    original: exp.Expression
    choice: tuple[Candidate, ...]
    sites: list[Site]
    sql: str
    written: Written
    score: float
    rows: Rows | None = None
    error: str = ""
    empty: bool = False
    seconds: float = 0.0
    bound: int = 0
    """How many columns are those of the very name that was asked for, in the table of the name that was asked
    for.
    """
    extras: list[str] = field(default_factory=list)
    tree: exp.Expression | None = None
    """The statement as written anew."""
    edits: list[SiteEdit] = field(default_factory=list)
    ctes: list[tuple[str, str]] = field(default_factory=list)
    """CTEs before it that clean and unite, in DuckDB's dialect."""
    asked: tuple[str, str | None] = ("", None)
    """The client's text, without and with marks (None: it has none)."""

    def own_words(self) -> OwnWords | NotRestored:
        """The candidate in PostgreSQL's dialect, or why it cannot be written in it."""
        query, text = self.asked
        # without marks the two trees cannot be laid beside one another
        if text is None or self.tree is None:
            return NotRestored("a query of this form")
        if self.written.outer_filtered:
            # in WHERE the condition would drop the rows that the outer join keeps
            return NotRestored("a condition of an outer join with a table that is not joined")
        try:
            return OwnWords(restored(query, text, self.tree, self.edits), tuple(self.ctes))
        except NotRestored as error:
            return error


def columns_of(
    sites: Sequence[Site], choice: Sequence[Candidate]
) -> Iterator[tuple[ImaginedColumn, Column | None]]:
    for site, candidate in zip(sites, choice, strict=True):
        placed = by_identity(candidate, site)
        yield from ((c, placed.column_of(c)) for c in site.columns())


def by_position(candidate: Candidate, site: Site) -> Candidate:
    """The candidate with columns keyed by their position in the site, so that another copy of the tree can
    use it.
    """
    order = {id(c): i for i, c in enumerate(site.columns())}
    return Candidate(
        candidate.tables, candidate.joins, {order[k]: v for k, v in candidate.columns.items()},
        {order[k]: v for k, v in candidate.scores.items()}, candidate.score, candidate.homes,
        candidate.table_fit,
    )  # fmt: skip


def by_identity(candidate: Candidate, site: Site) -> Candidate:
    columns = site.columns()
    return Candidate(
        candidate.tables, candidate.joins, {id(columns[k]): v for k, v in candidate.columns.items()},
        {id(columns[k]): v for k, v in candidate.scores.items()}, candidate.score, candidate.homes,
        candidate.table_fit,
    )  # fmt: skip


def mappings_of(best: Trial) -> list[Mapping]:
    """What each imagined column is taken for."""
    found: list[Mapping] = []
    for site, candidate in zip(best.sites, best.choice, strict=True):
        placed = by_identity(candidate, site)
        for c in site.columns():
            # A key that only joins was not looked for by its name: the joins tell which columns do its work.
            if c.only_key:
                continue
            real = placed.column_of(c)
            table, name = (real.table, real.name) if real else (None, None)
            found.append(Mapping(c.table, c.name, table, name, placed.scores.get(id(c), 0.0)))
    return found


def tables_of(best: Trial) -> dict[str, tuple[str, ...]]:
    """The real tables of each imagined one: its own first, then those of its columns."""
    found: dict[str, tuple[str, ...]] = {}
    for site, candidate in zip(best.sites, best.choice, strict=True):
        placed = by_identity(candidate, site)
        for r in site.relations:
            real = (t.table for c in r.columns.values() if (t := placed.column_of(c)) is not None)
            # in the order found, each table once
            found[r.name] = tuple(dict.fromkeys([*found.get(r.name, ()), placed.homes[r.alias], *real]))
    return found


def joins_of(best: Trial) -> list[Join]:
    """The joins of the real tables, in the order of the sites."""
    return [
        Join(k.a, k.b, tuple((x.name, y.name) for x, y in k.pairs), k.quality)
        for candidate in best.choice
        for k in candidate.joins
    ]


def keys_of(best: Trial) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """The imagined key columns and the real ones that do their work."""
    for site, candidate in zip(best.sites, best.choice, strict=True):
        aliases = {r.alias: r for r in site.relations}
        for relation in site.relations:
            home = candidate.homes[relation.alias]
            for column in relation.columns.values():
                # keys to subqueries have no table here
                other = next((aliases[a] for a, _ in column.joined if a in aliases), None)
                if other is None:
                    continue
                # the join that the candidate makes between the two tables that were asked to be joined here
                for key in candidate.joins:
                    if {key.a, key.b} == {home, candidate.homes[other.alias]} and key.a != key.b:
                        yield (
                            relation.name,
                            column.name,
                            tuple((c.table, c.name) for pair in key.pairs for c in pair if c.table == home),
                        )


def differing_in(best: Trial, other: tuple[Candidate, ...]) -> tuple[str, str]:
    """What the two choices take things to be, where they differ: columns, else tables."""
    here, there = [], []
    for site, mine, theirs in zip(best.sites, best.choice, other, strict=True):
        names = [(i, c.name) for i, c in enumerate(site.columns()) if not c.only_key]
        said, said_else = differing(names, mine.columns, theirs.columns)
        # the same columns: then it is tables that differ, for rows that are counted
        if not said and set(mine.tables) != set(theirs.tables):
            said, said_else = " + ".join(mine.tables), " + ".join(theirs.tables)
        here += [said] if said else []
        there += [said_else] if said_else else []
    return "; ".join(here), "; ".join(there)


def lists_taken_whole(best: Trial) -> tuple[str, ...]:
    """Columns of lists that are compared, grouped or sorted: each list as a whole, and not what is in it."""
    found: dict[str, None] = {}
    for c, real in columns_of(best.sites, best.choice):
        used = c.tests or c.grouped or c.sorted or c.numeric
        if real is not None and real.meaning is Family.NESTED and used:
            found[f"{real.table}.{real.name}"] = None
    return tuple(found)


def guessed(mappings: list[Mapping]) -> list[Mapping]:
    """The columns that were taken only because nothing is more like them."""
    return [m for m in mappings if m.real_column is not None and m.score < _GUESS]


def doubts_of(best: Trial, mappings: list[Mapping]) -> tuple[str, ...]:
    out = [f"nothing in the lake fits column {name}" for name in best.written.missing_columns]
    out += [
        f"no column is like {m.column}: {m.real_table}.{m.real_column} is a guess ({m.score:.2f})"
        for m in guessed(mappings)
    ]
    out += [
        f"rows of {table} are counted once for each of their rows in {joined}"
        for table, joined in dict.fromkeys(best.written.multiplied)
    ]
    out += [f"percents of {column} are told as parts of one: 90 % is 0.9" for column in best.written.in_parts]
    out += [f"{column} holds lists, each taken as a whole" for column in lists_taken_whole(best)]
    out += [f"{column} is asked for in two units, and told in one" for column in best.written.two_units]
    out += [f"could not be read in {column}: {told}" for column, told in best.written.unread.items()]
    for site, candidate in zip(best.sites, best.choice, strict=True):
        placed = by_identity(candidate, site)
        for c in site.columns():
            real = placed.column_of(c)
            # a text that is calculated with was to be a number
            if c.numeric and real is not None and real.meaning is Family.TEXT:
                shown = ", ".join(repr(v[:30]) for v in real.samples[:3])
                out.append(f"{real.table}.{real.name} holds texts that cannot be read as numbers: {shown}")
    if best.empty:
        out.append("the result is empty")
    return tuple(out)
