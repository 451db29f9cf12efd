"""Parts of texts: `starts with`, `ends with`, `contains`."""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import (
    AnyOf,
    Column,
    Condition,
    Spelled,
)
from rewright.ask.reading.joins import Unclear

_IN_WHICH = 0.93
_FREE = frozenset(
    {"text", "description", "comment", "comments", "note", "notes", "message", "body", "remarks", "abstract"}
)
"""Names of columns that hold what people write."""


def spellings(draft: Draft) -> None:
    for at, link in enumerate(draft.links):
        if link.mark not in {"starts", "ends", "contains"} or link.used:
            continue
        text = draft.next(at, "quoted", "value", "unknown", "number")
        if text is None:
            # `containing Saaz` in the sense of having it: `contains` joins, other words only spell
            if link.mark == "contains":
                link.mark = "relation"
                continue
            raise Unclear(f"it is not clear what is meant by {link.text}")
        if _holds_a_row(draft, at, text):
            link.mark = "relation"
            continue
        column = _spelled_column(draft, at, draft.links[text].text)
        # pattern signs in what is looked for stand for themselves
        word = draft.links[text].text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        pattern = {"starts": f"{word}%", "ends": f"%{word}", "contains": f"%{word}%"}[link.mark]
        negated = draft.before(at, "not", "without")
        draft.use(at, text, negated)
        condition = Spelled(column, pattern, negated=negated is not None)
        _or_with_last(draft, at, condition)


def _holds_a_row(draft: Draft, at: int, text: int) -> bool:
    """`beers that contain Saaz`, of ingredients one of which is Saaz: no part of a beer's name."""
    link = draft.links[text]
    if draft.links[at].mark != "contains" or link.mark != "value" or at == 0:
        return False
    named = draft.links[at - 1]
    # a row of another table, so what the beer contains is a row and no text
    return named.mark == "table" and all(c.table not in {t.ref for t in named.tables} for c, _ in link.values)


def _free_text(draft: Draft, table: TableContext, said: str) -> ColumnContext | None:
    """`complaints containing the word 'smoke'`, that have no name: the only text of theirs in which the word
    stands, else the one called so.
    """
    texts = [c for c in table.columns if c.kind == "text" and not c.key]
    found = [c for c in texts if any(said.lower() in v.lower() for v in c.values)]
    # names of such columns only where no sample of the data holds the word
    found = found or [c for c in texts if set(draft.scope.words(c)) & _FREE]
    if len(found) != 1:
        return None
    draft.scope.doubt("in which text a word is looked for", _IN_WHICH)
    return found[0]


def _spelled_column(draft: Draft, at: int, said: str) -> ColumnContext:
    for i in range(at - 1, -1, -1):
        link = draft.links[i]
        if link.mark == "column" and any(c.kind == "text" for c in link.columns):
            column = draft.scope.column(link, ("text",))
            # a text column at the very beginning is asked for as well as tested
            if not link.used and all(o.mark in {"return", "distinct"} for o in draft.links[:i]):
                draft.outputs.append((i, Column(column)))  # `which addresses end with ...`
            if not link.used:
                draft.use(i)
            return column
        if link.mark == "label":
            draft.use(i)
            table = draft.about(i)
            labels = draft.scope.label(table)
            # a label of two columns has no one text that could start so
            if len(labels) != 1:
                raise Unclear("it is not clear which name is meant")
            return labels[0]
        if link.mark == "table":
            table = draft.scope.table(link)
            labels = draft.scope.label(table)
            if len(labels) == 1 and labels[0].kind == "text":
                return labels[0]
            if draft.links[at].mark == "contains" and (free := _free_text(draft, table, said)) is not None:
                return free
            # beyond the nearest table it would be another row's text
            break
    raise Unclear(f"it is not clear what {draft.links[at].text} is said of")


def _or_with_last(draft: Draft, at: int, condition: Condition) -> None:
    """`starts with J or ends with ez`: the two stand for one another."""
    joint = next((i for i in range(at - 1, max(-1, at - 3), -1) if draft.links[i].mark == "or"), None)
    # also behind a group of alternatives: `starts with J or K or ends with ez`
    if joint is not None and draft.where and isinstance(draft.where[-1], Spelled | AnyOf):
        last = draft.where.pop()
        earlier = last.conditions if isinstance(last, AnyOf) else (last,)
        draft.where.append(AnyOf((*earlier, condition)))
        draft.use(joint)
        return
    draft.where.append(condition)
