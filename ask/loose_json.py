"""JSON as models write it where they do not keep to its letter: comments, single or typographic quotes, bare
keys, Python's words, line breaks in strings, commas too many, dots where something was left out.

Owns mending such a text into JSON. Must not know what the values mean.
"""

from __future__ import annotations

import json
import re

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|\#[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>"(?:[^"\\]|\\.)*"|“[^”]*”)
    |(?P<single>'(?:[^'\\]|\\.|(?<=\w)'(?=\w))*'|‘[^’]*’)
    |(?P<dots>,?\s*(?:…|\.\.\.))
    |(?P<word>[A-Za-z_]\w*)
    |(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"true": "true", "false": "false", "none": "null", "null": "null"}
_LIMIT = 50_000


def mended(text: str) -> str:
    r"""The text with what is not JSON in it written as JSON.

    >>> mended("{'a': None, b: 'it is', // why\\n}")
    '{"a": null, "b": "it is" \\n}'
    """
    found = "".join(map(_mended, _TOKEN.finditer(text[:_LIMIT])))
    return re.sub(r",(\s*[}\]])", r"\1", found)


def _mended(match: re.Match[str]) -> str:
    text = match[0]
    match match.lastgroup:
        case "comment" | "dots":
            return ""
        case "string" | "single":
            return json.dumps(_unescaped(text[1:-1]), ensure_ascii=False)
        case "word":
            return _WORDS.get(text.lower()) or json.dumps(text)
        case _:
            return text


def _unescaped(inner: str) -> str:
    """What a string says, its own escapes read."""
    plain = re.sub(r"(?<!\\)\"", r"\"", inner).replace("\\'", "'")
    try:
        return str(json.loads(f'"{plain}"', strict=False))
    except ValueError:
        return inner
