"""Forms: what reply is wanted, shown to the model as a short example, and read back forgivingly in form and
strictly in content.

Owns the form of a dataclass and the reading. A reply may stand in prose or fences, spell keys in other case,
give one thing for a list of one, numbers and truth values as text; it may not leave out what is needed, nor
say something else than one of the words asked for. Field types: str, int, float, bool, Literal, tuple[X,
...], X | None, nested dataclasses. Must not know what forms mean.
"""

from __future__ import annotations

import dataclasses
import json
import re
import types
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from rewright.ask.loose_json import mended
from rewright.models.typed import WrongShape, objects

T = TypeVar("T")
_TRUE = frozenset({"true", "yes", "y", "1", "ok", "correct"})
_FALSE = frozenset({"false", "no", "n", "0", "wrong", "incorrect", ""})
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_LONGEST = 200_000
_LONGEST_WORD = 30
_SAME_WORD = {"!=": "<>", "==": "=", "=<": "<=", "=>": ">=", "like": "contains", "ilike": "contains"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def says(text: str, **default: Any) -> Any:
    """A field with the words that stand for it in the form; ``default=…`` makes it optional."""
    return dataclasses.field(metadata={"says": text}, **default)


def form_of(kind: type[Any]) -> str:
    """The form as one JSON-like example, ``"…"`` where a list goes on."""
    return _form(kind, "")


def _form(kind: Any, words: str) -> str:
    origin, args = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        parts = (
            f'"{f.name}": {_form(hints[f.name], f.metadata.get("says", "") or _named(f.name, hints[f.name]))}'
            for f in dataclasses.fields(kind)
        )
        return "{" + ", ".join(parts) + "}"
    if origin is Literal:
        choices = " | ".join(f'"{choice}"' for choice in args)
        return f"{choices} ({words})" if words else choices
    if origin is tuple:
        return f"[{_form(args[0], words)}, …]"
    if origin in {Union, types.UnionType}:
        inner = next(a for a in args if a is not type(None))
        return f"{_form(inner, words)} or null"
    plain = {str: "text", int: "integer", float: "number", bool: "true or false"}[kind]
    # numbers and truth values stand without quotes, so that models write them so
    return f"<{words or plain}>" if kind is not str else f'"<{words or plain}>"'


def _named(name: str, kind: Any) -> str:
    """A text that nothing more is said of is called as its field."""
    return name.replace("_", " ") if kind is str else ""


def read(text: str, kind: type[T]) -> T:
    """The last JSON object of a reply that fits. Raises WrongShape."""
    complaint = "there is no JSON object in the reply"
    shortened = _THINKING.sub("", text[:_LONGEST])
    for value in _values(shortened, kind):
        try:
            return _record(value, kind, "the reply")  # type: ignore[no-any-return] # _record makes what ``kind`` is
        except WrongShape as error:
            complaint = str(error)
    raise WrongShape(complaint)


def _values(text: str, kind: Any) -> list[Any]:
    """What may be meant, the likeliest first."""
    opened = text.find("{")
    loose = mended(text[opened:]) if opened >= 0 else ""
    # in this order, since each is more forgiving: a reply that is JSON must not be read as something looser
    return objects(text) or objects(_TRAILING_COMMA.sub(r"\1", text)) or objects(loose) or _bare(text, kind)


def _bare(text: str, kind: Any) -> list[Any]:
    """A list for a form of one list; a word or a number for a form that needs no more."""
    said = text.strip().strip("`*\"'. ")
    first, *rest = dataclasses.fields(kind)
    alone = all(f.default is not dataclasses.MISSING for f in rest)
    hint = get_type_hints(kind)[first.name]
    # a long reply is prose, whatever word it begins with
    if alone and 0 < len(said) <= _LONGEST_WORD and (hint is int or get_origin(hint) is Literal):
        return [{first.name: said}]
    return _lists(text)


def _lists(text: str) -> list[Any]:
    """A reply that is a bare list, as a form of one list."""
    start, end = text.find("["), text.rfind("]")
    # the brackets may stand in the wrong order in prose
    if not 0 <= start < end:
        return []
    try:
        return [json.loads(text[start : end + 1])]
    except (ValueError, RecursionError):
        return []


def _coerce(value: Any, kind: Any, where: str) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _record(value, kind, where)
    if origin is Literal:
        return _word(value, args, where)
    if origin is tuple:
        return _list(value, args[0], where)
    if origin in {Union, types.UnionType}:
        # models write the word for nothing in place of null
        if value is None or (isinstance(value, str) and value.strip().lower() in {"", "null", "none"}):
            return None
        return _coerce(value, next(a for a in args if a is not type(None)), where)
    return _scalar(value, kind, where)


def _record(value: Any, kind: Any, where: str) -> Any:
    fields = dataclasses.fields(kind)
    hints = get_type_hints(kind)
    # a bare list, for a form that begins with one
    if isinstance(value, list) and len(fields) >= 1 and get_origin(hints[fields[0].name]) is tuple:
        value = {fields[0].name: value}
    if isinstance(value, str) and hints[fields[0].name] is str:
        value = {fields[0].name: value}
    if not isinstance(value, dict):
        raise WrongShape(f"{where} must be an object")
    found = {_key(k): v for k, v in value.items()}
    names = {f.name for f in fields}
    # the object in another of one key: `{"plan": {…}}`
    if not names & found.keys() and len(found) == 1 and isinstance(inner := next(iter(found.values())), dict):
        found = {_key(k): v for k, v in inner.items()}
    given: dict[str, Any] = {}
    for f in fields:
        if f.name in found:
            given[f.name] = _coerce(found[f.name], hints[f.name], f"{where}.{f.name}")
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise WrongShape(f"{where}.{f.name} is missing")
    return kind(**given)


def _key(key: Any) -> str:
    # `Used tables`, `used-tables` and `used_tables` are one key
    return re.sub(r"\W+", "_", str(key).strip().lower())


def _word(value: Any, words: tuple[Any, ...], where: str) -> Any:
    said = str(value).strip().strip("\"'.").lower()
    said = _SAME_WORD.get(said, said)
    for word in words:
        if said == str(word).lower():
            return word
    told = said.split()
    among = [word for word in words if str(word).lower() in told]
    # several words that fit would leave open which is meant: `A or B`
    if len(among) == 1 and len(told) <= 3:  # `candidate A`
        return among[0]
    if "other" in words:
        return "other"
    raise WrongShape(f"{where} must be one of {', '.join(map(str, words))}")


def _list(value: Any, kind: Any, where: str) -> tuple[Any, ...]:
    if value is None or value == "":
        return ()
    if isinstance(value, dict) and dataclasses.is_dataclass(kind):
        value = _keyed(value, kind)
    # one thing where a list was asked for is a list of one
    if not isinstance(value, list):
        value = [value]
    return tuple(_coerce(v, kind, f"{where}[{i}]") for i, v in enumerate(value) if v is not None)


def _keyed(value: dict[str, Any], kind: Any) -> list[Any]:
    """``{"orders": {"role": "target"}}`` for ``[{"table": "orders", "role": "target"}]``."""
    names = [f.name for f in dataclasses.fields(kind)]
    # one entry, not entries by their names
    if set(map(_key, value)) & set(names):
        return [value]
    found: list[Any] = []
    for key, inner in value.items():
        rest = inner if isinstance(inner, dict) else {names[1]: inner} if len(names) > 1 else {}
        found.append({names[0]: key, **rest})
    return found


def _scalar(value: Any, kind: Any, where: str) -> Any:
    if kind is bool:
        return _truth(value, where)
    if kind is str:
        return _text(value, where)
    number = value
    if isinstance(value, str):
        said = _NUMBER.findall(value)
        # `5 of 10` is no number
        if len(said) != 1:
            raise WrongShape(f"{where} must be a number")
        # `85%` for a share
        number = float(said[0]) / (100 if value.strip().endswith("%") else 1)
    # truth values are integers in Python; not-a-number fails the comparison
    if isinstance(number, bool) or not isinstance(number, int | float) or not -1e308 < number < 1e308:
        raise WrongShape(f"{where} must be a number")
    if kind is int and number != int(number):
        raise WrongShape(f"{where} must be a whole number")
    return kind(number)


def _truth(value: Any, where: str) -> bool:
    said = str(value).strip().lower() if value is not None else ""
    if said in _TRUE or said in _FALSE:
        return said in _TRUE
    raise WrongShape(f"{where} must be true or false")


def _text(value: Any, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(v, str | int | float) for v in value):
        return "\n".join(map(str, value))
    if isinstance(value, str | int | float):
        return str(value)
    raise WrongShape(f"{where} must be text")
