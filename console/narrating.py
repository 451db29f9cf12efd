"""Where a query spends its work and what its replacement does instead, as sentences for somebody who does not
read plans: names of functions, tables and counts of rows, each count said to be measured or estimated.

Pure. Must not know where plans come from, nor HTML.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewright.console.plan_view import own_work, runs_again, work
from rewright.console.subqueries import Subquery, subqueries
from rewright.sql.plans import Node, PlanError, plan_from_json

# a share of the work below which an operator is not worth a sentence
_WORTH = 0.1
_MOST = 3
_MILLION = 1_000_000
_QUALIFIER = re.compile(r"\A(?:\w+|\"[^\"]*\")\.(\w+|\"[^\"]*\")\Z")


def told_work(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, text: str) -> Sequence[str]:
    """The worst of a plan first. ``before``, ``after``: a plan report's trees; ``text``: the original."""
    root, now = _root(before), _root(after)
    if root is None:
        return ()
    story = _Story(root, now, subqueries(text))
    shares: dict[str, float] = {}
    for part in story.parts():
        # two subqueries over the same rows read alike
        shares[part.said] = shares.get(part.said, 0.0) + part.share
    ranked = sorted(shares.items(), key=lambda one: one[1], reverse=True)
    # below a LIMIT an operator is priced for all of its rows, the plan for the few that are taken
    return [f"{said}: {min(share, 1):.0%} {story.of}." for said, share in ranked[:_MOST] if share >= _WORTH]


def amount(number: float) -> str:
    """A count of rows as it is read out.

    >>> amount(6_001_215), amount(20_034), amount(1.4)
    ('6 million', '20,034', '1')
    """
    if number >= _MILLION:
        return f"{number / _MILLION:,.1f}".removesuffix(".0") + " million"
    return f"{number:,.0f}"


@dataclass(frozen=True, slots=True)
class _Part:
    """One sentence without its end, and which share of the whole work it tells of."""

    share: float
    said: str


class _Story:
    """Sentences about one plan, beside the plan of the replacement where there is one."""

    def __init__(self, root: Node, now: Node | None, asked: Sequence[Subquery]) -> None:
        self.root, self.now, self.asked = root, now, asked
        self.executed = root.actual is not None
        self.of = "of the time" if self.executed else "of the estimated cost"
        self._own = own_work(root)
        self._repeats = Counter(
            (tuple(_relations(child)), _aggregates(child))
            for node in root.walk()
            for child in node.children
            if runs_again(node, child)
        )
        # a plan without cost or time must not divide by zero
        self._whole = max(work(root), 1e-9)

    def parts(self) -> Iterator[_Part]:
        """Each subquery that is run again and again as a whole; of the rest each operator."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            yield _Part(self._own[id(node)] / self._whole, self._operator(node))
            for child in node.children:
                if runs_again(node, child):
                    yield _Part(self._below(child) / self._whole, self._repeated(node, child))
                else:
                    stack.append(child)

    def _below(self, node: Node) -> float:
        return sum(self._own[id(one)] for one in node.walk())

    def rows(self, number: float, what: str = "rows") -> str:
        """A count with what it is of and how it is known.

        An estimate is called one: it may be far off.
        """
        if round(number) == 1:
            what = what.replace("rows", "row", 1)
        return f"{amount(number)} {what}" if self.executed else f"an estimated {amount(number)} {what}"

    # a subquery for each row

    def _repeated(self, parent: Node, child: Node) -> str:
        relations = _relations(child)
        often = self._often(parent, child)
        of = _named(_relations(parent, subplans=False))
        what, many = self._computed(relations, child)
        said = f"{_capital(what)} {'were' if many else 'was'} computed again for each of "
        said += self.rows(often, f"rows of {of}" if of else "rows")
        instead = self._instead(relations, tests=not _aggregates(child))
        return f"{said}; {instead}" if instead else said

    def _computed(self, relations: Sequence[str], child: Node) -> tuple[str, bool]:
        """What the statement asks of these relations, and whether these are several things."""
        totals = _aggregates(child)
        asked = [
            one for one in self.asked if one.relations == tuple(relations) and not (totals and one.tests)
        ]
        fits = list(dict.fromkeys(one.computes for one in asked))
        # others over the same relations are computed once, and it is not known which
        known = len(asked) <= self._repeats[tuple(relations), totals]
        if fits and known and len(fits) <= _MOST:
            return _named(fits), len(fits) > 1
        return (f"a subquery over {_named(relations)}" if relations else "a subquery"), False

    def _often(self, parent: Node, child: Node) -> float:
        if child.actual is not None:
            return child.actual.loops
        # not run: what the parent costs beyond its inputs is its subplans', each priced for one run
        own = max(parent.total_cost - sum(one.total_cost for one in parent.inputs), 0.0)
        siblings = sum(one.total_cost for one in parent.children if runs_again(parent, one))
        # the planner may expect a join's filter to be asked less often than rows come out of it
        return max(own / siblings if siblings > 0 else 1.0, parent.rows, 1.0)

    def _instead(self, relations: Sequence[str], *, tests: bool) -> str:
        """What the replacement's plan does with these relations; nothing where that is not plain to see.

        ``tests``: what is asked may be whether there is such a row, which is all that a semi-join answers.
        """
        if self.now is None:
            return ""
        found = [node for node in self.now.walk() if set(relations) <= set(_relations(node, subplans=False))]
        # a grouping says most; the closest to the relations, for parents come first
        grouped = [node for node in reversed(found) if node.group_key]
        for node in (*grouped, *reversed(found)):
            said = self._once(node, tests)
            if said:
                return f"now {said}"
        return ""

    def _once(self, node: Node, tests: bool) -> str:
        executed = node.actual is not None
        number = node.actual.total_rows if node.actual is not None else node.rows
        said = amount(number) if executed else f"an estimated {amount(number)}"
        if node.group_key:
            return f"once for each of {said} different values of {_keys(node.group_key)}"
        if node.operator == "WindowAgg":
            return "in one pass over rows that are read anyway"
        if tests and node.join_type in {"Semi", "Anti", "Right Semi", "Right Anti"}:
            return "one join finds it for all rows together"
        return ""

    # one operator

    def _operator(self, node: Node) -> str:
        number = node.actual.total_rows if node.actual is not None else node.rows
        rows = self.rows(number)
        tell = _OPERATORS.get(node.operator)
        if tell is None and (node.is_scan or node.relation):
            tell = _scanned
        return tell(node, rows) if tell else f"The operator {node.operator}, which gave {rows}"


def _aggregates(subplan: Node) -> bool:
    """Whether a subquery's plan gives one total; the server may find a minimum by a subquery of its own."""
    if subplan.operator == "Aggregate":
        return not subplan.group_key
    return subplan.operator == "Result" and any(one.relationship == "InitPlan" for one in subplan.children)


def _scanned(node: Node, rows: str) -> str:
    by = f" by the index {node.index}" if node.index else ""
    removed = node.actual.rows_removed * node.actual.loops if node.actual is not None else 0.0
    left = f", and {amount(removed)} more that were left out" if removed else ""
    often = ""
    # parallel workers read parts of one scan
    if node.actual is not None and node.actual.loops > 1 and not node.workers_planned:
        often = f" in {amount(node.actual.loops)} searches"
    return f"Reading {rows} of {node.relation or node.cte or node.alias}{by}{often}{left}"


def _joined(how: str) -> Callable[[Node, str], str]:
    def said(node: Node, rows: str) -> str:
        relations = _relations(node, subplans=False)
        what = f"Joining the rows of {_named(relations)}" if len(relations) > 1 else "Joining rows"
        return f"{what} {how}, which gave {rows}"

    return said


def _aggregated(node: Node, rows: str) -> str:
    of = _named(_relations(node, subplans=False))
    what = f"the rows of {of}" if of else "rows"
    if not node.group_key:
        return f"Summing up {what} into one"
    return f"Grouping {what} by {_keys(node.group_key)} into {rows.replace(' row', ' group')}"


def _sorted(node: Node, rows: str) -> str:
    return f"Sorting {rows} by {_keys(node.sort_key)}" if node.sort_key else f"Sorting {rows}"


_OPERATORS: Mapping[str, Callable[[Node, str], str]] = {
    "Nested Loop": _joined("by looking up the rows of one for each row of the other"),
    "Hash Join": _joined("through a hash table"),
    "Merge Join": _joined("in the order of their keys"),
    "Aggregate": _aggregated,
    "Group": _aggregated,
    "Sort": _sorted,
    "Incremental Sort": _sorted,
    "WindowAgg": lambda _node, rows: f"Computing window functions over {rows}",
    "Unique": lambda _node, rows: f"Taking out duplicates, which left {rows}",
    "Materialize": lambda _node, rows: f"Keeping {rows} to be read again",
    "Memoize": lambda _node, rows: f"Remembering {rows} to be read again",
    "Hash": lambda _node, rows: f"Building a hash table of {rows}",
    "Gather": lambda _node, rows: f"Collecting {rows} from parallel workers",
    "Gather Merge": lambda _node, rows: f"Collecting {rows} from parallel workers",
    "Bitmap Index Scan": lambda node, rows: f"Finding {rows} in the index {node.index}",
    "Append": lambda _node, rows: f"Putting {rows} of several parts together",
    "SetOp": lambda _node, rows: f"Comparing two lists of rows, which left {rows}",
    "Limit": lambda _node, rows: f"Taking the first {rows}",
    "Result": lambda _node, rows: f"Computing {rows}",
    "ProjectSet": lambda _node, rows: f"Making {rows} by a function that returns sets",
    "CTE Scan": lambda node, rows: f"Reading {rows} of the CTE {node.cte}",
    "Subquery Scan": lambda _node, rows: f"Filtering a subquery, which left {rows}",
    "Function Scan": lambda _node, rows: f"Reading {rows} of a function",
    "Values Scan": lambda _node, rows: f"Reading {rows} of a list",
    "WorkTable Scan": lambda _node, rows: f"Reading {rows} of a recursion's last step",
    "Recursive Union": lambda _node, rows: f"Running a recursion, which gave {rows}",
}


def _relations(node: Node, *, subplans: bool = True) -> tuple[str, ...]:
    """Names of the tables that a node and those below it read, sorted; ``subplans``: also in subqueries of
    expressions.
    """
    found, stack = set[str](), [node]
    while stack:
        here = stack.pop()
        if here.relation or here.cte:
            found.add(here.relation or here.cte)
        stack.extend(here.children if subplans else here.inputs)
    return tuple(sorted(found))


def _named(relations: Sequence[str]) -> str:
    """Up to three names.

    >>> _named(["a", "b"]), _named(["a", "b", "c", "d"])
    ('a and b', 'a, b and 2 more')
    """
    if len(relations) <= _MOST:
        return " and ".join(filter(None, (", ".join(relations[:-1]), *relations[-1:])))
    return f"{', '.join(relations[:2])} and {len(relations) - 2} more"


def _keys(keys: Sequence[str]) -> str:
    """Columns without their table; what is computed is called so."""
    names = [_QUALIFIER.sub(r"\1", key.removesuffix(" DESC")) for key in keys]
    names = [name if re.fullmatch(r"\w+|\"[^\"]*\"", name) else "a computed value" for name in names]
    return _named(list(dict.fromkeys(names)))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _root(tree: Mapping[str, Any] | None) -> Node | None:
    if not tree:
        return None
    try:
        return plan_from_json([{"Plan": tree}]).root
    except (PlanError, RecursionError):
        return None
