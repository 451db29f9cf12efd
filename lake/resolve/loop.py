"""The deterministic resolver: it proposes candidates, runs them, judges their results and keeps the best, in
a limited number of rounds.

Owns the order of these steps and how results are judged (thesis 4.1 without a model). Must not know files.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from rewright.engines.duckdb.database import LakeDatabase, Rows
from rewright.engines.duckdb.errors import LakeError, NotResolved
from rewright.lake.catalog.model import Column
from rewright.lake.index import LakeIndex
from rewright.lake.joins.keys import KeyFinder
from rewright.lake.resolve.candidate import Candidate
from rewright.lake.resolve.confidence import confidence
from rewright.lake.resolve.evidence import Evidence, Weights
from rewright.lake.resolve.imagined import ImaginedColumn, Site, is_called, sites_of
from rewright.lake.resolve.marks import is_select, marked, unmarked
from rewright.lake.resolve.partial import left_out
from rewright.lake.resolve.readings import Reading, readings
from rewright.lake.resolve.resolution import Answer, Attempt, OwnWords, Resolution
from rewright.lake.resolve.rewriting import Writer, name_outputs
from rewright.lake.resolve.rivals import Comparison, Rival, alternatives, says_nothing
from rewright.lake.resolve.signals import signals_of
from rewright.lake.resolve.sources import SourceFinder
from rewright.lake.resolve.trial import (
    Trial,
    by_identity,
    by_position,
    columns_of,
    differing_in,
    doubts_of,
    guessed,
    joins_of,
    keys_of,
    mappings_of,
    tables_of,
)
from rewright.lake.resolve.values import ValueMatcher
from rewright.lake.resolve.words_kept import NotRestored

# candidates that are run at most
ROUNDS = 5
# candidates of each SELECT that are combined with those of the others
_TRIES = 4
# for one candidate: another one may be faster, and all of them have their share of the whole time
_RUN_SECONDS = 20.0
# an empty result may be the right one: it costs less than a failure
_EMPTY = 0.18
_FAILED = 1.0
_MISSING_VALUE = 0.1


RunOwn = Callable[[OwnWords, int | None], Rows]
"""Runs a query and returns its rows, at most the given number (None: all). Raises LakeError."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the resolver may use; ablations switch parts off. ``rounds``: candidates that are run at most;
    ``seconds``: after so many no further candidate is run.
    """

    rounds: int = ROUNDS
    values: bool = True
    joins: bool = True
    unions: bool = True
    clean: bool = True
    feedback: bool = True
    semantic: bool = True
    seconds: float = 60.0


class Resolver:
    """Resolves statements over one lake."""

    def __init__(self, index: LakeIndex, database: LakeDatabase, options: Options | None = None) -> None:
        self._index = index
        self._database = database
        self.options = options or Options()
        self._matcher = ValueMatcher(index, semantic=self.options.semantic)
        self._matcher.beside = self._beside
        self._keys = KeyFinder(index, database)
        self.run_own: RunOwn | None = None
        """Runs queries in PostgreSQL's dialect; None where no server is there for it."""

    def parse(self, query: str) -> exp.Expression:
        """Parse a statement.

        :raises LakeError: it cannot be parsed, or is not one query.
        :raises NotRestored: PostgreSQL would read it, but neither dialect of the parser does.
        """
        # DuckDB's dialect first, as the text is run there; PostgreSQL's for what only that can be read in
        for dialect in ("duckdb", "postgres"):
            try:
                trees = sqlglot.parse(query, read=dialect)
            except (SqlglotError, RecursionError):
                continue
            if len(trees) == 1 and isinstance(trees[0], (exp.Select, exp.SetOperation, exp.Subquery)):
                tree: exp.Expression = trees[0]
                return tree
        # PostgreSQL's own parser knows it, so it is a fault of these readers and not of the query
        if is_select(query):
            raise NotRestored("a query of this form")
        raise LakeError("not one SELECT that can be understood", sqlstate="42601")

    def resolve(self, query: str, *, limit: int | None = None) -> Answer:
        """Run the best candidates and return the best one's rows, with how sure it is.

        :raises NotResolved: the lake holds nothing like what the query asks for.
        """
        started = time.monotonic()
        text, original = self._read(query)
        if not self._index.tables:
            raise NotResolved("the lake has no tables")
        sites, ranked, judged = self._propose(original)
        if not sites:
            return self._plain(query, original, started, limit)
        trials: list[Trial] = []
        for choice in self._choices(ranked):
            # without feedback the first candidate is the answer, whatever comes of it
            if len(trials) >= (self.options.rounds if self.options.feedback else 1):
                break
            if trials and time.monotonic() - started > self.options.seconds:
                # time is up; the best candidate has been run, however long it took to find
                break
            trial = self._write(original, choice)
            trial.asked = query, text
            # two choices may differ in nothing that the query reads
            if any(trial.sql == before.sql for before in trials):
                continue
            self._run(trial, limit)
            trials.append(trial)
            if self._good(trial, trials):
                break
        if not trials:
            raise NotResolved("the lake holds nothing like what the query asks for", hint=self._nothing())
        # a name that exists binds: a trial that reads another column instead is none, however well it ran
        best = self._with_closest(original, max(trials, key=lambda t: (t.bound, t.score)), limit)
        resolution = self._resolution(query, best, trials, ranked, judged, time.monotonic() - started)
        return Answer(replace(resolution, own=best.own_words()), best.rows)

    def _read(self, query: str) -> tuple[str | None, exp.Expression]:
        """The query's tree, and its text with marks that tell where each part of the tree stands in it. The
        text is None, and the tree has no marks, where the query cannot be marked or would be read otherwise.
        """
        plain = self.parse(query)
        if (text := marked(query)) is None:
            return None, plain
        with suppress(LakeError):
            tree = self.parse(text)
            # a mark that changed how the rest is read would mark something else
            if unmarked(tree) and tree == plain:
                return text, tree
        return None, plain

    def _with_closest(self, original: exp.Expression, best: Trial, limit: int | None) -> Trial:
        """Another try for a result that is empty because a filter's value occurs nowhere: the value that is
        clearly closest takes its place. Returns ``best`` where that fails or is empty, too.
        """
        # a result that is empty although its values were found is the answer
        if not (best.empty and best.written.missing_values and self.options.values and self.options.feedback):
            return best
        guess = self._write(original, best.choice, closest=True)
        guess.asked = best.asked
        # no value was near enough to take the place
        if guess.sql == best.sql:
            return best
        self._run(guess, limit)
        # a guess that finds nothing explains nothing
        return best if guess.error or guess.empty else guess

    def _nothing(self) -> str:
        told = sorted(self._index.tables)[:5]
        return "closest: nothing; the lake holds " + (", ".join(told) if told else "no tables")

    def _propose(self, original: exp.Expression) -> tuple[list[Site], list[list[Candidate]], list[Evidence]]:
        tree = original.copy()
        name_outputs(tree)
        sites = sites_of(tree)
        self._told_by_words(sites)
        ranked: list[list[Candidate]] = []
        judged: list[Evidence] = []
        # what earlier SELECTs were found to be, which the next ones are measured against
        prior: dict[str, str] = {}
        chosen: dict[tuple[str, str], tuple[str, str]] = {}
        for site in sites:
            evidence = Evidence(
                self._index,
                site,
                self._matcher,
                self._weights(),
                tuple(prior.values()),
                unions=self.options.unions,
                chosen=chosen,
            )
            # found before they are keyed by position: every trial is written on a copy of the tree
            found = SourceFinder(
                self._index, evidence, self._keys, prior, join_search=self.options.joins
            ).candidates()
            judged.append(evidence)
            ranked.append([by_position(c, site) for c in found])
            # The next SELECT's tables are more likely those of this one: queries speak of few things.
            if found:
                prior.update({r.name: found[0].homes[r.alias] for r in site.relations})
                placed = ((c, found[0].column_of(c)) for c in site.columns())
                chosen.update({(c.table, c.name.lower()): real.key for c, real in placed if real is not None})
        self._index.save_vectors()
        return sites, ranked, judged

    def _told_by_words(self, sites: Sequence[Site]) -> None:
        """Raises NotResolved for a name of blanks or signs alone: nothing tells what it means, so that any
        column would do.
        """
        asked = {c.name for s in sites for c in s.columns()} | {r.name for s in sites for r in s.relations}
        # a star and a function have no name of their own
        for name in asked - {"", "*"}:
            held = any(letter.isalnum() for letter in name) or name in self._index.tables
            if not held and all(column.name != name for column in self._index.columns):
                raise NotResolved(f'a name without a word: "{name}"', hint=self._nothing())

    def _weights(self) -> Weights:
        return Weights(values=1.0 if self.options.values else 0.0)

    def _choices(self, ranked: Sequence[list[Candidate]]) -> list[tuple[Candidate, ...]]:
        """Combinations of the sites' candidates, the one with the best sum of scores first."""
        # one SELECT that is nothing in the lake leaves the statement without an answer
        if any(not found for found in ranked):
            return []
        options = [found[:_TRIES] for found in ranked]
        # Sites multiply: five SELECTs of four candidates each would be a thousand combinations.
        combined = itertools.islice(itertools.product(*options), 400)
        return sorted(combined, key=lambda choice: -sum(c.score for c in choice))[: 2 * ROUNDS]

    def _write(
        self, original: exp.Expression, choice: tuple[Candidate, ...], *, closest: bool = False
    ) -> Trial:
        tree = original.copy()
        name_outputs(tree)
        sites = sites_of(tree)
        writer = Writer(
            self._index,
            self._matcher,
            correct_values=self.options.values,
            clean=self.options.clean,
            closest=closest,
            keys=self._keys,
        )
        for site, candidate in zip(sites, choice, strict=True):
            writer.apply(site, by_identity(candidate, site))
        tree = writer.finish(tree)
        # what DuckDB cannot express is left out: this text is run for evidence, not for the client
        sql = tree.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE)
        # a missing value or column is evidence that another table was meant
        score = sum(c.score for c in choice) / len(choice) - _MISSING_VALUE * len(
            writer.written.missing_values
        )
        score -= 0.05 * len(writer.written.missing_columns)
        bound = sum(self._is_named(c, placed) for c, placed in columns_of(sites, choice))
        return Trial(
            original, choice, sites, sql, writer.written, score,
            bound=bound, tree=tree, edits=writer.sites, ctes=writer.ctes,
        )  # fmt: skip

    def _is_named(self, imagined: ImaginedColumn, real: Column | None) -> bool:
        table = self._index.table(imagined.table) if imagined.table and real is not None else None
        return (
            table is not None and real is not None and real.table == table.name and is_called(imagined, real)
        )

    def _run(self, trial: Trial, limit: int | None) -> None:
        started = time.monotonic()
        try:
            trial.rows = self._database.execute(trial.sql, limit=limit, seconds=_RUN_SECONDS)
            trial.seconds = time.monotonic() - started
        except LakeError as error:
            # what only PostgreSQL knows is no failure of the candidate
            if not self._run_own(trial, limit):
                trial.error = str(error).splitlines()[0]
                # As much as good evidence is worth: a candidate that ran goes before one that failed.
                trial.score -= _FAILED
                return
        # NULL and zeros alone look like a filter that held nothing
        trial.empty = trial.rows is not None and says_nothing(trial.rows)
        if trial.empty:
            trial.score -= _EMPTY

    def _run_own(self, trial: Trial, limit: int | None) -> bool:
        """Run a trial that DuckDB refused in PostgreSQL's dialect, where a server is there for it."""
        own = trial.own_words()
        if self.run_own is None or not isinstance(own, OwnWords):
            return False
        try:
            trial.rows = self.run_own(own, limit)
        except LakeError:
            return False
        return True

    def _good(self, trial: Trial, trials: list[Trial]) -> bool:
        """Whether no other candidate needs to be tried: this one ran, returned rows, found its values and
        columns, and scores best so far.
        """
        return (
            not trial.error
            and not trial.empty
            and not trial.written.missing_values
            and not trial.written.missing_columns
            and trial is max(trials, key=lambda t: t.score)
        )

    def _beside(self, table: str, column: str, other: str, value: str) -> list[str]:
        # the table may not be loaded yet, as only candidates' tables are
        self._database.load([table])
        quoted = [name.replace('"', '""') for name in (other, table, column)]
        rows = self._database.trusted(
            f'SELECT DISTINCT "{quoted[0]}" FROM "{quoted[1]}" WHERE lower("{quoted[2]}") = lower(?) LIMIT 9',
            [value],
        )
        return [str(found) for (found,) in rows if found is not None]

    def _plain(self, query: str, original: exp.Expression, started: float, limit: int | None) -> Answer:
        """Run a statement that reads no tables, as it is."""
        sql = original.sql(dialect="duckdb")
        rows = self._database.execute(sql, limit=limit)
        return Answer(Resolution("bound", query, sql, 1.0, seconds=time.monotonic() - started), rows)

    def _resolution(
        self,
        query: str,
        best: Trial,
        trials: list[Trial],
        ranked: list[list[Candidate]],
        judged: list[Evidence],
        seconds: float,
    ) -> Resolution:
        mappings, joins = mappings_of(best), joins_of(best)
        rivals, told = self._rivals(best, ranked, judged)
        lacking = tuple(left_out(best, judged))
        signals = signals_of(best, ranked, judged, mappings, joins, rivals, in_part=bool(lacking))
        written = best.written
        return Resolution(
            "failed" if best.error else "resolved",
            query,
            best.sql,
            confidence=confidence(signals),
            evidence=signals.features(),
            tables=tables_of(best),
            columns=tuple(mappings),
            joins=tuple(joins),
            keys=tuple(keys_of(best)),
            corrections=tuple(written.corrections),
            missing_values=tuple(written.missing_values),
            cleaned={t: tuple(c) for t, c in written.cleaned.items()},
            unions={u: tuple(self._index.unions[u].part_names()) for u in written.unions},
            once=dict(written.once),
            history=tuple(
                Attempt(t.sql, len(t.rows.rows) if t.rows else None, t.error, t.score) for t in trials
            ),
            doubts=(*doubts_of(best, mappings), *lacking),
            closest=self._closest(ranked),
            # between two guesses nobody can say which was meant
            readings=() if guessed(mappings) else told,
            error=best.error,
            seconds=seconds,
            rounds=len(trials),
        )

    def _rivals(
        self, best: Trial, ranked: list[list[Candidate]], judged: list[Evidence]
    ) -> tuple[list[Rival], tuple[Reading, ...]]:
        """The alternatives to the best candidate, each with whether it gives the same rows, and the nearest
        one that does not beside the best.
        """
        # without rows there is nothing to compare an alternative with
        if best.rows is None or best.empty:
            return [], ()
        comparison = Comparison(self._database, best.sql, best.rows, best.seconds)
        out, told = [], ("", "")
        for kind, gap, choice in alternatives(best.choice, ranked, judged):
            other = self._write(best.original, choice)
            # the same text needs no run
            same = 1.0 if other.sql == best.sql else comparison.same(other.sql)
            # only the first that differs is told; several readings would be a list to choose from
            if comparison.differs == other.sql and not told[0]:
                told = differing_in(best, choice)
            out.append(Rival(kind, gap, same))
        rows = comparison.rows()
        if rows is None:
            return out, ()
        return out, readings((told[0], best.sql, rows[0]), (told[1], comparison.differs, rows[1]))

    def _closest(self, ranked: list[list[Candidate]]) -> tuple[str, ...]:
        out: list[str] = []
        for found in ranked:
            for candidate in found[:3]:
                told = " + ".join(candidate.tables)
                if told not in out:
                    out.append(told)
        return tuple(out)
