"""Loads the sentence encoder, once for the process, if its weights are installed.

Must not know what is compared.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def encoder() -> Any:
    """MiniLM, what it encoded kept; never the encoder of spellings, which has no meaning. None without
    weights.
    """
    from rewright.lake.embedding import CachedEmbedder

    found = model()
    return None if found is None else CachedEmbedder(found)


@lru_cache(maxsize=1)
def model() -> Any:
    """MiniLM itself, which knows its words. None without weights."""
    from rewright.lake.embedding import MiniLm, weights_folder

    folder = weights_folder()
    return None if folder is None else MiniLm(folder)
