"""A rewriter over a real database: session, catalog, rules, checker, plugged together.

Owns the life of what it opens. Used by the command line and by the optimiser process alike. Must not know settings
files or the store's tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.policies import filtered_tables
from rewright.engines.postgres.references import Broken, look
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Limits, Session
from rewright.equivalence.api import Checker
from rewright.equivalence.decomposition.search import at_once
from rewright.equivalence.options import Options
from rewright.knowledge.api import KnowledgeBase
from rewright.models.api import Model, NoModel
from rewright.models.redact import Share
from rewright.rewrite.adapters.checker import EquivalenceChecker, SecondLook
from rewright.rewrite.adapters.judge import ModelJudge
from rewright.rewrite.adapters.links import LinkProver
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.adapters.scoping import TemplateScoper
from rewright.rewrite.adapters.units import UnitKnowledge
from rewright.rewrite.api import Outcome, Rewriter
from rewright.rewrite.eligible import eligible
from rewright.rewrite.model import Settings
from rewright.rewrite.ports import Hinter, Journal, Knowledge, NoHints, NoJournal, NoKnowledge, Ports
from rewright.rewrite.references import Look, Policy, Reference, search
from rewright.rewrite.search.chains import CONFIRM_SECONDS, ChainChecker, Derivations
from rewright.rewrite.search.proposer import RuleProposer
from rewright.sql.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Extras:
    """What is optional: a model (and what it may be shown), knowledge, hints, a journal. ``judge``: the model's
    opinion is asked where the checker has none of its own (trust `judged`); it costs a call for each such check.
    """

    model: Model = field(default_factory=NoModel)
    knowledge: Knowledge = field(default_factory=NoKnowledge)
    # knowledge units, taken in place of ``knowledge`` where given
    units: KnowledgeBase | None = None
    hinter: Hinter = field(default_factory=NoHints)
    journal: Journal = field(default_factory=NoJournal)
    share: Share = "schema"
    judge: bool = False


@dataclass(slots=True)
class Careful:
    """Rewrites queries, relying only on foreign keys that the stored rows keep.

    ``rewriter_over`` gives the rewriter that believes a catalog; ``look`` says why a foreign key is not to be relied on.
    """

    catalog: Catalog
    policy: Policy
    look: Look
    rewriter_over: Callable[[Catalog], Rewriter]
    _broken: dict[Reference, str] = field(default_factory=dict)

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
    """A rewriter for one database. ``scratch`` is where the checker tries queries; without it only proofs count.

    ``search_path``: schemas that names are looked up in, else those of a session of ``dsn``. ``settings`` are the client session's
    GUCs; ``own``: the texts are those of the person whose account ``dsn`` is. ``foreign_keys``: see `rewright.rewrite.references`. Raises engines' SessionError when the database can't be reached. The catalog
    is read once: open another for a changed schema. Not for use from several threads at once.
    """
    extras = extras or Extras()
    with Session(dsn, limits=Limits(statement=run_timeout), own=own) as session, ExitStack() as opened:
        catalog = snapshot(session.connection)
        path = search_path or tuple(s for s in session.search_path() if s != "pg_catalog")
        kept: dict[str, Rewriter] = {}

        def rewriter_over(believed: Catalog) -> Rewriter:
            digest = believed.digest()
            if digest not in kept:
                kept[digest] = _rewriter(
                    session, believed, path, scratch, extras, dict(settings or {}), opened
                )
            return kept[digest]

        def look_at(key: Reference) -> str:
            found = look(session.connection, key.ref, key.name, run_timeout)
            return found.reason if isinstance(found, Broken) else ""

        yield Careful(catalog, foreign_keys, look_at, rewriter_over)


def _rewriter(
    session: Session,
    catalog: Catalog,
    search_path: tuple[str, ...],
    scratch: ScratchServer | None,
    extras: Extras,
    settings: dict[str, str],
    opened: ExitStack,
) -> Rewriter:
    """One that believes ``catalog``; its checker is closed with ``opened``."""
    options = Options(search_path=search_path, server_major=session.server_version // 10_000)
    derivations = Derivations()
    judge = ModelJudge(extras.model, extras.share) if extras.judge else None
    checker = opened.enter_context(Checker(catalog, scratch, options, judge=judge))
    chains = by_steps(checker, derivations, catalog, search_path)
    database = PostgresDatabase(session, catalog, search_path, settings)
    return Rewriter(
        Ports(
            database=database,
            inspector=database,
            derivations=derivations,
            checker=chains,
            prover=chains,
            proposer=RuleProposer(catalog, search_path, derivations=derivations),
            scoper=TemplateScoper(catalog, search_path),
            eligible=partial(
                eligible, catalog=catalog, search_path=search_path, filtered=filtered_tables(session)
            ),
            model=extras.model,
            knowledge=extras.knowledge
            if extras.units is None
            else UnitKnowledge(extras.units, catalog, search_path, options.server_major),
            hinter=extras.hinter,
            journal=extras.journal,
        )
    )


def by_steps(
    checker: Checker,
    derivations: Derivations,
    catalog: Catalog,
    search_path: tuple[str, ...],
    confirm: float = CONFIRM_SECONDS,
    between: Callable[[], None] = at_once,
) -> ChainChecker:
    """The checker as the rewriter uses it: proofs of single steps first, then of the whole. ``confirm``: see `ChainChecker`;
    ``between``: called before each proof of a step.
    """
    links = LinkProver(catalog, search_path, between)
    return ChainChecker(EquivalenceChecker(checker), derivations, links, SecondLook(checker), confirm)
