"""What may be spent on models, per query and per day, counted by ourselves.

Owns the ledger. A call reserves its worst case first and settles what it really used, so that parallel calls
cannot overrun a limit together. Days are UTC days; a ledger with a file survives restarts and is shared by
processes of one machine. Must not know providers.
"""

from __future__ import annotations

import fcntl
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rewright.models.api import BudgetExceeded, Request, Usage


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings; None for none. Money in US dollars."""

    daily_tokens: int | None = 2_000_000
    daily_money: float | None = None
    query_tokens: int | None = 200_000
    query_money: float | None = None


@dataclass(slots=True)
class _Tally:
    tokens: int = 0
    money: float = 0.0

    def add(self, tokens: int, money: float) -> None:
        self.tokens = max(0, self.tokens + tokens)
        self.money = max(0.0, self.money + money)


@dataclass(frozen=True, slots=True)
class Reservation:
    """The worst case of one call, held until it is settled."""

    scope: str
    day: str
    tokens: int
    money: float


def worst_case(request: Request) -> tuple[int, int]:
    """Upper estimate of prompt and completion tokens: three characters a token is on
    the safe side for SQL.
    """
    return request.characters() // 3 + 16 * len(request.messages), request.max_tokens


@dataclass(slots=True)
class Ledger:
    """Spent tokens and money. ``path`` keeps the day's sum across restarts (created when missing)."""

    limits: Limits = field(default_factory=Limits)
    path: Path | None = None
    today: Callable[[], str] = field(default=lambda: datetime.now(UTC).date().isoformat())
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _days: dict[str, _Tally] = field(default_factory=dict)
    _scopes: dict[str, _Tally] = field(default_factory=dict)

    def reserve(self, request: Request, money: float) -> Reservation:
        """Hold the worst case of ``request``; raises `BudgetExceeded` and holds nothing when it would not
        fit.
        """
        tokens = sum(worst_case(request))
        with self._lock, self._day() as (day, tally):
            scope = self._scopes.get(request.scope, _Tally())
            self._refuse("the day", tally, tokens, money, self.limits.daily_tokens, self.limits.daily_money)
            if request.scope:
                self._refuse(
                    "the query", scope, tokens, money, self.limits.query_tokens, self.limits.query_money
                )
                scope.add(tokens, money)
                self._remember(request.scope, scope)
            tally.add(tokens, money)
            return Reservation(request.scope, day, tokens, money)

    def settle(self, held: Reservation, used: Usage) -> None:
        """Replace what was held by what was used (nothing used: the call never went out)."""
        tokens = used.tokens - held.tokens
        # where the price is not known the worst case counts
        money = (held.money if used.money is None else used.money) - held.money
        with self._lock, self._day(held.day) as (_, tally):
            tally.add(tokens, money)
            if held.scope in self._scopes:
                self._scopes[held.scope].add(tokens, money)

    def spent(self, scope: str = "") -> tuple[int, float]:
        """Tokens and money of ``scope``, or of today."""
        with self._lock:
            if scope:
                tally = self._scopes.get(scope, _Tally())
                return tally.tokens, tally.money
            with self._day() as (_, today):
                return today.tokens, today.money

    @staticmethod
    def _refuse(
        what: str, tally: _Tally, tokens: int, money: float, most: int | None, most_money: float | None
    ) -> None:
        if most is not None and tally.tokens + tokens > most:
            raise BudgetExceeded(f"the token budget of {what} ({most}) does not cover another call")
        if most_money is not None and tally.money + money > most_money:
            raise BudgetExceeded(f"the money budget of {what} (${most_money}) does not cover another call")

    def _remember(self, scope: str, tally: _Tally) -> None:
        self._scopes.pop(scope, None)
        self._scopes[scope] = tally
        while len(self._scopes) > 10_000:  # the oldest queries are long over
            self._scopes.pop(next(iter(self._scopes)))

    @contextmanager
    def _day(self, day: str | None = None) -> Iterator[tuple[str, _Tally]]:
        day = day or self.today()
        if self.path is None:
            yield day, _of(self._days, day)
            return
        # read, changed and written under one lock: other processes spend from the same day
        with _locked(self.path) as stored:
            yield day, _of(stored, day)
            _write(self.path, stored)


def _of(days: dict[str, _Tally], day: str) -> _Tally:
    """The day's tally; only the two latest days are kept (a call may end on the day after it began)."""
    tally = days.setdefault(day, _Tally())
    for old in sorted(days)[:-2]:
        if old != day:
            del days[old]
    return tally


@contextmanager
def _locked(path: Path) -> Iterator[dict[str, _Tally]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(path.suffix + ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield _read(path)


def _read(path: Path) -> dict[str, _Tally]:
    try:
        raw = json.loads(path.read_text())
        return {str(day): _Tally(int(v["tokens"]), float(v["money"])) for day, v in raw.items()}
    # a file that cannot be read counts as nothing spent: a damaged ledger must not stop every call
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write(path: Path, days: dict[str, _Tally]) -> None:
    text = json.dumps({day: {"tokens": t.tokens, "money": t.money} for day, t in days.items()})
    new = path.with_suffix(path.suffix + ".new")
    new.write_text(text)
    # at once: who is interrupted leaves the old file, or the new one
    new.replace(path)
