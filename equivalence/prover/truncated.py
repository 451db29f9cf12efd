"""Moments that are cut to a unit twice: ``date_trunc('year', date_trunc('month', at))`` is
``date_trunc('year', at)``, and ``extract(year FROM date_trunc('month', at))`` is ``extract(year FROM at)``.

The beginning of the finer unit lies in the same coarser unit, since each of these is made of whole finer
ones (weeks make up none of the others). Where the finer beginning is before the first moment that there is,
the coarser one is, too, so that what is dropped raises nothing of its own. Only without a time zone: a zone
may skip the beginning of a unit. Infinite moments stay themselves (PostgreSQL manual, 9.9 Date/Time
Functions). Must not know contexts.
"""

from __future__ import annotations

from .terms import App, Lit, Term

_CUT = "pg_catalog.date_trunc(text,timestamp)"
_PARTS = frozenset({"pg_catalog.extract(text,timestamp)", "pg_catalog.date_part(text,timestamp)"})
_UNITS = ("second", "minute", "hour", "day", "month", "quarter", "year", "decade")
_FINER = {unit: frozenset(_UNITS[: n + 1]) for n, unit in enumerate(_UNITS)}
_DAYS = _FINER["day"]
# parts of a moment that all moments of the unit share
_READ = {
    unit: _FINER[unit] for unit in ("minute", "hour", "day", "month", "quarter", "year", "decade")
} | dict.fromkeys(("dow", "isodow", "doy", "week", "isoyear"), _DAYS)
_CUT_TO = _FINER | {"week": _DAYS}


def cut_once(name: str, args: tuple[Term, ...]) -> tuple[Term, ...] | None:
    """The arguments without the first of two cuts, where the second one does not see it."""
    if name != _CUT and name not in _PARTS:
        return None
    unit, inner = args
    if not (isinstance(inner, App) and inner.sym.name == _CUT):
        return None
    coarser, finer = _name(unit), _name(inner.args[0])
    allowed = (_CUT_TO if name == _CUT else _READ).get(coarser, frozenset())
    return (unit, inner.args[1]) if finer in allowed else None


def _name(unit: Term) -> str:
    return (unit.value or "").lower() if isinstance(unit, Lit) else ""
