"""The calculus in which queries are compared: bags as unions of blocks, scalars as terms.

A bag is a union (with duplicates) of blocks; a block is ``sum over its variables of the product of
its predicates``, with output terms: the sum-product normal form of U-expressions (Chu et al., "Axiomatic
foundations and algorithms for deciding semantic equivalences of SQL queries", VLDB 2018), kept with SQL's
three-valued logic: a predicate holds in a row when it is TRUE. Grouping is a variable over the distinct keys
and aggregates are functions of correlated bags, so that a correlated scalar aggregate and a grouped derived
table meet in the same form.

Owns the data types and traversal. Must not know SQL trees, catalogs or rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from rewright.sql.algebra import TableRef
from rewright.sql.types import BOOL, SqlType

# mathematical integers: what exact sums and counts are before they get a type of PostgreSQL's
# numbers from here on stand for no row of a form
_NO_ROW = -1_000_000_000
INTEGER = SqlType("integer", schema="calculus")


class Hashed:
    """Terms are deep and are looked up all the time: each keeps its hash once it was asked for."""

    __slots__ = ("_hash",)
    _hash: int
    __match_args__: tuple[str, ...]

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            found = hash((type(self).__name__, *(getattr(self, name) for name in self.__match_args__)))
            object.__setattr__(self, "_hash", found)
            return found


@dataclass(frozen=True, slots=True)
class Var(Hashed):
    """Column ``pos`` of the row that variable ``var`` ranges over."""

    var: int
    pos: int
    type: SqlType

    __hash__ = Hashed.__hash__


@dataclass(frozen=True, slots=True)
class Row:
    """The identity of the row of a variable: equal only for the same occurrence."""

    var: int
    type: SqlType = INTEGER


@dataclass(frozen=True, slots=True)
class Lit(Hashed):
    """A constant; ``value`` None is NULL."""

    value: str | None
    type: SqlType

    __hash__ = Hashed.__hash__


@dataclass(frozen=True, slots=True)
class Sym(Hashed):
    """A function symbol. ``strict``: NULL for any NULL argument; ``total``: only then.

    ``fails``: what evaluating it may raise on non-NULL arguments.
    """

    name: str
    strict: bool = True
    total: bool = False
    fails: Literal["", "errors", "overflow"] = ""

    __hash__ = Hashed.__hash__


@dataclass(frozen=True, slots=True)
class App(Hashed):
    sym: Sym
    args: tuple[Term, ...]
    type: SqlType

    __hash__ = Hashed.__hash__


@dataclass(frozen=True, slots=True)
class Nested(Hashed):
    """A value made of a whole bag.

    ``exists``: TRUE or FALSE. ``the``: the one output of the only row, NULL for none (an error for two).
    ``agg``: the aggregate ``name`` of the bag's outputs. ``win``: the window function ``name`` over the
    bag, seen from the row described by ``args``.
    """

    kind: Literal["exists", "the", "agg", "win"]
    name: str
    bag: Bag
    type: SqlType
    args: tuple[Term, ...] = ()

    __hash__ = Hashed.__hash__


Term = Var | Row | Lit | App | Nested


@dataclass(frozen=True, slots=True)
class Table(Hashed):
    """The rows of a stored relation."""

    ref: TableRef
    only: bool
    types: tuple[SqlType, ...]

    __hash__ = Hashed.__hash__


@dataclass(frozen=True, slots=True)
class Distinct(Hashed):
    """Each row of the bag once (NULLs alike). ``either``: columns that show one of several equal values, of
    which some come from elsewhere and have another type modifier (the server may read the right side of an
    INTERSECT first).
    """

    bag: Bag
    either: tuple[int, ...] = ()

    __hash__ = Hashed.__hash__


@dataclass(frozen=True, slots=True)
class Limited(Hashed):
    """``bag`` sorted by its last ``len(keys)`` outputs (each ``asc|desc nulls first|last`` with its
    operator), cut to ``limit`` rows after ``offset``. ``on``: how many leading sort keys are DISTINCT ON.
    """

    bag: Bag
    keys: tuple[str, ...]
    limit: Term | None
    offset: Term | None
    ties: bool = False
    on: int = 0

    __hash__ = Hashed.__hash__


@dataclass(frozen=True, slots=True)
class Multi(Hashed):
    """INTERSECT ALL or EXCEPT ALL: ``min(m, n)`` or ``max(m - n, 0)`` copies."""

    op: Literal["intersect", "except"]
    left: Bag
    right: Bag

    __hash__ = Hashed.__hash__


@dataclass(frozen=True, slots=True)
class Function(Hashed):
    """The rows of a set-returning function."""

    name: str
    args: tuple[Term, ...]
    types: tuple[SqlType, ...]

    __hash__ = Hashed.__hash__


Source = Table | Distinct | Limited | Multi | Function


class Captured(Exception):
    """Two rows have one number, so what is said of one would be said of the other."""


def told_apart(vars_: tuple[tuple[int, Source], ...]) -> None:
    """Raise Captured where two of the rows have one number."""
    if len(vars_) > 1 and len({v for v, _ in vars_}) < len(vars_):
        raise Captured


class Searched(Hashed):
    """What `places` finds in a block is kept: a search looks at it again for each rule and step."""

    __slots__ = ("_nested", "_places")
    _nested: tuple[Nested, ...] | None
    _places: tuple[object, ...] | None


@dataclass(frozen=True, slots=True)
class Block(Searched):
    """Rows, what holds of them, what is given for them. Raises Captured where two rows have one number."""

    vars: tuple[tuple[int, Source], ...]
    preds: tuple[Term, ...]
    outs: tuple[Term, ...]

    __hash__ = Hashed.__hash__

    def __post_init__(self) -> None:
        told_apart(self.vars)


Bag = tuple[Block, ...]

TRUE = Lit("true", BOOL)
FALSE = Lit("false", BOOL)


def null(type_: SqlType) -> Lit:
    return Lit(None, type_)


# --------------------------------------------------------------------------- traversal


def map_bags(term: Term, f: Callable[[Bag], Bag], g: Callable[[Term], Term]) -> Term:
    """The term with ``g`` on its direct sub-terms and ``f`` on its direct bags."""
    match term:
        case App(_, args):
            done = tuple(g(a) for a in args)
            return term if done == args else replace(term, args=done)
        case Nested(_, _, bag, _, args):
            new_bag, new_args = f(bag), tuple(g(a) for a in args)
            return term if new_bag == bag and new_args == args else replace(term, bag=new_bag, args=new_args)
        case _:
            return term


def map_source(source: Source, f: Callable[[Bag], Bag], g: Callable[[Term], Term]) -> Source:
    match source:
        case Table():
            return source
        case Distinct(bag, either):
            return Distinct(f(bag), either)
        case Limited(bag, keys, limit, offset, ties, on):
            return Limited(f(bag), keys, limit and g(limit), offset and g(offset), ties, on)
        case Multi(op, left, right):
            return Multi(op, f(left), f(right))
        case Function(name, args, types):
            return Function(name, tuple(g(a) for a in args), types)


def map_block(block: Block, f: Callable[[Bag], Bag], g: Callable[[Term], Term]) -> Block:
    return Block(
        tuple((v, map_source(s, f, g)) for v, s in block.vars),
        tuple(g(p) for p in block.preds),
        tuple(g(o) for o in block.outs),
    )


def substitute(term: Term, env: Callable[[Var | Row], Term | None]) -> Term:
    """Replace variables' columns. ``env`` gives None for what stays. Binders are unique, so nothing is
    captured as long as what is put in has no binder of ``term``.
    """

    def terms(t: Term) -> Term:
        if isinstance(t, Var | Row):
            new = env(t)
            return t if new is None else new
        return map_bags(t, bags, terms)

    def bags(bag: Bag) -> Bag:
        return tuple(map_block(b, bags, terms) for b in bag)

    return terms(term)


def walk(term: Term) -> Iterator[Term]:
    """Every sub-term, nested bags included."""
    yield term
    match term:
        case App(_, args):
            for a in args:
                yield from walk(a)
        case Nested(_, _, bag, _, args):
            for a in args:
                yield from walk(a)
            yield from walk_bag(bag)


def walk_bag(bag: Bag) -> Iterator[Term]:
    for block in bag:
        for _, source in block.vars:
            yield from walk_source(source)
        for t in (*block.preds, *block.outs):
            yield from walk(t)


def walk_source(source: Source) -> Iterator[Term]:
    match source:
        case Table():
            return
        case Distinct(bag):
            yield from walk_bag(bag)
        case Limited(bag, _, limit, offset):
            yield from walk_bag(bag)
            for t in (limit, offset):
                if t is not None:
                    yield from walk(t)
        case Multi(_, left, right):
            yield from walk_bag(left)
            yield from walk_bag(right)
        case Function(_, args):
            for a in args:
                yield from walk(a)


def bound_vars(bag: Bag) -> set[int]:
    """Every variable bound anywhere in the bag."""
    return {v for v, _ in all_vars(bag)}


def all_vars(bag: Bag) -> Iterator[tuple[int, Source]]:
    for block in bag:
        yield from block_vars(block)


def block_vars(block: Block) -> Iterator[tuple[int, Source]]:
    for v, source in block.vars:
        yield v, source
        match source:
            case Distinct(bag) | Limited(bag):
                yield from all_vars(bag)
            case Multi(_, left, right):
                yield from all_vars(left)
                yield from all_vars(right)
    for t in (*block.preds, *block.outs):
        for s in walk_shallow(t):
            if isinstance(s, Nested):
                yield from all_vars(s.bag)


def walk_shallow(term: Term) -> Iterator[Term]:
    """Sub-terms without entering bags."""
    yield term
    if isinstance(term, App | Nested):
        for a in term.args:
            yield from walk_shallow(a)


def free_vars(term: Term) -> frozenset[int]:
    """Variables a term mentions and does not bind."""
    match term:
        case Var(var) | Row(var):
            return frozenset((var,))
        case Lit():
            return frozenset()
        case App(_, args):
            return frozenset().union(*(free_vars(a) for a in args))
        case Nested(_, _, bag, _, args):
            return free_in_bag(bag).union(*(free_vars(a) for a in args))


def free_in_bag(bag: Bag) -> frozenset[int]:
    return frozenset().union(*(free_in_block(b) for b in bag))


def free_in_block(block: Block) -> frozenset[int]:
    found = frozenset().union(*(free_vars(t) for t in (*block.preds, *block.outs)))
    found = found.union(*(free_in_source(s) for _, s in block.vars))
    return found - {v for v, _ in block.vars}


def free_in_source(source: Source) -> frozenset[int]:
    match source:
        case Table():
            return frozenset()
        case Distinct(bag):
            return free_in_bag(bag)
        case Limited(bag, _, limit, offset):
            found = free_in_bag(bag)
            return found.union(*(free_vars(t) for t in (limit, offset) if t is not None))
        case Multi(_, left, right):
            return free_in_bag(left) | free_in_bag(right)
        case Function(_, args):
            return frozenset().union(*(free_vars(a) for a in args))


def max_var(bag: Bag) -> int:
    """The largest variable number in the bag, free ones included."""
    largest = max(bound_vars(bag), default=0)
    for t in walk_bag(bag):
        if isinstance(t, Var | Row):
            largest = max(largest, t.var)
    return largest


def rows_renamed(rows: Mapping[int, int]) -> Callable[[Var | Row], Term | None]:
    """What a substitution puts in the place of a variable when its row becomes another's."""

    def env(t: Var | Row) -> Term | None:
        match t:
            case Var(var, pos, type_) if var in rows:
                return Var(rows[var], pos, type_)
            case Row(var) if var in rows:
                return Row(rows[var])
            case _:
                return None

    return env


def rename_bound(bag: Bag, start: int) -> Bag:
    """A copy of the bag whose binders are numbered from ``start`` upwards."""
    mapping: dict[int, int] = {}
    for v, _ in all_vars(bag):
        if v not in mapping:
            mapping[v] = start + len(mapping)
    return renumber(bag, mapping)


def alike(a: Term, b: Term) -> bool:
    """Whether two terms are one but for the numbers of bound variables."""
    if a == b:
        return True
    if type(a) is not type(b) or not isinstance(a, App | Nested) or a.type != b.type:
        return False
    return _in_one_numbering(a) == _in_one_numbering(b)


@lru_cache(maxsize=20_000)
def _in_one_numbering(term: Term) -> Bag:
    return rename_bound((Block((), (), (term,)),), _NO_ROW)


def renumber(bag: Bag, mapping: dict[int, int]) -> Bag:
    def terms(t: Term) -> Term:
        match t:
            case Var(var, pos, type_) if var in mapping:
                return Var(mapping[var], pos, type_)
            case Row(var) if var in mapping:
                return Row(mapping[var])
            case Var() | Row():
                return t
            case _:
                return map_bags(t, bags, terms)

    def blocks(b: Block) -> Block:
        b = map_block(b, bags, terms)
        return replace(b, vars=tuple((mapping.get(v, v), s) for v, s in b.vars))

    def bags(inner: Bag) -> Bag:
        return tuple(blocks(b) for b in inner)

    return bags(bag)


def source_types(source: Source) -> tuple[SqlType, ...]:
    match source:
        case Table(_, _, types) | Function(_, _, types):
            return types
        case Distinct(bag, either):
            types = bag_types(bag)
            return tuple(t.without_typmod() if i in either else t for i, t in enumerate(types))
        case Limited(bag):
            return bag_types(bag)
        case Multi(_, left, right):
            return bag_types((*left, *right))


def bag_types(bag: Bag) -> tuple[SqlType, ...]:
    """The types of a bag's columns; blocks whose modifiers differ share none (1.00 beside 1.0000, M4)."""
    if not bag:
        return ()
    rows = [tuple(o.type for o in b.outs) for b in bag]
    return tuple(
        first if all(t.typmod == first.typmod for t in column) else first.without_typmod()
        for first, *column in zip(*rows, strict=True)
    )
