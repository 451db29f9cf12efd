"""The active rewrites, indexed for the hot path: exact text first, then its form (``rewright.sql.forms``).

Owns the look-up. Immutable once built; the composition root replaces it as a whole. A text that can't have
the form of a rewrite is dismissed by its first bytes, or by its text without comments, numbers and strings,
without being scanned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from rewright.proxy.ports import Candidate, ServedRewrite, Templater
from rewright.sql.forms import (
    HINT,
    Form,
    bare_key,
    form_of,
    form_of_template,
    known_head,
    may_hold_comment,
    rough_head,
    rough_key,
    sampled,
    values_for,
    without_comments,
)

_Types = tuple[int, ...]
_T = TypeVar("_T")
DIGITS = b"0123456789"
# no text without digits; where it is not among those that pass, the set is of an earlier version
IN_USE = b"0"
# a text that is so much longer than all that is known is not scanned, whatever it begins with
_LONGER = 16_384
# what is known is built anew whenever the store changes
_form = lru_cache(maxsize=20_000)(form_of)


class _Tables:
    """One generation of the index."""

    __slots__ = ("bare", "exact", "forms", "heads", "keys", "longest", "shapes")

    def __init__(self, rewrites: Iterable[ServedRewrite], templater: Templater | None) -> None:
        self.exact: dict[tuple[str, bytes], list[Candidate]] = {}
        self.forms: dict[tuple[str, str, tuple[str, ...]], list[Candidate]] = {}
        self.shapes: dict[tuple[str, str, _Types], list[ServedRewrite]] = {}
        self.keys: set[bytes] = set()
        self.heads: dict[int, set[bytes]] = {}
        self.longest = 0
        self.bare: set[bytes] = set()
        for rewrite in rewrites:
            if rewrite.scope == "these":
                self._add_text(rewrite)
            elif templater is not None:
                self._add_template(rewrite)

    def _add_text(self, rewrite: ServedRewrite) -> None:
        form = _form(rewrite.original)
        candidate = _candidate(rewrite, form, rewrite.replacement, rewrite.plain_replacement)
        text = rewrite.original.encode()
        self.exact.setdefault((rewrite.database, text), []).append(candidate)
        self.bare.add(text.translate(None, DIGITS))
        if form is not None:
            key = rewrite.database, form.shape, form.literals
            self.forms.setdefault(key, []).append(candidate)
            self._add_keys(text)

    def _add_template(self, rewrite: ServedRewrite) -> None:
        form = form_of_template(rewrite.original)
        if form is None:
            return
        key = rewrite.database, form.shape, rewrite.param_types
        self.shapes.setdefault(key, []).insert(0, rewrite)
        self._add_keys(sampled(rewrite.original).encode())

    def _add_keys(self, text: bytes) -> None:
        head = known_head(text)
        self.heads.setdefault(len(head), set()).add(head)
        self.keys.add(rough_key(text))
        self.longest = max(self.longest, len(text))

    def may_know(self, text: bytes) -> bool:
        """Whether the text may have the form of a rewrite. Cheap, and says no for
        nearly all that have none.
        """
        head = rough_head(text)
        for size, heads in self.heads.items():
            if head[:size] in heads:
                return self._may_be(text)
        return bool(self.heads) and may_hold_comment(head) and self._may_be(text)

    def _may_be(self, text: bytes) -> bool:
        if len(text) > self.longest + _LONGER:
            return False
        key = rough_key(text)
        return not key or key in self.keys or b"" in self.keys

    def may_know_like(self, bare: bytes) -> bool:
        """``may_know`` for any text that is ``bare`` without its digits, or one of ``exact`` is."""
        if bare in self.bare:
            return True
        key = bare_key(bare)
        return not key or key in self.keys or b"" in self.keys


class RewriteIndex:
    """``Lookup`` over a set of records. ``replace`` changes the set and ``version``."""

    def __init__(self, templater: Templater | None = None) -> None:
        self.version = 0
        self.passing = {IN_USE}
        self._templater = templater
        self._tables = _Tables((), templater)

    def replace(self, rewrites: Iterable[ServedRewrite]) -> None:
        self._tables = _Tables(rewrites, self._templater)
        # After the tables: who sees the new version must find what belongs to it.
        self.version += 1
        self.passing.clear()  # sessions that do not know yet find nothing in theirs
        self.passing = {IN_USE}

    def may_know_like(self, bare: bytes) -> bool:
        return self._tables.may_know_like(bare)

    def find(
        self, database: str, text: bytes, param_types: _Types, path: tuple[str, ...] = ()
    ) -> Candidate | None:
        """``path``: the schemas that the session looks names up in, if they are known: a rewrite that was
        found for others is none here.
        """
        tables = self._tables
        exact = tables.exact.get((database, text)) or tables.exact.get(("", text))
        found = None if exact is None else _of_types(exact, param_types, path)
        if found is not None or not tables.may_know(text):
            return found
        try:
            form = form_of(text.decode())
        except UnicodeDecodeError:
            return None
        return None if form is None else self._of_form(tables, database, form, param_types, path)

    def _of_form(
        self, tables: _Tables, database: str, form: Form, param_types: _Types, path: tuple[str, ...]
    ) -> Candidate | None:
        for name in (database, ""):
            known = tables.forms.get((name, form.shape, form.literals))
            found = None if known is None else _of_types(known, param_types, path)
            if found is not None:
                return replace(found, comments=_carried(found.rewrite, form))
            shapes = tables.shapes.get((name, form.shape, param_types), ())
            # a template may keep some of its literals: only texts that have them, too, are meant
            meant = [(one, own) for one in shapes if (own := values_for(one.original, form)) is not None]
            chosen = _found_for(meant, path, lambda one: one[0])
            if chosen is not None:
                return self._filled(*chosen, form)
        return None

    def _filled(self, rewrite: ServedRewrite, values: Sequence[str], form: Form) -> Candidate | None:
        assert self._templater is not None
        replacement = self._templater.fill(rewrite.replacement, values)
        if replacement is None:
            return None
        plain = rewrite.plain_replacement
        filled = None if plain is None else self._templater.fill(plain, values)
        return _candidate(rewrite, form, replacement, filled)


def _of_types(known: Sequence[Candidate], param_types: _Types, path: tuple[str, ...]) -> Candidate | None:
    def takes(types: _Types) -> bool:
        # Types declared as 0 are left to the server to infer: as good as none declared.
        return types == param_types or not (any(param_types) or types)

    return _found_for([one for one in known if takes(one.rewrite.param_types)], path, lambda one: one.rewrite)


def _found_for(
    known: Sequence[_T], path: tuple[str, ...], rewrite_of: Callable[[_T], ServedRewrite]
) -> _T | None:
    """The first that was found for the schemas of ``path``, else for some of them in their order: the others
    may not exist. None: each was found for others.
    """
    for one in known:
        if not path or rewrite_of(one).guard.search_path in {None, path}:
            return one
    for one in known:
        found_for = rewrite_of(one).guard.search_path or ()
        if found_for == tuple(name for name in path if name in found_for):
            return one
    return None


def _candidate(rewrite: ServedRewrite, form: Form | None, replacement: str, plain: str | None) -> Candidate:
    """The comments sent are the client's own: not those of the text for which the rewrite was found."""
    return Candidate(
        rewrite,
        without_comments(replacement),
        None if plain is None else without_comments(plain),
        comments=("", "") if form is None else _carried(rewrite, form),
    )


def _carried(rewrite: ServedRewrite, form: Form) -> tuple[str, str]:
    """Comments to go before and after the replacement. Older hint extensions want their hint to be the first
    comment.
    """
    if rewrite.hinted or rewrite.replacement.startswith(HINT):
        return "", f" {form.before.rstrip(' ')}{form.after}" if form.before else form.after
    return form.before, form.after
