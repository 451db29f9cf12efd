"""Parts of texts: `starts with`, `ends with`, `contains`."""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import (
    AnyOf,
    Condition,
    Spelled,
)
from rewright.ask.reading.joins import Unclear


def spellings(draft: Draft) -> None:
    for at, link in enumerate(draft.links):
        if link.mark not in {"starts", "ends", "contains"} or link.used:
            continue
        text = draft.next(at, "quoted", "value", "unknown", "number")
        if text is None:
            if link.mark == "contains":
                link.mark = "relation"
                continue
            raise Unclear(f"it is not clear what is meant by {link.text}")
        if _holds_a_row(draft, at, text):
            link.mark = "relation"
            continue
        column = _spelled_column(draft, at)
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
    return named.mark == "table" and all(c.table not in {t.ref for t in named.tables} for c, _ in link.values)


def _spelled_column(draft: Draft, at: int) -> ColumnContext:
    for i in range(at - 1, -1, -1):
        link = draft.links[i]
        if link.mark == "column" and any(c.kind == "text" for c in link.columns):
            if not link.used:
                draft.use(i)
            return draft.scope.column(link, ("text",))
        if link.mark == "label":
            draft.use(i)
            table = draft.about(i)
            labels = draft.scope.label(table)
            if len(labels) != 1:
                raise Unclear("it is not clear which name is meant")
            return labels[0]
        if link.mark == "table":
            labels = draft.scope.label(draft.scope.table(link))
            if len(labels) == 1 and labels[0].kind == "text":
                return labels[0]
            break
    raise Unclear(f"it is not clear what {draft.links[at].text} is said of")


def _or_with_last(draft: Draft, at: int, condition: Condition) -> None:
    """`starts with J or ends with ez`: the two stand for one another."""
    joint = next((i for i in range(at - 1, max(-1, at - 3), -1) if draft.links[i].mark == "or"), None)
    if joint is not None and draft.where and isinstance(draft.where[-1], Spelled | AnyOf):
        last = draft.where.pop()
        earlier = last.conditions if isinstance(last, AnyOf) else (last,)
        draft.where.append(AnyOf((*earlier, condition)))
        draft.use(joint)
        return
    draft.where.append(condition)
