"""The hint base: every kind of advice that can be given, as typed values that print and parse
pg_hint_plan's comment exactly.

QUITE §6 (Table 3): join methods, join order, row corrections, memoization, parallelism, planner
settings and CTE materialisation. Scan and index hints can be written but are not recommended by
default: the planner's choice of an access path follows from row estimates, and pinning it ages
badly when data or indexes change (the paper leaves them out for that reason).

Grammar: pg_hint_plan's documentation, "Hint list". MATERIALIZE and NOT_MATERIALIZE are ours; they
become PostgreSQL's keyword on the CTE and need no extension. Must not know plans or servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, assert_never

from rewright.hints.names import check_name, quote_name

JoinMethod = Literal["HashJoin", "MergeJoin", "NestLoop", "NoHashJoin", "NoMergeJoin", "NoNestLoop"]
JOIN_METHODS: tuple[JoinMethod, ...] = (
    "HashJoin",
    "MergeJoin",
    "NestLoop",
    "NoHashJoin",
    "NoMergeJoin",
    "NoNestLoop",
)
ScanMethod = Literal[
    "SeqScan",
    "TidScan",
    "IndexScan",
    "IndexOnlyScan",
    "BitmapScan",
    "NoSeqScan",
    "NoTidScan",
    "NoIndexScan",
    "NoIndexOnlyScan",
    "NoBitmapScan",
]
SCAN_METHODS: tuple[ScanMethod, ...] = (
    "SeqScan",
    "TidScan",
    "IndexScan",
    "IndexOnlyScan",
    "BitmapScan",
    "NoSeqScan",
    "NoTidScan",
    "NoIndexScan",
    "NoIndexOnlyScan",
    "NoBitmapScan",
)

# Settings that steer the planner and nothing else. Anything outside could change answers
# (extra_float_digits), what is seen (search_path, row_security) or how much the server uses.
PLANNER_SETTINGS = frozenset(
    {
        "enable_async_append",
        "enable_bitmapscan",
        "enable_gathermerge",
        "enable_hashagg",
        "enable_hashjoin",
        "enable_incremental_sort",
        "enable_indexonlyscan",
        "enable_indexscan",
        "enable_material",
        "enable_memoize",
        "enable_mergejoin",
        "enable_nestloop",
        "enable_parallel_append",
        "enable_parallel_hash",
        "enable_partition_pruning",
        "enable_partitionwise_aggregate",
        "enable_partitionwise_join",
        "enable_presorted_aggregate",
        "enable_seqscan",
        "enable_sort",
        "enable_tidscan",
        "enable_group_by_reordering",
        "enable_distinct_reordering",
        "enable_self_join_elimination",
        "enable_eager_aggregate",
        "seq_page_cost",
        "random_page_cost",
        "cpu_tuple_cost",
        "cpu_index_tuple_cost",
        "cpu_operator_cost",
        "parallel_setup_cost",
        "parallel_tuple_cost",
        "jit_above_cost",
        "jit_inline_above_cost",
        "jit_optimize_above_cost",
        "from_collapse_limit",
        "join_collapse_limit",
        "geqo",
        "geqo_threshold",
        "geqo_effort",
        "geqo_pool_size",
        "geqo_generations",
        "geqo_selection_bias",
        "geqo_seed",
        "cursor_tuple_fraction",
        "recursive_worktable_factor",
    }
)
_SETTING_VALUE = re.compile(r"(on|off|true|false|-?\d+(\.\d+)?([eE][-+]?\d+)?)\Z")


class HintSyntaxError(ValueError):
    """A hint that cannot be written or read; the message names the part."""


# --------------------------------------------------------------------------- hints


@dataclass(frozen=True, slots=True)
class JoinHint:
    """``HashJoin(a b …)``: the join whose inputs together are exactly these aliases."""

    method: JoinMethod
    aliases: frozenset[str]

    # a hint for one relation is no join
    def __post_init__(self) -> None:
        _need(len(self.aliases) >= 2, f"{self.method} needs two aliases or more")


# a join tree: an alias, or an ordered pair (outer, inner)
JoinTree = str | tuple["JoinTree", "JoinTree"]


@dataclass(frozen=True, slots=True)
class Leading:
    """``Leading((a (b c)))`` fixes order and direction; ``Leading(a b c)`` the order alone."""

    tree: JoinTree | None = None
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _need((self.tree is None) != (not self.order), "Leading takes a tree or a list")
        _need(self.tree is None or isinstance(self.tree, tuple), "Leading's tree needs two sides")
        _need(not self.order or len(self.order) >= 2, "Leading needs two aliases or more")


@dataclass(frozen=True, slots=True)
class Rows:
    """``Rows(a b #1000)``: corrects the estimate of that join: set (#), add, subtract, multiply."""

    aliases: frozenset[str]
    kind: Literal["#", "+", "-", "*"]
    number: float

    def __post_init__(self) -> None:
        # pg_hint_plan has no hint that corrects a scan
        _need(len(self.aliases) >= 2, "Rows needs two aliases or more: a scan cannot be corrected")
        _need(self.number >= 0, "Rows takes no negative number")
        _need(self.kind != "#" or self.number >= 1, "Rows(#) sets at least one row")


@dataclass(frozen=True, slots=True)
class MemoizeHint:
    """``Memoize(a b)`` or ``NoMemoize(a b)``: whether that join may cache its inner side."""

    aliases: frozenset[str]
    negated: bool = False

    def __post_init__(self) -> None:
        _need(len(self.aliases) >= 2, "Memoize needs two aliases or more")


@dataclass(frozen=True, slots=True)
class Parallel:
    """``Parallel(a n soft|hard)``: workers for scanning one relation; 0 forbids them."""

    alias: str
    workers: int
    strength: Literal["soft", "hard"] = "soft"

    def __post_init__(self) -> None:
        _need(0 <= self.workers <= 1024, "Parallel takes 0 to 1024 workers")


@dataclass(frozen=True, slots=True)
class SetHint:
    """``Set(name value)`` while planning, for pure planner switches only."""

    name: str
    value: str

    def __post_init__(self) -> None:
        _need(self.name in PLANNER_SETTINGS, f"Set({self.name}) is not a planner switch")
        _need(bool(_SETTING_VALUE.match(self.value)), f"Set({self.name}): not a plain value: {self.value!r}")


@dataclass(frozen=True, slots=True)
class ScanHint:
    """``SeqScan(a)``, ``IndexScan(a index …)``; off by default."""

    method: ScanMethod
    alias: str
    indexes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Materialize:
    """The keyword on a CTE: ``MATERIALIZED`` or, negated, ``NOT MATERIALIZED``."""

    cte: str
    negated: bool = False


Hint = JoinHint | Leading | Rows | MemoizeHint | Parallel | SetHint | ScanHint | Materialize


def _need(holds: bool, message: str) -> None:
    if not holds:
        raise HintSyntaxError(message)


def aliases_of(hint: Hint) -> frozenset[str]:
    """Every alias that the hint names (none for Set and the CTE keywords)."""
    match hint:
        case JoinHint() | Rows() | MemoizeHint():
            return hint.aliases
        case Leading():
            return frozenset(hint.order or _leaves(hint.tree))
        case Parallel() | ScanHint():
            return frozenset({hint.alias})
        case SetHint() | Materialize():
            return frozenset()
        case _:
            assert_never(hint)


def _leaves(tree: JoinTree | None) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif tree is not None:
        for side in tree:
            yield from _leaves(side)


# --------------------------------------------------------------------------- printing


def print_hint(hint: Hint) -> str:
    """One hint as pg_hint_plan writes it; Materialize as ``MATERIALIZE(cte)`` for people."""
    match hint:
        case JoinHint():
            return f"{hint.method}({_names(hint.aliases)})"
        case Leading():
            inside = (
                _print_tree(hint.tree) if hint.tree is not None else " ".join(map(quote_name, hint.order))
            )
            return f"Leading({inside})"
        case Rows():
            return f"Rows({_names(hint.aliases)} {hint.kind}{_number(hint.number)})"
        case MemoizeHint():
            return f"{'No' if hint.negated else ''}Memoize({_names(hint.aliases)})"
        case Parallel():
            return f"Parallel({quote_name(hint.alias)} {hint.workers} {hint.strength})"
        case SetHint():
            return f"Set({hint.name} {hint.value})"
        case ScanHint():
            return f"{hint.method}({' '.join(map(quote_name, (hint.alias, *hint.indexes)))})"
        case Materialize():
            check_name(hint.cte)
            # the keyword is put in by its place, but the name is printed for people
            return f"{'NOT_' if hint.negated else ''}MATERIALIZE({quote_name(hint.cte)})"
        case _:
            assert_never(hint)


def _names(aliases: Iterable[str]) -> str:
    return " ".join(quote_name(alias) for alias in sorted(aliases))


def _print_tree(tree: JoinTree) -> str:
    if isinstance(tree, str):
        return quote_name(tree)
    return f"({_print_tree(tree[0])} {_print_tree(tree[1])})"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


# --------------------------------------------------------------------------- sets


@dataclass(frozen=True, slots=True)
class HintSet:
    """Hints that go together, in the order they print. At most one Leading; no two that contradict
    each other by naming the same join or setting twice in one family.
    """

    hints: tuple[Hint, ...] = ()

    def __post_init__(self) -> None:
        seen: set[object] = set()
        for hint in self.hints:
            # pg_hint_plan takes the last of two such hints and reports the other as an error
            key = _slot(hint)
            _need(key not in seen, f"given twice: {print_hint(hint)}")
            seen.add(key)

    def __bool__(self) -> bool:
        return bool(self.hints)

    def __iter__(self) -> Iterator[Hint]:
        return iter(self.hints)

    def __len__(self) -> int:
        return len(self.hints)

    def with_hint(self, hint: Hint) -> HintSet:
        """The set with ``hint`` in place of the one that holds its slot, if any."""
        kept = tuple(h for h in self.hints if _slot(h) != _slot(hint))
        return HintSet((*kept, hint))

    def without(self, hint: Hint) -> HintSet:
        return HintSet(tuple(h for h in self.hints if h != hint))

    @property
    def for_extension(self) -> tuple[Hint, ...]:
        """The hints that need pg_hint_plan."""
        return tuple(h for h in self.hints if not isinstance(h, Materialize))

    @property
    def for_ctes(self) -> tuple[Materialize, ...]:
        """The hints that become keywords of PostgreSQL itself."""
        return tuple(h for h in self.hints if isinstance(h, Materialize))

    def comment(self) -> str:
        """pg_hint_plan's comment, or the empty string when nothing needs one."""
        inside = " ".join(map(print_hint, self.for_extension))
        return f"/*+ {inside} */" if inside else ""

    def __str__(self) -> str:
        return " ".join(map(print_hint, self.hints))


def _slot(hint: Hint) -> tuple[object, ...]:
    """What a hint decides: two hints with one slot contradict (or repeat) each other."""
    match hint:
        case JoinHint():
            return ("join", hint.aliases)
        case Leading():
            return ("leading",)
        case Rows():
            return ("rows", hint.aliases)
        case MemoizeHint():
            return ("memoize", hint.aliases)
        case Parallel():
            return ("parallel", hint.alias)
        case SetHint():
            return ("set", hint.name)
        case ScanHint():
            return ("scan", hint.alias)
        case Materialize():
            return ("cte", hint.cte)
        case _:
            assert_never(hint)
