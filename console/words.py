"""What the store's terms mean, in sentences for somebody who did not read the manual. Pure.

Laws and rules are named by those who own them; what has no sentence here is shown by its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewright.console.null_uses import Use, uses

STATES: Mapping[str, str] = {
    "proposed": "waits for a person: it is not served unless a session trusts weaker evidence",
    "active": "is served in place of the original",
    "pinned": "is served, and stays even where it is slower",
    "retired": "is no longer served",
    "rejected": "was turned down and stays out",
}
LEVELS: Mapping[str, str] = {
    "proved": "There is a proof that both queries give the same rows on every database with this schema.",
    "tested": "No difference was found on generated databases; that is no proof.",
    "judged": "A language model says that both are the same, and nothing was found against it; that is weak "
    "evidence.",
    "refuted": "They differ: there is a database on which the answers are not the same.",
    "unknown": "Nothing is known about whether both are the same.",
}
RESERVATIONS: Mapping[str, str] = {
    "float-order": (
        "Sums of floating-point numbers may differ in the last digits, as they do between two runs of one "
        "query."
    ),
    "tie-order": "With ties in ORDER BY, LIMIT may return different rows, or equal rows in another order.",
    "refinement": (
        "The replacement states a fuller order: each of its answers is one that the original may give, not "
        "the other way round."
    ),
    "gated": (
        "The replacement looks at the stored rows first: where values are there that its proof does not "
        "allow for, it stops before its first row, and the original is run."
    ),
    "errors": "One text may raise an error, such as a division by zero, where the other gives rows.",
    "overflow": "One text may exceed the range of a number type where the other does not.",
    "types": "A column's type modifier may differ, such as numeric(10,2) instead of numeric.",
}
LAWS: Mapping[str, str] = {
    "redundant": "a condition, or a table, that follows from the rest is left out",
    "semijoin": "a join that only asks whether a row exists becomes EXISTS",
    "plain-equality": "a comparison that treats NULLs as equal becomes =, for no NULL can come",
    "merge-copies": "two copies of one row, joined on its key, are one",
    "distinct-to-exists": "a DISTINCT subquery that is joined becomes EXISTS",
    "open-distinct": "a DISTINCT of rows that are distinct anyway is dropped",
    "drop-column": "a column that nobody reads is dropped",
    "bind-column": "a column that another one determines is expressed by it",
    "prune-limited": "what LIMIT never reaches is left out",
    "merge-blocks": "two parts of a UNION ALL become one",
    "with-or-without": "that there is a row with a partner, or one without, is that there is a row",
    "covered": "a part of a UNION that another one covers is dropped",
    "multi-to-set": "duplicates do not matter here",
    "multi-arms": "rows that both sides of EXCEPT ALL or INTERSECT ALL have are taken out",
    "multi-within": "EXCEPT ALL of rows and some of the same rows gives the other rows",
    "referred-column": "a column of a row that is referred to is shown by the one that refers to it",
    "multi-filter": "a condition on EXCEPT ALL or INTERSECT ALL is asked of its first side",
    "multi-condition": "EXCEPT ALL or INTERSECT ALL asks its second side nothing that its rows fulfil anyway",
    "multi-apart": "rows that the other side can not have stay out of EXCEPT ALL and INTERSECT ALL",
    "linear-sum": "the sum of a sum is the sum of its parts' sums",
    "other-rows": "a count of the other rows is the count of all less one",
    "split-scalar": "a scalar subquery is split by cases",
    "flatten-aggregate": "an aggregate of aggregates is computed at once",
    "simplify-case": "a CASE whose outcome is known is replaced by it",
    "first-row": "the first row by a key is the row with the extreme",
    "lone-extreme": "an extreme of a single row is its value",
    "rank": "a rank is a count of the rows before",
    "one-of-each": "one row a group is the same row either way",
    "product": "an aggregate of a product of independent parts is a product of aggregates",
    "lone-row": "an aggregate without GROUP BY gives exactly one row",
    "distinct-to-parent": "the different values of a foreign key are the keys of the rows that it refers to",
    "nearest-row": "the value of the row before or after, or of the first or last, is read by a subquery",
    "first-of-array": "the first element of an ordered array is the value of the first row",
    "first-rows": "a row is among the first n if fewer than n come before it",
    "dense-rank": "a dense rank is one more than the count of the different values before",
    "determined-column": "a column that the others determine is computed from them",
    "counted-sum": "a count plus a number is the count of so many rows more",
    "own-row": "a count up to a row is the count before it and the row itself",
    "some-first": "where there are rows, one of them is the first",
    "bounded-count": "a comparison of a count is one with a smaller number, or asks whether a row exists",
    "extreme-as-exists": "an extreme is a value that a row has and none exceeds",
    "child-to-parent": "a row that only its foreign key is shown of is the row that it refers to",
    "several": "at least n rows are n rows that differ in their key, or n values that differ",
    "one-value": "minimum and maximum are equal where no two values differ",
    "own-value": "of the different values up to a row's own, one is its own and the others come before",
    "zeros": "zeros that are added leave a sum as it is, or 0",
    "met-outside": "two values that one and the same column equals are equal",
    "other-than-asked": "where one row is there, none with a condition is one without it",
    "union-apart": "rows of a UNION are those of one part, and those of the others that are not in it",
    "flag-apart": "rows that show a condition are those where it holds, and those where it does not",
    "lookup-apart": "rows that are looked up by what DISTINCT or GROUP BY shows are looked up afterwards",
    "looked-up-again": "what DISTINCT or GROUP BY shows beside a key is read from the row of that key",
    "asked-of-groups": "a condition on the keys of DISTINCT ON is asked of the rows that it chooses from",
    "asked-within": "a condition on the rows of DISTINCT or GROUP BY is asked of the rows they are made of",
    "nth-extreme": "the n-th of the different values is the greatest below the one before",
    "tied-outside": "a column that equals a value is replaced by it",
    "contradiction": "a condition that can't hold leaves no rows",
    "alternative": "one of several alternatives that can't hold is left out",
    "arm": "a part of a UNION none of whose rows meet the condition on it is left out",
    "part-counted": "a part is as many as the whole where none of the whole is missing in it",
    "least-of-each": "rows with the least value of their group are the groups with their least value",
    "keyed-row": "an aggregate of one row, found by its key, is that row's value",
}
# what a NULL does where the column is used
NULLS: Mapping[Use, str] = {
    "count": "count({column}) leaves that row out, and count(*) counts it",
    "null test": "a test with IS NULL or IS NOT NULL tells that row from the others",
    "not in": "NOT IN is true of nothing that it compares with a NULL, where NOT EXISTS is",
    "grouped": "GROUP BY and DISTINCT put NULLs together, and = finds none equal to another",
    "compared": "a comparison with NULL is neither true nor false",
}
_STEP = re.compile(r"\A(?:step (\d+): )?(?:(q[12]) )?([a-z][a-z-]*)(?: at .*)?\Z", re.DOTALL)
_ON_COLUMNS = re.compile(r"\A(not null|primary key|unique) (.+?)\((.*?)\)(?: \((.+)\))?\Z", re.DOTALL)
_REFERENCE = re.compile(r"\A(.+?)\((.*?)\) references (.+?)\((.*?)\)(?: \((.+)\))?\Z", re.DOTALL)
_CHECK = re.compile(r"\Acheck on (.+?)(?: \((.+)\))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fact:
    """A schema fact that a proof rests on, and what happens when it goes."""

    text: str
    if_dropped: str


def state(name: str, level: str) -> str:
    """What a state means for a rewrite with evidence of this level, as the rest of a sentence."""
    if level == "refuted" and name == "proposed":
        return "was refuted: it is never served, and kept so that it is not tried again"
    return STATES[name]


def facts(assumptions: Sequence[str], texts: Sequence[str] = ()) -> Sequence[Fact]:
    """One for each assumption of an evidence document about these two texts."""
    return [_fact(one, assumptions, texts) for one in assumptions]


def steps(names: Sequence[str]) -> Sequence[tuple[str, str, int]]:
    """(whose, what, how often) of a proof's steps in a row; ``q1`` is the original, ``q2`` the replacement.
    Where a proof leads over texts between the two, they are those of one step from text to text.

    >>> steps(["q1 redundant at top", "step 2: q2 semijoin at 0.1 (0, 1)"])[1]
    ('text after step 2', 'a join that only asks whether a row exists becomes EXISTS', 1)
    """
    told: list[tuple[str, str, int]] = []
    for name in names:
        found = _STEP.match(str(name))
        law = found[3] if found else str(name)
        side, what = _whose(found), LAWS.get(law, law)
        if told and told[-1][:2] == (side, what):
            told[-1] = (side, what, told[-1][2] + 1)
        else:
            told.append((side, what, 1))
    return told


def _whose(found: re.Match[str] | None) -> str:
    """Of a step that `_STEP` has matched."""
    if found is None or not found[2]:
        return "both"
    if found[1]:
        return f"text {'before' if found[2] == 'q1' else 'after'} step {found[1]}"
    return "original" if found[2] == "q1" else "replacement"


def reservations(modulo: Sequence[str]) -> Sequence[tuple[str, str]]:
    """(name, what it means)."""
    return [(name, RESERVATIONS.get(name, "")) for name in modulo]


def coverage(document: Mapping[str, Any] | None) -> str:
    """How far a search without a hit looked, in one sentence; empty where there was none."""
    if not document or not document.get("databases"):
        return ""
    told = (
        f"Both ran on {document['databases']:,} generated databases with {document.get('rows', 0):,} rows "
        f"in all"
    )
    if document.get("bound"):
        told += (
            f"; every database with at most {document['bound']} rows a table over the values listed was tried"
        )
    missed = [str(one) for one in document.get("missed") or ()]
    if missed:
        told += f". Not reached: {', '.join(missed[:5])}"
    return told + "."


def changes(remarks: Sequence[str]) -> Sequence[str]:
    """What was done, from a plan report's fourth part: the note of ``category: rule (note)``, or the rule."""
    told = []
    for remark in remarks:
        if str(remark).startswith("measured in "):
            continue
        found = re.match(r"\A[a-z]+: ([^(]+?)(?: \((.*)\))?\Z", str(remark), re.DOTALL)
        told.append((found[2] or found[1]) if found else str(remark))
    return told


def _fact(assumption: str, assumptions: Sequence[str], texts: Sequence[str]) -> Fact:
    if found := _ON_COLUMNS.match(assumption):
        kind, table, columns, name = found.groups()
        if kind == "not null":
            return _not_null(table, columns, assumptions, texts)
        return _on_columns(kind, table, columns, name or f"the constraint on {columns}")
    if found := _REFERENCE.match(assumption):
        child, columns, parent, keys, name = found.groups()
        return Fact(
            f"the foreign key {name or ''} from {child} ({columns}) to {parent} ({keys})".replace("  ", " "),
            f"If {name or 'it'} is dropped, a row of {child} may name a row of {parent} that does not exist: "
            f"a query that joins {parent} loses that row, one that does not join it keeps it.",
        )
    if found := _CHECK.match(assumption):
        return Fact(
            f"the CHECK constraint {found[2] or ''} on {found[1]}".replace("  ", " "),
            f"If {found[2] or 'it'} is dropped, {found[1]} may hold rows that the condition keeps out now, "
            "and nothing is proved for those.",
        )
    return Fact(assumption, "If it no longer holds, nothing is proved for the rows that it keeps out now.")


def _not_null(table: str, column: str, assumptions: Sequence[str], texts: Sequence[str]) -> Fact:
    told = [NULLS[use].format(column=column) for use in uses(table.rpartition(".")[2], column, texts)[:2]]
    keys = (found for one in assumptions if (found := _ON_COLUMNS.match(one)) and found[1] == "unique")
    # unique constraints over the column: what they promise is about values that are there
    named = [key[4] or "the key" for key in keys if key[2] == table and column in key[3].split(", ")]
    told += [
        f"{name} lets in any number of rows that are NULL there, and does not tell them apart"
        for name in named
    ]
    return Fact(
        f"NOT NULL on {column} of {table}",
        f"If it is dropped, {column} may be NULL in a row of {table}"
        + (f": {'; '.join(told)}. The" if told else ", and the")
        + " two queries may treat that row differently.",
    )


def _on_columns(kind: str, table: str, columns: str, name: str) -> Fact:
    said = "the primary key" if kind == "primary key" else "the unique constraint"
    return Fact(
        f"{said} of {table} on {columns}",
        f"If {name} is dropped, two rows of {table} may have the same {columns}: what is computed or joined "
        "once for each of them could count twice.",
    )


def proposers(sources: Sequence[str]) -> str:
    """Who proposed a rewrite, each kind named once: ``rules: unnest, share_scans; knowledge: join/x``."""
    kinds: dict[str, list[str]] = {}
    # "rules: unnest" and "rules: share_scans" are one kind with two names
    for source in dict.fromkeys(sources):
        kind, _, name = source.partition(": ")
        kinds.setdefault(kind, []).extend([name] if name else [])
    return "; ".join(f"{kind}: {', '.join(names)}" if names else kind for kind, names in kinds.items())
