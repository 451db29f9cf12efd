"""A rewriter over a real database: session, catalog, rules, checker, plugged together. Nothing else puts one
together.

Owns the life of what it opens. Used by the command line, the optimiser process and the benches alike. Must
not know settings files or the store's tables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.looking import Broken
from rewright.engines.postgres.policies import filtered_tables
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Limits, Session
from rewright.engines.postgres.stored_rows import KeptFacts, look_at
from rewright.equivalence.api import Checker
from rewright.equivalence.decomposition.search import at_once
from rewright.equivalence.options import Options
from rewright.knowledge.api import KnowledgeBase
from rewright.models.api import Model, NoModel
from rewright.models.redact import Share
from rewright.rewrite.adapters.checker import EquivalenceChecker, SecondLook, Yielding
from rewright.rewrite.adapters.gates import Gates
from rewright.rewrite.adapters.judge import ModelJudge
from rewright.rewrite.adapters.links import LinkProver
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.adapters.scoping import TemplateScoper
from rewright.rewrite.adapters.units import UnitKnowledge
from rewright.rewrite.agents.guard import BoundGuard
from rewright.rewrite.api import Outcome, Rewriter
from rewright.rewrite.eligible import eligible
from rewright.rewrite.model import Settings
from rewright.rewrite.ports import (
    Database,
    Hinter,
    Inspector,
    Journal,
    Knowledge,
    NoHints,
    NoJournal,
    NoKnowledge,
    Ports,
    TheseLiterals,
)
from rewright.rewrite.row_facts import Look, search
from rewright.rewrite.search.chains import CONFIRM_SECONDS, ChainChecker, Derivations
from rewright.rewrite.search.proposer import RuleProposer
from rewright.sql.catalog import Catalog
from rewright.sql.row_facts import Policy, RowFact


class Inspected(Database, Inspector, Protocol):
    """Both ports over one database."""


def _unlimited(database: PostgresDatabase) -> Inspected:
    return database


@dataclass(frozen=True, slots=True)
class Extras:
    """What is optional: a model (and what it may be shown), knowledge, hints, a journal. ``judge``: the
    model's opinion is asked where the checker has none of its own (trust `judged`); it costs a call for each
    such check.
    ``limited``: the database as the rewriter may use it.
    """

    model: Model = field(default_factory=NoModel)
    knowledge: Knowledge = field(default_factory=NoKnowledge)
    # knowledge units, taken in place of ``knowledge`` where given
    units: KnowledgeBase | None = None
    hinter: Hinter = field(default_factory=NoHints)
    journal: Journal = field(default_factory=NoJournal)
    share: Share = "schema"
    judge: bool = False
    limited: Callable[[PostgresDatabase], Inspected] = _unlimited


@dataclass(frozen=True, slots=True)
class Terms:
    """How hard the parts try, and who goes first. Times in seconds.

    ``confirm``: see `ChainChecker`; ``search``: the most that a search by rules takes; ``accept``:
    reservations with which the proof of a template counts; ``later``: rules that are tried last;
    ``templates``: whether templates are proved at all; ``between``: called before each proof, check and
    search for a counterexample, where others may go first.
    """

    confirm: float = CONFIRM_SECONDS
    search: float = 5.0
    accept: frozenset[str] = frozenset({"float-order"})
    later: frozenset[str] = frozenset()
    templates: bool = True
    between: Callable[[], None] = at_once


@dataclass(frozen=True, slots=True)
class Place:
    """A database as a session of it sees it: the catalog that is believed, the schemas that names are looked
    up in, the client session's GUCs.
    """

    session: Session
    catalog: Catalog
    search_path: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def server_major(self) -> int:
        return self.session.server_version // 10_000

    def options(self) -> Options:
        """The checker's."""
        return Options(search_path=self.search_path, server_major=self.server_major)

    def scoper(self, terms: Terms, **limits: Any) -> TemplateScoper:
        return TemplateScoper(self.catalog, self.search_path, terms.accept, terms.between, **limits)


@dataclass(slots=True)
class Careful:
    """Rewrites queries, relying only on foreign keys that the stored rows keep.

    ``rewriter_over`` gives the rewriter that believes a catalog; ``look`` says why a foreign key is not to be
    relied on.
    """

    catalog: Catalog
    policy: Policy
    look: Look
    rewriter_over: Callable[[Catalog], Rewriter]
    _broken: dict[RowFact, str] = field(default_factory=dict)

    @property
    def plain(self) -> Rewriter:
        """The rewriter that believes every declaration, for measurements of its parts."""
        return self.rewriter_over(self.catalog)

    def optimise(
        self, sql: str, *, observed_seconds: float | None = None, settings: Settings | None = None
    ) -> Outcome:
        """As `Rewriter.optimise`."""

        def run(believed: Catalog) -> Outcome:
            found = self.rewriter_over(believed)
            return found.optimise(sql, observed_seconds=observed_seconds, settings=settings)

        # what was found broken is remembered over queries: it is looked for in the data once
        searched = search(self.catalog, self.policy, self.look, run, self._broken)
        self._broken |= searched.broken
        return searched.outcome


@contextmanager
def connected(
    dsn: str,
    scratch: ScratchServer | None,
    *,
    extras: Extras | None = None,
    search_path: tuple[str, ...] | None = None,
    settings: Mapping[str, str] | None = None,
    run_timeout: float = 30.0,
    own: bool = False,
    foreign_keys: Policy = "verified",
) -> Iterator[Careful]:
    """A rewriter for one database. ``scratch`` is where the checker tries queries; without it only proofs
    count.

    ``search_path``: schemas that names are looked up in, else those of a session of ``dsn``. ``settings`` are
    the client session's GUCs; ``own``: the texts are those of the person whose account ``dsn`` is.
    ``foreign_keys``: see `rewright.rewrite.row_facts`. Raises engines' SessionError when the database can't
    be reached. The catalog is read once: open another for a changed schema. Not for use from several threads
    at once.
    """
    extras = extras or Extras()
    with Session(dsn, limits=Limits(statement=run_timeout), own=own) as session, ExitStack() as opened:
        catalog = snapshot(session.connection)
        # one catalog for all rewriters of this database, of which each believes less of it
        path = search_path or path_of(session)
        kept: dict[str, Rewriter] = {}
        remembered = KeptFacts()

        def rewriter_over(believed: Catalog) -> Rewriter:
            digest = believed.digest()
            # by digest: the same beliefs twice, and the same opened checker
            if digest not in kept:
                place = Place(session, believed, path, dict(settings or {}))
                kept[digest] = opened.enter_context(composed(place, scratch, extras))
            return kept[digest]

        def broken(facts: Collection[RowFact]) -> Mapping[RowFact, str]:
            found = look_at(session.connection, facts, lambda: run_timeout, remembered)
            return {fact: one.reason for fact, one in found.items() if isinstance(one, Broken)}

        yield Careful(catalog, foreign_keys, broken, rewriter_over)


@contextmanager
def composed(
    place: Place, scratch: ScratchServer | None, extras: Extras, terms: Terms | None = None
) -> Iterator[Rewriter]:
    """The rewriter that believes the place's catalog; its checker is closed at the end."""
    terms = terms or Terms()
    derivations = Derivations()
    catalog, path = place.catalog, place.search_path
    database = extras.limited(PostgresDatabase(place.session, catalog, path, place.settings))
    judge = ModelJudge(extras.model, extras.share) if extras.judge else None
    with Checker(catalog, scratch, place.options(), judge=judge) as checker:
        chains = by_steps(checker, derivations, catalog, path, terms)
        yield Rewriter(
            Ports(
                database=database,
                inspector=database,
                derivations=derivations,
                checker=Yielding(chains, terms.between),
                prover=chains,
                proposer=RuleProposer(
                    catalog, path, derivations=derivations, seconds=terms.search, later=terms.later
                ),
                scoper=place.scoper(terms) if terms.templates else TheseLiterals(),
                eligible=partial(
                    eligible, catalog=catalog, search_path=path, filtered=filtered_tables(place.session)
                ),
                model=extras.model,
                knowledge=extras.knowledge
                if extras.units is None
                # a knowledge of its own for tests, the units for everybody else
                else UnitKnowledge(extras.units, catalog, path, place.server_major),
                hinter=extras.hinter,
                guard=BoundGuard(catalog, path),
                gates=Gates(catalog, path, derivations, terms.between),
                journal=extras.journal,
            )
        )


@contextmanager
def second_look(place: Place, scratch: ScratchServer | None) -> Iterator[SecondLook]:
    """A checker that looks for a counterexample to what is proved already."""
    with Checker(place.catalog, scratch, place.options()) as checker:
        yield SecondLook(checker)


def path_of(session: Session) -> tuple[str, ...]:
    """Schemas of the session's effective search path, pg_catalog aside."""
    # pg_catalog is searched in any case, and first
    return tuple(schema for schema in session.search_path() if schema != "pg_catalog")


def by_steps(
    checker: Checker,
    derivations: Derivations,
    catalog: Catalog,
    search_path: tuple[str, ...],
    terms: Terms | None = None,
) -> ChainChecker:
    """The checker as the rewriter uses it: proofs of single steps first, then of the whole."""
    terms = terms or Terms()
    links = LinkProver(catalog, search_path, terms.between, checker.memory)
    return ChainChecker(EquivalenceChecker(checker), derivations, links, SecondLook(checker), terms.confirm)
