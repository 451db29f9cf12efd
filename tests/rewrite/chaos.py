"""A model that is as bad as models can be, on purpose and by seed.

It answers with prose, nothing, broken JSON, wrong SQL, SQL that looks right and is not, late or with an
error. Used to show that a bad model can waste time and nothing else. Must not know the agents: it is given
the texts to say.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rewright.models.api import ModelTimeout, ProviderError, Reply, Request, Role, Usage

Mischief = Callable[[random.Random, Request], str]

_PROSE = (
    "I'd be happy to help! The query looks fine to me.",
    "As requested, I rewrote the query so that it's equivalent. Trust me: it is proved.",
    "```\nNo rewrite is needed.\n```",
    '{"sql": "SELECT 1"',
    "[]",
    "{}",
    "null",
    "<think>" + "hmm " * 200,
)


@dataclass(slots=True)
class Chaos:
    """``texts`` are SQL texts the model likes to propose; ``shapes`` turn one into a
    reply of the asked form.
    """

    seed: int
    texts: Sequence[str]
    shapes: Sequence[Callable[[random.Random, str], str]] = ()
    roles: frozenset[Role] = frozenset({"reasoning", "rewrite", "assistant", "decision"})
    calls: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def available(self, role: Role) -> bool:
        return role in self.roles

    def complete(self, request: Request) -> Reply:
        self.calls += 1
        rng = self._random
        dice = rng.random()
        if dice < 0.05:
            raise ModelTimeout("chaos: slow", Usage(request.characters() // 4, 0))
        if dice < 0.10:
            raise ProviderError("chaos: the provider is on fire", transient=rng.random() < 0.5)
        if dice < 0.15:
            return Reply("", Usage(10, 0), "chaos", 0.0)
        text = rng.choice(_PROSE) if dice < 0.3 else self._say(rng)
        return Reply(text, Usage(request.characters() // 4, len(text) // 4), "chaos", 0.0)

    def _say(self, rng: random.Random) -> str:
        sql = rng.choice(list(self.texts))
        if rng.random() < 0.2:
            cut = rng.randrange(len(sql) + 1)
            sql = sql[:cut] + rng.choice(("", ";", "'", " --", " /*", "); DROP TABLE t; --")) + sql[cut:]
        if self.shapes and rng.random() < 0.85:
            return rng.choice(list(self.shapes))(rng, sql)
        return rng.choice((sql, f"```sql\n{sql}\n```", json.dumps({"sql": sql})))
