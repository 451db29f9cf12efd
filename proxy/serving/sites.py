"""SELECTs inside other statements: COPY (SELECT) TO STDOUT, CREATE TABLE AS, INSERT ... SELECT, EXPLAIN.

Owns cutting such a text into what stands before the SELECT, the SELECT, and what stands behind it, and what
must hold of the table that is written. A text is cut by its first words only; that the piece in the middle is
a whole SELECT is known when a rewrite of exactly that text is found. Comments may stand in front, and block
comments behind; within, one could swallow what follows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rewright.sql.own_words import servers_own

Kind: TypeAlias = Literal["copy", "create", "insert", "explain"]

# the first byte of a text that may be one of these, or of blanks before it
FIRST = frozenset(b"cCiIeE \t\r\n/-")
# possessive quantifiers: no text, however long its blanks, is walked over twice
_S, _S1 = rb"\s*+", rb"\s++"
_PART = rb'(?:"(?:[^"\0]|"")++"|[A-Za-z_\x80-\xff][\w$\x80-\xff]*+)'
_NAME = rb"(?P<target>" + _PART + rb"(?:" + _S + rb"\." + _S + _PART + rb"){0,2}+)"
_LIST = _S + _PART + _S
_COLUMNS = rb"(?:" + _S + rb"\(" + _LIST + rb"(?:," + _LIST + rb")*+\))?+"
_SELECT = rb"(?P<select>\(*+" + _S + rb"(?:select|with)\b.*+)"
_HEADS: tuple[tuple[Kind, bytes], ...] = (
    ("copy", rb"copy" + _S + rb"\(" + _S + rb"(?P<select>(?:select|with)\b.*\S)\s*\)\s*to\s+stdout\b[^;]*+"),
    (
        "create",
        rb"create"
        + _S1
        + rb"(?:(?:temp|temporary|unlogged)"
        + _S1
        + rb")?+table"
        + _S1
        + rb"(?:if\s++not\s++exists\s++)?+"
        + _NAME
        + _COLUMNS
        + _S1
        + rb"as\b"
        + _S
        + _SELECT,
    ),
    ("insert", rb"insert" + _S1 + rb"into" + _S1 + _NAME + _COLUMNS + _S + _SELECT),
    (
        "explain",
        rb"explain\b(?:"
        + _S
        + rb"\((?P<options>[^()']*+)\)|\s++analyze\b)?(?:\s++verbose\b)?"
        + _S
        + _SELECT,
    ),
)
_PATTERNS = tuple((kind, re.compile(_S + head + rb"\Z", re.IGNORECASE | re.DOTALL)) for kind, head in _HEADS)
_COMMENT = re.compile(rb"--|/\*")
_BEGINNINGS = frozenset({b"c", b"C", b"i", b"I", b"e", b"E"})
# semicolons and comments that are taken off the end at most
_ENDINGS = 4
_HINT = re.compile(rb"/\*\+")
_LEADING = re.compile(rb"(?:\s++|/\*(?:[^*/]|\*(?!/)|/(?!\*))*+\*/|--[^\n\r]*+)*+")
_FORMAT = re.compile(rb"\bformat\s+(?!text\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Site:
    """``before`` + ``select`` + ``behind`` is the text. ``target``: the table that is written, as spelled.

    ``plain_text``: an EXPLAIN whose lines are for people. ``commented``: it may be another text each time.
    """

    kind: Kind
    before: bytes
    select: bytes
    behind: bytes
    target: str = ""
    plain_text: bool = False
    commented: bool = False

    @property
    def writes(self) -> bool:
        return self.kind in {"create", "insert"}

    def around(self, select: str) -> str:
        """The whole text with another SELECT in it."""
        return f"{self.before.decode()}{select}{self.behind.decode()}"


def find_site(text: bytes) -> Site | None:
    """Cut the text, None for any other statement. Cheap for texts that begin with other words."""
    if not text or text[0] not in FIRST:
        return None
    leading = _LEADING.match(text)
    first = 0 if leading is None else leading.end()
    if text[first : first + 1] not in _BEGINNINGS:
        return None
    last = _end(text)
    for kind, pattern in _PATTERNS:
        found = pattern.match(text, first, last)
        if found is None:
            continue
        start, end = found.span("select")
        if _COMMENT.search(text, first, last) or _HINT.search(text):
            return None
        groups = found.groupdict()
        return Site(
            kind,
            text[:start],
            text[start:end],
            text[end:],
            (groups.get("target") or b"").decode("utf-8", "replace"),
            kind == "explain" and not _FORMAT.search(groups.get("options") or b""),
            _COMMENT.search(text) is not None,
        )
    return None


def _end(text: bytes) -> int:
    """Where the statement ends: before blanks, a semicolon, and comments that end with the text.

    What ends with the end of a comment is one, for no string and no name does; a comment in it is left to be
    found.
    """
    whole = text.rstrip()
    for _ in range(_ENDINGS):
        if whole.endswith(b"*/"):
            whole = whole[: max(whole.rfind(b"/*"), 0)].rstrip()
        elif whole.endswith(b";"):
            whole = whole[:-1].rstrip()
        else:
            break
    return len(whole)


# The one table written to: nothing may run or be counted for each row but constraints, so that the order and
# plan of the SELECT leave no trace. Defaults may be constants and keywords such as CURRENT_TIMESTAMP only.
TARGET_SQL = servers_own("""
select coalesce(pg_catalog.bool_and(
    c.relkind = 'r' and c.relpersistence <> 't' and not c.relrowsecurity and not c.relhasrules
    and not c.relispartition
    and not exists (select from pg_catalog.pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal)
    and not exists (select from pg_catalog.pg_inherits i where i.inhrelid = c.oid or i.inhparent = c.oid)
    and not exists (
      select from pg_catalog.pg_attribute a
      join pg_catalog.pg_type y on y.oid = a.atttypid
      left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and (a.attidentity <> '' or a.attgenerated <> '' or y.typtype = 'd'
             or pg_catalog.strpos(coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), ''), '(') > 0))
  ), false)
from pg_catalog.pg_class c where c.oid = pg_catalog.to_regclass($1)""").encode()
TARGET_TYPES = (25,)

# The columns of a new table take their collations from the SELECT's, which descriptions do not tell.
COLLATION_SQL = servers_own("""
select coalesce(pg_catalog.bool_and(a.attcollation = any (array[0, 100]::oid[])), true)
from pg_catalog.pg_attribute a where a.attrelid = any ($1) and a.attnum > 0""").encode()
COLLATION_TYPES = (1028,)


def names_collation(*texts: str) -> bool:
    """Whether one of the texts chooses a collation itself (or seems to)."""
    return any("collate" in text.lower() or "::name" in text.lower() for text in texts)
