"""Random pairs of queries over random schemas: equal by construction, or near misses."""

from equivalence.generator.pairs.make import RandomPair, random_pairs

__all__ = ["RandomPair", "random_pairs"]
