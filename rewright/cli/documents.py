"""The JSON documents of log lines and rewrites (docs/reference/json.md). Must not print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewright.cli.common import iso
from rewright.store.records import Event, LogEntry, Resolution, Rewrite, Timing


def log_document(entry: LogEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": iso(entry.at),
        "database": entry.database,
        "role": entry.role,
        "client": entry.client,
        "application_name": entry.application_name,
        "route": entry.route,
        "reason": entry.reason,
        "rewrite": entry.rewrite_id,
        "duration_ms": entry.duration_ms,
        "overhead_ms": entry.overhead_ms,
        "sqlstate": entry.sqlstate or None,
        "query": entry.query,
    }


def rewrite_document(
    rewrite: Rewrite, events: Sequence[Event], timings: Sequence[Timing] = ()
) -> dict[str, Any]:
    proposal = rewrite.proposal
    return {
        "id": rewrite.id,
        "database": proposal.database,
        "state": rewrite.state.value,
        "approved": rewrite.approved,
        "reason": rewrite.reason,
        "changed_by": rewrite.changed_by,
        "created_at": iso(rewrite.created_at),
        "changed_at": iso(rewrite.changed_at),
        "verdict": proposal.level.value,
        "modulo": list(proposal.modulo),
        "scope": proposal.scope,
        "original": proposal.original,
        "template": proposal.template,
        "replacement": proposal.replacement,
        "hints": proposal.hints,
        "sources": list(proposal.sources),
        "evidence": proposal.evidence,
        "plans": proposal.plans,
        "cost_before": proposal.cost_before,
        "cost_after": proposal.cost_after,
        "original_ms": rewrite.original_ms,
        "replacement_ms": rewrite.replacement_ms,
        "served": rewrite.served,
        "queryid": proposal.queryid,
        "server_version": proposal.server_version,
        "checker_version": proposal.checker_version,
        "timings": [
            {
                "side": one.side,
                "ms": one.duration_ms,
                "cpu_ms": one.cpu_ms,
                "source": one.source,
                "at": iso(one.at),
            }
            for one in timings
        ],
        "events": [{"at": iso(one.at), "step": one.step, "detail": one.detail} for one in events],
    }


def decision_document(rewrite: Rewrite) -> dict[str, Any]:
    """What a decision led to."""
    return {
        "id": rewrite.id,
        "state": rewrite.state.value,
        "approved": rewrite.approved,
        "reason": rewrite.reason,
        "changed_by": rewrite.changed_by,
        "changed_at": iso(rewrite.changed_at),
    }


def acceptance_document(resolution: Resolution) -> dict[str, Any]:
    """A resolution that was accepted."""
    return {
        "id": resolution.id,
        "database": resolution.database,
        "accepted": resolution.accepted,
        "query": resolution.query,
        "resolved": resolution.resolved,
    }
