"""Values as they were written, with where each stands, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Written:
    """A value as somebody wrote it, and where."""

    value: object
    origin: str


@dataclass(slots=True)
class Sources:
    """Values by path (``("databases", "app", "dsn")``), later ones over earlier ones."""

    values: dict[tuple[str, ...], Written] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def put(self, path: tuple[str, ...], value: object, origin: str) -> None:
        self.values[path] = Written(value, origin)

    def complain(self, path: tuple[str, ...], allowed: str) -> None:
        written = self.values[path]
        self.problems.append(f"{written.origin}: {spelt(path)}: {allowed} (not {written.value!r})")


def spelt(path: tuple[str, ...]) -> str:
    """As one reads it in the file: [databases.app] dsn."""
    if path[0] == "databases" and len(path) == 2:
        return f"[databases.{path[1]}]"
    return f"[{'.'.join(path[:-1])}] {path[-1]}"
