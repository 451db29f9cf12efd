"""Values as people write them: times, addresses, switches. Must not know where they were written.

Each parser takes what a TOML file or an environment variable gives and raises ValueError with a
sentence that says what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

Parser: TypeAlias = Callable[[object], object]

# PostgreSQL's units of time (manual, "Parameter Names and Values"), in seconds
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)\s*\Z")
# likewise of memory, in bytes
SIZES = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
_SIZE = re.compile(r"\s*([0-9]+)\s*([A-Za-z]*)\s*\Z", re.ASCII)
_TRUE = frozenset({"on", "true", "yes", "1"})
_FALSE = frozenset({"off", "false", "no", "0"})


def duration(value: object, *, unit: str = "ms") -> float:
    """Seconds; a number without unit is in ``unit``, as PostgreSQL has it for each of its parameters.

    >>> duration("1.5min")
    90.0
    """
    # True is 1 in Python, but no time
    found = _DURATION.match(str(value)) if not isinstance(value, bool) else None
    if found is None or (found[2] and found[2] not in UNITS):
        raise ValueError("a time such as 200ms or 30s (units: us, ms, s, min, h, d)")
    return float(found[1]) * UNITS[found[2] or unit]


def seconds(value: object) -> float:
    return duration(value, unit="s")


def show_duration(value: float) -> str:
    """The shortest spelling with a whole number, in the largest unit that allows one.

    >>> show_duration(0.2)
    '200ms'
    """
    for unit in ("d", "h", "min", "s", "ms"):
        number = value / UNITS[unit]
        # 0.3 is no sum of binary fractions: near enough to a whole number
        if value and abs(number - round(number)) < 1e-9:
            return f"{round(number)}{unit}"
    return "0" if value == 0 else f"{round(value * 1e6)}us"


def size(most: int) -> Callable[[object], int]:
    """Bytes, ``most`` at most; a number without unit is bytes.

    >>> size(1 << 30)("2MB")
    2097152
    """

    def parse(value: object) -> int:
        # True is 1 in Python, but no size
        found = _SIZE.match(str(value)) if not isinstance(value, bool) else None
        unit = None if found is None else SIZES.get(found[2] or "B")
        if found is None or unit is None or int(found[1]) * unit > most:
            allowed = f"{most // SIZES['MB']}MB at most (units: {', '.join(SIZES)})"
            raise ValueError(f"a size such as 64kB or 1MB, {allowed}")
        return int(found[1]) * unit

    return parse


def switch(value: object) -> bool:
    """On or off, with PostgreSQL's other spellings."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError("on or off")


def integer(low: int, high: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        try:
            # 1.0 would be cut, True is 1
            if isinstance(value, bool | float):
                raise TypeError
            number = int(str(value).strip())
        except (TypeError, ValueError):
            number = low - 1
        if not low <= number <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return number

    return parse


def number(low: float, high: float) -> Callable[[object], float]:
    span = f"from {low:g} to {high:g}" if high != float("inf") else f"of at least {low:g}"

    def parse(value: object) -> float:
        try:
            if isinstance(value, bool):
                raise TypeError
            parsed = float(str(value).strip())
        except (TypeError, ValueError):
            # NaN fails every comparison, so that it is refused with the rest
            parsed = float("nan")
        if not low <= parsed <= high:
            raise ValueError(f"a number {span}")
        return parsed

    return parse


def choice(*allowed: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        text = str(value).strip().lower() if isinstance(value, str) else ""
        if text not in allowed:
            raise ValueError("one of " + ", ".join(allowed))
        return text

    return parse


def text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        # PostgreSQL's texts hold no zero byte
        raise ValueError("a text")
    return value


def store_url(value: object) -> str:
    """A file's path, as SQLAlchemy writes it too, or a PostgreSQL server."""
    url = text(value)
    scheme, separator, _ = url.partition("://")
    if not url or (separator and scheme not in {"postgresql", "postgres", "sqlite"}):
        raise ValueError("a file, or postgresql://...")
    return url


def words(*allowed: str) -> Callable[[object], tuple[str, ...]]:
    """A list of texts (comma-separated in an environment variable), each of ``allowed`` if there are any."""

    def parse(value: object) -> tuple[str, ...]:
        items: Sequence[object] = value if isinstance(value, list | tuple) else _split(value)
        # a list with something else than texts is shorter now
        found = tuple(item for item in items if isinstance(item, str))
        if len(found) != len(items) or (allowed and not set(found) <= set(allowed)):
            raise ValueError("a list of " + (", ".join(allowed) if allowed else "texts"))
        return found

    return parse


def _split(value: object) -> Sequence[object]:
    if not isinstance(value, str):
        return (value,)
    return [item.strip() for item in value.split(",") if item.strip()]


def address(value: object) -> tuple[str, int]:
    """host:port; an IPv6 address in brackets."""
    host, _, port = str(value).rpartition(":") if isinstance(value, str) else ("", "", "")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise ValueError("an address such as 127.0.0.1:6432 or [::1]:6432")
    return host, int(port)


def show(value: object) -> str:
    """A parsed value as it stands in a file, without quotes."""
    match value:
        case bool():
            return "on" if value else "off"
        case (str() as host, int() as port):
            return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        case tuple():
            return ", ".join(map(show, value))
        case float():
            return f"{value:g}"
        case _:
            return str(value)
