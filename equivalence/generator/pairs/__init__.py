"""Random pairs of queries over random schemas: equal by construction, or near misses."""

from rewright.equivalence.generator.pairs.make import (
    PAIRS_A_WORLD,
    SCHEME_NAMES,
    RandomPair,
    pairs_of_world,
    random_pairs,
)

__all__ = ["PAIRS_A_WORLD", "SCHEME_NAMES", "RandomPair", "pairs_of_world", "random_pairs"]
