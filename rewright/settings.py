"""The one registry of the ``rewright.*`` settings: command line, files, documentation, SET and SHOW.

Owns names, kinds, defaults and meanings. Must not know sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rewright import values


@dataclass(frozen=True, slots=True)
class Setting:
    """``name`` without its prefix; ``default`` as one would write it; ``allowed`` for messages and tables."""

    name: str
    default: str
    allowed: str
    meaning: str
    parse: Callable[[object], object]

    @property
    def full_name(self) -> str:
        return f"rewright.{self.name}"


def _of(name: str, default: str, meaning: str, *allowed: str) -> Setting:
    return Setting(name, default, ", ".join(allowed), meaning, values.choice(*allowed))


def _switch(name: str, default: str, meaning: str) -> Setting:
    return Setting(name, default, "on, off", meaning, values.switch)


REGISTRY: tuple[Setting, ...] = (
    _of(
        "mode",
        "apply",
        "pure relay; propose and log only; serve what is active and optimise unknown slow queries in the "
        "background; as apply, but hold an unknown expensive query up to rewright.budget",
        "off",
        "observe",
        "apply",
        "inline",
    ),
    _of(
        "trust",
        "proved",
        "weakest evidence that may be served without a person's approval",
        "proved",
        "tested",
        "judged",
    ),
    _switch("hints", "on", "inject hints"),
    _switch(
        "model",
        "on",
        "may this session's queries be sent to a model (no effect unless one is configured)",
    ),
    Setting(
        "min_duration",
        "200ms",
        "a time",
        "in apply, a SELECT running longer than this is worth optimising",
        values.duration,
    ),
    Setting(
        "min_cost",
        "50000",
        "a number",
        "in inline, the least estimated cost for which a query is held",
        values.number(0, float("inf")),
    ),
    Setting("budget", "500ms", "a time", "how long inline may hold a query", values.duration),
    _switch(
        "notice",
        "off",
        "report in a NOTICE what was done with each query (resolutions and ASK always do)",
    ),
    _of(
        "lake",
        "bind",
        "a lake query whose names exist is answered as written, with a NOTICE if in doubt; or it may be "
        "resolved, too",
        "bind",
        "resolve",
    ),
    Setting(
        "lake_confidence",
        "0.7",
        "0 to 1",
        "a resolution with less confidence is an error with suggestions instead of an answer",
        values.number(0, 1),
    ),
    _switch(
        "pooled",
        "off",
        "a pooler in transaction mode shares this session among its clients: a SET lasts to the end of the "
        "transaction, and this setting stays on (for a pooler's connect_query)",
    ),
)

BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in REGISTRY}


def allowed_sentence(setting: Setting) -> str:
    """The HINT of the error for a wrong value, worded as PostgreSQL's own where it has one."""
    # "a time", "0 to 1": a description and no list of words
    if setting.allowed.startswith(("a ", "0 ")):
        return {
            "a time": 'A time such as "200ms" or "30s"; valid units are "us", "ms", "s", "min", "h" and "d".',
            "a number": "A number of at least 0.",
        }.get(setting.allowed, "A number from 0 to 1.")
    return f"Available values: {setting.allowed}."
