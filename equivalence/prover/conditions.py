"""The registry of side conditions, one entry for each hazard and side condition, each switchable for tests.

A rule asks ``holds(id, value)``; with the entry switched off every answer is yes, and the prover must then
prove something false (a test sees to that). Owns the ids and their wording. Must not know any rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_OFF: ContextVar[frozenset[str]] = ContextVar("conditions_off", default=frozenset())
# id -> what it is about; fixtures in both directions are in tests/hazards
REGISTRY: dict[str, str] = {
    "F1": "a deferrable key may be violated inside a transaction",
    "F2": "UNIQUE lets many NULLs in",
    "F3": "a partial unique index covers only some rows",
    "F4": "a parent's key does not cover the rows of its inheritance children",
    "F5": "a foreign key that is NOT VALID guarantees no row",
    "F6": "MATCH SIMPLE: a NULL switches the foreign key off",
    "F7": "under row-level security the referenced table is its filtered self",
    "F8": "CHECK is satisfied by NULL",
    "F9": "NOT NULL holds on stored rows, not on the padded side of an outer join",
    "F10": "data without NULLs today is no fact",
    "F11": "NOT NULL NOT VALID: stored rows may hold NULLs",
    "F12": "a PERIOD foreign key asks for overlap, not for an equal row",
    "F13": "with its triggers disabled a foreign key is not kept",
    "F14": "a snapshot older than the constraint may hold rows from before it",
    "F15": "nothing but triggers keeps a foreign key, and rows come in around them",
    "F17": "a key or CHECK over texts was kept under another version of their collation",
    "F18": "a key whose equality is a user's function, which may be replaced",
    "F19": "a partition that is a foreign table obeys nothing",
    "F20": "a parent's NOT NULL need not bind its inheritance children",
    "F21": "a CHECK that calls a user's function holds for the function that was",
    "M1": "bags, not sets",
    "M2": "<> ALL over NULLs is NULL, not TRUE",
    "M3": "count of nothing is 0, not NULL",
    "M4": "numeric 1.0 and 1.00 are equal and not the same",
    "M5": "the same numbers in another type",
    "M6": "float sums depend on the order of addition",
    "M7": "errors are behaviour",
    "M8": "random() differs at each call",
    "M9": "visible order",
    "M10": "ORDER BY inside an ordered aggregate",
    "M11": "the default frame ends at the current row's peers",
    "M12": "FILTER inside aggregates",
    "M13": "a recursive CTE is more than its first term",
    "M14": "a function of another schema with a built-in's name",
    "M15": "a foreign table's constraints are declared, not kept",
    "M16": "the meaning of a timestamp with time zone depends on the session's TimeZone",
    "M17": "a security barrier view is a boundary",
    "M18": "a contradiction between these constants is none for others",
    "M19": "of equal values of unlike modifiers either side's is shown",
    "M20": "a condition on how a value looks moves below what partitions by the value",
    "M21": "sums overflow, and counts of rows may be negative",
    "1a": "only an equality with the grouping column decorrelates",
    "1b": "outside a null-rejecting comparison the outer row must survive",
    "1c": "the COUNT bug",
    "1d": "HAVING in the subquery may make the group vanish",
    "1e": "joining first and grouping after needs a key of the outer",
    "1f": "a scalar subquery of more than one row is an error, the join's duplicates are not",
    "2a": "IN as a value is three-valued",
    "2b": "a semi-join is a join only over unique inner rows",
    "2c": "DISTINCT on the output needs the outer's key",
    "2d": "OFFSET and LIMIT inside EXISTS count",
    "3a": "the column tested for NULL must be NOT NULL inside",
    "3b": "NOT IN is an anti-join only without NULLs",
    "3c": "below an outer join a NOT NULL column is nullable",
    "4a": "OR rejects NULLs only if every part does",
    "4b": "a join's own ON rejects nothing",
    "4c": "a nullable foreign key may have no partner",
    "4d": "LEFT JOIN ON TRUE is no CROSS JOIN when the right may be empty",
    "4e": "ON conditions on the preserved side are no filters",
    "5a": "no column of the removed side but the join column",
    "5b": "the parent must be unfiltered",
    "5c": "LEFT JOIN elimination needs at most one match",
    "5d": "duplicates do not matter under min and max, they do under sum",
    "5e": "a deferrable foreign key may be violated inside a transaction",
    "6a": "the pushed GROUP BY needs every grouping column",
    "6b": "COUNT DISTINCT does not add up",
    "6c": "the multiplicity of the other side must be kept",
    "6d": "the final GROUP BY is dropped only over a key",
    "6e": "a sum of counts is NULL where there is nothing to sum",
    "6f": "below the padded side COUNT needs COALESCE, SUM does not",
    "6g": "groups hold NULLs together, joins lose them",
    "7a": "only conditions on grouping columns pass a GROUP BY",
    "7b": "never through LIMIT",
    "7c": "a WHERE on the padded side is no ON condition",
    "7d": "= and IS NOT DISTINCT FROM do not mix",
    "7e": "as a value NULL is not FALSE",
    "8": "DISTINCT over rows with a key",
    "9": "arms of a UNION ALL that overlap count twice",
    "10": "a self-join on a nullable key by IS NOT DISTINCT FROM pairs up the NULLs",
    "11": "OR to UNION loses duplicates",
    "12": "a volatile CTE that is used twice is not two calls",
    "13": "the top ORDER BY is never dropped",
    "14": "ROWS is not RANGE where there are peers",
    "15": "COUNT(e) is COUNT(*) only where e is not NULL",
    "16": "x = x is not TRUE for NULL",
    "17": "a scalar aggregate always has its row",
}

# laws beside the hazards: name -> the id of SOUNDNESS they serve under, and what guards them; pairs in tests/hazards/laws
LAWS: dict[str, tuple[str, str]] = {
    "step": ("16", "f(x) >= c starts at a value of f, not at c, where c lies between two of them"),
    "prefix": ("16", "a text's beginning is not the text"),
    "extreme": ("3", "some row differs from t unless both minimum and maximum are t"),
    "scale": ("M4", "equal columns numeric(p, s) look alike only if both have s decimals"),
    "padding": ("M4", "equal columns char(n) look alike only if both have n characters"),
    "collation": (
        "M4",
        "what COLLATE decides for an operator is not what its operands' own collations would",
    ),
    "conflict": (
        "M7",
        "an operator whose operands are of two collations, none of which goes first, raises an error",
    ),
    "double": ("M7", "a numeric may be too large or too small for a float8, which is an error"),
    "dimensions": ("M7", "arrays in an array must have the same dimensions"),
    "constant": ("M7", "a constant that is too large for bigint does not become one"),
    "branch": (
        "M4",
        "what comes out of a union, VALUES or CASE has the collation of the whole, not of the arm it came from",
    ),
    "sorted": ("M9", "equal texts of columns of different collations stand in the order of either"),
    "made-null": (
        "M2",
        "some functions give NULL for what is not NULL: the bounds of a range, the time of an infinite moment",
    ),
    "lenient": ("M2", "not every built-in operator is strict: an array with NULL appended is an array"),
    "kind": ("M5", "a date is no number, whatever its place in the order of days"),
    "frame": ("M4", "which of equal values that look different a frame's minimum or maximum shows is open"),
    "looks": ("M4", "which of 1.0 and 1.00 DISTINCT keeps decides on more than how a row looks"),
    "weight": ("6e", "a count of nothing gives a 0 to add where the join has no row"),
    "total": ("M9", "without a total order any of the first rows may come first"),
    "nulls-last": ("13", "a first row with NULL is no minimum"),
    "any-value": ("M3", "bool_or of nothing but NULLs is NULL, not FALSE"),
    "partition": ("14", "row_number() counts the rows before the filters above it"),
    "peers": ("M11", "a frame up to a NULL holds the whole partition, no comparison with NULL any row"),
    "lone": ("6d", "a sum of several values is none of them"),
    "range": ("M7", "arithmetic overflows unless types and constants keep it in range"),
    "guard": ("M7", "only where CASE or WHERE keeps zeros away a division by them does not happen"),
    "order": (
        "M7",
        "a query fails for certain unless its own conditions, taken in a good order, keep it from failing",
    ),
    "member": ("7", "only a row that is in the bag is not beyond its minimum and maximum"),
}


def holds(id_: str, value: bool) -> bool:
    """``value``, or True when the condition is switched off."""
    return value or id_ in _OFF.get()


def any_holds(ids: tuple[str, ...], value: bool) -> bool:
    """One check that several ids ask for."""
    return value or not _OFF.get().isdisjoint(ids)


def off(id_: str) -> bool:
    """Whether the condition is switched off (for guards that are not a yes or no)."""
    return id_ in _OFF.get()


@contextmanager
def switched_off(*ids: str) -> Iterator[None]:
    """Work without these conditions: for the mutation test only."""
    unknown = set(ids) - REGISTRY.keys() - LAWS.keys()
    if unknown:
        raise KeyError(min(unknown))
    token = _OFF.set(_OFF.get() | set(ids))
    try:
        yield
    finally:
        _OFF.reset(token)
