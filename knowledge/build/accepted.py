"""Rewrites that people approved, that were served and that gained, as pairs for the pipeline: the proxy's own
lore.

Their literals are taken out (see `rewright.knowledge.build.literals`). pg_stat_statements, where there is
one, says how often and how long the two ran. Must not know how a rewrite was found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pglast import fingerprint
from pglast.error import Error as PglastError

from rewright.engines.postgres.session import Session
from rewright.knowledge.build.build_state import BuildState, Pair
from rewright.knowledge.build.literals import without_literals
from rewright.knowledge.check import GAIN
from rewright.sql.parsing import TooDeep
from rewright.sql.templates import fill, split
from rewright.store.life import State
from rewright.store.records import Rewrite

STATEMENTS = (
    "select s.query, sum(s.calls), sum(s.total_exec_time) / greatest(sum(s.calls), 1) from "
    "{schema}.pg_stat_statements s"
    # the most time first: of a long list the tail is of no use
    " join pg_database d on d.oid = s.dbid where d.datname = current_database() and s.query ilike '%select%'"
    " group by s.query order by sum(s.total_exec_time) desc limit 5000"
)


@dataclass(frozen=True, slots=True)
class Statements:
    """What pg_stat_statements has seen: (calls, mean milliseconds) by fingerprint."""

    seen: Mapping[str, tuple[int, float]] = field(default_factory=dict)

    @classmethod
    def read(cls, session: Session) -> Statements | None:
        """None where the extension is not there. Raises SessionError."""
        schema = session.extension_schema("pg_stat_statements")
        if schema is None:
            return None
        found: dict[str, tuple[int, float]] = {}
        for text, calls, mean in session.ask(STATEMENTS.format(schema=schema)):
            key = _fingerprint(str(text))
            if key is not None:
                # the first is the one with the most time, among several spellings
                found.setdefault(key, (int(str(calls)), float(str(mean))))
        return cls(found)

    def of(self, text: str) -> tuple[int, float] | None:
        key = _fingerprint(text)
        return None if key is None else self.seen.get(key)


def collect_accepted(
    rewrites: Iterable[Rewrite],
    build: BuildState,
    ddl_of: Callable[[str], str] = lambda _: "",
    statements: Statements | None = None,
) -> dict[str, int]:
    """Add the rewrites that deserve it to ``build``. ``ddl_of`` gives the tables a query reads. Returns how
    many were taken, and how many left out for each reason.
    """
    counts: dict[str, int] = {}
    for rewrite in rewrites:
        reason = unfit(rewrite, statements or Statements())
        pair = None if reason else pair_of(rewrite, ddl_of, statements or Statements())
        if pair is not None:
            build.add_pair(pair)
        # counted by reason, so that a run says what became of all
        said = reason or ("taken" if pair is not None else "its texts can't be read")
        counts[said] = counts.get(said, 0) + 1
    return counts


def unfit(rewrite: Rewrite, statements: Statements) -> str:
    """Why a rewrite is no lore; empty where it is."""
    if rewrite.state not in {State.ACTIVE, State.PINNED}:
        return "not active"
    if not rewrite.approved:
        return "not approved by a person"
    if rewrite.served < 1:
        return "never served"
    gain = gain_of(rewrite, statements)
    # served and approved, it may still have gained nothing
    if gain is None or gain < GAIN:
        return "no gain was measured"
    return ""


def gain_of(rewrite: Rewrite, statements: Statements) -> float | None:
    """Before / after, of the store's own measurements, else of pg_stat_statements."""
    before, after = rewrite.original_ms, rewrite.replacement_ms
    # the store's own measurements are of the same parameters
    if before is None or after is None:
        seen = statements.of(rewrite.proposal.original), statements.of(_replacement(rewrite) or "")
        if seen[0] is None or seen[1] is None:
            return None
        before, after = seen[0][1], seen[1][1]
    return before / max(after, 0.001)


def pair_of(rewrite: Rewrite, ddl_of: Callable[[str], str], statements: Statements) -> Pair | None:
    """The pair without its literals; None where the replacement can't be filled or
    read, or is the same text.
    """
    original, replacement = rewrite.proposal.original, _replacement(rewrite)
    if replacement is None:
        return None
    try:
        before, after = without_literals(original, replacement)
    except (PglastError, TooDeep, ValueError):
        return None
    # without their literals the two are one text: a rewrite by constants alone
    if before == after:
        return None
    steps = ", ".join(rewrite.proposal.sources) or "a person's rewrite"
    calls = statements.of(original)
    gain = gain_of(rewrite, statements) or 1.0
    return Pair(
        id=hashlib.sha256(f"{before}\0{after}".encode()).hexdigest()[:16],
        title=f"Rewrite {rewrite.id} of {rewrite.proposal.database}",
        question=f"A query of {rewrite.proposal.database} that was "
        f"slow{f', run {calls[0]} times' if calls else ''}.",
        answer=f"Rewritten by {steps}; it ran {gain:.1f} times as fast.",
        before=before,
        after=after,
        ddl=ddl_of(original),
        source=f"rewrite {rewrite.id}, approved by {rewrite.changed_by or 'a person'}",
        score=rewrite.served,
        accepted=True,
        extra={"gain": round(gain, 2)},
    )


def _replacement(rewrite: Rewrite) -> str | None:
    """The replacement for the very query it was found for."""
    proposal = rewrite.proposal
    if proposal.scope != "any":
        return proposal.replacement
    # the template's replacement is filled with the original's own literals
    taken = split(proposal.original)
    return None if taken is None else fill(proposal.replacement, taken[1])


def _fingerprint(text: str) -> str | None:
    try:
        return str(fingerprint(text))
    except (PglastError, ValueError, UnicodeError):
        return None
