"""Turns of phrase that say of what something is asked before or after it: `among the airlines from Ireland,
how many ...`, `for each building, how many departments does it house`; `name the`, `count the`.

Owns these patterns; `turns` applies them first. What a turn would change the meaning of is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rewright.ask.reading.words import listed

_NO_VERBS = frozenset(
    listed("it they he she this that there most least first last happen occur begin go come")
)


def past(verb: str) -> str:
    """A verb's past by the rule: what tells which date is meant has the verb's root."""
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}ed"


def _when_did(match: re.Match[str]) -> str:
    """The date of the one thing that a verb is said of; a verb that takes a noun stays as it is."""
    verb = match[2].lower()
    if verb in _NO_VERBS or verb.endswith("s"):
        # `it happened`: no noun whose column could hold the date
        return match[0]
    said = f"{verb}{match[3].lower()}" if match[3] else past(verb)
    return f"what is the {said} date of {match[1]}?"


_A_TIME = re.compile(
    r"\d{4}|january|february|march|april|may|june|july|august|september|october|november|december|quarter",
    re.IGNORECASE,
)


_OF_A_WHOLE = re.compile(
    r"\b(?:percent|share|proportion|ratio|rate|fraction|each|every|per|by)", re.IGNORECASE
)


def _said_last(match: re.Match[str]) -> str:
    """`for the airline Norex, how many flights ...`: of which it is, behind what is asked; a time stays."""
    # a whole of a share or a group behind `for` would change what it is a share of
    if _A_TIME.search(match[1]) or _OF_A_WHOLE.search(match[2]):
        return match[0]
    return f"{match[2]} for {match[1]}{match[3]}"


_MEASURED = {
    "tall": "height",
    "high": "height",
    "long": "length",
    "deep": "depth",
    "wide": "width",
    "heavy": "weight",
}


def _how_tall(match: re.Match[str]) -> str:
    """The most of what the adjective measures."""
    return f"what {match[2]} the highest {_MEASURED[match[1].lower()]} of the "


ASKED_OF: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\bmultiplied (?:by|with)\b", "times"),
    # `which episode was played the most?`
    # longer turns stand before shorter ones of the same beginning: the first that matches rewrites the text
    (
        (
            r"\b((?:is|are|was|were|been) (?:\w+ed|sold|sent|taken|bought)) (?:the )?most"
            r"(?=\s*\?*$|\s+(?:in|during|since|before|after) [\w ]+\?*$)"
        ),
        r"\1 most often",
    ),
    # `new listeners per month`: by when they came
    (r"\bnew (?=\w+s (?:per|each|every|by) (?:day|week|month|quarter|year)\b)", ""),
    # `above 90 or below 20`: two comparisons
    (
        (
            r"\b(\d[\d,.]*(?: \w+)?) or "
            r"(?=(?:(?:more|fewer|less|greater|higher|lower) than|below|under|above|over) \d)"
        ),
        r"\1 or, ",
    ),
    (
        r"^(?:count|compute|calculate|determine|get|find) (?:the )?(?:total )?number of ",
        "what is the number of ",
    ),
    (r"^count (?:all )?(?:the )?(?=\w+s\b)", "how many "),
    # `which nationality is the most common among lecturers?`
    (
        (
            r"^(?:which|what) (\w+) (?:is|are|was|were) (?:the )?(most|least) (common|frequent|popular) "
            r"(?:among|amongst|for|of) (?:the |all )?"
        ),
        r"what is the \2 \3 \1 of ",
    ),
    # `for each department, show the name and the average salary`
    (
        (
            r"^(for (?:each|every) [\w ]+?), (?:show|list|give|find|return|display|what is) (?:me )?"
            r"(?:the |its |their )name,? and "
        ),
        r"\1, show ",
    ),
    # `how old is the oldest lecturer?`
    (r"^how old (is|was) the (oldest|youngest) ", r"what \1 the age of the \2 "),
    # `how tall is the tallest monument of each material?`
    (
        (
            r"^how (tall|high|long|deep|wide|heavy) (is|was) the "
            r"(?:\1e?st|\1est|highest|tallest|longest|deepest|widest|heaviest) "
        ),
        _how_tall,
    ),
    # `in which section is the share of free graves highest?`
    (
        (
            r"^(?:in |at |on |for )?which (\w+) (?:is|was|are|were) the "
            r"((?:average|mean|total|number of|share of|percentage of|proportion of)\b[^?]*?) "
            r"(the )?(highest|lowest|largest|smallest|greatest)\s*\?*$"
        ),
        r"which \1 has the \4 \2?",
    ),
    # `what does a lease cost on average?`
    (
        r"^what (?:does|do|did|has|have) (?:an? |the |each )?([\w ]+?) (?:cost|costed) on average\s*\?*$",
        r"what is the average cost of \1?",
    ),
    # `a budget higher than that of Music`
    (r"\bthan (?:that|those|the one) of (?=(?-i:[A-Z'\"]))", "than "),
    (
        (
            r"\b(take|takes|took|taken) out "
            r"(?=(?:an?|the|more|fewer|less|at (?:least|most)|exactly|only|no|any|\d+)\b|\w+s\b)"
        ),
        r"\1 ",
    ),
    # `never shipped anything`, `have borrowed something`
    (r"\b(never|not|\w+n['’]t)\b([^.?!,]*?) anything\b", r"\1\2"),
    (r"\b(have|has|had) (?:ever )?(\w+ed) (?:something|anything)\b", r"\1 \2"),
    # `name the three cities`, `state its tail number and model`
    (r"^name (?=(?:the|all|any|up to|\d|two|three|four|five|ten)\b)", "list "),
    (
        (
            r"(^|[.;?!]\s+)(?:please )?(?:state|indicate|mention|identify|specify|enumerate|name) "
            r"(?=(?:the|its|their|his|her|all|every|each)\b)"
        ),
        r"\1give ",
    ),
    # `for each building, how many departments does it house?`
    (
        (
            r"^(for (?:each|every) [^,?]+),? (how many|what|which) ([^,?]*?) "
            r"(?:does it|do they|did it|did they) "
            r"(?:have|house|hold|own|offer|contain|include|get|employ|run)\s*\?*$"
        ),
        r"\1, \2 \3?",
    ),
    # `among the airlines from Ireland, how many are ...`
    (
        (
            r"^(?:among|of|out of) (?:all )?(?:the )?(?!all\b)([a-z][^,?]*?), how many "
            r"(?:of (?:them|these|those) )?((?:are|is|were|was|have|has|had|do|does|did)(?:n't)? )"
        ),
        r"how many \1 \2",
    ),
    (
        (
            r"^(?:among|of|out of) (?:all )?(?:the )?(?!all\b)([a-z][^,?]*?), what (?:is the )?"
            r"(percentage|percent|share|proportion) (?:of (?:them|these|those) )?"
            r"((?:are|were|have|has|is|was) )"
        ),
        r"what \2 of \1 \3",
    ),
    (
        (
            r"^(?:among|of|out of) (?:all )?(?:the )?(?!all\b)([a-z][^,?]*?), how many "
            r"(?:of (?:them|these|those) )?(?=(?:went|came|got|had|made|took|won|lost|left|\w+ed) )"
        ),
        r"how many \1 and ",
    ),
    # `for the airline Norex, what is the number of flights?`
    (
        (
            r"^(?:for|in|at|of) ((?!(?:each|every|all|any)\b)(?:the )?[^,?]*?(?-i:[A-Z'\"])[^,?]*), "
            r"((?:what|which|how many|how much|list|show|give|find)\b[^,?]*?)\s*([?.]?)$"
        ),
        _said_last,
    ),
    # `how many bills on each topic were passed and how many were rejected?`
    (
        (
            r"^how many (\w+) (?:(?:on|in|for|at|from|of|by) (?:each|every)|per) (\w+(?: \w+)?) "
            r"((?:were|was|are|is|have|has|had) [^?]*?\bhow many\b[^?]*?)\s*\?*$"
        ),
        r"how many \1 \3 for each \2?",
    ),
    # `how many species are there per family, and how many are threatened?`
    (
        (
            r"^how many (\w+) ((?:are|were) there) (?:(?:on|in|for|at|from|of|by) (?:each|every)|per) "
            r"(\w+(?: \w+)?)(,? and how many (?:of (?:them|these|those) )?"
            r"(?:were|was|are|is|have|has|had) [^?]*?)\s*\?*$"
        ),
        r"how many \1 \2\4 for each \3?",
    ),
    # `the number of species and how many of them are threatened`
    (r"(?<=[\w,]) and how many of (?:them|these|those) (?=are|is|were|was|have|has|had)", " and how many "),
    # `the most speaking minutes, and how many minutes did each speak?`
    (
        (
            r"\b(most|fewest) ([\w ]*?)(\w+)\b([^?]*?),? and how many \3 (?:did|does|do|has|have) "
            r"(?:each(?: of them| one)?|they|he|she|it) \w+\s*\?*$"
        ),
        r"\1 \2\3\4 and how many?",
    ),
    # `parents who have neither phone nor email`
    (r"\b(have|has|had|with|having) neither (?:an? )?(\w+) nor (?:an? )?(\w+)\b", r"\1 no \2 and no \3"),
    # `neither approved nor declined`
    (r"\bneither (\w+) nor (\w+)\b", r"not \1 and not \2"),
    # `and how many ratings does each have?`
    (
        (
            r",? and how many ([\w ]+?) (?:does each(?: one)?|do they(?: each)?|does it) "
            r"(?:have|get|hold|own)\s*\?*$"
        ),
        r" and the number of \1?",
    ),
    # `how many more active than paused subscriptions are there?`
    (
        (r"^how many more ([\w-]+) than ([\w-]+) ([\w ]+?) (?:are|were) there\s*\?*$"),
        r"what is the difference between the number of \1 \3 and the number of \2 \3?",
    ),
    (
        (r"^how many more ([\w ]+?) (?:are|were) ([\w-]+) than ([\w-]+)\s*\?*$"),
        r"what is the difference between the number of \2 \1 and the number of \3 \1?",
    ),
    # `courses worth 10 credits`
    (
        (
            r"\b(?:(that|which|who) )?(?:(?:are|is|be|being) )?worth "
            r"(?=(?:more |less |at |exactly )?[\w ]*?\d+ [a-z])"
        ),
        r"\1 with ",
    ),
    # `when did the show end?`
    (r"^when (?:did|does|do) (.+?) ([a-z]+)(?: (up|in|out|off))?\s*\?*$", _when_did),
)
