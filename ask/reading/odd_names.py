"""Columns whose names hold more than words, `Free Meal Count (K-12)`, where a question or a hint spells them.

Owns writing such a name so that its words stay together. Must not know the grammar.
"""

from __future__ import annotations

import re

from rewright.ask.context import Context
from rewright.lake import names

_ODD = re.compile(r"[^\w ]")


def plain_name(name: str) -> str:
    """`free_meal_count_k_12`."""
    return "_".join(names.normal(name).split())


def spelled_plainly(text: str, context: Context) -> str:
    """The text with such names written as one word each."""
    odd = {c.name for t in context.tables for c in t.columns if _ODD.search(c.name) and " " in c.name}
    for name in sorted(odd, key=len, reverse=True):
        spelled = rf"[`\"]?(?<!\w){re.escape(name)}(?!\w)[`\"]?"
        text = re.sub(spelled, plain_name(name), text, flags=re.IGNORECASE)
    return text
