"""A verdict's JSON document in plain words, for who has to decide what to do with it.

Owns the sentences. Pure: documents of `rewright verify --json` in, text out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RESERVATIONS: Mapping[str, str] = {
    "float-order": (
        "sums of floating-point numbers may differ in their last digits, as they do between two runs of one "
        "query"
    ),
    "tie-order": "with ties in ORDER BY, another of the tied rows may be shown or come first",
    "refinement": (
        "the second states a fuller order: it shows one of the answers that the first may give, which may "
        "show another"
    ),
    "gated": (
        "the second looks at the stored rows first, and stops with a division by zero before its first row "
        "where values are there that the proof does not allow for: whoever runs it then runs the first"
    ),
    "errors": "one of them may raise an error (a division by zero, a cast) where the other does not",
    "overflow": "one of them may run out of a number type's range where the other does not",
    "types": "a result column has another type or modifier, which a client may notice",
}


def of_verdict(document: Mapping[str, Any]) -> str:
    """One to a few sentences."""
    verdict = document["verdict"]
    if verdict == "proved":
        return " ".join(["They are the same query.", *_resting_on(document), *_except_for(document)])
    if verdict == "tested":
        return " ".join([_tested(document), *_except_for(document)])
    if verdict == "refuted":
        return f"They are not the same query: {of_counterexample(document)}"
    if verdict == "judged":
        return f"Nothing was found against it, and a model sees no difference: {document.get('reason', '')}"
    return f"Nothing can be said: {document.get('reason', 'no reason was given')}"


def _resting_on(document: Mapping[str, Any]) -> list[str]:
    facts = document.get("assumptions") or []
    if not facts:
        return ["This holds on every database with these tables."]
    return [f"This holds as long as the schema says: {'; '.join(facts)}."]


def _except_for(document: Mapping[str, Any]) -> list[str]:
    return [f"Except that {RESERVATIONS.get(name, name)}." for name in document.get("modulo") or []]


def _tested(document: Mapping[str, Any]) -> str:
    coverage = document.get("coverage") or {}
    missed = coverage.get("missed") or []
    lacking = f" Not exercised: {'; '.join(missed)}." if missed else ""
    return (
        f"No difference was found in {coverage.get('databases', 0)} generated databases. That is no "
        f"proof.{lacking}"
    )


def of_counterexample(document: Mapping[str, Any]) -> str:
    """What the database holds and what each query gives on it."""
    found = document["counterexample"]
    what = {
        "rows": "they return different rows",
        "order": "they return the same rows in an order that the original rules out",
        "error": "one of them fails",
        "columns": "they return a different number of columns",
    }[found["kind"]]
    setup = "\n".join(found["setup"])
    size = "1 row" if found["rows"] == 1 else f"{found['rows']} rows"
    return (
        f"on a database of {size} {what}.\nThe rows:\n{setup}\n"
        f"The original gives:\n{found['original']}\nThe candidate gives:\n{found['candidate']}"
    )
