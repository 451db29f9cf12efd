"""How people type: `dont`, `w/o`, `what % of`, `# of`, `pls`.

Owns writing these out before anything else is read. What stands in quotes is the data's, and stays. Must not
know a schema.
"""

from __future__ import annotations

import re
from functools import partial

_QUOTED = r"\"[^\"]*\"|(?<!\w)'[^']+'(?!\w)|`[^`]+`|“[^”]+”|‘[^’]+’"
_WITHOUT_APOSTROPHE = r"\b(do|does|did|is|are|was|were|has|have|had|would|should|could)nt\b"
_TYPED = tuple(
    (re.compile(rf"(?P<kept>{_QUOTED})|(?:{pattern})", re.IGNORECASE), said)
    # what is in quotes is matched first and put back as it is
    for pattern, said in (
        (_WITHOUT_APOSTROPHE, r"\2n't"),
        (r"\b(what|who|where|when|how)s(?= (?:the|our|my|an?|[A-Z])\b)", r"\2 is"),
        (r"\bw/o(?=\W)", "without"),
        (r"\bw/(?=\s)", "with"),
        (r"\b(what|which|the) %(?= of\b)", r"\2 percentage"),
        (r"\b(what|which) %(?= (?!of\b)[a-z])", r"\2 percentage of"),
        (r"^%(?= of\b)", "percentage"),
        (r"(?:\B#|\b(?:nr|nbr|num|no)\b\.?) of(?=\s)", "number of"),
        (r"\b(?:pls|plz)\b", "please"),
        (r"\be-mail(?=s?\b)", "email"),
        (r"\bin pct\b", "in percent"),
    )
)


def typed_out(question: str) -> str:
    """The question with what was typed short written out.

    >>> typed_out("what % of members dont have an email")
    "what percentage of members don't have an email"
    """
    for pattern, said in _TYPED:
        question = pattern.sub(partial(_written, said), question)
    return question


def _written(said: str, match: re.Match[str]) -> str:
    return match["kept"] or match.expand(said)
