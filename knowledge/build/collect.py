"""Collecting: Stack Exchange dumps, documents, folders of before and after, a store's approved rewrites.

Everything is streamed; a source that is unchanged since it was read whole is not read again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from defusedxml.ElementTree import iterparse

from rewright.knowledge.build.build_state import BuildState, Pair
from rewright.knowledge.build.text import Body, from_html, from_markdown, statements_in

BATCH = 2000
# bytes of one text: a longer document is a dump of data
MAX_FILE = 50_000_000
Progress = Callable[[int], None]


class NoSource(ValueError):
    """The source is nothing that can be read."""


def collect(source: str, build: BuildState, progress: Progress = lambda _n: None) -> None:
    """Read one source into the state of the build.

    A folder holding ``Posts.xml`` (or that file) is a Stack Exchange dump; a folder with ``*.before.sql`` is
    a set of pairs; other folders and files are documents (Markdown, HTML). Raises NoSource.
    """
    path = Path(source)
    # the folder of a dump, or its file
    if path.is_dir() and (path / "Posts.xml").exists():
        path = path / "Posts.xml"
    if path.name.lower().endswith(".xml") and path.is_file():
        _once(build, path, lambda: _dump(path, build, progress))
        _pair_up(build)
    elif path.is_dir() and any(path.glob("*.before.sql")):
        _folder_of_pairs(path, build)
    elif path.is_dir():
        for file in sorted(p for p in path.rglob("*") if p.suffix.lower() in {".md", ".html", ".htm"}):
            _once(build, file, lambda file=file: _document(file, build))  # type: ignore[misc] # mypy cannot infer a lambda with a default
            progress(1)
    elif path.is_file():
        _once(build, path, lambda: _document(path, build))
    else:
        raise NoSource(f"no such file or folder: {source}")


def _once(build: BuildState, path: Path, read: Callable[[], None]) -> None:
    status = path.stat()
    stamp = f"{status.st_size}:{status.st_mtime_ns}"
    if not build.done(str(path), stamp):
        # by size and time: a dump is gigabytes
        read()
        build.finish(str(path), stamp)


# --------------------------------------------------------------------------- Stack Exchange


def _dump(path: Path, build: BuildState, progress: Progress) -> None:
    """Rows of Posts.xml by batches; each element is dropped when it has been read, so memory stays flat."""
    batch = []
    for row in _rows(path):
        batch.append(row)
        if len(batch) >= BATCH:
            build.add_posts(batch)
            progress(len(batch))
            batch = []
    build.add_posts(batch)
    progress(len(batch))


def _rows(path: Path) -> Iterator[tuple[int, int, int, int, int, str, str]]:
    root = None
    # DTDs could expand to anything
    for event, element in iterparse(path, events=("start", "end"), forbid_dtd=True):
        if root is None:
            root = element
        if event != "end" or element.tag != "row":
            continue
        get = element.attrib.get
        try:
            row = (
                int(get("Id", "0")),
                int(get("PostTypeId", "0")),
                int(get("ParentId", "0") or 0),
                int(get("AcceptedAnswerId", "0") or 0),
                int(get("Score", "0") or 0),
                str(get("Title", ""))[:500],
                str(get("Body", ""))[:MAX_FILE],
            )
        except ValueError:
            row = None
        # questions and answers alone, and only with code in them
        if row is not None and row[0] and row[1] in {1, 2} and "<code>" in row[6]:
            yield row
        # the root would collect all rows
        root.clear()


def _pair_up(build: BuildState) -> None:
    """Each question's last SELECT with each SELECT of its answers."""
    for question, answers in build.threads():
        asked = from_html(question[6])
        before = statements_in(asked.blocks)
        # without SQL in the question there is nothing to compare
        if not before.selects:
            continue
        for answer in answers:
            told = from_html(answer[6])
            after = statements_in(told.blocks)
            for sql in after.selects:
                # quoted from the question, it is no rewrite
                if sql not in before.selects:
                    ddl = ";\n".join(filter(None, (before.ddl, after.ddl)))
                    pair = Pair(
                        id=_identity(before.selects[-1], sql),
                        title=question[5] or asked.prose[:80],
                        question=asked.prose[:2000],
                        answer=told.prose[:2000],
                        before=before.selects[-1],
                        after=sql,
                        ddl=ddl,
                        source=f"question {question[0]}, answer {answer[0]}",
                        score=answer[4],
                        accepted=answer[0] == question[3],
                        rivals=sum(1 for other in answers if other[4] > answer[4]),
                    )
                    build.add_pair(pair)


# --------------------------------------------------------------------------- documents and folders

_INSTEAD = re.compile(
    r"\b(instead of|rather than|rewrite|rewritten|faster|slow|better|before|after|equivalent)\b",
    re.IGNORECASE,
)


def _document(path: Path, build: BuildState) -> None:
    """Passages for enrichment; and neighbouring SELECTs of a passage that speaks of
    one instead of the other.
    """
    if path.stat().st_size > MAX_FILE:
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    html = path.suffix.lower() in {".html", ".htm"}
    passages = []
    for title, part in _sections(text, html=html):
        body = from_html(part) if html else from_markdown(part)
        if body.prose:
            passages.append((title, body.prose[:2000]))
        for pair in _neighbours(path, title, body):
            build.add_pair(pair)
    build.add_passages(str(path), passages)


def _sections(text: str, *, html: bool) -> Iterator[tuple[str, str]]:
    pattern = r"(?i)<h[1-4][^>]*>(.*?)</h[1-4]>" if html else r"(?m)^#{1,4}\s+(.*)$"
    parts = re.split(pattern, text)
    yield "", parts[0]
    for title, part in zip(parts[1::2], parts[2::2], strict=True):
        yield re.sub(r"<[^>]*>", "", title).strip()[:200], part


def _neighbours(path: Path, title: str, body: Body) -> Iterator[Pair]:
    found = statements_in(body.blocks)
    # two queries beside each other are a rewrite only where the text says so
    if len(found.selects) < 2 or not _INSTEAD.search(body.prose):
        return
    for before, after in zip(found.selects, found.selects[1:], strict=False):
        yield Pair(
            id=_identity(before, after),
            title=title or path.stem,
            question=body.prose[:1000],
            answer=body.prose[:2000],
            before=before,
            after=after,
            ddl=found.ddl,
            source=f"{path.name}: {title}",
            score=5,
        )


def _folder_of_pairs(path: Path, build: BuildState) -> None:
    """``name.before.sql`` and ``name.after.sql``; ``name.schema.sql`` or ``schema.sql`` beside them."""
    for first in sorted(path.glob("*.before.sql")):
        name = first.name.removesuffix(".before.sql")
        second = path / f"{name}.after.sql"
        if not second.exists():
            continue
        schema = next((s for s in (path / f"{name}.schema.sql", path / "schema.sql") if s.exists()), None)
        before, after = (
            f.read_text(encoding="utf-8", errors="replace").strip().rstrip(";") for f in (first, second)
        )
        build.add_pair(
            Pair(
                id=_identity(before, after),
                title=name.replace("_", " ").replace("-", " "),
                question=f"{name}: the query as it was",
                answer=f"{name}: the query as it was rewritten",
                before=before,
                after=after,
                ddl=schema.read_text(encoding="utf-8", errors="replace") if schema else "",
                source=f"{path.name}/{name}",
                score=10,
                accepted=True,
            )
        )


def _identity(before: str, after: str) -> str:
    return hashlib.sha256(f"{before}\0{after}".encode()).hexdigest()[:16]
