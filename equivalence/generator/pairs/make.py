"""Random pairs: a scheme over a world, put into contexts that keep every difference visible.

Owns the contexts and the bookkeeping. Deterministic in the seed and the world's number, so that a long run
can stop between worlds and go on later.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rewright.equivalence.generator.pairs.blocks import BLOCKS
from rewright.equivalence.generator.pairs.bodies import BODIES, VOLATILE
from rewright.equivalence.generator.pairs.copies import COPIES
from rewright.equivalence.generator.pairs.counted import COUNTED
from rewright.equivalence.generator.pairs.lookalikes import LOOKALIKES
from rewright.equivalence.generator.pairs.schemes import SCHEMES, Scheme
from rewright.equivalence.generator.pairs.typed import TYPED
from rewright.equivalence.generator.pairs.worlds import World, random_world

PAIRS_A_WORLD = 40
_ALL = (*SCHEMES, *TYPED, *BLOCKS, *BODIES, *LOOKALIKES, *COPIES, *COUNTED, *VOLATILE)
SCHEME_NAMES = tuple(s.__name__ for s in _ALL)


@dataclass(frozen=True, slots=True)
class RandomPair:
    """``equivalent`` by construction: sound steps only, or exactly one side condition broken. ``volatile``: a
    near miss of which nothing may be said, since a volatile function decides.
    """

    id: str
    scheme: str
    schema_sql: str
    q1: str
    q2: str
    equivalent: bool
    volatile: bool = False


def random_pairs(seed: int = 0) -> Iterator[RandomPair]:
    """Pairs without end."""
    for number in itertools.count():
        yield from pairs_of_world(seed, number)


def pairs_of_world(seed: int, number: int, schemes: Collection[str] = ()) -> Iterator[RandomPair]:
    """The `PAIRS_A_WORLD` pairs over the schema of this number, of the ``schemes`` named (default: all)."""
    chosen = [s for s in _ALL if not schemes or s.__name__ in schemes]
    rnd = random.Random(f"{seed}/{number}")  # noqa: S311 - test data
    world = random_world(rnd)
    for place in range(PAIRS_A_WORLD):
        yield _pair(rnd, world, chosen, f"random/{seed}/{number}/{place}")


def _pair(rnd: random.Random, world: World, schemes: Sequence[Scheme], id_: str) -> RandomPair:
    while True:
        scheme = rnd.choice(schemes)
        original, sound, broken = scheme(rnd, world)
        equivalent = rnd.random() < 0.5
        candidates = sound if equivalent else broken
        if candidates:
            break
    candidate = rnd.choice(candidates)
    # what is visible in the order must stay at the top
    if "order by" not in original.rpartition(")")[2]:
        original, candidate = _in_context(rnd, world, original, candidate)
        if rnd.random() < 0.3:
            original, candidate = _in_context(rnd, world, original, candidate)
        if rnd.random() < 0.4:
            original, candidate = candidate, original
    return RandomPair(
        id_, scheme.__name__, world.ddl, original, candidate, equivalent, volatile=scheme in VOLATILE
    )


def _in_context(rnd: random.Random, world: World, original: str, candidate: str) -> tuple[str, str]:
    """Both put into the same context, one that maps different bags to different bags."""
    match rnd.randrange(6):
        case 0:
            return f"select * from ({original}) as s_0", f"select * from ({candidate}) as s_1"
        case 1:
            return f"with s_0 as ({original}) select * from s_0", candidate
        case 2:
            n = rnd.choice((1, 2))
            extra = f"cross join (values {', '.join(f'({i})' for i in range(n))}) as z(z)"
            return (
                f"select z.z, s_0.* from ({original}) as s_0 {extra}",
                f"select z.z, s_1.* from ({candidate}) as s_1 {extra}",
            )
        case 3:
            outer = f"from (select count(*) as c_0 from {world.loose[1]}) as o_0"
            return (
                f"select o_0.c_0, s_0.* {outer}, lateral ({original}) as s_0",
                f"select o_0.c_0, s_1.* {outer} cross join ({candidate}) as s_1",
            )
        case _:
            return original, candidate
