"""Views that users make over a lake (CREATE VIEW ... AS AUGMENT), and what their searches found: kept in the
store, each for its role.

Owns which views a text names, and how they stand in a query: as common table expressions, so that no process
has to know them. Must not know the wire.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from pglast import ast
from pglast.enums import DropBehavior, ObjectType
from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.engines.duckdb.dialect.plans import Plan
from rewright.engines.duckdb.dialect.translating import Words
from rewright.proxy.duckdb_backend.ports import Encode, Portion
from rewright.proxy.ports import SqlError
from rewright.sql.parsing import TooDeep, nodes_of, parse
from rewright.store.errors import LiteralsForbidden, StoreError
from rewright.store.records import Augmentation
from rewright.wiring.lake_resolved import cleaned

if TYPE_CHECKING:
    from rewright.lake.augment.history import Helped
    from rewright.store.augmentations import Augmentations, LakeViews
    from rewright.wiring.lake_augmenting import Found

_EARLIER = 500
"""Tables of earlier searches that a search is told of, the newest."""


class Journal(Protocol):
    """What is needed of the store."""

    @property
    def augmentations(self) -> Augmentations: ...

    @property
    def lake_views(self) -> LakeViews: ...


@dataclass(frozen=True, slots=True)
class DropView:
    """``DROP VIEW [IF EXISTS] name, ...``"""

    names: tuple[str, ...]
    missing_ok: bool


class Done:
    """A statement without rows that has been carried out; stands where a running query stands."""

    def __init__(self, notices: Sequence[str] = ()) -> None:
        self.notices = tuple(notices)

    async def fetch(self, rows: int, encode: Encode) -> Portion:
        """No rows."""
        del rows, encode
        return Portion(0, b"", ended=True)

    def close(self) -> None:
        """There is nothing to close."""


def dropped_views(text: str) -> DropView | None:
    """None: the text drops no views, or more than views."""
    # most statements are none: parsing each would cost more than this look
    if "drop" not in text.lower():
        return None
    try:
        statements = parse(text)
    except (PglastError, TooDeep):
        return None
    statement = statements[0].stmt if len(statements) == 1 else None
    if not isinstance(statement, ast.DropStmt) or statement.removeType != ObjectType.OBJECT_VIEW:
        return None
    objects: Sequence[Any] = statement.objects or ()
    # CASCADE would drop what PostgreSQL knows of and we do not; s.v names a schema that a lake has not
    if statement.behavior == DropBehavior.DROP_CASCADE or any(len(one) > 1 for one in objects):
        return None
    return DropView(tuple(str(one[0].sval) for one in objects), bool(statement.missing_ok))


def views_in(text: str, views: Mapping[str, str]) -> dict[str, str]:
    """Those of the views that a text may name."""
    if not views:
        return {}
    try:
        # by tokens, so that a name in a literal or comment is none
        tokens = scan(text)
    except PglastError:
        return {}
    # a word too many is only bound, never run
    words = {text[token.start : token.end + 1].strip('"').lower() for token in tokens}
    return {name: definition for name, definition in views.items() if name in words}


def relation_in(text: str, some: Collection[str]) -> str | None:
    """A relation that a text reads, whose name is one of some (in lower case)."""
    if not some:
        return None
    try:
        nodes = [node for statement in parse(text) for node in nodes_of(statement)]
    except (PglastError, TooDeep):
        return None
    # a CTE of that name hides the view
    ctes = {str(node.ctename) for node in nodes if isinstance(node, ast.CommonTableExpr)}
    read = (str(n.relname) for n in nodes if isinstance(n, ast.RangeVar) and not n.schemaname)
    return next((name for name in read if name.lower() in some and name not in ctes), None)


def with_views(made: Words | Plan, views: Mapping[str, str]) -> Words | Plan:
    """A translated statement with the views that it names."""
    if not views:
        return made
    if isinstance(made, Words):
        return Words(cleaned(views, made.sql))
    return replace(made, fetches=tuple(replace(one, query=cleaned(views, one.query)) for one in made.fetches))


class KeptViews:
    """Views and searches of one lake in the store. Blocks; raises SqlError."""

    def __init__(self, database: str, journal: Journal | None) -> None:
        self._database = database
        self._journal = journal

    def of(self, role: str) -> Mapping[str, str]:
        return self.both(role)[0]

    def both(self, role: str) -> tuple[Mapping[str, str], frozenset[str]]:
        """The role's views, and the names of those that it has dropped, which mean nothing else since."""
        if self._journal is None:
            return {}, frozenset()
        try:
            return self._journal.lake_views.both(self._database, role)
        # a store that is away must not keep queries from running
        except StoreError:
            return {}, frozenset()

    def drop(self, role: str, drop: DropView) -> Done:
        views = self.of(role)
        # all are looked at before any is dropped
        missing = [name for name in drop.names if name.lower() not in views]
        if missing and not drop.missing_ok:
            raise SqlError("42P01", f'view "{missing[0]}" does not exist')
        try:
            for name in drop.names:
                if name not in missing and self._journal is not None:
                    self._journal.lake_views.drop(self._database, role, name)
        except StoreError as error:
            # what is wrong names files of the machine, or where the store's server is
            raise SqlError("58030", "the store of Rewright cannot be written") from error
        return Done([f'view "{name}" does not exist, skipping' for name in missing])

    def earlier(self, role: str) -> tuple[Helped, ...]:
        """What helped in this role's earlier searches."""
        return () if self._journal is None else KeptSearches(self._database, role, self._journal).earlier()

    def keep(self, role: str, found: Found, view: str) -> None:
        """What a search found, and the view that was asked for. Only the view's loss is the client's
        business.
        """
        if self._journal is None:
            if view:
                raise SqlError("0A000", "views over a lake need a store")
            return
        KeptSearches(self._database, role, self._journal).keep(found.helped)
        if view:
            self._keep_view(role, view, found.sql)

    def _keep_view(self, role: str, view: str, definition: str) -> None:
        assert self._journal is not None
        try:
            self._journal.lake_views.put(self._database, role, view, definition)
        except LiteralsForbidden as error:
            raise SqlError("0A000", str(error)) from error
        except StoreError as error:
            # what is wrong names files of the machine, or where the store's server is
            raise SqlError("58030", "the store of Rewright cannot be written") from error


class KeptSearches:
    """What one role's searches over one lake found, in the store. Blocks; what cannot be read or written is
    done without.
    """

    def __init__(self, database: str, role: str, journal: Journal) -> None:
        self._database = database
        self._role = role
        self._journal = journal

    def earlier(self) -> tuple[Helped, ...]:
        """The newest first."""
        from rewright.lake.augment.history import Helped

        try:
            found = self._journal.augmentations.read(database=self._database, role=self._role, limit=_EARLIER)
        except StoreError:
            return ()
        kept = {name for name in Helped.__slots__ if name != "table"}
        return tuple(Helped(table=one.added, **{name: getattr(one, name) for name in kept}) for one in found)

    def keep(self, helped: Sequence[Helped]) -> None:
        with suppress(StoreError):
            self._journal.augmentations.add([self._record(one) for one in helped])

    def _record(self, one: Helped) -> Augmentation:
        told = asdict(one)
        return Augmentation(self._database, self._role, added=told.pop("table"), **told)
