"""The active rewrites, indexed for the hot path: exact text first, then template.

Owns the look-up. Immutable once built; the composition root replaces it as a whole. A text that can't have a
template here is dismissed by its first bytes, or by its text without numbers and strings, without being scanned.
"""

from __future__ import annotations

from collections.abc import Iterable

from rewright.proxy.ports import Candidate, ServedRewrite, Templater
from rewright.sql.placeholders import HOLE
from rewright.sql.templates import quick_key

PREFIX = 48
_Key = tuple[str, str, tuple[int, ...]]


class _Tables:
    """One generation of the index."""

    __slots__ = ("exact", "keys", "prefixes", "templates")

    def __init__(self, rewrites: Iterable[ServedRewrite], templater: Templater | None) -> None:
        self.exact: dict[tuple[str, bytes], list[ServedRewrite]] = {}
        self.templates: dict[_Key, ServedRewrite] = {}
        self.keys: set[str] = set()
        self.prefixes: dict[int, set[bytes]] = {}
        for rewrite in rewrites:
            if rewrite.scope == "these":
                self.exact.setdefault((rewrite.database, rewrite.original.encode()), []).append(rewrite)
            elif templater is not None:
                self._add_template(rewrite)

    def _add_template(self, rewrite: ServedRewrite) -> None:
        self.templates[rewrite.database, rewrite.original, rewrite.param_types] = rewrite
        fixed = HOLE.split(rewrite.original, maxsplit=1)[0].encode()[:PREFIX]
        self.prefixes.setdefault(len(fixed), set()).add(fixed)
        self.keys.add(quick_key(HOLE.sub("0", rewrite.original)))


class RewriteIndex:
    """``Lookup`` over a set of records. ``replace`` changes the set and ``version``."""

    def __init__(self, templater: Templater | None = None) -> None:
        self.version = 0
        self._templater = templater
        self._tables = _Tables((), templater)

    def replace(self, rewrites: Iterable[ServedRewrite]) -> None:
        self._tables = _Tables(rewrites, self._templater)
        self.version += 1

    def find(self, database: str, text: bytes, param_types: tuple[int, ...]) -> Candidate | None:
        tables = self._tables
        exact = tables.exact.get((database, text)) or tables.exact.get(("", text))
        if exact is not None:
            for rewrite in exact:
                if rewrite.param_types == param_types or (not any(param_types) and not rewrite.param_types):
                    return Candidate(rewrite, rewrite.replacement, rewrite.plain_replacement)
            return None
        for size, prefixes in tables.prefixes.items():
            if text[:size] in prefixes:
                return self._by_template(tables, database, text, param_types)
        return None

    def _by_template(
        self, tables: _Tables, database: str, text: bytes, param_types: tuple[int, ...]
    ) -> Candidate | None:
        assert self._templater is not None
        try:
            decoded = text.decode()
        except UnicodeDecodeError:
            return None
        split = self._templater.split(decoded) if quick_key(decoded) in tables.keys else None
        if split is None:
            return None
        template, literals = split
        for name in (database, ""):
            rewrite = tables.templates.get((name, template, param_types))
            if rewrite is not None:
                return self._filled(rewrite, literals)
        return None

    def _filled(self, rewrite: ServedRewrite, literals: tuple[str, ...]) -> Candidate | None:
        assert self._templater is not None
        replacement = self._templater.fill(rewrite.replacement, literals)
        if replacement is None:
            return None
        plain = rewrite.plain_replacement
        return Candidate(
            rewrite, replacement, None if plain is None else self._templater.fill(plain, literals)
        )
