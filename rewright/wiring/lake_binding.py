"""Binding a lake's statements: as written where they bind, else resolved; parameter types and names as
PostgreSQL says.

Owns what is asked of an opened lake and of the shadow for one statement. It blocks, for as long as the
statement makes it: it is run in a process that can be killed (``rewright.processes.lake_runner``), or in a
thread where Spark runs the queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.engines.duckdb.database import Rows
from rewright.engines.duckdb.dialect.catalog import Analysed, Analyser, Refused
from rewright.engines.duckdb.dialect.plans import Plan
from rewright.engines.duckdb.dialect.translating import Words
from rewright.engines.duckdb.errors import LakeError, NotResolved
from rewright.engines.duckdb.pgtypes import pg_type
from rewright.engines.duckdb.quoting import quoted
from rewright.lake.resolve.letters import as_letters, may_compare
from rewright.lake.resolve.resolution import OwnWords
from rewright.lake.resolve.words_kept import NotRestored
from rewright.proxy.duckdb_backend.ports import PLACE, Prepared
from rewright.proxy.ports import ResultColumn, SqlError
from rewright.store.records import Resolution
from rewright.wiring.lake_augmenting import is_augment, prepared_augmentation
from rewright.wiring.lake_explaining import explained_text, explaining
from rewright.wiring.lake_reading import read
from rewright.wiring.lake_resolved import (
    cleaned,
    cleaning,
    is_plain,
    is_unknown,
    names_without_table,
    split_cleaning,
)
from rewright.wiring.lake_rows import first_line
from rewright.wiring.lake_shadow import Shadow
from rewright.wiring.lake_spelling import as_spelled
from rewright.wiring.lake_typing import of_floats, with_numerics
from rewright.wiring.lake_views import relation_in, views_in, with_views

# 0: not declared; 705: unknown
_UNKNOWN_TYPES = frozenset({0, 705})
TEXT = 25
# MaxTupleAttributeNumber (htup_details.h)
_MOST_COLUMNS = 1664
_MOST_CASTS = 6
"""Different calls of one query whose floats are read as numerics."""
# no table, no column, no function, no such value: what a resolution may find
_RESOLVABLE = frozenset({"42P01", "42703", "42883", "22P02"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement to bind, and what of its session's settings matters."""

    text: str
    param_types: tuple[int, ...]
    resolve: bool
    confidence: float
    views: Mapping[str, str] = field(default_factory=dict)
    """Views that the session's role made over the lake, by name in lower case."""
    dropped: frozenset[str] = frozenset()
    """Names of such views that it has dropped."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A statement that binds; ``resolved``: how, where names had to be found for it (database and role are
    left open).
    """

    prepared: Prepared
    resolved: Resolution | None = None
    answer: Any = None
    """The lake's own resolution, for EXPLAIN."""


class Binding:
    """One opened lake and its shadow; one statement at a time.

    ``translates``: statements are written in DuckDB's dialect as PostgreSQL analyses them; otherwise they are
    taken as DuckDB reads them.
    """

    def __init__(self, lake: Any, shadow: Shadow, *, translates: bool = True) -> None:
        self.lake = lake
        self._shadow = shadow
        self._translates = translates and bool(shadow.dsn)
        self._accepted: set[int] = set()

    def bind(self, asked: Asked) -> Bound:
        """Raises SqlError."""
        try:
            if is_augment(asked.text):
                return Bound(prepared_augmentation(self.lake, asked.text, asked.views))
            # EXPLAIN is bound as what it explains
            explained = explained_text(asked.text) if self._translates else None
            if explained is not None:
                inner = self._bind(replace(asked, text=explained.text))
                return Bound(explaining(explained, inner.prepared, inner.answer), None)
            return self._bind(asked)
        except LakeError as error:
            # the first line: DuckDB's further ones show the text and a place in it
            raise SqlError(error.sqlstate, first_line(str(error)), hint=error.hint) from error

    def _bind(self, asked: Asked) -> Bound:
        if not self._translates:
            return self._as_duckdb_reads(asked)
        # rewright.mode = resolve asks for it; parameters have no values to try
        named = relation_in(asked.text, asked.views) is not None
        if asked.resolve and not named and not asked.param_types and not parameters_in(asked.text):
            return self._resolved(asked)
        declared = asked.param_types
        views = views_in(asked.text, asked.views)
        with self._shadow.asked(self._columns(views)) as (analyser, translator):
            text = asked.text
            found = analyser.analyse(text, declared)
            if isinstance(found, Refused) and found.sqlstate in _RESOLVABLE:
                spelled = as_spelled(text, self.lake.index)
                again = analyser.analyse(spelled, declared) if spelled != text else found
                if isinstance(again, Analysed):
                    text, found = spelled, again
            if isinstance(found, Analysed):
                # types that were declared and those inferred: unknown ones become text
                types = _settled(declared, found.parameters)
                if types != found.parameters:
                    found = analyser.analyse(text, types)
            if isinstance(found, Analysed):
                made = with_views(translator.translate(text, found), views)
                return self._prepared(made, found, analyser.catalog.types, self._letters(text))
            # inside of the session: functions of the catalog tell a wrong name from a wrong type
            unknown = is_unknown(found, analyser.catalog)
        return self._otherwise(asked, found, may_resolve=unknown)

    def _letters(self, text: str) -> tuple[str, ...]:
        """What is told of a query as written whose texts that are numbers or days are compared as texts."""
        index = self.lake.index
        return tuple(as_letters(index, self.lake.resolver.parse, text)) if may_compare(index, text) else ()

    def _otherwise(self, asked: Asked, refused: Refused, *, may_resolve: bool) -> Bound:
        """A text that PostgreSQL does not take as it is: DuckDB's own statements, names that do not exist, or
        an error.
        """
        # PostgreSQL's grammar does not know it: DuckDB's own syntax
        if refused.sqlstate == "42601" and self._is_duckdbs(asked.text):
            return self._as_duckdb_reads(asked)
        if refused.sqlstate == "0A000" and refused.message.startswith("cross-database"):
            # app.books.entries: PostgreSQL has no tables of three names to analyse
            if is_plain(asked.text):
                return self._as_duckdb_reads(asked)
            raise SqlError(
                "0A000",
                "expressions over tables of a database beside the lake are served for its schema public only",
            )
        if may_resolve and not asked.param_types and not parameters_in(asked.text):
            try:
                return self._resolved(asked)
            except NotResolved as error:
                # what does not exist, as PostgreSQL names it: a table, a column
                raise LakeError(str(error), hint=error.hint, sqlstate=refused.sqlstate) from error
        if refused.sqlstate == "42P01" and self._is_duckdbs(asked.text):
            # a view that a person accepted is no table of the shadow
            return self._as_duckdb_reads(asked)
        raise SqlError(refused.sqlstate, refused.message, hint=refused.hint)

    def _is_duckdbs(self, text: str) -> bool:
        """Does PostgreSQL's grammar not know the statement, and DuckDB's does?"""
        try:
            self.lake.database.describe(text)
        except LakeError as error:
            # anything but a syntax error, or a name that does not exist, is DuckDB's to say
            return error.sqlstate not in {"42601", *_RESOLVABLE}
        return True

    def _prepared(
        self, made: Words | Plan, found: Analysed, types: Mapping[int, str], notices: tuple[str, ...] = ()
    ) -> Bound:
        if len(found.columns) > _MOST_COLUMNS:
            raise SqlError("54011", f"target lists can have at most {_MOST_COLUMNS} entries")
        columns = tuple(ResultColumn(one.name, one.oid, one.typmod) for one in found.columns)
        shape = shape_of([(one.name, types.get(one.oid, "text")) for one in found.columns])
        query: object = made
        if isinstance(made, Words):
            # what does not bind here is a fault of ours, told loudly
            # NULLs in the place of parameters: DuckDB infers nothing then
            self.lake.database.describe(typed(made.sql, found.parameters, null=True))
            query = made.sql
        # rows are copied to PostgreSQL: worth a notice, since it costs
        elif made.copied:
            notices = (*notices, made.told())
        return Bound(Prepared(found.parameters, columns, query, notices, shape))

    # --- resolutions ----------------------------------------------------------------------------------

    def _require_there(self, asked: Asked) -> None:
        """Whoever names a view after it was dropped means no table of a name like it. Raises LakeError."""
        name = relation_in(asked.text, asked.dropped)
        if name is not None and self.lake.index.table(name) is None:
            raise LakeError(
                f'relation "{name}" does not exist', sqlstate="42P01", hint="A view of that name was dropped."
            )

    def _resolved(self, asked: Asked) -> Bound:
        self._require_there(asked)
        self.lake.resolver.run_own = self._run_own
        answer = self.lake.query(
            asked.text, "resolve" if asked.resolve else "bind", threshold=asked.confidence, limit=1
        )
        resolution = answer.resolution
        if answer.rows is None and any(column.real_column is None for column in resolution.columns):
            # asked for at any confidence, and yet there is nothing to run
            raise NotResolved("; ".join(resolution.doubts) or resolution.error, hint=resolution.hint())
        # what was only bound is nothing to remember
        record = _record(resolution) if resolution.kind == "resolved" else None
        is_news = resolution.kind != "bound" or resolution.doubts or asked.resolve
        notices = (_one_line(resolution.notice()),) if is_news else ()
        bound = self._in_postgresqls_words(
            self._own_words(asked.text, resolution),
            notices,
            types_left_open=asked.resolve or _found(resolution),
        )
        return replace(bound, resolved=record, answer=resolution)

    def _run_own(self, own: OwnWords, limit: int | None) -> Rows:
        """Rows of a candidate that only PostgreSQL's words can say."""
        try:
            prepared = self._in_postgresqls_words(own, (), types_left_open=True).prepared
        except SqlError as error:
            raise LakeError(error.message, sqlstate=error.sqlstate) from error
        return read(self.lake, self._shadow.dsn, prepared.query, prepared.columns, limit)

    def _own_words(self, text: str, resolution: Any) -> OwnWords:
        """What is to be run, in PostgreSQL's dialect. Raises NotRestored."""
        match resolution.own:
            case OwnWords() as own:
                return own
            case NotRestored() as refused:
                raise refused
        # a query as it was written, or one that a model wrote
        if resolution.kind == "bound":
            return OwnWords(as_spelled(text, self.lake.index))
        ctes, rest = split_cleaning(resolution.sql)
        return OwnWords(rest, tuple(ctes.items()))

    def _columns(self, views: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
        """The columns of views with their types as PostgreSQL has them."""
        found = {}
        for name, definition in views.items():
            described = self.lake.database.describe(definition)
            found[name] = [(column, pg_type(type_).sql) for column, type_ in described]
        return found

    def _in_postgresqls_words(
        self, own: OwnWords, notices: tuple[str, ...], *, types_left_open: bool
    ) -> Bound:
        """A resolved query: the CTEs that clean are the lake's own, what the client wrote means what
        PostgreSQL says. ``types_left_open``: whoever wrote it did not name the columns, and so not their
        types.
        """
        made_by_us, rest = dict(own.ctes), own.text
        database = self.lake.database
        standing = {}
        for name in dict.fromkeys([*made_by_us, *names_without_table(rest, database)]):
            # described with the cleaning before it
            described = database.describe(cleaning(made_by_us) + f"SELECT * FROM {quoted(name)}")
            standing[name] = [(column, pg_type(type_).sql) for column, type_ in described]
        with self._shadow.asked(standing) as (analyser, translator):
            found = analyser.analyse(rest)
            if types_left_open:
                rest, found, cast = self._of_numerics(analyser, rest, found)
                notices = (*notices, f"read as numeric: {'; '.join(cast)}") if cast else notices
            elif isinstance(found, Refused):
                # these are the client's own names, and so is what PostgreSQL has against them
                raise SqlError(found.sqlstate, found.message, hint=found.hint)
            if isinstance(found, Refused):
                raise SqlError(
                    "0A000",
                    f"the resolved query is not served on a lake: {found.message}",
                    hint=f"SQL: {rest}",
                )
            made = translator.translate(rest, found)
            types = analyser.catalog.types
        if isinstance(made, Words):
            made = Words(cleaned(made_by_us, made.sql))
        else:
            made = replace(
                # each fetch reads cleaned tables, too
                made,
                fetches=tuple(replace(f, query=cleaned(made_by_us, f.query)) for f in made.fetches),
            )
        return self._prepared(made, found, types, notices)

    @staticmethod
    def _of_numerics(
        analyser: Analyser, text: str, found: Analysed | Refused
    ) -> tuple[str, Analysed | Refused, tuple[str, ...]]:
        """A text that calls of floats what PostgreSQL has of numerics alone, with these operands as numerics;
        how it is read then, and which calls they are. As it was where that does not help.
        """
        told: list[str] = []
        first = text, found
        for _ in range(_MOST_CASTS):
            if not isinstance(found, Refused) or found.sqlstate != "42883" or not of_floats(found.message):
                break
            cast = with_numerics(text, found.message)
            if cast == text:
                break
            told.append(found.message.removeprefix("function ").removesuffix(" does not exist"))
            text, found = cast, analyser.analyse(cast)
        return (text, found, tuple(told)) if isinstance(found, Analysed) else (*first, ())

    # --- without translation --------------------------------------------------------------------------

    def _as_duckdb_reads(self, asked: Asked) -> Bound:
        lake, text = self.lake, asked.text
        seen = self._described(text, asked.param_types)
        count = max(parameters_in(text), default=0)
        known = seen.parameters if seen is not None else ()
        types = _settled(asked.param_types, (*known, *(0 for _ in range(count - len(known)))))
        names = tuple(one.name for one in seen.columns) if seen is not None else ()
        resolve = asked.resolve and not types
        # resolving tries candidates, for which parameters have no values
        if not resolve:
            try:
                columns = lake.database.describe(lake._native(typed(text, types, null=True)))
                native = lake._native(typed(text, types))
                shape = shape_of(_named(columns, names))
                return Bound(Prepared(types, described(columns, names), native, shape=shape))
            except LakeError as error:
                # with parameters, or another error: nothing a resolution could mend
                if types or error.sqlstate not in _RESOLVABLE:
                    raise
        self._require_there(asked)
        answer = lake.query(text, "resolve" if resolve else "bind", threshold=asked.confidence, limit=1)
        resolution = answer.resolution
        columns = lake.database.describe(resolution.sql)
        prepared = Prepared(
            (), described(columns, ()), resolution.sql, (resolution.notice(),), shape_of(_named(columns))
        )
        return Bound(prepared, _record(resolution) if resolution.kind == "resolved" else None)

    def _described(self, text: str, declared: tuple[int, ...]) -> Analysed | None:
        if not self._shadow.dsn:
            return None
        with self._shadow.asked() as (analyser, _):
            found = analyser.analyse(text, declared)
        return found if isinstance(found, Analysed) else None

    def accept(self, accepted: Sequence[Resolution]) -> None:
        """Make views of resolutions that a person accepted: later queries bind at once."""
        for one in accepted:
            if one.id not in self._accepted:
                self._accepted.add(one.id)
                _accept(self.lake, one)


def _one_line(text: str) -> str:
    return "; ".join(line for line in text.splitlines() if line and not line.startswith("SQL: "))


def _found(resolution: Any) -> bool:
    """Did anything have to be found for a query: another name, a value cleaned?"""
    return bool(
        resolution.cleaned
        or any(real != (table,) for table, real in resolution.tables.items())
        or any(m.real_column != m.column for m in resolution.columns)
    )


def _record(resolution: Any) -> Resolution:
    return Resolution(
        database="",
        query=resolution.query,
        resolved=resolution.sql,
        mapping=resolution.to_json(),
        confidence=resolution.confidence,
        role="",
    )


def _accept(lake: Any, accepted: Resolution) -> None:
    """Resolve the query again and keep it if it comes out as it was when a person said yes."""
    try:
        again = lake.query(accepted.query, limit=1).resolution
        # the lake may have changed since a person said yes
        if again.sql == accepted.resolved:
            lake.accept(again)
    except LakeError:
        return


def _settled(declared: tuple[int, ...], inferred: tuple[int, ...]) -> tuple[int, ...]:
    """The types of $1 …: as declared, else as PostgreSQL infers them, else text."""
    count = max(len(declared), len(inferred))
    told = zip(
        (*declared, *(0,) * (count - len(declared))),
        (*inferred, *(0,) * (count - len(inferred))),
        strict=True,
    )
    return tuple(next((oid for oid in pair if oid not in _UNKNOWN_TYPES), TEXT) for pair in told)


def parameters_in(text: str) -> list[int]:
    """The numbers of $1, $2, … in a text."""
    return [number for _, _, number in _parameters(text)]


def _parameters(text: str) -> list[tuple[int, int, int]]:
    if "$" not in text:
        return []
    try:
        tokens = scan(text)
    # a text that does not scan is refused by the parser
    except PglastError:
        return []
    return [
        (token.start, token.end + 1, int(text[token.start + 1 : token.end + 1]))
        for token in tokens
        if token.name == "PARAM"
    ]


def typed(text: str, types: tuple[int, ...], *, null: bool = False) -> str:
    """The text with each parameter cast to its DuckDB type (or, ``null``, replaced by a NULL of it)."""
    from rewright.engines.duckdb.pgtypes import PARAMETER_TYPES

    # from the end, so that places before stay valid
    for start, end, number in reversed(_parameters(text)):
        type_ = PARAMETER_TYPES.get(types[number - 1], "VARCHAR")
        value = "NULL" if null else text[start:end]
        text = f"{text[:start]}CAST({value} AS {type_}){text[end:]}"
    return text


def described(columns: Sequence[tuple[str, str]], names: tuple[str, ...]) -> tuple[ResultColumn, ...]:
    """DuckDB's description as PostgreSQL's; ``names`` as PostgreSQL would give them (count, not
    count_star()).
    """
    # as PostgreSQL names output columns, where it could analyse the text
    if len(names) == len(columns):
        columns = [(name, type_) for name, (_, type_) in zip(names, columns, strict=True)]
    if len(columns) > _MOST_COLUMNS:
        raise SqlError("54011", f"target lists can have at most {_MOST_COLUMNS} entries")
    found = [(name, pg_type(type_)) for name, type_ in columns]
    return tuple(ResultColumn(name, type_.oid, type_.typmod) for name, type_ in found)


def _named(columns: Sequence[tuple[str, str]], names: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """DuckDB's columns with PostgreSQL's types."""
    if len(names) != len(columns):
        names = tuple(name for name, _ in columns)
    return [(name, pg_type(type_).sql) for name, (_, type_) in zip(names, columns, strict=True)]


def shape_of(columns: Sequence[tuple[str, str]]) -> str:
    """A query for PostgreSQL with these columns; reading from it fails (the condition cannot be folded: it
    needs a row).
    """
    listed = ", ".join(f"NULL::{type_} AS {quoted(name or '?column?')}" for name, type_ in columns)
    # current_setting of a name that depends on a row is not folded while planning
    unfoldable = "pg_catalog.current_setting('rewright.lake_row_' || oid)"
    return f"SELECT {listed} FROM pg_catalog.pg_class WHERE {unfoldable} = '{PLACE}'"
