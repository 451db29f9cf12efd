"""Rewrites as the store holds them, and as the proxy serves them: records to records.

Owns the JSON form of a guard and of parameter types in the store. Must not know how rewrites are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rewright.engines.postgres.values import NO_VALUES, Values
from rewright.equivalence.verdicts import CHECKER_VERSION, with_implied
from rewright.proxy.ports import Guard, RelationName, ServedRewrite
from rewright.sql.parsing import has_parameters
from rewright.store.life import State, reaches
from rewright.store.records import NewRewrite, Rewrite

# Reservations of replacements that may fail where the original does not. A person may have approved one.
_MAY_FAIL = frozenset({"errors", "overflow"})


def guard_document(guard: Guard) -> dict[str, Any]:
    return asdict(guard)


def guard_of(document: Any) -> Guard | None:
    """None for what is no guard (then the rewrite is not served)."""
    try:
        path = document["search_path"]
        return Guard(
            original=_relations(document["original"]),
            replacement=_relations(document["replacement"]),
            below=tuple(int(oid) for oid in document["below"]),
            functions=tuple(document["functions"]),
            operators=tuple(document["operators"]),
            search_path=None if path is None else tuple(path),
            digest=str(document["digest"]),
            # guards written by earlier versions have none of these
            types=tuple(document.get("types", ())),
            foreign_keys=bool(document.get("foreign_keys", False)),
            snapshot=int(document.get("snapshot", 0)),
        )
    except (KeyError, TypeError, ValueError):
        return None


def schemas_of(proposal: NewRewrite) -> tuple[str, ...]:
    """Where names were looked up when it was found, as ``current_schemas(true)``; empty: not told."""
    guard = guard_of(proposal.guard)
    return () if guard is None else guard.search_path or ()


def _relations(items: Sequence[Any]) -> tuple[RelationName, ...]:
    return tuple(RelationName(str(item["name"]), int(item["oid"])) for item in items)


def parameter_document(
    param_types: Sequence[int], plain: str | None = None, values: Values | None = None
) -> dict[str, Any]:
    """``plain``: the replacement without hints. ``values``: those it was found and measured with."""
    document: dict[str, Any] = {"types": list(param_types), "plain": plain}
    return {**document, "values": values.to_json()} if values else document


def types_of(proposal: NewRewrite) -> tuple[int, ...]:
    """OIDs of the parameters' declared types; 0: none."""
    parameters = proposal.parameters if isinstance(proposal.parameters, dict) else {}
    return tuple(int(oid) for oid in parameters.get("types", ()))


def values_of(proposal: NewRewrite) -> Values:
    """The values of parameters with which it can be run again; none where they were not kept."""
    document = proposal.parameters.get("values") if isinstance(proposal.parameters, dict) else None
    try:
        return NO_VALUES if document is None else Values.from_json(document)
    except (KeyError, TypeError, ValueError):
        return NO_VALUES


def has_values(proposal: NewRewrite) -> bool:
    """Whether each parameter of the original has a value to run it with."""
    return not has_parameters(proposal.original) or bool(values_of(proposal))


def plain_of(proposal: NewRewrite) -> str | None:
    """The replacement without hints; None where there is none."""
    if not proposal.hints:
        return proposal.replacement
    plain = proposal.parameters.get("plain") if isinstance(proposal.parameters, dict) else None
    return None if plain is None else str(plain)


def trust_level(proposal: NewRewrite, accept: frozenset[str]) -> Any:
    """The evidence's kind as sessions may trust it: a proof with reservations that are not accepted counts
    as tested; ``errors`` and ``overflow`` can't be accepted.
    """
    return "tested" if missing_for(proposal, accept) else proposal.level.value


def served(rewrite: Rewrite, accept: frozenset[str], until: float = float("inf")) -> ServedRewrite | None:
    """What a relay serves for ``rewrite``, up to the Unix time ``until``; None when it can't be served at
    all.
    """
    proposal = rewrite.proposal
    guard = guard_of(proposal.guard)
    if guard is None or not guard.digest:
        return None
    if proposal.checker_version not in {"", CHECKER_VERSION} and not rewrite.approved:
        return None  # to be made again by this version of the checker
    level = trust_level(proposal, accept)
    whole = proposal.scope == "any"
    return ServedRewrite(
        id=rewrite.id,
        database=proposal.database,
        original=proposal.template if whole else proposal.original,
        replacement=proposal.replacement,
        guard=guard,
        scope=proposal.scope,
        param_types=types_of(proposal),
        plain_replacement=plain_of(proposal),
        hinted=bool(proposal.hints),
        # an approved one without evidence of its own is served on the person's word
        evidence=level if level in {"proved", "tested", "judged"} else "judged",
        unreserved=level == "proved" and not proposal.modulo,
        held=proposal.level == "proved" and not _MAY_FAIL.isdisjoint(proposal.modulo),
        approved=rewrite.approved,
        measure_original=_worth_measuring(rewrite),
        server_major=_major(proposal.server_version),
        until=until,
    )


def _worth_measuring(rewrite: Rewrite) -> bool:
    """Whether a client's query may now and then be used to time the original again: it must be cheap."""
    original, replacement = rewrite.original_ms, rewrite.replacement_ms
    return original is not None and replacement is not None and original < min(1000.0, 2 * replacement)


def _major(version: str) -> int:
    head = version.split(".", maxsplit=1)[0]
    return int(head) if head.isdigit() else 0


def missing_for(proposal: NewRewrite, accept: frozenset[str]) -> frozenset[str]:
    """The reservations of a proof for which a person has to approve it."""
    if proposal.level != "proved":
        return frozenset()
    return frozenset(proposal.modulo) - with_implied(accept)


def starts_active(proposal: NewRewrite, trust: Any, accept: frozenset[str]) -> bool:
    """Whether a new rewrite's evidence reaches the configured trust."""
    level = trust_level(proposal, accept)
    return reaches(proposal.level.__class__(level), trust)


SERVABLE = (State.PROPOSED, State.ACTIVE, State.PINNED)
