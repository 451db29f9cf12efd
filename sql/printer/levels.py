"""How strongly operators bind, as the grammar has it."""

from __future__ import annotations

# precedences, weakest first (manual 4.1.6)
OR, AND, NOT, IS, COMPARE, LIKE, OTHER, ADD, MUL, POW, UNARY, CAST, ATOM = range(13)
OPERATORS = {
    # != is written <> by the parser; any other operator has the level of OTHER
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">="), COMPARE),
    **dict.fromkeys(("+", "-"), ADD),
    **dict.fromkeys(("*", "/", "%"), MUL),
    "^": POW,
}
