"""The model's reasoning (QUITE §4.1): rewriting framed as a Markov decision process, and the rewrite agent
after it.

A chain of refinement actions is asked for, each with the query it leads to; the rewrite agent extracts the
candidates, groups them by category, lets the database's EXPLAIN be their reward, and asks once for an
enhancement of the best by a checklist. Owns these prompts and replies. Must not know verification.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from rewright.models.api import Model, ModelError, Request, Usage, complaint
from rewright.models.prompts import Instruction, Part, PlanText, SqlText, messages
from rewright.models.redact import Redactor
from rewright.models.typed import ask
from rewright.rewrite.agents.memory import Memory
from rewright.rewrite.model import Candidate, Category, Deadline, Explained, Step

_SYSTEM = (
    "You rewrite PostgreSQL queries into equivalent, faster ones. Equivalent means the same rows, "
    "duplicates and NULLs"
    " included, the same column names, types and order, on every database that satisfies the declared "
    "constraints. Use"
    " only the tables and columns of the original. Every proposal is checked by a tool; a wrong one is "
    "thrown away. So is one that may stop with an error where the original does not: compute what can fail "
    "(a division, a cast, a date with an interval added) for the same rows as the original does, not for "
    "more."
)
_MDP = (
    "Treat the rewriting as a Markov decision process. The state is the query. An action is one refinement: "
    "reordering"
    " or removing a join, pushing a predicate, decorrelating a subquery, sharing a repeated part in a CTE, "
    "aggregating"
    " before joining, and so on. The reward of an action is the drop of the planner's estimated cost. Start "
    "from the"
    " original query. At each state weigh the possible actions by the reward you expect, in this and in "
    "later steps,"
    " take the best and write down the whole query it leads to. Stop when no action promises a reward."
)
# what every strategy ends with: a proof goes the model's own way, and of small steps more are proved
_STEPS = (
    " Reply with the queries on the way as steps, at most six, each a whole query. Change one thing a step "
    "(share a repeated part, turn one subquery into a join, or put a window function in place of one: never "
    "two of these at once): each is proved"
    " from the one before, and only what is proved is served. Reply with an empty list of steps when the "
    "original can't be"
    " improved."
)
# the prompts ask for six: of a chain that goes on the later steps may be the best, as long as it ends
_MOST_STEPS = 12
# other ways to look at the same query, one a further sample (plan's bottleneck: E3-Rewrite, arXiv 2508.09023;
# selectivity: LITHE, arXiv 2502.12918); what several of them lead to is likelier right
_STRATEGIES = (
    _MDP,
    (
        "Look at the plan first: name the node with the largest actual time (or estimated cost) and the "
        "part of the query that"
        " makes it, and rewrite so that this node has less to do or is not needed. Then look at the next "
        "one."
    ),
    (
        "Look at the data flow: find the condition or join that keeps the fewest rows, and rewrite so that "
        "it comes before"
        " joins, aggregates and window functions which now work on more rows than they need."
    ),
    (
        "Look at what is done more than once: subqueries for each row of another query, tables that are "
        "read several times,"
        " aggregates over the same groups. Rewrite so that each is done once, by grouping first and "
        "joining, by FILTER or by"
        " window functions."
    ),
)
_CHECKLIST = (
    "Go over the rewritten query once more with this checklist: repeated subqueries that could be shared; "
    "joins whose"
    " result is not used and which keys make superfluous; selective filters or joins that could come first; "
    "aggregates"
    " that could be computed before a join; DISTINCT, ORDER BY or GROUP BY that keys make superfluous; "
    "functions or"
    " casts on columns that keep an index from being used; conditions that follow from others and would "
    "help earlier."
    " Reply with the improved query and the items used, or with an empty sql when nothing is left to improve."
)


@dataclass(frozen=True, slots=True)
class ReasoningStep:
    """A node of the chain, as the model is asked to give it."""

    action: str
    category: Literal["join", "predicate", "cte", "constant", "others"]
    sql: str
    expected_gain: float = 0.0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    steps: tuple[ReasoningStep, ...]


@dataclass(frozen=True, slots=True)
class Enhancement:
    sql: str
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thought:
    """What a conversation brought, what it cost, what went wrong."""

    candidates: tuple[Candidate, ...] = ()
    usage: Usage = field(default_factory=Usage)
    complaints: tuple[str, ...] = ()

    def __add__(self, other: Thought) -> Thought:
        return Thought(
            (*self.candidates, *other.candidates),
            self.usage + other.usage,
            (*self.complaints, *other.complaints),
        )


@dataclass(slots=True)
class ModelStrategy:
    """The model's side of Reasoning for one run: prompts through the run's redactor, charged to ``scope``.
    ``samples``: chains that are asked for, each by another strategy.
    """

    model: Model
    redactor: Redactor
    scope: str = ""
    chain_seconds: float = 120.0
    samples: int = 1

    def chain(self, memory: Memory, deadline: Deadline) -> Thought:
        """The reasoning agent's chains, their nodes as candidates in order."""
        thought = Thought()
        for number, strategy in enumerate(_STRATEGIES[: self.samples]):
            if deadline.passed:
                break
            # each sample gets an equal share of the time that the others left
            share = deadline.within(deadline.left() / (self.samples - number))
            thought = thought + self._sample(number, strategy, memory, share)
        return thought

    def _sample(self, number: int, strategy: str, memory: Memory, deadline: Deadline) -> Thought:
        parts = (*memory.parts("reasoning"), Instruction(strategy + _STEPS))
        request = self._request("reasoning", parts, deadline, 6000)
        try:
            reply = ask(self.model, request, Chain)
        except ModelError as error:
            # one strategy that fails does not end the others
            return Thought((), error.usage, (complaint("reasoning", error),))
        return Thought(self._extract(reply.value, number), reply.usage)

    def enhance(
        self, best: Candidate, memory: Memory, deadline: Deadline, explained: Explained | None = None
    ) -> Thought:
        """The rewrite agent's second look at the best candidate so far; ``explained``: that one's plan."""
        # a budget may be used up for one role alone
        if not self.model.available("rewrite"):
            return Thought()
        plan = () if explained is None else (PlanText("Its plan", explained.plan),)
        parts = (
            *memory.parts("rewrite"),
            SqlText("Rewritten query", best.sql),
            *plan,
            Instruction(_CHECKLIST),
        )
        request = self._request("rewrite", parts, deadline, 4000)
        try:
            reply = ask(self.model, request, Enhancement)
        except ModelError as error:
            return Thought((), error.usage, (complaint("rewrite", error),))
        sql = self._text(reply.value.sql)
        # an empty sql is the model's word that nothing is left to improve
        if not sql:
            return Thought((), reply.usage)
        step = Step("enhancement", best.category, "; ".join(reply.value.items)[:300])
        # by way of the best: a proof may go the same steps
        via = (*best.via, best.sql)
        found = Candidate(sql, (*best.steps, step), "model", via=via, sample=best.sample)
        return Thought((found,), reply.usage)

    def _request(
        self, role: Literal["reasoning", "rewrite"], parts: Sequence[Part], deadline: Deadline, most: int
    ) -> Request:
        seconds = min(self.chain_seconds, deadline.left())
        said = messages(parts, self.redactor, system=_SYSTEM)
        return Request(role, said, max_tokens=most, seconds=seconds, scope=self.scope)

    def _extract(self, chain: Chain, number: int) -> tuple[Candidate, ...]:
        """Each node with those before it as its derivation."""
        steps: tuple[Step, ...] = ()
        via: tuple[str, ...] = ()
        candidates = []
        # models do not count: twice as many as were asked for are read, no more
        for node in chain.steps[:_MOST_STEPS]:
            steps = (*steps, Step(node.action[:200], node.category, node.why[:300]))
            # a step whose query is empty was thought, not written; one that leads back is no way on
            if (sql := self._text(node.sql)) and sql not in via:
                candidates.append(Candidate(sql, steps, "model", via=via, sample=number))
                via = (*via, sql)
        return tuple(candidates)

    def _text(self, sql: str) -> str:
        return self.redactor.restore(sql.strip().rstrip(";").strip())


def grouped(candidates: Sequence[Candidate]) -> dict[Category, tuple[Candidate, ...]]:
    """By category, each group by cost (unknown last)."""
    groups: dict[Category, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.category, []).append(candidate)
    return {name: tuple(sorted(group, key=by_cost)) for name, group in groups.items()}


def by_cost(candidate: Candidate) -> tuple[bool, float]:
    return candidate.cost is None, candidate.cost or 0.0
