"""Whether a rewrite is to blame for what roles saw of it, and whether what was retired deserved it.

Owns the rules: what one role sees concerns this role only; all lose a rewrite when the optimiser sees the
same on its own account, or several roles do. Retired ones are looked at again, ever more rarely. Must not
know who measures or decides on states.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from psycopg import errors

from rewright.engines.postgres.session import Session, SessionError
from rewright.proxy.serving.failures import is_passing
from rewright.store.api import Store
from rewright.store.life import Action, IllegalTransition, State
from rewright.store.records import Rewrite

FAILED = "failed where the original did not"
SLOWER = "slower"
RESTORED = "restored"
# roles that doubt a rewrite at the same time, for nobody to be served it
# one or two roles may share a cause of their own
ROLES = 3
# seconds until a retired rewrite is looked at again, the first time; four times as long each time
AGAIN = 300.0
LONGEST = 86_400.0
# in the trace of a rewrite: looked at again, and left as it is
RECONSIDERED = "reconsidered"
_STEPS = frozenset({Action.RETIRE.value, Action.EXPIRE.value, RECONSIDERED})

Finding: TypeAlias = Literal["blamed", "cleared", "alike", "unknown"]


def compare_failures(
    session: Session, original: str, replacement: str, limit: float | None
) -> tuple[Finding, str]:
    """Run the replacement, and the original if that fails: ``blamed`` with the SQLSTATE if only it fails so.

    ``alike``: both do; ``cleared``: it does not fail here; ``unknown``: either was stopped after ``limit``
    seconds, or met an error that any statement may meet. ``limit`` None: they are only planned, which
    evaluates constants.
    """
    after = _outcome(session, replacement, limit)
    # neither failed, or nothing is known of the replacement
    if not after:
        # planned only: that it did not fail says little
        return ("unknown" if after is None or limit is None else "cleared"), ""
    before = _outcome(session, original, limit)
    if before is None:
        return "unknown", after
    # "alike" where both fail with one SQLSTATE
    return ("alike" if before == after else "blamed"), after


def _outcome(session: Session, text: str, limit: float | None) -> str | None:
    """The SQLSTATE it fails with, empty where it ends well; None: that can't be said."""
    try:
        if limit is None:
            session.explain(text)
            return ""
        return "" if session.run(text, stop_after=limit).finished else None
    except SessionError as error:
        # no SQLSTATE: the connection; a passing one (memory, locks, cancels) may hit any statement
        return None if not error.sqlstate or is_passing(error.sqlstate) else error.sqlstate


def condition(sqlstate: str) -> str:
    """The SQLSTATE with its name. Never the server's message, which holds values.

    >>> condition("22012"), condition("ZZ999")
    ('22012 (division by zero)', 'ZZ999')
    """
    if not sqlstate:
        return "nothing"
    # unknown to psycopg: a user's own SQLSTATE
    try:
        name = errors.lookup(sqlstate).__name__
    except KeyError:
        return sqlstate
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return f"{sqlstate} ({words.strip()})"


def retire_doubted(store: Store, *, now: float | None = None) -> Iterator[Rewrite]:
    """Retire what several roles doubt at the same time; yields those retired. Raises StoreError."""
    doubts: dict[int, dict[str, str]] = {}
    for doubt in store.doubts.standing(now=now):
        doubts.setdefault(doubt.rewrite_id, {})[doubt.role] = doubt.kind
    for rewrite_id, roles in doubts.items():
        # one or two may have data or rights of their own that make it fail
        if len(roles) < ROLES:
            continue
        failed = sum(kind == "failed" for kind in roles.values())
        # the majority tells what is remembered as its reason
        what, action = (FAILED, Action.RETIRE) if failed * 2 > len(roles) else (SLOWER, Action.EXPIRE)
        with contextlib.suppress(IllegalTransition):
            retired = store.rewrites.act(
                rewrite_id, action, reason=f"{what}, for {len(roles)} roles", by="proxy"
            )
            store.doubts.forget(rewrite_id)
            yield retired


def due(store: Store, may_be: Callable[[Rewrite], bool], *, now: float | None = None) -> Rewrite | None:
    """The retired rewrite to be looked at again; None: none is due. Raises StoreError."""
    now = time.time() if now is None else now
    waiting: list[tuple[float, int, Rewrite]] = []
    for rewrite in store.rewrites.find(states=(State.RETIRED,), limit=1000):
        # what a person retired stays retired
        if rewrite.reason.startswith((FAILED, SLOWER)) and may_be(rewrite):
            steps = [
                one for one in store.events.of(rewrite_id=rewrite.id, limit=10_000) if one.step in _STEPS
            ]
            last = max([rewrite.changed_at, *(one.at for one in steps)])
            # 5 minutes, 20, 80, … up to a day
            at = last + min(AGAIN * 4 ** min(max(len(steps), 1) - 1, 10), LONGEST)
            if at <= now:
                waiting.append((at, rewrite.id, rewrite))
    return min(waiting, key=lambda one: one[:2])[2] if waiting else None


def restore(store: Store, rewrite: Rewrite, *, active: bool) -> Rewrite:
    """Serve it again, or propose it where its evidence does not reach that far. Raises StoreError,
    IllegalTransition.
    """
    why = f"{RESTORED}: that it {rewrite.reason.partition(':')[0]} could not be reproduced"
    if rewrite.reason.startswith(SLOWER):
        why = f"{RESTORED}: it was not slower when it was measured again"
    found = store.rewrites.act(rewrite.id, Action.PROPOSE, reason=why, by="optimiser")
    store.doubts.forget(rewrite.id)
    return store.rewrites.act(rewrite.id, Action.ACTIVATE, reason=why, by="optimiser") if active else found


def unreproduced(rewrite: Rewrite) -> bool:
    """Whether it was retired on the word of clients only."""
    return rewrite.changed_by == "proxy"
