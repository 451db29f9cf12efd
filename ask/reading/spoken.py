"""Turns of everyday speech: `biggest single sale`, `used most frequently`, `has nobody enrolled in`, `are
there more pop albums or more rock albums`, `and who owned them`.

Owns these patterns; `turns` applies them. What a turn would change the meaning of is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_DOERS = {
    "own": "owner", "manage": "manager", "supervise": "supervisor", "lead": "leader", "led": "leader",
    "teach": "teacher", "taught": "teacher", "write": "author", "wrote": "author", "train": "trainer",
    "coach": "coach", "create": "creator", "make": "maker", "made": "maker",
}  # fmt: skip
"""The nouns of those who do it."""
_BEST = "biggest|largest|highest|lowest|smallest|longest|shortest|greatest|best|worst|most expensive|cheapest"


_MEASURES = "average|mean|median|total|minimum|maximum|highest|lowest"


def _most(noun: str) -> Callable[[re.Match[str]], str]:
    """`earns the least` as `has the lowest salary`."""

    def said(match: re.Match[str]) -> str:
        # the turn ends in `salary` because that is what people look for behind earning
        return f"has the {'highest' if match[1].lower() == 'most' else 'lowest'} {noun}"

    return said


def _age(match: re.Match[str]) -> str:
    which = "minimum" if match[1].lower() == "youngest" else "maximum"
    rows = match[2].lower()
    # a plural by the rule for all but the words listed
    return f"what is the {which} age of {_PLURALS.get(rows, f'{match[2]}s')}{match[3]}?"


def _and_who(match: re.Match[str]) -> str:
    verb = match[1].lower()
    doer = _DOERS.get(verb) or _DOERS.get(verb.removesuffix("s"))
    # `owned` by its stem with and without the e, as verbs are regular or end in one
    doer = doer or _DOERS.get(verb.removesuffix("ed")) or _DOERS.get(verb.removesuffix("d"))
    return f" and their {doer}s" if doer else match[0]


_PLURALS = {"child": "children", "person": "people", "man": "men", "woman": "women", "baby": "babies"}
# turns that hold a whole question come with its end (`\\?*$`), so that nothing behind them is lost
SPOKEN: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    # `the biggest single sale`: of one row, as without it
    (rf"\b({_BEST}) single (?=\w)", r"\1 "),
    # `which payment method is used most frequently?`, `the most used language`
    (
        (
            r"^(which|what) ((?!(?:year|month|week|day)\b)[\w ]+?) (?:is|are|was|were|gets?) "
            r"(?:used |chosen )?(?:the )?(most|least) (?:often|frequently|frequent|used|widespread)\s*\?*$"
        ),
        r"what is the \3 common \2?",
    ),
    (r"\bmost (?:often |frequently |commonly |widely )?(?:used|chosen) (?=\w)", "most common "),
    (r"\b(is|are) the (most|least) widespread\b", r"\1 the \2 common"),
    # `which courses has nobody enrolled in?`, `journalists who wrote nothing`
    (
        (
            r"\b(?:which|what) (\w+) (?:has|have|did) (?:nobody|no one|no-one) (?:ever )?"
            r"(\w+?)( in| for| at| on)?\s*\?*$"
        ),
        r"which \1 have never been \2\3?",
    ),
    # `guests nobody ever called`
    (
        (
            r"\b(?<!by )(?:that )?(?:nobody|no one|no-one) (?:has |have |had )?(?:ever )?"
            r"(\w+ed)( for| at| in)?(?=\W*$)"
        ),
        r"that were never \1\2",
    ),
    (r"\b(who|that|which) (?:have |has )?(\w+) nothing(?=\W*$)", r"\1 never \2"),
    # `are there more pop albums or more rock albums?`
    (r"\bmore ([\w-]+) (\w+) or (?:more )?([\w-]+) \2\b", r"more \1 or \3 \2"),
    (r"\bmore ([\w-]+) or more ([\w-]+)", r"more \1 or \2"),
    # `who earns the most?`
    (
        (
            r"\b(?:earns?|(?:is|are|gets?) paid|makes? (?=the (?:most|least) money)) the (most|least)"
            r"(?: money)?\b"
        ),
        _most("salary"),
    ),
    # `in which region is the highest volcano?`
    (
        (
            r"^in (which|what) (\w+) (?:is|was|are|were) (the (?:\w+est|most \w+|least \w+) \w+)"
            r"(?: located| situated| found)?\s*\?*$"
        ),
        r"\1 \2 has \3?",
    ),
    # `which destination port is the most popular?`
    (
        (
            r"^(which|what) (\w+ \w+) (?:is|are|was|were) (?:the )?(most|least) "
            r"(common|frequent|popular)\s*\?*$"
        ),
        r"what is the \3 \4 \2?",
    ),
    # `how old are the players on average?`
    (
        r"^how old (?:is|are|was|were) (?:the |our )?(.+?) on average\s*\?*$",
        r"what is the average age of \1?",
    ),
    # `what was the first tournament of 2022?`
    (
        (
            r"^(?:what|which) (?:is|was) (?:the |our )?(first|last) ((?!name|date|day|time)\w+) "
            r"((?:of|in) (?:\w+ )?\d{4})\s*\?*$"
        ),
        lambda m: f"which {m[2]} {m[3]} is the {'earliest' if m[1].lower() == 'first' else 'latest'}?",
    ),
    (r"\b(?:warmest|hottest) temperatures?\b", "highest temperature"),
    (r"\b(?:coldest|coolest) temperatures?\b", "lowest temperature"),
    # `which match lasted the longest in 2022?`
    (r"\b(?:lasts?|lasted|ran|took) (?:the )?(longest|shortest)\b", r"is the \1"),
    # `what kinds of incidents happen most often?`
    (
        (
            r"^(which|what) ((?:kinds?|types?|sorts?|categor(?:y|ies)) of [\w ]+?) "
            r"(?:happens?|happened|occurs?|occurred) (?:the )?(most|least) (?:often|frequently)\s*\?*$"
        ),
        r"what is the \3 common \2?",
    ),
    (r"\bcosts? the (most|least)\b", _most("cost")),
    (r"\bweighs? the (most|least)\b", _most("weight")),
    # `how old is the youngest engineer?`, already said of an age
    (
        (
            r"^what (?:is|was) the age of (?:the|our) (youngest|oldest) (\w+)"
            r"((?: (?:in|of|at|from|with)\b[^?]*)?)\?*$"
        ),
        _age,
    ),
    (
        (
            r"^how much (?:money )?(?:did|do|have) we (?:make|made|earn|earned|take|taken)(?: in)? "
            r"(?:with|from|on|through|by) "
        ),
        "what is the revenue from ",
    ),
    (r"\b(?:takes?|took) (longer|shorter) than (?=\d+ (?:days?|weeks?))", r"are \1 than "),
    (r"\bhow much money\b", "how much"),
    # `which employees are paid more than 5000?`
    (
        r"\b(?:is|are|was|were|gets?|got) paid (?=(?:more|less|over|under|above|below|at least|at most)\b)",
        "earn ",
    ),
    # `the average salary of women and of men`: side by side
    (
        (
            rf"^(?:what (?:is|are) )?(?:the )?((?:{_MEASURES}) [\w ]+?) (of|in|for) ([\w-]+) and \2 ([\w-]+)"
            r"\s*\?*$"
        ),
        r"compare the \1 \2 \3 with that \2 \4",
    ),
    # `which course is rated best?`
    (r"\b(?:is|are) rated (?:the )?(?:best|highest)(?=\W*$)", "has the highest average rating"),
    (r"\b(?:is|are) rated (?:the )?(?:worst|lowest)(?=\W*$)", "has the lowest average rating"),
    # `from their own country` compares two columns
    (r"\b(?<!from )(?<!in )(?<!at )(?<!of )(?<!by )(their|its|his|her) own\b", r"\1"),
    # `each model that has 'M5' in its number`
    (
        (
            r"\b(?:that|which|who) (?:has|have|had) ('[^']+'|\"[^\"]+\") in (?:its|their|the) "
            r"([\w ]+?)(?=\W*(?:$|[.?!]\s))"
        ),
        r"whose \2 contains \1",
    ),
    # `ordered by descending ratio`: by what was just asked for
    (
        (
            r",?\s*\b(?:and )?(?:ordered|sorted|ranked|order|sort) (?:the results? )?by (?:the )?"
            r"(?:(descending|ascending) )(?:ratio|proportion|percentage|share|count|average|total)(?=\W*$)"
        ),
        lambda m: ", highest first" if m[1].lower() == "descending" else ", lowest first",
    ),
    (r",? and who (\w+) (?:it|them)(?=\W*$)", _and_who),
)
