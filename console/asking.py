"""What a browser sends: forms, numbers and targets of redirects, each bounded and checked. Must not know
pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request

# bytes: reasons are at most 1000 characters
_LARGEST_FORM = 64_000
# pages beyond a million are answered by an empty one
_LARGEST_NUMBER = 1_000_000


async def form_of(request: Request) -> Mapping[str, str]:
    """The fields of a form. Raises HTTPException where it is none, or too large."""
    body = b""
    async for part in request.stream():
        body += part
        # before it is held: a body without an end is cut here
        if len(body) > _LARGEST_FORM:
            raise HTTPException(413, "too large")
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    # JSON from a script of another site would come without a preflight as text/plain
    if body and kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "send application/x-www-form-urlencoded")
    try:
        # fields beyond twenty are none of a form of ours
        fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=20)
    except ValueError as error:
        raise HTTPException(400, "not a form") from error
    # the last one of a name
    return {name: values[-1] for name, values in fields.items()}


def local_path(target: str) -> str:
    """A path of this console; anything else is its first page."""
    parts = urlsplit(target)
    # //host and /\host are other hosts to a browser
    plain = target.startswith("/") and not target.startswith(("//", "/\\")) and "\\" not in target
    return target if plain and not parts.netloc and not parts.scheme and target.isprintable() else "/"


def number_of(text: str) -> int:
    # digits of other scripts and long numbers are none
    return min(int(text), _LARGEST_NUMBER) if text.isascii() and text.isdigit() and len(text) < 12 else 0
