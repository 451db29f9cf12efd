"""Terms that a question itself defines: `positive reviews (rating > 3)`, `the win rate is awards divided by
bids`.

Owns taking such definitions out of the question, as hints. What they mean `definitions` finds.
"""

from __future__ import annotations

import re

from rewright.ask.context import Context
from rewright.ask.reading.hint_tests import conditions_of

# brackets with a comparison in them; others hold remarks, which stay
_IN_BRACKETS = re.compile(
    r"\b(?P<term>[a-z][\w-]*(?: [a-z][\w-]*)?) \((?:where |i\.e\. |meaning )?"
    r"(?P<meaning>[a-z][\w. ]*?\s*(?:>=|<=|<>|!=|>|<|=)\s*(?:\d[\d.]*|'[^']*'))\)",
    re.IGNORECASE,
)
_FORMULA = r"(?:divided by|multiplied by|times|minus|plus)"
_SENTENCE = re.compile(
    rf"(?<=[.?!])\s+(?:the |an? )?(?P<term>[a-z][\w -]{{1,40}}?) (?:is|means|equals|=|is defined as) "
    rf"(?P<meaning>[^.?!]+? {_FORMULA} [^.?!]+)[.?!]?",
    re.IGNORECASE,
)
_ARTICLES = re.compile(r"^(?:the|of|to|an?|and|for|with|all) ", re.IGNORECASE)


def terms_said(question: str, context: Context) -> tuple[str, str]:
    """The question without its definitions, and these as hints, one a line."""
    hints = list[str]()

    def in_brackets(match: re.Match[str]) -> str:
        # what is no condition of this data stays in the question, where it is refused as unread
        if not conditions_of(match["meaning"], context):
            return match[0]
        hints.append(f"{_ARTICLES.sub('', match['term'])} refers to {match['meaning']}")
        return match["term"]

    def sentence(match: re.Match[str]) -> str:
        # only of a term that the question used before: else it is a sentence of its own
        if not re.search(rf"\b{re.escape(match['term'])}\b", question[: match.start()], re.IGNORECASE):
            return match[0]
        hints.append(f"{match['term']} = {match['meaning']}")
        return ""

    return _SENTENCE.sub(sentence, _IN_BRACKETS.sub(in_brackets, question)), "\n".join(hints)
