"""SQL and prose out of HTML and Markdown, which may be hostile, broken or enormous.

Only text is taken: no link is followed, no script, style or attribute is looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bs4 import BeautifulSoup
from pglast import ast
from pglast.error import Error as PglastError
from pglast.stream import RawStream

from rewright.sql.parsing import TooDeep, parse

MAX_BODY = 200_000
_FENCE = re.compile(r"^(```|~~~)[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^(?: {4}|\t)[^\n]*\n?)+", re.MULTILINE)
_PROMPT = re.compile(r"^\s*\w+[=#>-]+[#>]\s?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Body:
    """A post or page: its prose, and its code blocks in order."""

    prose: str
    blocks: tuple[str, ...]


def from_html(html: str) -> Body:
    """Prose and ``<code>``/``<pre>`` blocks of a fragment, at most the first 200,000 characters of it."""
    soup = BeautifulSoup(html[:MAX_BODY], "html.parser")
    for tag in soup(["script", "style", "template", "iframe", "object"]):
        tag.decompose()
    blocks = [
        tag.get_text()
        for tag in soup.find_all(["pre", "code"])
        # <pre><code> is one block
        if tag.name == "pre" or not tag.find_parent("pre")
    ]
    # code is no prose
    for tag in soup.find_all("pre"):
        tag.decompose()
    return Body(" ".join(soup.get_text(" ").split()), tuple(blocks))


def from_markdown(text: str) -> Body:
    text = text[:MAX_BODY]
    blocks = [match[2] for match in _FENCE.finditer(text)]
    # fenced blocks first: they may hold indented lines
    rest = _FENCE.sub(" ", text)
    blocks += [
        re.sub(r"^(?: {4}|\t)", "", match[0], flags=re.MULTILINE) for match in _INDENTED.finditer(rest)
    ]
    prose = re.sub(r"<[^>]*>|[*_`#>|]", " ", _INDENTED.sub(" ", rest))
    return Body(" ".join(prose.split()), tuple(blocks))


@dataclass(frozen=True, slots=True)
class Statements:
    """What SQL a set of code blocks holds: SELECTs, and CREATE TABLEs as one script."""

    selects: tuple[str, ...]
    ddl: str


def statements_in(blocks: tuple[str, ...]) -> Statements:
    """The statements of all blocks that parse; prompts of psql are taken off, other text is passed over."""
    selects: list[str] = []
    tables: list[str] = []
    for block in blocks:
        for statement in _parsed(_PROMPT.sub("", block)):
            if isinstance(statement, ast.SelectStmt):
                selects.append(RawStream()(statement))
            elif isinstance(statement, ast.CreateStmt | ast.IndexStmt):
                tables.append(RawStream()(statement))
    return Statements(tuple(dict.fromkeys(selects)), ";\n".join(dict.fromkeys(tables)))


def _parsed(block: str) -> list[ast.Node]:
    try:
        return [raw.stmt for raw in parse(block)]
    except (PglastError, TooDeep, RecursionError, ValueError):
        return []
