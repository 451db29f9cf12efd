"""Characters that show nothing, made visible on pages.

To the person who approves it, a text that turns the direction of writing or hides a part reads as another
query than the one that would run. Must not know HTML.
"""

from __future__ import annotations

import unicodedata

# controls, what turns and joins, halves of pairs, ends of lines and paragraphs
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LAYOUT = frozenset("\n\t")


def visible(text: str) -> str:
    r"""The text with an escape for each character that shows nothing.

    >>> visible("select 1 /* \u202e */")
    'select 1 /* \\u202e */'
    """
    if text.isprintable():
        return text
    return "".join(_escaped(one) if _is_unseen(one) else one for one in text)


def _is_unseen(one: str) -> bool:
    return unicodedata.category(one) in _UNSEEN and one not in _LAYOUT


def _escaped(one: str) -> str:
    return f"\\u{ord(one):04x}"
