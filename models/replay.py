"""Recorded conversations: written while a real model is used, and replayed instead of one.

A transcript is a file of JSON lines {digest, request, reply | error}. A replay answers only what was
recorded, word for word: a changed prompt is an error. The product uses no recordings; they are kept beside
the interface that they implement because tests of four folders and the benchmarks need them. Must not know
what prompts mean.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewright.models.api import Model, ModelError, ProviderError, Reply, Request, Role, Unrecorded, Usage


def entry_of(request: Request, outcome: Reply | ModelError) -> dict[str, Any]:
    """One line of a transcript."""
    entry: dict[str, Any] = {
        "digest": request.digest(),
        "request": {
            "role": request.role,
            "messages": [{"speaker": m.speaker, "text": m.text} for m in request.messages],
        },
    }
    if isinstance(outcome, Reply):
        usage = outcome.usage
        entry["reply"] = {
            "text": outcome.text,
            "model": outcome.model,
            "seconds": round(outcome.seconds, 3),
            "usage": [usage.prompt_tokens, usage.completion_tokens, usage.money],
        }
    else:
        entry["error"] = {"kind": type(outcome).__name__, "message": str(outcome)}
    return entry


@dataclass(slots=True)
class Recorder:
    """A model that writes down what is said. ``path`` None keeps the entries in memory only."""

    model: Model
    path: Path | None = None
    entries: list[dict[str, Any]] = field(default_factory=list)
    keep: int = 1000
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def available(self, role: Role) -> bool:
        return self.model.available(role)

    def complete(self, request: Request) -> Reply:
        try:
            reply = self.model.complete(request)
        except ModelError as error:
            self._write(entry_of(request, error))
            raise
        self._write(entry_of(request, reply))
        return reply

    def _write(self, entry: dict[str, Any]) -> None:
        with self._lock:
            self.entries.append(entry)
            del self.entries[: -self.keep]
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry, ensure_ascii=False) + "\n")


class Replay:
    """Answers from a transcript. The same request asked again gets the recorded replies in turn, then the
    last.
    """

    def __init__(self, entries: Iterable[Mapping[str, Any]]) -> None:
        self._entries: dict[str, list[Mapping[str, Any]]] = {}
        self._asked: dict[str, int] = {}
        for entry in entries:
            self._entries.setdefault(str(entry["digest"]), []).append(entry)

    @classmethod
    def load(cls, path: Path) -> Replay:
        lines = path.read_text(encoding="utf-8").splitlines()
        return cls(json.loads(line) for line in lines if line.strip())

    def available(self, role: Role) -> bool:
        del role
        return bool(self._entries)

    def complete(self, request: Request) -> Reply:
        digest = request.digest()
        recorded = self._entries.get(digest)
        if not recorded:
            raise Unrecorded(self._explain(request))
        turn = self._asked.get(digest, 0)
        self._asked[digest] = turn + 1
        entry = recorded[min(turn, len(recorded) - 1)]
        if "error" in entry:
            raise ProviderError(f"recorded: {entry['error']['kind']}: {entry['error']['message']}")
        reply = entry["reply"]
        prompt, completion, money = reply["usage"]
        return Reply(reply["text"], Usage(prompt, completion, money), reply["model"], reply["seconds"])

    def _explain(self, request: Request) -> str:
        said = "\n".join(m.text for m in request.messages)
        best = ""
        # the recorded prompt that agrees longest is most likely the one that was changed
        for entries in self._entries.values():
            recorded = entries[0]["request"]
            if recorded["role"] == request.role:
                text = "\n".join(m["text"] for m in recorded["messages"])
                best = max(best, text, key=lambda t: _common_prefix(t, said))
        if not best:
            return f"nothing was recorded for the role {request.role}"
        at = _common_prefix(best, said)
        was, now = best[at : at + 60], said[at : at + 60]
        return f"the prompt of the role {request.role} has changed at character {at}: {was!r} is now {now!r}"


def _common_prefix(a: str, b: str) -> int:
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))
