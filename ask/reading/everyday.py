"""Turns of everyday speech, more of them: `stations that lie above 1800 m`, `how long did the longest mission
last`, `the volunteer who joined first`, `do we have any members in Rome`.

Owns these patterns; `turns` applies them. What a turn would change the meaning of is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_PLURAL_S = ("s", "x", "z", "ch", "sh")


def _longest(match: re.Match[str]) -> str:
    """One number: of the row itself nothing is asked."""
    noun = match[2]
    rows = f"{noun}es" if noun.endswith(_PLURAL_S) else f"{noun}s"
    which = "maximum" if match[1].lower() == "longest" else "minimum"
    return f"what is the {which} duration of {rows}{match[3]}?"


def _plural(noun: str) -> str:
    if noun.endswith("s"):
        return noun
    return f"{noun}es" if noun.endswith(_PLURAL_S) else f"{noun}s"


_SEASONS = {
    "spring": ("March", "May"),
    "summer": ("June", "August"),
    "autumn": ("September", "November"),
    "fall": ("September", "November"),
}
"""Their whole months, by the calendar of weather and of the north, where most who ask live."""


def _season(match: re.Match[str]) -> str:
    first, last = _SEASONS[match[1].lower()]
    return f"between {first} and {last} {match[2]}"


EVERYDAY: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    # `stations that lie above 1800 metres`
    (r"\b(?:lie|lies|lying|stand|stands|located|situated) (above|over) (?=\d)", "are higher than "),
    (r"\b(?:lie|lies|lying|stand|stands|located|situated) (?:below|under) (?=\d)", "are lower than "),
    # `how long did the longest mission last?`
    (
        (
            r"^how long (?:did|does|was|is) the (longest|shortest) (\w+)"
            r"((?: (?:in|at|of|on) [\w ]+?)?)(?: lasts?| takes?| took| run)?\s*\?*$"
        ),
        _longest,
    ),
    # `missions by kind, most frequent first`
    (
        r",\s*(?:the )?(?:most (?:frequent|common|popular|often)|commonest) (?:one |ones )?first\b",
        ", highest first",
    ),
    (r",\s*(?:the )?(?:least (?:frequent|common|popular)|rarest) (?:one |ones )?first\b", ", lowest first"),
    # `for each station, the volunteer who joined first`
    (
        (
            r"^(for (?:each|every) [\w ]+?),? (?:list |show |give |find )?(?:the )?(\w+) "
            r"(?:who|that|which) (?:was |were )?(\w+ed) (?:the )?(first|last)\s*[?.]*$"
        ),
        lambda m: (
            f"{m[1]}, the {m[2]} with the {'earliest' if m[4].lower() == 'first' else 'latest'} {m[3]} date"
        ),
    ),
    # `did Ann Bo lead any mission?`
    (
        (
            r"^did ((?:[A-Z][\w'’.-]*)(?: [A-Z][\w'’.-]*)*) (?!have\b)([a-z]+) (?:any|a|an|at least one) "
            r"([^?]+?)\s*\?*$"
        ),
        r"is there any \3 that \1 \2",
    ),
    # `does the station Arnenalp have a dog?`
    (
        (
            r"^(?:does|do|did) (?:the )?((?:[a-z]+ )?[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)*) have (?:any|an?) "
            r"([^?]+?)\s*\?*$"
        ),
        r"is there any \2 of \1",
    ),
    # `how long does a loan last on average?`
    (
        (
            r"^(?=.*\bon average\b)(?:on average,? )?how long (?:do|does|did) (?:an? |the )?(\w+) "
            r"(?:takes?|lasts?|run)(?: on average)?((?: (?:by|per|for|in|at|of|on) [\w ]+?)?)"
            r"(?: on average)?\s*\?*$"
        ),
        lambda m: f"what is the average duration of {_plural(m[1])}{m[2]}?",
    ),
    # `in the spring of 2021`
    (r"\b(?:in|during) (?:the )?(spring|summer|autumn|fall)(?: of)? (\d{4})\b", _season),
    # `since the start of 2023`
    (r"\bsince (?:the )?(?:start|beginning) of (?=(?:\w+ )?\d{4})", "since "),
    # `customers who never ordered anything`
    (r"\b(never \w+(?:ed|t)) (?:anything|something)(?=\W*$)", r"\1"),
    # `customers more than 35 km away`
    (
        (
            r"\b(?:(?:who|that) (?:live|lie|are) )?((?:more|less) than|over|under) "
            r"(\d[\d.,]*) ?(km|kilomet(?:er|re)s|miles|m|met(?:er|re)s) away(?=\W*$)"
        ),
        r"with a distance of \1 \2 \3",
    ),
    # `volunteers who took part in a mission`
    (r"\b(?:took|taken) part in\b", "participated in"),
    (r"\b(?:takes?|taking) part in\b", "participate in"),
    # `how many tankers are on our books?`
    (
        (
            r"\b(are|is|were|do we have|have we got) (?:there )?(?:on|in) (?:our|the) "
            r"(?:books|files?|records?|register|registry|system|database)(?=\W*$)"
        ),
        r"\1 there",
    ),
)
