"""Which units fit a query of a live schema: their pattern is found in it, and what they presuppose holds
there.

A precondition that names a key, a NOT NULL column or a reference of the unit's own schema is looked up for
what the pattern bound; others are not judged. This only sorts what is worth trying: whether a rewrite holds,
the checker says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from pglast.error import Error as PglastError

from rewright.knowledge.patterns.apply import applications
from rewright.knowledge.patterns.generalise import generalise
from rewright.knowledge.patterns.match import Binding
from rewright.knowledge.patterns.pattern import Pattern
from rewright.knowledge.patterns.terms import NotATerm, Term, Var, read, walk, write
from rewright.knowledge.units import Unit, schema_sql
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import DdlError, catalog_from_ddl
from rewright.sql.parsing import TooDeep
from rewright.sql.printing import to_sql
from rewright.sql.records import Table

_KEY = re.compile(r"^(\w+)\.(\w+) is a key$")
_NOT_NULL = re.compile(r"^(\w+)\.(\w+) is NOT NULL$")
_REFERENCES = re.compile(r"^(\w+)\.(\w+) references (\w+)")
_CLAUSE = re.compile(r"\s*(?:;|, | and (?=\w+\.\w+ (?:is|references)))\s*")
_NOT_READ = (BindError, Unsupported, PglastError, TooDeep, NotATerm, RecursionError)


@lru_cache(maxsize=64)
def _catalog(schema: str, folder: Path) -> Catalog:
    return catalog_from_ddl(schema_sql(schema, folder)[0])


def term_of(sql: str, catalog: Catalog, search_path: tuple[str, ...] = ("public",)) -> Term | None:
    """A query as a term with all its names resolved; None for what is not understood."""
    try:
        query = bind(sql, catalog, search_path=search_path)
        return read(to_sql(query, qualified=True, catalog=catalog, search_path=search_path))
    except (*_NOT_READ, KeyError):
        return None


@lru_cache(maxsize=4096)
def pattern_of(unit: Unit) -> Pattern | None:
    """The pattern of a unit's pair; None where trees do not show what it is about."""
    try:
        catalog = _catalog(unit.schema, unit.schemas)
    except DdlError:
        return None
    before, after = term_of(unit.before, catalog), term_of(unit.after, catalog)
    if before is None or after is None:
        return None
    return generalise(before, after, key_columns(catalog))


def key_columns(catalog: Catalog) -> dict[str, str]:
    """The primary key of each table where it is one column."""
    found = {}
    for table in catalog.relations:
        for key in getattr(table, "keys", ()):
            if key.primary and key.usable and len(key.columns) == 1:
                # the rule's key: one column alone tells the row
                found[table.ref.name] = key.columns[0]
    return found


def rewrites(
    unit: Unit, query: Term, catalog: Catalog, search_path: tuple[str, ...] = ("public",)
) -> Iterator[str]:
    """Texts in which the unit's pattern was applied once to ``query``, its readable preconditions given."""
    pattern = pattern_of(unit)
    if pattern is None:
        return
    seen: set[Term] = set()
    real = {t.get("alias"): t.get("name") for t in walk(query) if t.kind == "Table"}
    for made, bound in applications(pattern, query, key_columns(catalog)):
        if made in seen:
            continue
        # one way to apply a pattern is often found twice
        seen.add(made)
        known = {**_read_through(pattern, bound, real), **bound}
        if all(holds(p, known, catalog, search_path) for p in unit.preconditions):
            yield write(made)


def _read_through(pattern: Pattern, bound: Binding, real: Mapping[str, str]) -> Binding:
    """Tables that a pattern does not name, by the range variables that it bound."""
    return {
        Var("table", table): real[bound[Var("alias", alias)]]
        for alias, table in pattern.tables.items()
        if bound.get(Var("alias", alias)) in real
    }


def fits(unit: Unit, query: Term, catalog: Catalog, search_path: tuple[str, ...] = ("public",)) -> bool:
    return next(rewrites(unit, query, catalog, search_path), None) is not None


def holds(
    precondition: str, bound: Binding, catalog: Catalog, search_path: tuple[str, ...] = ("public",)
) -> bool:
    """Whether nothing in the live schema speaks against a precondition for what a pattern bound."""
    return all(_clause_holds(c, bound, catalog, search_path) for c in _CLAUSE.split(precondition))


def _clause_holds(clause: str, bound: Binding, catalog: Catalog, search_path: tuple[str, ...]) -> bool:
    for form in (_KEY, _NOT_NULL, _REFERENCES):
        found = form.match(clause)
        if found is None:
            continue
        table = _table(bound.get(Var("table", found[1])), catalog, search_path)
        column = bound.get(Var("column", (found[1], found[2])))
        # what the pattern did not bind cannot be judged, and does not speak against it
        if table is None or not isinstance(column, str):
            return True
        if form is _KEY:
            return any(key.usable and tuple(key.columns) == (column,) for key in table.keys)
        if form is _NOT_NULL:
            return any(c.name == column and c.not_null for c in table.columns)
        # a reference that is not valid yet still tells how tables hang together
        return any(tuple(key.columns) == (column,) for key in table.foreign_keys)
    # words that name nothing of the schema
    return True


def _table(name: object, catalog: Catalog, search_path: tuple[str, ...]) -> Table | None:
    found = catalog.find_table(name, search_path) if isinstance(name, str) else None
    return found if isinstance(found, Table) else None


def same_patterns(units: Iterable[Unit]) -> list[list[str]]:
    """Units that generalise to one pattern, in groups."""
    return [names for names in forms({unit.id: unit for unit in units}).values() if len(names) > 1]


def forms(units: Mapping[str, Unit]) -> dict[object, list[str]]:
    """Units by the canonical form of their pattern; those without one are left out."""
    found: dict[object, list[str]] = {}
    for name, unit in units.items():
        if (pattern := pattern_of(unit)) is not None:
            found.setdefault(pattern.form, []).append(name)
    return found
