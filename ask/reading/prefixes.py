"""What the names of a schema begin with that says nothing: `tbl_`, `sb`, the table's own name shortened.

Owns finding it. Must not know words.
"""

from __future__ import annotations

from collections import Counter

from rewright.lake import names

# in fewer tables than these a shared first word is as likely a part of the names
SHORTEST_PREFIX = 3


def common_prefix(spelled: list[list[str]]) -> str:
    firsts = Counter(words[0] for words in spelled if len(words) > 1)
    if len(spelled) < SHORTEST_PREFIX or not firsts:
        return ""
    word, times = firsts.most_common(1)[0]
    # nearly all begin so: a schema may have a stranger or two; longer words mean something
    return word if times >= 0.8 * len(spelled) and len(word) <= 4 else ""


def common_letters(spelled: list[str]) -> str:
    """`sb` of sbcustomer, sbticker and sbtransaction: letters that all tables begin with, run together with
    their names.
    """
    shared = shared_start([name.lower() for name in spelled])
    # three letters of each name must be left to mean something
    at_most = all(len(name) > len(shared) + 3 for name in spelled)
    return (
        shared
        if len(spelled) >= SHORTEST_PREFIX and 2 <= len(shared) <= 4 and at_most and "_" not in shared
        else ""
    )


def shared_start(spelled: list[str]) -> str:
    # the first and the last in alphabetical order share what all share
    first, last = min(spelled, default=""), max(spelled, default="")
    shared = 0
    while shared < min(len(first), len(last)) and first[shared] == last[shared]:
        shared += 1
    return first[:shared]


def without(name: str, prefix: str) -> str:
    spelled = names.spaced(name)
    head, _, rest = spelled.partition(" ")
    # a name that is nothing but the prefix keeps it
    return rest if prefix and rest and head.lower() == prefix else name


def stands_for(short: str, words: tuple[str, ...]) -> bool:
    """A table's name shortened: `tx`, `dp` (daily price), `cust`."""
    initials = "".join(w[0] for w in words)
    whole = "".join(words)
    return (
        # two letters are always taken for an abbreviation of the table
        len(short) <= 2
        or short == initials
        or whole.startswith(short)
        or names.skeleton_of(short, whole)
        or short in words
        or names.words(short) == words
    )
