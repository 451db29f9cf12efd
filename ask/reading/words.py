"""Words of a question: tokens, stems, roots of derived words, numbers written out.

Owns English morphology as far as matching needs it. Must not know a schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rewright.lake import names

TokenKind = Literal["word", "number", "quoted", "stop", "comma", "sign", "iso"]
_TOKEN = re.compile(
    r"\"([^\"]+)\"|(?<![\w])'([^']+)'(?!\w)|`([^`]+)`|“([^”]+)”|‘([^’]+)’"
    r"|(?P<years>(?:19|20)\d\d/\d{2}(?:\d\d)?)(?![\w/])"
    r"|(?P<iso>\d{4}-\d{2}-\d{2})(?!\w)|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w])|(?P<word>\w+(?:['’]\w+)?(?:-\w+)*)"
    r"|(?P<sign>>=|<=|<>|!=|[<>=%/+&])|(?P<stop>[.?!;](?=\s|$)|\?)|(?P<comma>[,:()])"
)


_NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"


def listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_NUMBERS = {
    **{w: n for n, w in enumerate(listed(_NUMBER_WORDS))},
    "dozen": 12, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "thousand": 1000,
    "million": 10**6, "billion": 10**9, "k": 1000, "m": 10**6,
}  # fmt: skip
_SCALES = {"hundred", "thousand", "million", "billion"}
_SUFFIXES = (
    "ational", "ization", "fulness", "iveness", "ations", "ation", "ments", "ment", "ances", "ance", "anc",
    "ences", "ence", "enc",
    "ings", "ing", "edly", "ness", "ions", "ion", "ally", "ical", "als", "al", "ity", "ive", "ers", "er",
    "ors", "or", "ies", "ed", "es",
    "ly", "ous", "ful", "ists", "ist", "ity", "y", "e", "s",
)  # fmt: skip
_IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "wrote": "write",
    "written": "write",
    "bought": "buy", "sold": "sale", "selling": "sale", "sell": "sale", "sells": "sale", "paid": "pay",
    "payment": "pay",
    "taught": "teach", "won": "win", "began": "begin", "begun": "begin", "born": "birth", "weigh": "weight",
    "weighs": "weight", "weighed": "weight", "analyses": "analysis",
    "drew": "draw", "drawn": "draw", "gave": "give", "given": "give", "took": "take", "taken": "take",
    "drove": "drive", "driven": "drive", "flown": "fly", "chose": "choose", "chosen": "choose",
    "broke": "break", "broken": "break", "sang": "sing", "sung": "sing", "rode": "ride", "ridden": "ride",
    "led": "lead", "lent": "lend", "sent": "send", "built": "build", "caught": "catch", "fed": "feed",
    "brought": "bring", "held": "hold", "kept": "keep", "lost": "lose", "met": "meet", "ran": "run",
    "spoke": "speak", "spoken": "speak", "stole": "steal", "stolen": "steal", "threw": "throw",
    "thrown": "throw", "wore": "wear", "worn": "wear", "swam": "swim", "left": "leave",
    "heard": "hear", "saw": "see", "seen": "see", "fought": "fight", "found": "find", "fell": "fall",
    "fallen": "fall", "sank": "sink", "sunk": "sink", "ate": "eat", "eaten": "eat", "froze": "freeze",
    "frozen": "freeze", "hid": "hide", "hidden": "hide", "knew": "know", "known": "know", "made": "make",
    "rose": "rise", "risen": "rise", "shot": "shoot", "slept": "sleep", "swore": "swear",
    "sworn": "swear", "told": "tell", "thought": "think", "bound": "bind", "bred": "breed", "dug": "dig",
    "forgot": "forget", "forgotten": "forget", "withdrew": "withdraw", "withdrawn": "withdraw",
    "grew": "grow", "grown": "grow", "spent": "spend", "flew": "fly", "height": "high",
    "length": "long", "criteria": "criterion",
    "ended": "end", "ending": "end", "ends": "end",
    "indices": "index", "matrices": "matrix", "series": "series", "species": "species", "media": "medium",
    "data": "data",
}  # fmt: skip


_SHORT_VERB = re.compile(r"[b-df-hj-np-tv-z][aeiou][b-df-hj-np-tvz]ed")


@dataclass(frozen=True, slots=True)
class Token:
    """``word`` is lower case, without apostrophes; a number's has no separators."""

    text: str
    word: str
    kind: TokenKind


def tokens(question: str) -> list[Token]:
    """The question's tokens; `30k`, `a hundred thousand` and `3` are numbers."""
    return list(_numbers_joined(list(_raw(question))))


def _raw(question: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(question):
        kind = match.lastgroup
        text = match.group(0)
        if kind is None:
            text = next(g for g in match.groups() if g is not None)
            yield Token(text, text.lower(), "quoted")
        elif kind == "years":
            # the season 2023/24: as written in the data
            yield Token(text, text, "quoted")
        elif kind == "number":
            yield Token(text, text.replace(",", ""), "number")
        elif kind == "word":
            yield from _word(text)
        else:
            yield Token(text, text, kind)  # type: ignore[arg-type] # the names of the pattern's groups are the kinds


def _word(text: str) -> Iterator[Token]:
    word = text.lower().replace("’", "'")
    scaled = re.fullmatch(r"(\d+(?:\.\d+)?)(k|m)", word)
    if scaled:
        yield Token(text, f"{float(scaled[1]) * _NUMBERS[scaled[2]]:g}", "number")
        return
    possessive = word.endswith("'s") and word not in {"what's", "who's", "where's", "it's", "that's", "let's"}
    if possessive:
        text, word = text[:-2], word[:-2]
    yield Token(text, word, "word")
    if possessive:
        yield Token("'s", "'s", "word")


def _numbers_joined(made: list[Token]) -> Iterator[Token]:
    at = 0
    while at < len(made):
        token = made[at]
        value = _value(token)
        follows = made[at + 1].word if at + 1 < len(made) else ""
        # `one` alone is more often a pronoun, `a hundred` is a number
        if token.word == "a" and follows in _SCALES:
            value = 1
        counted = at > 0 and made[at - 1].word in {"than", "least", "most", "exactly"}
        if value is None or (token.word == "one" and follows not in _SCALES and not counted):
            yield token
            at += 1
            continue
        taken = at + 1
        while taken < len(made) and made[taken].word in _SCALES:
            value *= _NUMBERS[made[taken].word]
            taken += 1
        text = " ".join(t.text for t in made[at:taken])
        yield Token(
            text, token.word if taken == at + 1 and token.kind == "number" else f"{value:.10g}", "number"
        )
        at = taken


def _value(token: Token) -> float | None:
    if token.kind == "number":
        return float(token.word)
    if token.kind == "word" and len(token.word) > 1 and token.word in _NUMBERS:
        return float(_NUMBERS[token.word])
    return None


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """One form for a word and its plural: `courses` and `course`, `cities` and `city`, `ids` and `id`."""
    if word == "ids":
        return "id"
    word = _IRREGULAR.get(word, word) if word in {"people", "children", "men", "women", "criteria"} else word
    single = names.singular(word)
    return single[:-1] if len(single) > 4 and single.endswith("e") else single


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """What derived words share: `registered` and `registration`, `helpfulness` and `helpful`. At least four
    letters.
    """
    word = _IRREGULAR.get(word) or _IRREGULAR.get(word.removesuffix("s"), word)
    if _SHORT_VERB.fullmatch(word):
        word = word[:-1]  # hired, hire
    if word.endswith("ission") and len(word) > 7:
        word = word[:-6] + "it"  # admission, admitted
    if word.endswith(("scription", "scriptions")):
        word = word[: word.rindex("script")] + "scrib"  # prescription, prescribed
    if word.endswith("sis") and len(word) > 6:
        word = word[:-2]  # diagnosis, diagnosed; analysis, analysed
    made = re.search(r"(?:ated|ates?|ating)$", word)
    while True:
        suffix = next((s for s in _SUFFIXES if word.endswith(s) and len(word) - len(s) >= 4), "")
        if suffix:
            word = word[: -len(suffix)]
        elif len(word) > 3 and word[-1] == word[-2]:
            word = word[:-1]  # transferred, transfer
        else:
            break
    if made and word.endswith("at") and len(word) > 5:
        word = word[:-2]  # eliminated, elimination
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word
