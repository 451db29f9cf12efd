"""What became of a slow query, in one sentence: the same for ``SHOW rewright.last``, the log, its pages and
commands.

Owns the wording. Must not know who optimises, or how.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from rewright.store.life import State
from rewright.store.records import Rewrite

# the reason of a log entry whose outcome is told when it is read
SLOW = "slow"
WAITING = "slow: waiting for the optimiser"
NO_OPTIMISER = "not optimised: no optimiser is configured ([databases] optimiser_dsn)"
_NOT = "not optimised: "
_REWRITE = re.compile(r"rewrite (\d+) is ")


def outcome_text(status: str, reason: str) -> str:
    """Of a ``QuerySeen``'s status and reason.

    >>> outcome_text("nothing", "volatile function random()")
    'not optimised: volatile function random()'
    >>> outcome_text("nothing", "not rewritten: volatile function random()")
    'not optimised: volatile function random()'
    """
    match status:
        case "nothing":
            return _NOT + reason.removeprefix(_NOT).removeprefix("not rewritten: ")
        case "failed":
            return f"{_NOT}the optimiser failed ({reason}); its log says why"
        case "rewritten":
            return reason
        case _:
            return WAITING


def logged_text(status: str, reason: str) -> str:
    """As ``outcome_text``, in a line of the log: the line says what ran then, a rewrite came later.

    >>> logged_text("rewritten", "rewrite 3 is active")
    'found since: rewrite 3 is active'
    """
    text = outcome_text(status, reason)
    return f"found since: {text}" if status == "rewritten" else text


def rewrite_text(rewrite: Rewrite, missing: Collection[str] = ()) -> str:
    """``missing``: reservations of the proof that are not accepted."""
    text = f"rewrite {rewrite.id} is {rewrite.state}"
    if rewrite.state is not State.PROPOSED:
        return text
    if missing:
        return f"{text}: it needs approval because of {', '.join(f'`{one}`' for one in sorted(missing))}"
    return f"{text}: it needs approval, being {rewrite.proposal.level}"


def rewrite_named(reason: str) -> int | None:
    """The rewrite that ``rewrite_text`` spoke of."""
    found = _REWRITE.match(reason)
    return None if found is None else int(found[1])
