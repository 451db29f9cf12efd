"""Those who have the most rows of their own table under them: `who supervises the most employees?`, of
employees with a manager_id.

Owns these forms, which ask for nothing else. Needs one key by which rows refer to a row above them.
"""

from __future__ import annotations

import re

from rewright.ask.context import Join
from rewright.ask.reading.intent import Column, Followers, Intent
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, stem
from rewright.lake import names

_OVER = r"(?:supervis|manag|overse|lead|led\b|head|boss)\w*"
_MOST = re.compile(
    rf"^(?:who|(?:which|what) (?P<who>\w+))\s+(?:{_OVER} (?:the )?most(?: (?P<whom>\w+))?"
    r"|(?:has|have|had) (?:the )?most (?:direct )?(?:subordinates|reports|underlings)"
    r"|(?:has|have|had) (?:the )?most (?P<people>\w+) (?:under|reporting to) (?:them|him|her))"
    r"\s*\?*$",
    re.IGNORECASE,
)
_ABOVE = frozenset(listed("manager supervisor boss superior reports report lead leader head chief"))
_ANYBODY = frozenset(
    map(stem, listed("people person others subordinates staff colleagues manager supervisor boss"))
)
_OWN_KEY = 0.95


def most_below(question: str, scope: Scope) -> Intent | None:
    """Who has the most rows under them; None where the question asks for anything else."""
    found = _MOST.match(question.strip())
    if found is None:
        return None
    keys = [join for join in scope.context.joins if _leads_up(join)]
    if len(keys) != 1:
        return None
    key = keys[0]
    table = scope.context.table(key.one.table)
    # a project is managed by somebody too: only rows of this table are under one another
    own = {stem(word) for word in (*scope.words(table), *table.words)} | _ANYBODY
    said = {found[group] for group in ("who", "whom", "people")} - {None}
    if not {stem(word.lower()) for word in said} <= own:
        return None
    scope.doubt("a key that refers to a row of its own table", _OWN_KEY)
    label = tuple(Column(column) for column in scope.label(table))
    return Intent(label, order=((Followers(key.many, key.one), "desc"),), limit=1, ties=True, head=table.ref)


def _leads_up(join: Join) -> bool:
    own = join.many.table == join.one.table and not join.more
    return own and bool(_ABOVE & set(names.words(join.many.name)))
