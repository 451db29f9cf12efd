"""Evidence linking: which passages of the user's documents matter to a question (APEX-SQL, section 4.3.4).

Owns the cutting into passages and their choice. A model names passages by number and they are copied here, so
that nothing is ever reworded. A document that is short enough goes along whole. Must not know schemas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rewright.ask.asking import Asking
from rewright.ask.disclosure import Disclosure
from rewright.ask.linker.records import Passages
from rewright.ask.ports import Document
from rewright.ask.quoting import block, quoted
from rewright.ask.subject import Subject, prompt
from rewright.ask.tokens import tokens_of
from rewright.models.api import ModelError

_CHOOSE = (
    "Numbered passages of a document follow (business rules, definitions, codes). Name the numbers of "
    "all that may bear on the "
    "question, however slightly: its things, measures, conditions or terms, and definitions that those "
    "passages rely on. When in "
    "doubt name it; an empty list when nothing bears on it."
)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_HEADING = re.compile(r"#{1,6}\s")
# a passage of more characters is cut, so that one of them cannot fill a prompt
_LONGEST = 4_000
_MOST_TOKENS = 6_000
_BATCH = 8_000


def passages_of(text: str) -> list[str]:
    """Paragraphs, each under the headings it stands under; word for word."""
    found: list[str] = []
    headings: list[str] = []
    for paragraph in _PARAGRAPHS.split(text):
        lines = paragraph.strip("\n").splitlines()
        while lines and _HEADING.match(lines[0]):
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            # a heading ends those of its level and below
            headings = [h for h in headings if len(h) - len(h.lstrip("#")) < level] + [lines.pop(0)]
        body = "\n".join(lines)
        if body.strip():
            # each piece under its headings again, as it is read on its own
            found += ["\n".join([*headings, body[i : i + _LONGEST]]) for i in range(0, len(body), _LONGEST)]
    return found


def link_documents(
    asking: Asking, documents: Sequence[Document], subject: Subject, disclosure: Disclosure
) -> str:
    """The passages that matter, copied; empty where there are none. Values of the database in them are hidden
    as in a question.
    """
    parts = []
    for document in documents:
        text = disclosure.words(document.text) if disclosure.hides else document.text
        kept = _kept(asking, Document(document.name, text), subject)
        if kept:
            parts.append(f"Document {quoted(document.name, 80)}:\n" + block("\n\n".join(kept)))
    return "\n".join(parts)


def _kept(asking: Asking, document: Document, subject: Subject) -> list[str]:
    passages = passages_of(document.text)
    # a short document goes along whole: to choose from it costs more than it
    if tokens_of(document.text) <= asking.settings.document_tokens:
        return passages
    kept: list[str] = []
    for start, end in _batches(passages):
        shown = "\n\n".join(f"[{i}]\n{block(passages[i])}" for i in range(start, end))
        messages = prompt(
            "choose passages", _CHOOSE, f"Document {quoted(document.name, 80)}:\n{shown}", subject.text()
        )
        try:
            # a batch that fails chooses nothing; the other batches still count
            numbers = asking.form("documents", messages, Passages).numbers
        except ModelError:
            continue
        # numbers of other batches were not shown to it
        kept += [passages[i] for i in sorted(set(numbers)) if start <= i < end]
    # the last passages go first: documents begin with what matters most
    while kept and tokens_of("\n\n".join(kept)) > _MOST_TOKENS:
        kept.pop()
    return kept


def _batches(passages: Sequence[str]) -> list[tuple[int, int]]:
    found, start, size = [], 0, 0
    for i, passage in enumerate(passages):
        if size and size + tokens_of(passage) > _BATCH:
            found.append((start, i))
            start, size = i, 0
        size += tokens_of(passage)
    return [*found, (start, len(passages))] if passages else []
