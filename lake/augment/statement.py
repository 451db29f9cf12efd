"""AUGMENT as SQL spells it: what is asked for, read from a statement's text.

Owns the grammar; pure. Must not know lakes or how tables are found.

    [EXPLAIN | CREATE [OR REPLACE] VIEW name AS] AUGMENT TABLE [database.]table TARGET column
        [ON (column, ...)] [FEATURES (column, ...)] [WHERE (condition)] [LATEST] [TABLES n] [HOPS n] [TOKENS
        n] [BUDGET 'time'] [EVALUATIONS n] [SELECTOR name] [STRATEGY name] [LAKE name]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.lake.augment.base import AugmentError, BaseSpec
from rewright.lake.augment.options import MODEL_SELECTORS, SELECTORS, STRATEGIES, Options

_COMMENTS = frozenset({"SQL_COMMENT", "C_COMMENT"})
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h)?\s*")
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0}
_MOST = {"tables": 100, "hops": 6, "tokens": 10_000_000, "evaluations": 10_000_000}


@dataclass(frozen=True, slots=True)
class Statement:
    """`explain`: the plan and its evidence are asked for, not the table; `view`: the name to keep the
    augmented table under; `lake`: where to look for tables (empty: not said); `parts`: the table's name in
    its parts, none of which needs quotes any more.
    """

    spec: BaseSpec
    options: Options
    explain: bool = False
    view: str = ""
    replaces: bool = False
    lake: str = ""
    parts: tuple[str, ...] = field(default=(), compare=False)


def statement_of(text: str, *, folds: bool = False) -> Statement:
    """What the text asks for. `folds`: names that are not quoted are in lower case, as PostgreSQL has them.

    :raises AugmentError: 42601, it is not written so; 22023, a value that cannot be.
    """
    return _Reader(text, folds).statement()


@dataclass(slots=True)
class _Reader:
    text: str
    folds: bool = False
    _tokens: list[Any] = field(default_factory=list)
    _at: int = 0

    def __post_init__(self) -> None:
        try:
            self._tokens = [token for token in scan(self.text) if token.name not in _COMMENTS]
        except (PglastError, ValueError) as error:
            raise AugmentError("the statement cannot be read", sqlstate="42601") from error

    def statement(self) -> Statement:
        explain, view, replaces = self._taken("explain"), "", False
        if self._taken("create"):
            replaces = self._taken("or")
            if replaces:
                self._need("replace")
            view = self._view()
        self._need("augment")
        self._need("table")
        parts = [self._name("a table")]
        while self._taken("."):
            parts.append(self._name("a table"))
        self._need("target")
        spec = BaseSpec(".".join(parts), self._name("a column"))
        found = Statement(spec, Options(), explain, view, replaces, parts=tuple(parts))
        given: set[str] = set()
        # clauses may stand in any order, each once
        while (word := self._word()) in _CLAUSES:
            if word in given:
                raise AugmentError(f"{word.upper()} is given twice", sqlstate="42601")
            given.add(word)
            self._at += 1
            found = _CLAUSES[word](self, found)
        self._taken(";")
        if self._at < len(self._tokens):
            self._refuse("the end of the statement, or one of " + ", ".join(sorted(_CLAUSES)).upper())
        return found

    def _view(self) -> str:
        self._need("view")
        name = self._name("a view")
        self._need("as")
        return name

    # --- tokens ---------------------------------------------------------------------------------------

    def _raw(self) -> str:
        if self._at >= len(self._tokens):
            return ""
        token = self._tokens[self._at]
        return self.text[token.start : token.end + 1]

    def _word(self) -> str:
        return self._raw().lower()

    def _taken(self, word: str) -> bool:
        if self._word() != word:
            return False
        self._at += 1
        return True

    def _need(self, word: str) -> None:
        if not self._taken(word):
            self._refuse(word.upper())

    def _refuse(self, wanted: str) -> None:
        near = f'at or near "{self._raw()}"' if self._raw() else "at end of input"
        raise AugmentError(f"syntax error {near}: expected {wanted}", sqlstate="42601")

    def _name(self, what: str) -> str:
        raw = self._raw()
        if raw.startswith('"') and len(raw) > 2:
            self._at += 1
            return raw[1:-1].replace('""', '"')
        if not re.match(r"[^\W\d]", raw):
            self._refuse(f"the name of {what}")
        self._at += 1
        return _folded(raw) if self.folds else raw

    def lake(self) -> str:
        return self._name("a lake")

    def names(self) -> tuple[str, ...]:
        """``(column, ...)``"""
        self._need("(")
        found: list[str] = []
        if not self._taken(")"):
            found.append(self._name("a column"))
            while self._taken(","):
                found.append(self._name("a column"))
            self._need(")")
        return tuple(found)

    def number(self, what: str) -> int:
        raw = self._raw()
        if not raw.isdigit() or not raw.isascii():
            self._refuse(f"a number of {what}")
        self._at += 1
        # twelve digits are above every bound; int() of very many would take long
        if not 1 <= int(raw[:12]) <= _MOST[what]:
            raise AugmentError(f"{what.upper()} must be between 1 and {_MOST[what]}")
        return int(raw)

    def seconds(self) -> float:
        raw = self._raw()
        found = _DURATION.fullmatch(raw[1:-1]) if raw.startswith("'") else None
        if found is None:
            self._refuse("a time such as '60s'")
        self._at += 1
        assert found is not None
        return float(found[1]) * _SECONDS[found[2] or "s"]

    def one_of(self, allowed: tuple[str, ...]) -> str:
        word = self._word()
        if word not in allowed:
            raise AugmentError(f'"{self._raw()}" is not one of {", ".join(allowed)}')
        self._at += 1
        return word

    def condition(self) -> str:
        """The text between parentheses, as it is."""
        self._need("(")
        depth, start = 1, self._at
        while self._at < len(self._tokens):
            # parentheses within strings are part of the string's token
            depth += {"(": 1, ")": -1}.get(self._raw(), 0)
            self._at += 1
            if not depth:
                ends = self._tokens[start - 1].end + 1, self._tokens[self._at - 1].start
                return self.text[slice(*ends)].strip()
        self._refuse(")")
        raise AssertionError


def _folded(name: str) -> str:
    """ASCII alone, as PostgreSQL does with encodings of several bytes."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


def _on(reader: _Reader, found: Statement) -> Statement:
    return replace(found, spec=replace(found.spec, keys=reader.names()))


def _features(reader: _Reader, found: Statement) -> Statement:
    return replace(found, spec=replace(found.spec, features=reader.names()))


def _where(reader: _Reader, found: Statement) -> Statement:
    return replace(found, spec=replace(found.spec, where=reader.condition()))


def _latest(reader: _Reader, found: Statement) -> Statement:
    del reader
    return replace(found, spec=replace(found.spec, latest=True))


def _counted(
    name: Literal["tables", "hops", "tokens", "evaluations"],
) -> Callable[[_Reader, Statement], Statement]:
    def read(reader: _Reader, found: Statement) -> Statement:
        number = reader.number(name)
        match name:
            case "tables":
                options = replace(found.options, tables=number)
            case "hops":
                options = replace(found.options, hops=number)
            case "tokens":
                options = replace(found.options, tokens=number)
            case "evaluations":
                options = replace(found.options, evaluations=number)
        return replace(found, options=options)

    return read


def _budget(reader: _Reader, found: Statement) -> Statement:
    return replace(found, options=replace(found.options, seconds=reader.seconds()))


def _selector(reader: _Reader, found: Statement) -> Statement:
    selector: Any = reader.one_of(SELECTORS + MODEL_SELECTORS)
    return replace(found, options=replace(found.options, selector=selector))


def _strategy(reader: _Reader, found: Statement) -> Statement:
    strategy: Any = reader.one_of(STRATEGIES)
    return replace(found, options=replace(found.options, strategy=strategy))


def _lake(reader: _Reader, found: Statement) -> Statement:
    return replace(found, lake=reader.lake())


_CLAUSES: dict[str, Callable[[_Reader, Statement], Statement]] = {
    "on": _on,
    "features": _features,
    "where": _where,
    "latest": _latest,
    "tables": _counted("tables"),
    "hops": _counted("hops"),
    "tokens": _counted("tokens"),
    "evaluations": _counted("evaluations"),
    "budget": _budget,
    "selector": _selector,
    "strategy": _strategy,
    "lake": _lake,
}
