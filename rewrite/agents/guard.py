"""A first look at a text that a model wrote, before any server sees it.

A replacement reads what the original reads and calls nothing of its own accord: one plain SELECT, no tables,
schemas or functions that the original has not (harmless built-ins aside). That keeps hostile texts from being
planned, which can run functions; whether the text means the same is the checker's business, not this file's.

Where there is a catalog, the bound trees decide (`BoundGuard`): names alone say little of operators, casts
and ``t.f``. Behind it stands the gate in the session (`rewright.engines.postgres.gate`), which goes by owners
and does not know the original.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from pglast import ast
from pglast.error import Error as PglastError

from rewright.rewrite.agents.calls import Object, Uses, uses_of
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.mentions import Mentions, Name, NotASelect, mentions_of
from rewright.sql.parsing import TooDeep, nodes_of, parse

# functions without side effects that rewrites of ordinary queries add: aggregates, windows, text, dates
HARMLESS = frozenset(
    [
        "count",
        "sum",
        "avg",
        "min",
        "max",
        "bool_and",
        "bool_or",
        "every",
        "any_value",
        "array_agg",
        "string_agg",
        "percentile_cont",
        "percentile_disc",
        "mode",
        "array_length",
        "cardinality",
        "unnest",
        "row_number",
        "rank",
        "dense_rank",
        "percent_rank",
        "cume_dist",
        "ntile",
        "lag",
        "lead",
        "first_value",
        "last_value",
        "nth_value",
        "stddev",
        "stddev_samp",
        "stddev_pop",
        "variance",
        "var_samp",
        "var_pop",
        "abs",
        "round",
        "floor",
        "ceil",
        "ceiling",
        "trunc",
        "sign",
        "mod",
        "lower",
        "upper",
        "length",
        "btrim",
        "ltrim",
        "rtrim",
        "substring",
        "substr",
        "left",
        "right",
        "position",
        "date_trunc",
        "date_part",
        "extract",
        "make_date",
        "like_escape",
        "similar_to_escape",
        "overlaps",
        "timezone",
    ]
)
# characters; PostgreSQL's parser would take more, and long for it
_LONGEST = 1_000_000
_BUILT_IN = "pg_catalog"


class Guard(Protocol):
    """Says why a candidate may not even be planned, or None.

    ``ours``: it was printed from the original's bound tree, where views are what they read: of their tables
    and functions the original's text knows nothing.
    """

    def complaint(self, original: str, candidate: str, *, ours: bool = False) -> str | None: ...


@dataclass(frozen=True, slots=True)
class NamesGuard:
    """Goes by names alone, for where there is no catalog."""

    def complaint(self, original: str, candidate: str, *, ours: bool = False) -> str | None:
        found, known = _both(original, candidate)
        if isinstance(found, str):
            return found
        # our own rules print what views read, whose tables the original's text does not name
        return None if ours or known is None else _by_names(found, known)


@dataclass(frozen=True, slots=True)
class BoundGuard:
    """Goes by what names mean in this catalog, looked up along ``search_path``."""

    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)

    def complaint(self, original: str, candidate: str, *, ours: bool = False) -> str | None:
        found, known = _both(original, candidate)
        if isinstance(found, str):
            return found
        if ours or known is None:
            return None
        # to go past a view's limits is half of making a query over views faster; the server plans the same
        # tables and functions for the original
        new, old = self._uses(candidate), self._uses(original, views=True)
        if new is None or old is None:
            # one of the two does not bind: names, and what users made under any of them
            return _by_names(found, known) or self._of_users(found, known)
        return _by_objects(new, old)

    def _uses(self, text: str, *, views: bool = False) -> Uses | None:
        try:
            return uses_of(bind(text, self.catalog, search_path=self.search_path), views=views)
        # a text that does not bind may still be planned by the server, so it is no excuse
        except (BindError, Unsupported, KeyError, RecursionError):
            return None

    def _of_users(self, found: Mentions, known: Mentions) -> str | None:
        """A name that may mean what a user made, in any schema: of an unbound text no more is known."""
        catalog = self.catalog
        made = {f.name for f in catalog.functions}
        types = {t.name for t in catalog.types}
        # `t.f` may call the function f(t), so attributes are calls too
        calls = {f.name for f in found.functions} | set(found.attributes)
        kept = {f.name for f in known.functions} | set(known.attributes)
        return (
            _strangers("function", calls & made, kept)
            # `point '…'` and `numeric(x)` are calls by the name of a type
            or _strangers("function", calls & types, kept)
            or _strangers(
                "type", {m.name.name for m in found.types} & types, {m.name.name for m in known.types}
            )
            or _strangers(
                "operator",
                {o.name for o in found.operators if any(o.name == made.name for made in catalog.operators)},
                {o.name for o in known.operators},
            )
        )


def _both(original: str, candidate: str) -> tuple[Mentions | str, Mentions | None]:
    """The names of both texts, or what is wrong with the candidate (or with the original, which is never
    rewritten then).
    """
    if len(candidate) > _LONGEST:
        return "the text is too long", None
    statement = parse_one(candidate)
    if isinstance(statement, str):
        return statement, None
    # what it would do besides reading is looked at before what it reads
    if (done := effects(nodes_of(statement))) is not None:
        return done, None
    try:
        return mentions_of(candidate), mentions_of(original)
    except NotASelect as error:
        return str(error), None


def _by_names(found: Mentions, known: Mentions) -> str | None:
    tables = {m.name for m in known.relations}
    calls = set(known.functions)
    return _strangers(
        "table", {_shown(m.name) for m in found.relations if m.name not in tables}, set()
    ) or _strangers(
        "function", {_shown(f) for f in found.functions if f not in calls and not _harmless(f)}, set()
    )


def _by_objects(new: Uses, old: Uses) -> str | None:
    functions = {_signature(f) for f in new.functions - old.functions if not _allowed(f)}
    # relations are compared by what they are: a CTE or an alias of that name is none
    return (
        _strangers("table", set(new.relations), set(old.relations))
        or _strangers("function", functions, set())
        or _strangers(
            "operator", {_signature(o) for o in new.operators - old.operators if o[0] != _BUILT_IN}, set()
        )
        or _strangers("type", set(new.types), set(old.known_types))
    )


def parse_one(text: str) -> ast.SelectStmt | str:
    """The one SELECT of ``text``, or why it is none."""
    try:
        statements = parse(text)
    except (PglastError, TooDeep, RecursionError, ValueError) as error:
        return f"syntax error: {error}"
    # a second statement behind a semicolon is how texts escape from where they are put
    if len(statements) != 1:
        return f"{len(statements)} statements instead of one"
    statement = statements[0].stmt
    if not isinstance(statement, ast.SelectStmt):
        return "not a SELECT"
    return statement


def effects(nodes: Iterable[Any]) -> str | None:
    """What a statement's nodes do besides reading tables, or None."""
    for node in nodes:
        # each of them writes, locks or draws by chance: none is a plain read
        match node:
            case ast.LockingClause():
                return "row locks (FOR UPDATE, FOR SHARE)"
            case ast.IntoClause():
                return "SELECT INTO"
            case ast.InsertStmt() | ast.UpdateStmt() | ast.DeleteStmt() | ast.MergeStmt():
                return "a data-modifying WITH"
            case ast.RangeTableSample():
                return "TABLESAMPLE"
            case _:
                continue
    return None


def _allowed(function: Object) -> bool:
    # by schema: a user's function may be called lower
    return function[0] == _BUILT_IN and function[1] in HARMLESS


def _harmless(name: Name) -> bool:
    return name.schema in ("", _BUILT_IN) and name.name in HARMLESS


def _shown(name: Name) -> str:
    return f"{name.schema}.{name.name}" if name.schema else name.name


def _signature(one: Object) -> str:
    schema, name, arguments = one
    prefix = "" if schema == _BUILT_IN else f"{schema}."
    return f"{prefix}{name}({', '.join(filter(None, arguments))})"


def _strangers(what: str, found: set[str], known: set[str]) -> str | None:
    # one is enough to refuse, and the message stays short
    strange = sorted(found - known)
    return f"the original has no {what} {strange[0]}" if strange else None
