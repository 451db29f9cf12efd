"""sentence-transformers gives the vectors that the forward pass in NumPy gives. Needs the extra
`embeddings-torch`.
"""

from __future__ import annotations

import numpy as np

from rewright.lake.embedding import MiniLm, SentenceTransformers, weights_folder

TEXTS = [
    "total population",
    "customer order number",
    "x",
    "Umsatz pro Monat",
    "the first name of a person " * 20,
]


def check_the_same_vectors_by_both_ways() -> None:
    folder = weights_folder()
    assert folder is not None
    ours, theirs = MiniLm(folder).embed(TEXTS), SentenceTransformers(folder).embed(TEXTS)
    assert theirs.shape == ours.shape
    assert np.abs(ours - theirs).max() < 1e-4
