"""Replies with a type: a dataclass says what is asked for, the reply is validated against it, and asked for
again.

Owns the JSON schema of a dataclass, finding the JSON in what a model said, and the retries. Must not know
what the records mean. Supported field types: str, int, float, bool, Literal, tuple[X, ...], X | None, nested
dataclasses.
"""

from __future__ import annotations

import dataclasses
import json
import time
import types
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from rewright.models.api import BadReply, Message, Model, ModelError, ModelTimeout, Request, Usage

T = TypeVar("T")
# a reply is hostile: looking for JSON in it takes time in proportion
_MAX_REPLY = 200_000


class WrongShape(ValueError):
    """A JSON value does not fit the type asked for."""


@dataclass(frozen=True, slots=True)
class Typed(Generic[T]):
    """A validated reply and what it cost, retries included."""

    value: T
    usage: Usage
    seconds: float
    attempts: int


def ask(model: Model, request: Request, kind: type[T], *, attempts: int = 2) -> Typed[T]:
    """Ask for a ``kind`` (a dataclass). Raises `BadReply` after ``attempts`` unusable replies, or
    `ModelError`.

    The complaint about a bad reply goes back to the model together with the reply, cut to a bounded length.
    """
    started = time.monotonic()
    request = replace(request, schema=schema_of(kind))
    usage, complaint = Usage(), ""
    messages = (*request.messages, Message("user", _form(request.schema or {})))
    for attempt in range(1, attempts + 1):
        left = request.seconds - (time.monotonic() - started)
        if left <= 0:
            raise ModelTimeout("no valid reply before the deadline", usage)
        try:
            reply = model.complete(replace(request, messages=messages, seconds=left))
        except ModelError as error:
            error.usage = usage + error.usage
            raise
        usage = usage + reply.usage
        try:
            value = parse(reply.text, kind)
        except WrongShape as error:
            complaint = str(error)
            messages = (
                # the last complaint only: the conversation must not grow with each attempt
                *messages[: len(request.messages) + 1],
                # 2000 characters of what was wrong are enough to see it
                Message("assistant", reply.text[:2000]),
                Message("user", f"That is not usable: {complaint}. Reply again with the JSON object only."),
            )
            continue
        return Typed(value, usage, time.monotonic() - started, attempt)
    raise BadReply(f"no valid reply in {attempts} attempts: {complaint}", usage)


def _form(schema: Mapping[str, Any]) -> str:
    return "Reply with one JSON object that follows this JSON schema, and nothing else:\n" + json.dumps(
        schema, sort_keys=True
    )


def parse(text: str, kind: type[T]) -> T:
    """The first JSON object in ``text`` that fits ``kind``; raises `WrongShape`."""
    complaint = "there is no JSON object in the reply"
    # a reply is bounded by its tokens, but not its characters
    for value in objects(text[:_MAX_REPLY]):
        try:
            return _coerce(value, kind, "the reply")  # type: ignore[no-any-return] # _coerce makes what ``kind`` is
        except WrongShape as error:
            complaint = str(error)
    raise WrongShape(complaint)


def objects(text: str) -> list[Any]:
    """Every outermost JSON object in a text of prose, fences and thinking; the last first, since models that
    think aloud end with the answer.
    """
    decoder = json.JSONDecoder()
    found: list[Any] = []
    # prose may hold braces, too: each is tried
    at = text.find("{")
    for _ in range(200):  # a reply of nothing but braces must not cost seconds
        if at < 0 or len(found) >= 50:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(value)
        at = text.find("{", end)
    return found[::-1]


def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON schema of a supported type."""
    origin, args = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        fields = dataclasses.fields(kind)
        return {
            "type": "object",
            "properties": {f.name: schema_of(hints[f.name]) for f in fields},
            "required": [f.name for f in fields if _required(f)],
        }
    if origin is Literal:
        return {"enum": list(args)}
    if origin is tuple:
        return {"type": "array", "items": schema_of(args[0])}
    if origin in {Union, types.UnionType}:
        return {"anyOf": [{"type": "null"} if a is type(None) else schema_of(a) for a in args]}
    return {"type": {str: "string", int: "integer", float: "number", bool: "boolean"}[kind]}


def _required(f: dataclasses.Field[Any]) -> bool:
    return f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING


def _coerce(value: Any, kind: Any, where: str) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _record(value, kind, where)
    if origin is Literal:
        if value not in args:
            raise WrongShape(f"{where} must be one of {', '.join(map(str, args))}")
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise WrongShape(f"{where} must be an array")
        return tuple(_coerce(v, args[0], f"{where}[{i}]") for i, v in enumerate(value))
    if origin in {Union, types.UnionType}:
        # X | None: the one type that is not None
        if value is None and type(None) in args:
            return None
        return _coerce(value, next(a for a in args if a is not type(None)), where)
    return _scalar(value, kind, where)


def _record(value: Any, kind: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise WrongShape(f"{where} must be an object")
    hints = get_type_hints(kind)
    given: dict[str, Any] = {}
    # fields that nobody knows are ignored: models add some
    for f in dataclasses.fields(kind):
        if f.name in value:
            given[f.name] = _coerce(value[f.name], hints[f.name], f"{where}.{f.name}")
        elif _required(f):
            raise WrongShape(f"{where}.{f.name} is missing")
    return kind(**given)


def _scalar(value: Any, kind: Any, where: str) -> Any:
    # 2 for 2.0 is no mistake
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    # bool is a subclass of int in Python
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise WrongShape(f"{where} must be a {kind.__name__}")
    # JSON has no infinity, but Python's decoder takes it
    if kind is float and not (-1e308 < value < 1e308):
        raise WrongShape(f"{where} must be a finite number")
    return value
