"""What was found for a query, as the store keeps it: records of proposals, their identity and their timings.

Must not know how rewrites are found.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from rewright.engines.postgres.session import Run
from rewright.processes.jobs import Job
from rewright.rewrite.api import Outcome
from rewright.rewrite.model import Evidence
from rewright.rewrite.ports import Scoped
from rewright.sql.forms import form_key, form_of, values_for
from rewright.store.life import Level
from rewright.store.records import NewRewrite, Rewrite, Side, Timing
from rewright.wiring import templates
from rewright.wiring.reporting import template_key


def proposal_of(outcome: Outcome, job: Job, plain: str) -> NewRewrite:
    evidence, best, scoped = outcome.evidence, outcome.best, outcome.scoped
    assert evidence is not None
    assert best is not None
    hinted = hinted_text(plain, outcome.hints)
    # hints were measured for this text: with them a rewrite is never one of the whole template
    whole = scoped.scope == "any" and scoped.evidence is not None and not hinted
    if whole and scoped.evidence is not None:
        # what is served is the template: its proof counts
        evidence = scoped.evidence
    return NewRewrite(
        database=job.database,
        template_key=job_key(job),
        template=scoped.template if whole else job.text,
        original=job.text,
        replacement=scoped.replacement if whole else hinted or plain,
        hints=str(outcome.hints["comment"]) if hinted and outcome.hints else "",
        scope="any" if whole else "these",
        level=Level(evidence.level),
        modulo=evidence.modulo,
        evidence=dict(evidence.document),
        plans={**outcome.report, **({"hints": dict(outcome.hints)} if hinted and outcome.hints else {})},
        sources=(
            *(f"{best.checked.candidate.source}: {s.name}" for s in best.checked.candidate.steps),
            *(f"knowledge: {unit}" for unit in best.checked.candidate.units),
        ),
        cost_before=best.cost_before,
        cost_after=best.cost_after,
        checker_version=str(evidence.document.get("checker_version", "")),
        role=job.role,
    )


def widened(narrow: NewRewrite, scoped: Scoped, evidence: Evidence) -> NewRewrite:
    """The rewrite of the template, whose proof counts, that a rewrite for its very literals is a case of."""
    return replace(
        narrow,
        template=scoped.template,
        replacement=scoped.replacement,
        scope="any",
        level=Level(evidence.level),
        modulo=evidence.modulo,
        evidence=dict(evidence.document),
        checker_version=str(evidence.document.get("checker_version", "")),
    )


def hinted_original(job: Job, hinted: str, document: Any) -> NewRewrite:
    return NewRewrite(
        database=job.database,
        template_key=job_key(job),
        template=job.text,
        original=job.text,
        replacement=hinted,
        hints=str(document["comment"]),
        scope="these",
        level=Level.PROVED,
        evidence={"verdict": "proved", "method": "same-text", "hints": dict(document)},
        sources=("hints",),
        cost_before=document.get("cost_before"),
        cost_after=document.get("cost_after"),
        role=job.role,
    )


def timing_of(rewrite: Rewrite, side: Side, run: Run) -> Timing:
    cpu = None if run.cpu is None else run.cpu * 1000
    return Timing(rewrite.id, side, run.duration * 1000, cpu, "optimiser", time.time())


def filled(proposal: NewRewrite) -> str | None:
    """The replacement for the very text the rewrite was found for."""
    return replacement_for(proposal, proposal.original)


def replacement_for(proposal: NewRewrite, text: str) -> str | None:
    """The replacement with the literals of a text that it was served for; None where it is for another."""
    if proposal.scope != "any":
        return proposal.replacement
    form = form_of(text)
    # literals of this text, not those it was found with
    values = None if form is None else values_for(proposal.template, form)
    return None if values is None else templates.make().fill(proposal.replacement, values)


def job_key(job: Job) -> str:
    """Identity of a text with its declared parameter types, in one database."""
    return template_key(job.database, f"{','.join(map(str, job.param_types))}\0{form_key(job.text)}")


def slower_job(rewrite: Rewrite, role: str) -> Job:
    """``role`` saw it lose: does it on the optimiser's account as well?"""
    return Job(
        database=rewrite.proposal.database,
        text="",
        param_types=(),
        observed=0.0,
        role=role,
        application_name="",
        model=False,
        hints=False,
        kind="suspect",
        rewrite_id=rewrite.id,
    )


def hinted_text(text: str, document: Any) -> str | None:
    """The text with recommended hints, or None."""
    injected = document.get("text") if document else None
    return str(injected) if injected and injected != text else None
