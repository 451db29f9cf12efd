"""The proxy's ``Templater`` port over ``rewright.sql.templates``."""

from __future__ import annotations

from collections.abc import Sequence

from rewright.proxy.ports import Templater
from rewright.sql import templates


class SqlTemplater:
    """Never raises: a text that has no template has none."""

    def split(self, text: str) -> tuple[str, tuple[str, ...]] | None:
        return templates.split(text)

    def fill(self, template: str, literals: Sequence[str]) -> str | None:
        return templates.fill(template, literals)


def make() -> Templater:
    return SqlTemplater()
