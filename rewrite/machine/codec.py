"""Results of agents as JSON and back, so that a recorded run can be replayed and shown.

Owns the form of the `output` of an event. Plans inside reports are kept as they are. Must not know agents or
stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rewright.rewrite.machine.states import Decided, Fallen, Reasoned, Result, Stopped, Verified
from rewright.rewrite.model import Candidate, Checked, Evidence, Step, Weighed


def encode(result: Result) -> dict[str, Any]:
    match result:
        case Reasoned():
            return {
                "kind": "reasoned",
                "candidates": [_candidate(c) for c in result.candidates],
                "reason": result.reason,
                "notes": list(result.notes),
            }
        case Verified():
            return {
                "kind": "verified",
                "passed": [_checked(c) for c in result.passed],
                "complaints": list(result.complaints),
                "fallen": [_fallen(one) for one in result.fallen],
                "notes": list(result.notes),
            }
        case Decided():
            return {
                "kind": "decided",
                "weighed": [_weighed(w) for w in result.weighed],
                "best": None if result.best is None else _weighed(result.best),
                "satisfied": result.satisfied,
                "advice": list(result.advice),
                "ask": result.ask,
                "servable": result.servable,
            }
        case Stopped():
            return {"kind": "stopped", "reason": result.reason}


def decode(document: Mapping[str, Any]) -> Result:
    """Raises KeyError or ValueError on a document that `encode` did not write."""
    match document["kind"]:
        case "reasoned":
            candidates = tuple(map(_as_candidate, document["candidates"]))
            return Reasoned(candidates, document["reason"], _notes(document))
        case "verified":
            # recordings of earlier versions do not say whom a complaint is about
            fallen = tuple(map(_as_fallen, document.get("fallen", ())))
            return Verified(
                tuple(map(_as_checked, document["passed"])),
                tuple(document["complaints"]),
                fallen,
                _notes(document),
            )
        case "decided":
            best = document["best"]
            return Decided(
                tuple(map(_as_weighed, document["weighed"])),
                None if best is None else _as_weighed(best),
                document["satisfied"],
                tuple(document["advice"]),
                document.get("ask", True),
                document.get("servable", True),
            )
        case "stopped":
            return Stopped(document["reason"])
        case kind:
            raise ValueError(f"unknown kind of result {kind!r}")


def _notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Recordings of earlier versions have none."""
    return tuple(document.get("notes", ()))


def _candidate(c: Candidate) -> dict[str, Any]:
    return {
        "sql": c.sql,
        "steps": [s.to_json() for s in c.steps],
        "source": c.source,
        "cost": c.cost,
        "assumptions": list(c.assumptions),
        "units": list(c.units),
        "via": list(c.via),
        "sample": c.sample,
        "lookups": c.lookups,
    }


def _as_candidate(d: Mapping[str, Any]) -> Candidate:
    steps = tuple(Step(s["name"], s["category"], s["note"], s["gain"]) for s in d["steps"])
    # recordings of earlier versions name no units
    units, via = tuple(d.get("units", ())), tuple(d.get("via", ()))
    numbers = d.get("sample", 0), d.get("lookups", 0)
    return Candidate(d["sql"], steps, d["source"], d["cost"], tuple(d["assumptions"]), units, via, *numbers)


def _fallen(one: Fallen) -> dict[str, Any]:
    return {
        "candidate": _candidate(one.candidate),
        "complaint": one.complaint,
        "slower": one.slower,
        "estimated": one.estimated,
    }


def _as_fallen(d: Mapping[str, Any]) -> Fallen:
    return Fallen(_as_candidate(d["candidate"]), d["complaint"], d["slower"], d["estimated"])


def _checked(c: Checked) -> dict[str, Any]:
    e = c.evidence
    evidence = {
        "verdict": e.level,
        "method": e.method,
        "assumptions": list(e.assumptions),
        "modulo": list(e.modulo),
        "scope": e.scope,
        "reason": e.reason,
        "counterexample": e.counterexample,
        "document": dict(e.document),
    }
    return {"candidate": _candidate(c.candidate), "evidence": evidence}


def _as_checked(d: Mapping[str, Any]) -> Checked:
    e = d["evidence"]
    evidence = Evidence(
        e["verdict"],
        e["method"],
        tuple(e["assumptions"]),
        tuple(e["modulo"]),
        e["scope"],
        e["reason"],
        e["counterexample"],
        e["document"],
    )
    return Checked(_as_candidate(d["candidate"]), evidence)


_FIGURES = ("cost_before", "cost_after", "seconds_before", "seconds_after", "runs", "cpu_after")


def _weighed(w: Weighed) -> dict[str, Any]:
    figures = {name: getattr(w, name) for name in _FIGURES}
    return {"checked": _checked(w.checked), **figures, "report": dict(w.report)}


def _as_weighed(d: Mapping[str, Any]) -> Weighed:
    figures = {name: d[name] for name in _FIGURES}
    return Weighed(_as_checked(d["checked"]), report=d["report"], **figures)
