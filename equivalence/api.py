"""The one judge of sameness: `Checker.check(original, candidate)`.

Owns the order of the parts (eligibility, binding, result columns, a cheap search, the prover, the
long search, the judge) and what becomes of their answers. Must not know how any part works.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

import psycopg

from rewright.engines import clock
from rewright.engines.postgres.cpu import waited_for
from rewright.engines.postgres.locales import LINGUISTIC
from rewright.equivalence.certificates import Texts, certify
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.gates import behind_gate, split
from rewright.equivalence.generator.stand_ins import reads_any
from rewright.equivalence.isolation import (
    Refused,
    ScreenedQuery,
    ScreenedSchema,
    needs_omitted,
    screen_query,
    screen_schema,
)
from rewright.equivalence.judge import Judge
from rewright.equivalence.omissions import TRUSTED
from rewright.equivalence.options import Options
from rewright.equivalence.parameters import ParameterType, instances, parameter_types
from rewright.equivalence.promises import Promise, supposed
from rewright.equivalence.prover.remembered import Memory
from rewright.equivalence.proving import Attempt, Binding, as_kept, bind_both
from rewright.equivalence.refuter.environments import PLAIN, environments_for
from rewright.equivalence.refuter.scratch_database import (
    SchemaFailed,
    ScratchDatabase,
    Server,
    harden,
    trusted_extensions,
)
from rewright.equivalence.refuter.search import Refuter
from rewright.equivalence.solving import in_a_hurry
from rewright.equivalence.tester.coverage import coverage_of, unfilled, weakness
from rewright.equivalence.verdicts import (
    Counterexample,
    Judged,
    Proved,
    Refuted,
    Stamp,
    Tested,
    Unknown,
    Verdict,
)
from rewright.sql.algebra import TableRef
from rewright.sql.catalog import Catalog
from rewright.sql.types import SqlType

# from this share of telling databases on, chance is good enough
_TELLING_SHARE = 0.25
# stable by declaration, yet another answer for every statement
_RESTLESS = ("statement_timestamp", "pg_stat_get_", "pg_current_", "pg_last_")
# sets of values tried for a query's parameters
_INSTANCES = 5
_OF_EXTENSION = "unsupported: a column whose type is an extension's, which is left out of the schema"

__all__ = ["Checker", "Options", "Verdict", "in_a_hurry"]


@dataclass(frozen=True, slots=True)
class Signature:
    """What the server's Describe says of a query: names, type OIDs and typmods of its columns."""

    names: tuple[str, ...]
    types: tuple[int, ...]
    typmods: tuple[int, ...]


class Checker:
    """Judges pairs of queries over one schema. Use as a context manager: it owns a scratch database.

    ``catalog``: a `rewright.sql.catalog.Catalog`, or None when ``schema_sql`` (plain DDL) is given.
    ``scratch``: a running scratch server, or None: then nothing can be refuted or tested. ``judge``: a
    model's opinion, or None. `check` never raises for what is in the queries; it is not thread-safe.
    """

    def __init__(
        self,
        catalog: Catalog | None = None,
        scratch: Server | None = None,
        options: Options | None = None,
        *,
        schema_sql: str = "",
        judge: Judge | None = None,
        kept: frozenset[Promise] = frozenset(),
    ) -> None:
        self.options = options or Options()
        self.judge = judge
        # what rows keep of which no constraint says so
        self.kept = kept
        self._scratch = scratch
        self._schema_sql = schema_sql
        self._scratch_db: ScratchDatabase | None = None
        self._linguistic: ScratchDatabase | None = None
        self._lacks_locales = False
        # what was given as DDL, and what of it is run: nothing where the catalog is told anew
        self._given: ScreenedSchema | None = None
        self._schema: ScreenedSchema | None = None
        self._problem = ""
        # constraints of the live database that its scratch database lacks
        self._untold: tuple[tuple[TableRef, str], ...] = ()
        # names of columns that are of another type in the scratch database, and of those that are texts where
        # proofs are made
        self._stand_ins: frozenset[str] = frozenset()
        self._texts: frozenset[str] = frozenset()
        self._relations: set[tuple[str, str]] = set()
        self._catalog_problem = ""
        self.catalog = catalog
        # what proofs over the catalog found out; whoever proves its steps may share it
        self.memory = Memory()
        if catalog is None:
            self._read_schema(schema_sql)

    # -- life

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drop the scratch database."""
        for scratch_db in (self._scratch_db, self._linguistic):
            if scratch_db is not None:
                scratch_db.close()
        self._scratch_db = self._linguistic = None
        self._lacks_locales = False

    def linguistic_scratch(self) -> ScratchDatabase | None:
        """The schema in a database that orders texts as people do; None where the server has no such
        collation.
        """
        if self._linguistic is not None and not self._linguistic.connection.closed:
            return self._linguistic
        # without a first scratch database there is no schema to make a second one of
        if self._scratch_db is None or self._scratch is None or self._lacks_locales:
            return None
        for locale in LINGUISTIC:
            try:
                self._linguistic = ScratchDatabase(
                    self._scratch, self._scratch_db.schema, path=self.options.search_path, locale=locale
                )
            except (psycopg.Error, SchemaFailed, Refused):
                # this locale is not there, or the schema does not go into a database of it: the next one is
                # tried
                continue
            return self._linguistic
        self._lacks_locales = True
        return None

    def _read_schema(self, text: str) -> None:
        from rewright.equivalence.extension_columns import with_texts_for_extensions
        from rewright.equivalence.proving import catalog_of

        try:
            given = text
            text, self._texts = with_texts_for_extensions(given)
            self._stand_ins = self._texts
            self._given = self._schema = screen_schema(text)
            if made := self._extensions(given):
                # extensions that the server makes need no texts in their columns' place
                given, self._stand_ins = with_texts_for_extensions(given, made)
                self._schema = screen_schema(given, made)
        except Refused as refused:
            self._problem = f"schema refused: {refused}"
            return
        self.catalog, self._catalog_problem = catalog_of(
            self._given.kept_text if self._given.omitted else text
        )
        if any(omission.hides_rows for omission in self._given.omitted):
            # what is hidden may be what a reference needs: run as of a live database, without such references
            self._schema = None
            self._problem = "" if self.catalog is not None else f"row security: {self._catalog_problem}"

    def _extensions(self, text: str) -> frozenset[str]:
        """The extensions that the scratch server can make, where the schema speaks of any."""
        # most schemas name none: the server need not be asked
        if self._scratch is None or "extension" not in text.lower():
            return frozenset()
        return trusted_extensions(self._scratch)

    def scratch_database_for(self, *queries: ScreenedQuery) -> ScratchDatabase | None:
        """The scratch database, made on first use; None without a server or when the schema failed."""
        if self._scratch is None or self._problem:
            return None
        reaches = self._reaches(queries)
        # a connection that the server has closed takes its database along
        if self._scratch_db is not None and not self._scratch_db.connection.closed and reaches:
            return self._scratch_db
        self.close()
        try:
            harden(self._scratch)
            self._scratch_db = self._make_scratch(self._scratch, queries)
        except Refused as refused:
            self._problem = f"schema refused: {refused}"
        except SchemaFailed as failed:
            self._problem = f"schema failed on the scratch server: {failed}"
        if self._problem:
            # the next pair of a live catalog begins with its own relations
            self._relations = set()
        return self._scratch_db

    def _make_scratch(self, server: Server, queries: tuple[ScreenedQuery, ...]) -> ScratchDatabase:
        """Of the DDL that was given, or of what the catalog has of the relations named so far; where the
        server can't hold all of it, of these queries' alone, at last without the constraints in question.
        Raises Refused, SchemaFailed.
        """
        path = self.options.search_path
        if self._schema is not None:
            # with the extensions' own types where that works
            if self._schema is not self._given and self._given is not None:
                with contextlib.suppress(SchemaFailed, Refused):
                    return ScratchDatabase(server, self._schema, path=path)
                # not as it is with its extensions: without them
                self._schema, self._stand_ins = self._given, self._texts
            return ScratchDatabase(server, self._schema, path=path)
        told = self.catalog.extensions if self.catalog is not None else ()
        # most databases have plpgsql alone: the server is not asked for that
        extensions = trusted_extensions(server) if TRUSTED.keys() & set(told) else frozenset()
        with contextlib.suppress(Refused, SchemaFailed):
            return ScratchDatabase(server, self._schema_from_catalog(extensions), path=path)
        self._relations = _names(queries)
        with contextlib.suppress(Refused, SchemaFailed):
            return ScratchDatabase(server, self._schema_from_catalog(extensions), path=path)
        return ScratchDatabase(server, self._schema_from_catalog(plain=True), path=path)

    def _reaches(self, queries: tuple[ScreenedQuery, ...]) -> bool:
        """Whether the scratch database has what the queries name; with plain DDL it has everything."""
        names = _names(queries)
        if self._schema is not None or names <= self._relations:
            return True
        self._relations |= names
        return False

    def _schema_from_catalog(
        self, extensions: frozenset[str] = frozenset(), *, plain: bool = False
    ) -> ScreenedSchema:
        from rewright.equivalence.generator.ddl import reachable, schema_of

        assert self.catalog is not None
        reached = reachable(self.catalog, self._relations)
        made = schema_of(self.catalog, reached, plain=plain, extensions=extensions)
        self._schema_sql, self._untold = made.text, made.untold
        self._stand_ins = self._texts | made.stand_ins
        return screen_schema(made.text, extensions)

    # -- the judgement

    def check(self, original: str, candidate: str) -> Verdict:
        """Whether ``candidate`` may stand for ``original``; within about ``options.seconds``."""
        started = clock.now()
        path = self.options.search_path
        if self.catalog is not None and (gate := split(candidate, self.catalog, path)) is not None:
            return self._behind_gate(original, *gate)
        try:
            verdict = self._check(original, candidate, started)
        except Refused as refused:
            verdict = Unknown(f"unsupported: {refused}")
        except psycopg.Error as error:
            # a query may have ended the server process: the next pair gets another database
            if self._scratch_db is not None and self._scratch_db.connection.closed:
                self.close()
            verdict = Unknown(
                f"scratch server: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
            )
        except RecursionError:
            verdict = Unknown("unsupported: nesting too deep")
        # different columns are seen without any rows
        if isinstance(verdict, Refuted) and verdict.counterexample.kind != "columns":
            verdict = self._unless_untold(verdict, original, candidate)
        return replace(verdict, stamp=self._stamp(clock.now() - started))

    def _behind_gate(self, original: str, candidate: str, kept: frozenset[Promise]) -> Verdict:
        """The verdict on what stands behind a look at the rows, over rows that keep what is looked for."""
        assert self.catalog is not None
        if self._given is not None:
            catalog = None
            schema = ";\n".join((f"{self._schema_sql}\n", *(p.statement() for p in sorted(kept, key=str))))
        else:
            catalog, schema = supposed(self.catalog, kept), ""
        with Checker(
            catalog, self._scratch, self.options, schema_sql=schema, judge=self.judge, kept=kept
        ) as inner:
            verdict = inner.check(original, candidate)
        verdict = replace(verdict, stamp=replace(verdict.stamp, catalog_digest=self.catalog.digest()))
        return behind_gate(verdict, kept) if isinstance(verdict, Proved) else verdict

    def over_rows(self, binding: Binding) -> Binding:
        """The pair as it is proved: over rows that keep more than what constraints say."""
        return as_kept(binding, self.kept)[0] if self.kept else binding

    def _unless_untold(self, refuted: Refuted, *texts: str) -> Verdict:
        """Unknown where the rows may be such that a constraint forbids which the scratch database lacks."""
        if not self._untold or self.catalog is None:
            return refuted
        from rewright.equivalence.generator.ddl import reachable

        reached = {r.ref for r in reachable(self.catalog, _names(map(screen_query, texts)))}
        broken = ", ".join(f"{name} of {ref.name}" for ref, name in self._untold if ref in reached)
        # the broken constraint is of a table that the pair does not read
        if not broken:
            return refuted
        return Unknown(f"they differ on rows that may break {broken}, which no scratch server can hold")

    def certificate(self, proved: Proved, original: str, candidate: str, seconds: float) -> dict[str, Any]:
        """The certificate of a proof that `check` has given of the pair
        (`rewright.equivalence.certificates`).

        Raises NoCertificate.
        """
        left, right = screen_query(original), screen_query(candidate)
        known: tuple[ParameterType, ...] | str = ()
        # parameters have the types that the server infers for the original
        if left.parameters and self._scratch_db is not None:
            known = parameter_types(self._scratch_db, left)
        schema = self._given.kept_text if self._given is not None else self._schema_sql
        texts = Texts(
            schema,
            left.text,
            right.text,
            self.options.search_path,
            () if isinstance(known, str) else tuple(p.type for p in known),
        )
        return certify(proved, texts, proved.stamp.catalog_digest, seconds)

    def _stamp(self, seconds: float) -> Stamp:
        digest = self.catalog.digest() if self.catalog is not None else ""
        version = self._scratch_db.server_version if self._scratch_db is not None else ""
        run = self._schema or self._given
        omitted = tuple(o.label for o in run.omitted) if run is not None else ()
        if self._scratch_db is not None:
            omitted += tuple(f"{kind} {name}" for name, kind in self._scratch_db.left_out.items())
        omitted += tuple(f"column {name}" for name in sorted(self._stand_ins))
        return Stamp(catalog_digest=digest, server_version=version, seconds=seconds, omitted=omitted)

    def _check(self, original: str, candidate: str, started: float) -> Verdict:
        left, right = screen_query(original), screen_query(candidate)
        if self._schema is None and self._scratch is not None and self.catalog is not None:
            self._problem = ""  # another pair reaches other relations
        left_out = self._left_out(left, right)
        if left_out:
            return Unknown(left_out)
        known = self._scratch_db
        scratch_db = self.scratch_database_for(left, right)
        if scratch_db is not known:
            started = clock.now()  # making the database takes nothing from the first pair that needs it
        # of DDL that was refused there is neither a schema nor a catalog
        if self._problem and (self._schema is not None or self.catalog is None):
            return Unknown(self._problem)
        # of a live catalog the stand-ins are known with its scratch database only
        if scratch_db is None or self._reads(self._stand_ins, left, right):
            return self._without_server(original, candidate)
        volatile = _volatile(scratch_db, left, right)
        if volatile:
            return Unknown(f"volatile function {volatile}()")
        lacking = self._lacking(scratch_db, left, right)
        if lacking:
            return self._without_server(original, candidate, lacking)
        parameters = parameter_types(scratch_db, left) if left.parameters | right.parameters else ()
        if isinstance(parameters, str):
            return Unknown(f"the original does not run: {parameters}")
        if max(right.parameters, default=0) > len(parameters):
            return Unknown("the candidate has parameters that the original lacks")
        # a candidate with parameters of its own has none of the client's values
        oids = [p.oid for p in parameters]
        first, second = describe(scratch_db, left, oids), describe(scratch_db, right, oids)
        for name, signature in (("original", first), ("candidate", second)):
            if isinstance(signature, str):
                return Unknown(f"the {name} does not run: {signature}")
        assert isinstance(first, Signature)
        assert isinstance(second, Signature)
        if len(first.types) != len(second.types):
            return self._other_columns(scratch_db, left, right, (first, second))
        case = _Case(self, scratch_db, left, right, started, types=first.types != second.types)
        with waited_for(scratch_db.connection):
            return case.with_parameters(parameters) if parameters else case.decide()

    def _left_out(self, left: ScreenedQuery, right: ScreenedQuery) -> str:
        """What the queries need of what was left out of the given schema; empty where nothing."""
        if self._given is None:
            return ""
        for query in (left, right):
            missing = needs_omitted(self._given, query)
            if missing:
                return f"unsupported: {missing}, which is left out of the schema"
        if self._reads(self._stand_ins, left, right):
            return _OF_EXTENSION
        return ""

    def _reads(self, columns: frozenset[str], *queries: ScreenedQuery) -> bool:
        return bool(columns) and reads_any((q.tree for q in queries), columns)

    def _other_columns(
        self,
        scratch_db: ScratchDatabase,
        left: ScreenedQuery,
        right: ScreenedQuery,
        signatures: tuple[Signature, Signature],
    ) -> Refuted:
        """Refuted by Describe; with a row to see it on, when one is soon found."""
        reason = "different number of result columns"
        # with parameters there is no text to run as it stands
        if not left.parameters | right.parameters:
            refuter = Refuter(scratch_db, left, right, seed=self.options.seed)
            try:
                refuter.run(databases=self.options.first_databases, seconds=self.options.seconds / 4)
            finally:
                refuter.close()
            if refuter.done.found:
                return Refuted(refuter.done.found, reason)
        shown, other = (f"{len(s.types)} columns: {', '.join(s.names)}" for s in signatures)
        script = "".join(f"{text};\n" for text in (*scratch_db.schema.statements, left.text, right.text))
        return Refuted(
            Counterexample("columns", (), 0, shown, other, f"BEGIN;\n{script}ROLLBACK;"),
            reason,
            "result columns",
        )

    def _lacking(self, scratch_db: ScratchDatabase, *queries: ScreenedQuery) -> str:
        """What the scratch server lacks to run the queries as theirs would; empty when nothing."""
        major = int(scratch_db.server_version.split(".")[0] or 0)
        wanted = self.options.server_major
        # another major version may answer otherwise, and fail otherwise
        if wanted and wanted != major:
            return f"the scratch server is PostgreSQL {major}, not {wanted}"
        named = {name for _, name in _names(queries)}.union(*(query.types for query in queries))
        gone = named & scratch_db.left_out.keys()
        lacking = min(gone, default="")
        return f"the scratch database lacks {scratch_db.left_out[lacking]} {lacking}" if lacking else ""

    def _without_server(self, original: str, candidate: str, lacking: str = "") -> Verdict:
        """Only a proof is possible; result types come from the binder. ``lacking``: why nothing is run."""
        if self._reads(self._texts, screen_query(original), screen_query(candidate)):
            return Unknown(_OF_EXTENSION)
        bound = bind_both(original, candidate, self.catalog, self.options.search_path)
        if isinstance(bound, str) or self.catalog is None:
            return Unknown(bound if isinstance(bound, str) and bound else self._catalog_problem)
        bound = self.over_rows(bound)
        attempt = prove_pair(bound, self.catalog, self.options.prover_seconds, memory=self.memory)
        missing = lacking or self._problem or "no scratch server to run on"
        return attempt.proved or Unknown(f"{attempt.reason or 'no proof found'}, and {missing}")


def _volatile(scratch_db: ScratchDatabase, *queries: ScreenedQuery) -> str:
    """A volatile function that the queries call; empty when there is none."""
    calls = frozenset().union(*(q.calls for q in queries))
    volatile = scratch_db.volatile_functions(calls) | {name for name in calls if name.startswith(_RESTLESS)}
    return min(volatile, default="")


def _names(queries: Iterable[ScreenedQuery]) -> set[tuple[str, str]]:
    return set().union(*(query.relations for query in queries))


class _Case:
    """One pair on its way through the parts."""

    def __init__(
        self,
        checker: Checker,
        scratch_db: ScratchDatabase,
        left: ScreenedQuery,
        right: ScreenedQuery,
        started: float,
        *,
        types: bool,
    ) -> None:
        self.checker, self.scratch_db, self.left, self.right = checker, scratch_db, left, right
        self.options = checker.options
        self.deadline = started + self.options.seconds
        self.types = types
        # the texts to prove: with parameters where the runs have literals
        self.texts = (left.text, right.text)
        self.parameters: tuple[SqlType, ...] = ()

    def with_parameters(self, parameters: Sequence[ParameterType]) -> Verdict:
        """Run with several values for the parameters; the proof is made of the texts as they are."""
        texts = instances(self.scratch_db, (self.left, self.right), parameters, _INSTANCES, self.options.seed)
        self.parameters = tuple(p.type for p in parameters)
        pairs = [(screen_query(a), screen_query(b)) for a, b in texts]
        for count, share in ((self.options.first_databases, 0.1), (self.options.databases // 4, 0.15)):
            # the first instance is left for `decide`, which also proves
            for left, right in pairs[1:]:
                self.left, self.right = left, right
                refuter = self._refuter()
                try:
                    refuter.run(databases=count, seconds=self._left(share))
                finally:
                    refuter.close()
                if refuter.done.found:
                    return Refuted(refuter.done.found, "with these values for the parameters")
            if count == self.options.first_databases:
                self.left, self.right = pairs[0]
                verdict = self.decide()
                # refuted, proved or unknown with these values: more of them change nothing
                if not isinstance(verdict, Tested):
                    return verdict
        return verdict

    def decide(self) -> Verdict:
        options = self.options
        refuter = self._refuter() if options.refuter else None
        try:
            if refuter is not None:
                refuter.run(databases=options.first_databases, seconds=self._left(0.4))
                if refuter.done.found:
                    return Refuted(refuter.done.found)
            attempt = self._prove() if options.prover else self._only_bound()
            # a proof is confirmed on more databases before it is believed
            if attempt.proved is not None:
                return self._confirmed(attempt.proved, refuter)
            if refuter is None:
                return Unknown(attempt.reason or "no proof found")
            return self._searched(refuter, attempt)
        finally:
            if refuter is not None:
                refuter.close()

    def _searched(self, refuter: Refuter, attempt: Attempt) -> Verdict:
        """The long search: enumerated databases, other environments, chance, then all orders and plans."""
        options = self.options
        # all small databases first: what differs at all often does so with two rows
        refuter.enumerate(databases=options.databases // 4, seconds=self._left(0.2))
        others: list[Refuter] = []
        try:
            if not refuter.done.found:
                self._elsewhere(refuter, others)
            for other in others:
                if other.done.found:
                    return Refuted(other.done.found)
            if not refuter.done.found:
                # chance makes rows that suit the queries: nothing needs to be directed
                if options.directed and attempt.binding is not None and _selective(refuter):
                    self._direct(refuter, attempt.binding)
                elsewhere = sum(other.done.databases for other in others)
                left = options.databases - options.first_databases - elsewhere
                refuter.run(databases=left, seconds=self._left(0.8))
            if not refuter.done.found:
                refuter.audit(seconds=self._left(0.5))
            if refuter.done.found:
                return Refuted(refuter.done.found)
            return self._silence(refuter, attempt, others)
        finally:
            for other in others:
                other.close()

    def _elsewhere(self, refuter: Refuter, others: list[Refuter]) -> None:
        """Search in other time zones and collations, until one finds something."""
        queries = (self.left, self.right)
        for number, environment in enumerate(
            environments_for(self.scratch_db.shape, refuter.generator.used, queries), 1
        ):
            scratch_db = self.checker.linguistic_scratch() if environment.linguistic else self.scratch_db
            # the server has no linguistic collation: that environment is left out
            if scratch_db is None:
                continue
            seed = self.options.seed + number
            other = Refuter(
                scratch_db, *queries, seed=seed, shrinks=self.options.shrink, environment=environment
            )
            others.append(other)
            other.run(databases=self.options.databases // 8, seconds=self._left(0.3))
            if other.done.found:
                return

    def _left(self, share: float) -> float:
        return max(0.0, (self.deadline - clock.now()) * share)

    def _refuter(self) -> Refuter:
        return Refuter(
            self.scratch_db, self.left, self.right, seed=self.options.seed, shrinks=self.options.shrink
        )

    def _bound(self) -> Binding | str:
        return bind_both(*self.texts, self.checker.catalog, self.options.search_path, self.parameters)

    def _only_bound(self) -> Attempt:
        if self.checker._reads(self.checker._texts, self.left, self.right):
            return Attempt(None, "")
        bound = self._bound()
        return Attempt(None, "", bound if isinstance(bound, Binding) else None)

    def _prove(self) -> Attempt:
        checker = self.checker
        if checker._reads(checker._texts, self.left, self.right):
            # what is proved of texts says nothing of the type's own equality and order
            return Attempt(None, "unsupported: a column whose type is an extension's")
        bound = self._bound()
        if isinstance(bound, str) or checker.catalog is None:
            return Attempt(None, bound if isinstance(bound, str) and bound else checker._catalog_problem)
        bound = checker.over_rows(bound)
        seconds = min(self.options.prover_seconds, self._left(0.6))
        return prove_pair(bound, checker.catalog, seconds, memory=checker.memory)

    def _confirmed(self, proved: Proved, refuter: Refuter | None) -> Verdict:
        """The proof with the reservations that the runs have left open; a database that belies it wins."""
        modulo = set(proved.modulo)
        if self.types:
            modulo.add("types")
        if refuter is not None:
            refuter.run(databases=self.options.confirm_databases, seconds=self._left(0.5))
            if refuter.done.found:
                return Refuted(refuter.done.found, f"although a proof was found ({proved.method})")
            # both overflow, but not on the same rows
            if refuter.done.overflow:
                modulo.add("overflow")
        return replace(proved, modulo=tuple(sorted(modulo)))

    def _direct(self, refuter: Refuter, binding: Binding) -> None:
        """Seed rows that the queries' own predicates ask for, before the long search."""
        from rewright.equivalence.generator.directed import directed_databases

        refuter.seeds += directed_databases(
            self.scratch_db.shape,
            refuter.pools,
            (binding.original, binding.candidate),
            seconds=min(1.5, self._left(0.3)),
            seed=self.options.seed,
            sizes=refuter.constants.small_integers,
        )

    def _silence(self, refuter: Refuter, attempt: Attempt, others: Sequence[Refuter] = ()) -> Verdict:
        self.scratch_db.enter(PLAIN)
        coverage = coverage_of(refuter, seed=self.options.seed, others=others)
        # too few databases were run for their silence to mean anything
        if refuter.done.timed_out and refuter.done.databases < self.options.first_databases:
            return Unknown("timeout: the queries are slow on small databases", coverage)
        modulo = tuple(
            name for name, present in (("overflow", refuter.done.overflow), ("types", self.types)) if present
        )
        opinion = self._opinion()
        if isinstance(opinion, Refuted):
            return opinion
        column = unfilled(refuter)
        weak = f"no value is known for {column}, which is never NULL" if column else weakness(coverage)
        if weak:
            # a model's opinion stands where the search was too weak to say anything
            if isinstance(opinion, Judged):
                return replace(opinion, coverage=coverage, modulo=modulo)
            return Unknown(weak, coverage)
        reason = attempt.reason
        # several answers of the original on one database make a difference harder to see
        if refuter.confirmer.varied:
            reason = "; ".join(filter(None, (reason, "the original gives several answers on the same data")))
        return Tested(coverage, modulo, reason)

    def _opinion(self) -> Verdict | None:
        judge = self.checker.judge
        if judge is None:
            return None
        opinion = judge.judge(self.checker._schema_sql, self.left.text, self.right.text)
        if opinion is None:
            return None
        if opinion.inserts:
            found = replay_inserts(self.scratch_db, self.left, self.right, opinion.inserts)
            if found is not None:
                return Refuted(found, opinion.reason, "model, replayed")
        return Judged(opinion.reason) if opinion.same else None


def replay_inserts(
    scratch_db: ScratchDatabase, left: ScreenedQuery, right: ScreenedQuery, inserts: tuple[str, ...]
) -> Counterexample | None:
    """Run a proposed database given as INSERTs; anything else in it, or a failure, counts as nothing."""
    from rewright.equivalence.refuter.proposed import database_from

    database = database_from(scratch_db, inserts)
    if database is None:
        return None
    refuter = Refuter(scratch_db, left, right)
    try:
        found = refuter.confirmer.differs(database)
        if found is None or found.kind == "overflow":
            # an overflow alone is a reservation, and no counterexample
            return None
        return refuter.counterexample(database, found)
    finally:
        refuter.close()


def describe(
    scratch_db: ScratchDatabase, query: ScreenedQuery, parameters: Sequence[int] = ()
) -> Signature | str:
    """The server's Describe with these parameter types (OIDs), or its error."""
    pg = scratch_db.connection.pgconn
    result = pg.prepare(b"", query.text.encode(), parameters)
    if result.error_message:
        return (
            (result.error_field(67) or b"").decode()
            + " "
            + (result.error_field(77) or b"").decode(errors="replace")
        )
    result = pg.describe_prepared(b"")
    fields = range(result.nfields)
    return Signature(
        tuple((result.fname(i) or b"").decode() for i in fields),
        tuple(result.ftype(i) for i in fields),
        tuple(result.fmod(i) for i in fields),
    )


def _selective(refuter: Refuter) -> bool:
    """Whether rows that suit the queries must be sought, since chance rarely made any."""
    return refuter.done.nonempty < _TELLING_SHARE * refuter.done.databases
