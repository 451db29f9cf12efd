"""Times from one thing to the next, said in verbs: `between filing and closing`, `how many days does it take
to close a complaint`, `the average time from order to delivery in hours`.

Owns saying them as `the number of days between A and B` or `how long do T take to V`, which `durations`
reads. Must not know a schema beyond the words in it.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import partial

_NOUN = r"(?:an? |the |each )?(?P<noun>\w+(?: (?!in\b|by\b|per\b|for\b|of\b|on\b)\w+)?)"
_UNIT = r"(?P<{0}>seconds|minutes|hours|days|weeks)"
_BEING = r"(?:(?:being|getting) )?"
_DEEDS = re.compile(
    rf"\bbetween (?:(?:an?|the|each) \w+ (?=(?:being|getting)\b))?{_BEING}(?P<first>[a-z]+) and "
    rf"(?:(?:it|its|they|their|them|the|that)\b ?)?{_BEING}(?P<second>[a-z]+)\b",
    re.IGNORECASE,
)
_FUNCTION = r"(?P<function>average|mean|median|maximum|minimum|longest|shortest)"
_TIME = (
    rf"{_FUNCTION} (?:(?:waiting|wait|processing|response|elapsed|turnaround|lead|handling) )?"
    rf"(?:time|delay|interval|gap)(?: in {_UNIT.format('unit')})?"
)
# up to two words of a noun, and no preposition as the second
_FROM_TO = re.compile(
    rf"\b{_TIME} (?:between|from) (?P<first>[\w-]+) (?:and|to|until) (?P<second>[\w-]+)(?P<rest>[^.?!]*)",
    re.IGNORECASE,
)
_TO_DO = re.compile(
    rf"\b(?:{_TIME}|{_FUNCTION.replace('function', 'how')} number of {_UNIT.format('counted')}) "
    rf"(?:it takes |it took |taken |needed )?to (?P<verb>[a-z]+) {_NOUN}(?P<rest>[^.?!]*)",
    re.IGNORECASE,
)
_IT_TAKES = re.compile(
    rf"^how (?:long|many {_UNIT.format('unit')}) (?:does|did) it (?:usually |typically |normally )?take "
    rf"(?:us )?to (?P<verb>[a-z]+) {_NOUN}(?P<rest>[^.?!]*)",
    re.IGNORECASE,
)
_IN_UNIT = re.compile(rf",? in {_UNIT.format('unit')}\b", re.IGNORECASE)
_EXTREMES = {"longest": "maximum", "shortest": "minimum"}


def times_between(question: str, known: Container[str]) -> str:
    """The question with its times from one thing to the next said plainly. ``known``: the words of the data.

    >>> times_between("how many days pass between filing and closing?", {"filed", "closed"})
    'how many days pass between filed and closed?'
    >>> times_between("average time from order to delivery in hours per city", set())
    'average number of hours between order and delivery per city'
    >>> times_between("how many days does it take to close a complaint, by reason", set())
    'how long does a complaint take to close on average in days, by reason'
    """
    question = _FROM_TO.sub(_counted, question)
    question = _IT_TAKES.sub(partial(_taken, None), _TO_DO.sub(partial(_taken, "average"), question))
    return _DEEDS.sub(partial(_deeds, known), question)


def _deeds(known: Container[str], match: re.Match[str]) -> str:
    first, second = (_done(match[side], known) for side in ("first", "second"))
    verbal = re.search(r"\b(?:being|getting)\b", match[0]) is not None
    # `between A and B` stays as it is unless a verb was found: it may be two names
    told = (first, second) != (match["first"], match["second"])
    return f"between {first} and {second}" if verbal or told else match[0]


def _done(verb: str, known: Container[str]) -> str:
    """`filing` as the data spells it, `filed`."""
    # other forms (`filed`, `order`) are spelled as data spells them
    if not verb.lower().endswith("ing"):
        return verb if verb.lower() in known else _of_noun(verb, known)
    stem = verb.lower().removesuffix("ing")
    stems = (f"{stem}ed", f"{stem}d", f"{stem[:-1]}ed")
    return next((word for word in stems if word in known), verb)


def _of_noun(noun: str, known: Container[str]) -> str:
    """`application` as the data spells it, `applied`; as it is where it does not."""
    said = noun.lower()
    ends = (
        ("ication", "ied"),
        ("ion", "ed"),
        ("ion", "ted"),
        ("al", "ed"),
        ("y", "ed"),
        ("ure", "ed"),
        ("", "ed"),
        ("", "d"),
    )
    made = (
        f"{said.removesuffix(end)}{past}"
        for end, past in ends
        if said.endswith(end) and len(said) > len(end) + 2
    )
    return next((word for word in made if word in known), noun)


def _counted(match: re.Match[str]) -> str:
    rest, unit = match["rest"], match["unit"]
    if unit is None:
        found = _IN_UNIT.search(rest)
        if found is None:
            # without a unit nothing could be counted: the question is left to other forms
            return match[0]
        unit, rest = found["unit"], rest[: found.start()] + rest[found.end() :]
    function = _EXTREMES.get(match["function"].lower(), match["function"])
    return f"{function} number of {unit} between {match['first']} and {match['second']}{rest}"


def _taken(function: str | None, match: re.Match[str]) -> str:
    """Where no function is said, how long it takes is an average."""
    said = match.groupdict()
    told = (said.get("function") or said.get("how") or function or "average").lower()
    unit = said.get("unit") or said.get("counted")
    rest = match["rest"]
    if re.search(r"\bon average\b", rest):
        rest = re.sub(r",? on average\b", "", rest)
    # `how long does it take` is an average; of the longest the form has no words
    if told not in {"average", "mean"}:
        return match[0]
    asked = f"how long does a {match['noun']} take to {match['verb']} on average"
    return f"{asked}{f' in {unit}' if unit else ''}{rest}"
