"""Hints with a model: the two-step dialogue of QUITE §6.2, over `models/`.

First the model judges every estimate of the plan (reasonable, or a range and the reason) and every join
method. The assistant then holds each opinion against the plan's numbers: it must speak of a node that is
there, disagree with the estimate, stay within what the tables' sizes allow and contradict nothing that was
seen; a method must be another one and be possible. What is left becomes a set of hints twice: by rule, and by
the model itself, asked once more with the findings. Both are only candidates: they are planned, executed and
validated like any other. Literals never reach the model (`rewright.models.redact`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rewright.hints import moves
from rewright.hints.base import (
    Hint,
    HintSyntaxError,
    JoinHint,
    Leading,
    MemoizeHint,
    Parallel,
    Rows,
    aliases_of,
)
from rewright.hints.cardinality import Judgement, supposed
from rewright.hints.entries import base_text
from rewright.hints.levels import Names, level_aliases
from rewright.hints.moves import METHOD, Move
from rewright.hints.options import Options
from rewright.hints.parsing import parse_comment
from rewright.hints.search import Candidate, Found, extend
from rewright.hints.statistics import read_table
from rewright.hints.trial import Planned, Trial
from rewright.models.api import Model, ModelError, Request
from rewright.models.prompts import FreeText, Instruction, Part, PlanText, SqlText, StatisticText, messages
from rewright.models.redact import Redactor, Share
from rewright.models.typed import ask
from rewright.sql.plans import Node, Plan

SYSTEM = (
    "You review PostgreSQL plans for wrong row estimates and badly chosen join methods. You answer in JSON."
)
JUDGE = (
    "For every scan and join of the plan say whether its estimated row count is reasonable, given the query "
    "and the"
    " statistics. Name a node by the aliases of the relations in it. Where the estimate is not reasonable "
    "give a range"
    " (low, high) in which the true count will lie, and the reason. For every join say whether its method "
    "suits its inputs;"
    " where not, name the better one (HashJoin, MergeJoin or NestLoop) and the reason."
)
BUILD = (
    "The findings above were held against the plan; those that could not be true are left out. Write the "
    "smallest set of"
    " pg_hint_plan hints that follows from them, as the inside of one hint comment, with these hints only:\n"
    + base_text()
)


@dataclass(frozen=True, slots=True)
class EstimateOpinion:
    relations: tuple[str, ...]
    reasonable: bool
    low: float = 0.0
    high: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JoinOpinion:
    relations: tuple[str, ...]
    suitable: bool
    better: Literal["HashJoin", "MergeJoin", "NestLoop", "none"] = "none"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Opinions:
    """The model's first reply."""

    estimates: tuple[EstimateOpinion, ...]
    joins: tuple[JoinOpinion, ...] = ()


@dataclass(frozen=True, slots=True)
class Comment:
    """The model's second reply: the inside of a hint comment."""

    hints: str
    reason: str = ""


@dataclass(slots=True)
class Dialogue:
    """A source of candidates (`rewright.hints.search.Source`). ``seconds``: what each reply may take;
    ``scope``: whom it is charged to.

    ``dropped`` keeps what the assistant did not believe, and why.
    """

    model: Model
    share: Share = "schema"
    seconds: float = 30.0
    scope: str = ""
    dropped: list[str] = field(default_factory=list)

    def __call__(
        self, trial: Trial, base: Planned, best: Found | None, options: Options
    ) -> Iterator[Candidate]:
        del options
        if not self.model.available("hint"):
            return
        redactor = Redactor(self.share)
        plan = base.plan
        shown: list[Part] = [
            SqlText("Query", trial.text),
            PlanText("Plan", as_document(plan.root)),
            *statistic_parts(trial, plan),
        ]
        try:
            opinions = self._ask([*shown, Instruction(JUDGE)], redactor, Opinions)
        except ModelError as error:
            self.dropped.append(f"the model: {error}")
            return
        believed = self.checked(opinions, plan, trial)
        if candidate := extend(best, self._by_rule(believed, plan, trial), trial):
            yield candidate
        # Nothing is left of what the model said: there is nothing to build hints from.
        if believed.empty:
            return
        yield from self._by_model(shown, believed, redactor, trial, best)

    def _ask(self, parts: Sequence[Part], redactor: Redactor, kind: type[Any]) -> Any:
        said = messages(parts, redactor, system=SYSTEM)
        request = Request("hint", said, max_tokens=3000, seconds=self.seconds, scope=self.scope)
        return ask(self.model, request, kind).value

    # -- the assistant

    def checked(self, opinions: Opinions, plan: Plan, trial: Trial) -> Believed:
        """The opinions that agree with the plan's numbers."""
        nodes = nameable(plan, trial.names)
        judgements, methods = [], []
        for opinion in opinions.estimates:
            if opinion.reasonable:
                continue
            aliases = frozenset(opinion.relations)
            node = nodes.get(aliases)
            if why := self._disbelieved(opinion, node, aliases, trial):
                self.dropped.append(f"{', '.join(sorted(aliases))}: {why}")
            elif node is not None:
                judgements.append(
                    Judgement(
                        aliases,
                        node.operator,
                        node.rows,
                        opinion.low,
                        opinion.high,
                        opinion.reason[:300],
                        "model",
                    )
                )
        for join in opinions.joins:
            if join.suitable or join.better == "none":
                continue
            aliases = frozenset(join.relations)
            if why := self._impossible(join, nodes.get(aliases)):
                self.dropped.append(f"{join.better} of {', '.join(sorted(aliases))}: {why}")
            else:
                methods.append(Move(JoinHint(join.better, aliases), f"the model: {join.reason[:300]}"))
        return Believed(tuple(judgements), tuple(methods))

    def _disbelieved(
        self, opinion: EstimateOpinion, node: Node | None, aliases: frozenset[str], trial: Trial
    ) -> str:
        if node is None:
            return "the plan has no such node"
        # NaN compares with nothing
        if not (
            math.isfinite(opinion.low) and math.isfinite(opinion.high) and 0 <= opinion.low <= opinion.high
        ):
            return "that is no range"
        if opinion.low <= node.rows <= opinion.high:
            return f"the estimate, {node.rows:,.0f}, lies within the range"
        seen = trial.known.rows.get(aliases)
        if seen is not None and not opinion.low <= seen <= max(opinion.high, 1.0):
            return f"{seen:,.0f} rows were seen"
        most = _most_rows(node, trial)
        if most is not None and opinion.low > most:
            return f"its relations have {most:,.0f} rows, all combinations counted"
        return ""

    def _impossible(self, join: JoinOpinion, node: Node | None) -> str:
        if node is None or not node.is_join:
            return "the plan has no such join"
        if METHOD[node.operator] == join.better:
            return "that is its method already"
        equality = any(" = " in n.condition(r) for n in node.walk() for r in _JOIN_CONDITIONS)
        # Hash and merge joins need an operator that hashes or sorts: pg_hint_plan would report the hint as
        # used.
        if join.better != "NestLoop" and not equality:
            return "it has no equality between its sides"
        return ""

    # -- the two builders

    def _by_rule(self, believed: Believed, plan: Plan, trial: Trial) -> list[Move]:
        # What was seen goes before what is supposed.
        rows = {**supposed(believed.judgements, plan, trial.names), **trial.known.rows}
        found = list(moves.row_corrections(plan, trial.names, rows, verb=moves.SUPPOSED))
        found += moves.better_methods(plan, trial.names, rows, verb=moves.SUPPOSED)
        return [*found, *believed.methods]

    def _by_model(
        self, shown: Sequence[Part], believed: Believed, redactor: Redactor, trial: Trial, best: Found | None
    ) -> Iterator[Candidate]:
        findings = FreeText("Findings", believed.text())
        try:
            comment: Comment = self._ask([*shown, findings, Instruction(BUILD)], redactor, Comment)
            hints = parse_comment(comment.hints)
        except (ModelError, HintSyntaxError) as error:
            self.dropped.append(f"the model's hints: {error}")
            return
        # the model may name hints or relations that were never offered
        offered = [hint for hint in hints if self._offered(hint, trial.names)]
        moved = [Move(hint, f"the model: {comment.reason[:300]}") for hint in offered]
        if candidate := extend(best, moved, trial):
            yield candidate

    def _offered(self, hint: Hint, names: Names) -> bool:
        """Of the base, and about relations that the statement names once."""
        if (
            isinstance(hint, JoinHint | Leading | Rows | MemoizeHint | Parallel)
            and aliases_of(hint) <= names.unique
        ):
            return True
        self.dropped.append(f"the model's hint {hint}: not offered, or of no relation here")
        return False


_JOIN_CONDITIONS = ("Hash Cond", "Merge Cond", "Join Filter", "Index Cond", "Recheck Cond")


@dataclass(frozen=True, slots=True)
class Believed:
    """What the assistant lets stand."""

    judgements: tuple[Judgement, ...]
    methods: tuple[Move, ...]

    @property
    def empty(self) -> bool:
        return not self.judgements and not self.methods

    def text(self) -> str:
        lines = [
            f"{', '.join(sorted(j.aliases))}: {j.low:.0f} to {j.high:.0f} rows rather than "
            f"{j.estimated:.0f}, {j.reason}"
            for j in self.judgements
        ]
        return "\n".join([*lines, *(f"{move.hint}: {move.reason}" for move in self.methods)])


def nameable(plan: Plan, names: Names) -> dict[frozenset[str], Node]:
    """Scans and joins by the aliases that a hint would name."""
    found: dict[frozenset[str], Node] = {}
    for node in plan.walk():
        if (node.is_join or node.alias) and (aliases := level_aliases(node, names)):
            found.setdefault(aliases, node)
    return found


def _most_rows(node: Node, trial: Trial) -> float | None:
    """The product of the sizes of the relations below; None where one is not known."""
    most = 1.0
    for scan in node.walk():
        if scan.alias:
            table = (
                read_table(trial.session, scan.schema or "public", scan.relation) if scan.relation else None
            )
            if table is None or not table.rows:
                return None
            # statistics lag behind: twice the size is still believed
            most *= 2 * table.rows
    return most


def statistic_parts(trial: Trial, plan: Plan) -> Iterator[StatisticText]:
    """Sizes, and of the compared columns the number of values and the most common ones."""
    from rewright.hints.conditions import read_condition

    for node in plan.walk():
        if not node.relation:
            continue
        table = read_table(trial.session, node.schema or "public", node.relation)
        if table is None:
            continue
        yield StatisticText(node.alias, "rows", table.rows)
        conditions = [c for _, text in node.conditions for c in read_condition(text)]
        for name in sorted({c.column for c in conditions if c.column in table.columns}):
            column = table.columns[name]
            subject = f"{node.alias}.{name}"
            yield StatisticText(subject, "distinct values", column.distinct_of(table.rows))
            yield StatisticText(subject, "correlation", column.correlation)
            if column.common:
                yield StatisticText(
                    subject,
                    "share of the most common value",
                    max(column.common.values()),
                    tuple(column.common)[:10],
                )


def as_document(node: Node) -> Mapping[str, Any]:
    """The node as EXPLAIN (FORMAT JSON) would tell it, as far as a prompt shows it."""
    named = {
        "Node Type": node.operator,
        "Relation Name": node.relation,
        "Alias": node.alias,
        "Index Name": node.index,
        "Join Type": node.join_type,
        "Strategy": node.strategy,
        "CTE Name": node.cte,
        "Subplan Name": node.subplan,
    }
    document: dict[str, Any] = {key: value for key, value in named.items() if value}
    document |= {"Total Cost": node.total_cost, "Plan Rows": node.rows, **dict(node.conditions)}
    if node.children:
        document["Plans"] = [as_document(child) for child in node.children]
    return document
