"""Frames of windows: the option bits of an analysed query (parsenodes.h FRAMEOPTION_*) in words.

Must not know functions or sources.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import NotTranslated

# the bits come in pairs of a start and an end; FRAMEOPTION_NONDEFAULT, 0x1, says nothing of the frame
_MODES = {0x2: "RANGE", 0x4: "ROWS", 0x8: "GROUPS"}
_STARTS = {0x20: "UNBOUNDED PRECEDING", 0x200: "CURRENT ROW", 0x800: "PRECEDING", 0x2000: "FOLLOWING"}
_ENDS = {0x100: "UNBOUNDED FOLLOWING", 0x400: "CURRENT ROW", 0x1000: "PRECEDING", 0x4000: "FOLLOWING"}
_EXCLUSIONS = {0x8000: "EXCLUDE CURRENT ROW", 0x10000: "EXCLUDE GROUP", 0x20000: "EXCLUDE TIES"}


def frame_of(window: Node, told: Callable[[Node], str]) -> str:
    """``ROWS BETWEEN ... AND ...``.

    :raises NotTranslated: distances of values (RANGE with an offset).
    """
    options = int(window["frameOptions"])
    # the analyser sets exactly one mode, also where none was written
    mode = next(word for bit, word in _MODES.items() if options & bit)
    ends = []
    for words, offset in ((_STARTS, window["startOffset"]), (_ENDS, window["endOffset"])):
        word = next((word for bit, word in words.items() if options & bit), None)
        if word is None:
            raise NotTranslated("this frame")
        if offset is not None:
            # a distance in values adds to the sort key, by in_range functions of the key's type
            if mode == "RANGE" or offset["kind"] not in {"CONST", "FUNCEXPR"}:
                raise NotTranslated("RANGE with a distance")
            word = f"{told(offset)} {word}"
        ends.append(word)
    exclusion = "".join(f" {word}" for bit, word in _EXCLUSIONS.items() if options & bit)
    return f"{mode} BETWEEN {ends[0]} AND {ends[1]}{exclusion}"
