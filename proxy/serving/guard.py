"""The guard: one statement run in the client's own session that says whether a replacement may run there.

Owns its SQL, its arguments and how its row is judged; also the SQL with which the optimiser captures the digest
that the guard compares. It never raises: names are resolved by joins over the effective search path, not by
to_regclass, which fails on a schema the role may not use. Catalogs are read with the transaction's own snapshot,
so an older snapshot, own uncommitted DDL and temporary tables are seen as the query itself would see them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rewright.proxy.ports import Guard, RelationName
from rewright.proxy.wire.framing import ProtocolViolation

_TEXT_ARRAY, _OID_ARRAY = 1009, 1028
PARAM_TYPES = (_TEXT_ARRAY, _TEXT_ARRAY, _OID_ARRAY, _TEXT_ARRAY, _TEXT_ARRAY)

# What a proof may rest on, as text, one line a fact. xmin only where nothing but a redefinition moves it much.
_FACTS = """
  select 'r ' || concat_ws(' ', c.oid, c.relkind, c.relpersistence, c.relrowsecurity, c.relhassubclass) as fact
    from pg_catalog.pg_class c where c.oid = any ({relations})
  union all
  select 'a ' || concat_ws(' ', a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod, a.attnotnull,
                           a.attcollation, a.attgenerated)
    from pg_catalog.pg_attribute a where a.attrelid = any ({relations}) and a.attnum > 0
  union all
  select 'c ' || k::text from pg_catalog.pg_constraint k where k.conrelid = any ({relations})
  union all
  select 'i ' || i::text from pg_catalog.pg_index i where i.indrelid = any ({relations}) and i.indisunique
  union all
  select 'v ' || concat_ws(' ', w.ev_class, w.ev_type, pg_catalog.md5(w.ev_action::text))
    from pg_catalog.pg_rewrite w where w.ev_class = any ({relations})
  union all
  select 'f ' || concat_ws(' ', p.oid, p.xmin) from pg_catalog.pg_proc p
   where p.proname = any ({functions}) and p.pronamespace <> 11
  union all
  select 'o ' || concat_ws(' ', o.oid, o.xmin) from pg_catalog.pg_operator o
   where o.oprname = any ({operators}) and o.oprnamespace <> 11
"""

_DIGEST = "pg_catalog.md5(coalesce((select pg_catalog.string_agg(fact, e'\\n' order by fact collate \"C\") from ({facts}) as facts), ''))"

_GUARD = """
select {settings}
  current_user, session_user, pg_catalog.current_setting('role'),
  pg_catalog.current_schemas(true)::text[],
  pg_catalog.current_setting('standard_conforming_strings'),
  pg_catalog.current_setting('transform_null_equals'),
  (select pg_catalog.array_agg(
            (select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
              where c.relname = w.name
                and case when w.schema = '' then n.nspname = any (pg_catalog.current_schemas(true))
                         else n.nspname = w.schema end
              order by pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname) limit 1)
            order by w.place)
     from unnest($1, $2) with ordinality as w (schema, name, place)),
  exists (select from pg_catalog.pg_class c where c.oid = any ($3) and c.relrowsecurity),
  exists (select from pg_catalog.pg_class c where c.oid = any ($3) and c.relpersistence = 't'),
  (select pg_catalog.bool_and(pg_catalog.has_table_privilege(r, 'select')) from unnest($3) as r),
  {digest}
"""

_FIXED_COLUMNS = 11


def guard_sql(settings: Sequence[str]) -> str:
    """The guard statement; its first columns are the named ``rewright.*`` settings, unset ones NULL."""
    columns = "".join(f"pg_catalog.current_setting('rewright.{name}', true), " for name in settings)
    return _GUARD.format(settings=columns, digest=_digest("$3", "$4", "$5"))


def _digest(relations: str, functions: str, operators: str) -> str:
    facts = _FACTS.format(relations=relations, functions=functions, operators=operators)
    return _DIGEST.format(facts=facts)


def capture_sql(guard: Guard) -> str:
    """A query whose one value is ``Guard.digest``: to be run in the transaction that read the catalog."""
    relations = f"'{_array(str(oid) for oid in _oids(guard))}'::oid[]"
    return "select " + _digest(relations, _text_array(guard.functions), _text_array(guard.operators))


def _text_array(items: Iterable[str]) -> str:
    return "e'" + _array(items).replace("\\", "\\\\").replace("'", "\\'") + "'::text[]"


def arguments(guard: Guard) -> tuple[bytes, ...]:
    """Values for the guard's parameters, in text format."""
    names = [split_name(relation.name) for relation in guard.relations]
    return tuple(
        text.encode()
        for text in (
            _array(schema for schema, _ in names),
            _array(name for _, name in names),
            _array(str(oid) for oid in _oids(guard)),
            _array(guard.functions),
            _array(guard.operators),
        )
    )


def _oids(guard: Guard) -> tuple[int, ...]:
    return tuple(dict.fromkeys([r.oid for r in guard.relations] + list(guard.below)))


def oid_array(guard: Guard) -> bytes:
    """The relations of both texts, as a parameter of type oid[]."""
    return _array(str(oid) for oid in _oids(guard)).encode()


def _array(items: Iterable[str]) -> str:
    return "{" + ",".join('"' + i.replace("\\", "\\\\").replace('"', '\\"') + '"' for i in items) + "}"


def split_name(name: str) -> tuple[str, str]:
    """``s1."T"`` -> ("s1", "T"); no schema: "". Unquoted parts fold to lower case."""
    parts: list[str] = []
    rest = name.strip()
    while rest:
        if rest.startswith('"'):
            end = 1
            while (end := rest.index('"', end)) >= 0 and rest[end + 1 : end + 2] == '"':
                end += 2
            parts.append(rest[1:end].replace('""', '"'))
            rest = rest[end + 1 :].lstrip(". ")
        else:
            part, _, rest = rest.partition(".")
            parts.append(part.strip().lower())
            rest = rest.strip()
    schema = parts[-2] if len(parts) > 1 else ""
    return schema, parts[-1] if parts else ""


@dataclass(frozen=True, slots=True)
class GuardRow:
    """The guard's answer. ``settings``: texts in the order asked for, None where unset."""

    settings: tuple[str | None, ...]
    current_user: str
    session_user: str
    role: str
    search_path: str
    standard_strings: str
    null_equals: str
    oids: str
    row_security: str
    temporary: str
    privileges: str
    digest: str

    @classmethod
    def read(cls, values: Sequence[bytes | None], settings: int) -> GuardRow:
        """From the values of the DataRow. Raises ProtocolViolation when there are not as many as asked for."""
        texts = [None if v is None else v.decode("utf-8", "replace") for v in values]
        if len(texts) != settings + _FIXED_COLUMNS:
            raise ProtocolViolation("the guard's row has another shape")
        return cls(tuple(texts[:settings]), *(text or "" for text in texts[settings:]))


def objection(row: GuardRow, guard: Guard, *, in_block: bool) -> str:
    """Why the replacement may not run here; "" when it may. The words are those of ``ServedStatement.reason``.

    ``in_block``: a failing Bind could not be taken back, so table privileges must be plain.
    """
    checks = (
        ("settings", row.standard_strings == "on" and row.null_equals == "off"),
        ("role", row.role == "none"),
        ("temporary", row.temporary == "f"),
        ("names", row.oids == _expected_oids(guard.relations)),
        ("row security", row.row_security == "f"),
        ("search_path", guard.search_path is None or _visible_path(row.search_path) == guard.search_path),
        ("facts", bool(guard.digest) and row.digest == guard.digest),
        ("privileges", not in_block or row.privileges in {"t", ""}),
    )
    return next((reason for reason, holds in checks if not holds), "")


def _expected_oids(relations: Sequence[RelationName]) -> str:
    return "{" + ",".join(str(relation.oid) for relation in relations) + "}" if relations else ""


def _visible_path(text: str) -> tuple[str, ...]:
    """An array of names as text, without the session's temporary schema."""
    return tuple(name for name in parse_array(text) if not name.startswith("pg_temp_"))


def parse_array(text: str) -> tuple[str, ...]:
    """The items of a one-dimensional array's text."""
    items: list[str] = []
    position = 1
    while position < len(text) - 1:
        if text[position] == '"':
            item, position = _quoted_item(text, position + 1)
        else:
            end = text.find(",", position)
            end = len(text) - 1 if end < 0 else end
            item, position = text[position:end], end
        items.append(item)
        position += 1
    return tuple(items)


def _quoted_item(text: str, position: int) -> tuple[str, int]:
    item = []
    while text[position] != '"':
        position += text[position] == "\\"
        item.append(text[position])
        position += 1
    return "".join(item), position + 1
