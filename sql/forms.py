"""The normal form of a text: what two texts share that differ only in blanks, comments and the case of words.

Texts of one form are the same tokens to PostgreSQL's own scanner: keywords and unquoted identifiers in lower
case (ASCII only: what the server does with other letters depends on its encoding), quoted ones, literals,
parameters and operators as written, without comments and semicolons at the end. A text with a hint in a
comment has no form, nor has one of several statements. Owns forms, the cheap keys that tell most texts apart
without scanning them, and the comments that are carried along. Must not know catalogs or rewrites.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pglast.parser import ParseError, scan

from rewright.sql.placeholders import HOLE
from rewright.sql.templates import COMMENTS, MAX_LITERALS, MAX_TEXT, literal_spans

HINT = "/*+"
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_SEMICOLON = "ASCII_59"
# stands between tokens and before the kind of a literal: the scanner refuses it everywhere
_MARK = "\x00"
_SAMPLES = {"i": "1", "l": "5000000000", "n": "1.5", "s": "'x'"}


@dataclass(frozen=True, slots=True)
class Form:
    """``shape``: the tokens, with the kind of each literal in its place; ``literals``: those, as written.

    ``before`` and ``after``: the comments in front of the first token and all others, ready to be put in
    front of and behind another text.
    """

    shape: str
    literals: tuple[str, ...]
    before: str = ""
    after: str = ""


def form_of(text: str) -> Form | None:
    r"""The form of one statement.

    >>> a, b = form_of("SELECT  a FROM t -- all\nwhere B = 'X';"), form_of("select a from T where b = 'X'")
    >>> (a.shape, a.literals) == (b.shape, b.literals), a.after
    (True, ' -- all\n')
    >>> form_of("/*+ SeqScan(t) */ select a from t") is None
    True
    """
    if len(text) > MAX_TEXT or "⟦" in text or "⟧" in text or _MARK in text:
        return None
    try:
        scanned = scan(text)
    except (ParseError, UnicodeError):
        return None
    tokens = [token for token in scanned if token.name not in COMMENTS]
    while tokens and tokens[-1].name == _SEMICOLON:
        tokens.pop()
    if not tokens or any(token.name == _SEMICOLON for token in tokens):
        return None
    comments = _comments(text, scanned, tokens[0].start) if len(scanned) > len(tokens) else ("", "")
    spans = literal_spans(text, tokens) or []
    if comments is None or len(spans) > MAX_LITERALS:
        return None
    kinds = {start: kind for start, _, kind in spans}
    shape = _MARK.join([_spelling(text, token, kinds) for token in tokens])
    return Form(shape, tuple(text[start:end] for start, end, _ in spans), *comments)


# the keys of one text are asked for one after the other
_scanned_last = lru_cache(maxsize=8)(form_of)


def shape_key(text: str) -> str:
    """The same for all texts that differ in literals and spelling; a text without a form is its own key."""
    form = _scanned_last(text)
    return text if form is None else form.shape


def sampled(template: str) -> str:
    """A text of the template. Any literal of a kind does: only the kind is part of a shape."""
    return _sampled(template)[0]


def _sampled(template: str) -> tuple[str, dict[int, int]]:
    """The same, and the numbers of the holes by where their literals begin."""
    holes: dict[int, int] = {}
    text, at = "", 0
    for found in HOLE.finditer(template):
        text += template[at : found.start()] + " "
        holes[len(text)] = int(found[1])
        text += _SAMPLES[found[2]] + " "
        at = found.end()
    return text + template[at:], holes


@lru_cache(maxsize=20_000)
def form_of_template(template: str) -> Form | None:
    """The form of the texts of a template (`rewright.sql.templates`), with sample literals in its holes."""
    form, own = form_of(sampled(template)), _own(template)
    return None if form is None or own is None or len(own) != len(form.literals) else form


@lru_cache(maxsize=20_000)
def _own(template: str) -> tuple[int | str, ...] | None:
    """For each literal of the template's texts the number of its hole, or what the template has in its place.
    None where a hole is no literal of its texts.
    """
    text, holes = _sampled(template)
    try:
        tokens = [token for token in scan(text) if token.name not in COMMENTS]
    except (ParseError, UnicodeError):
        return None
    spans = literal_spans(text, tokens) or []
    own = tuple(holes.pop(start, text[start:end]) for start, end, _ in spans)
    return None if holes else own


def fixed_in(template: str) -> tuple[str, ...]:
    """The literals that a template keeps, as written."""
    return tuple(x for x in _own(template) or () if isinstance(x, str))


def values_for(template: str, form: Form) -> tuple[str, ...] | None:
    """What a text of the template's shape has for its holes, in the order of their numbers; None where the
    text has another literal than one that the template keeps, or different ones for one hole.
    """
    own = _own(template)
    if own is None or len(own) != len(form.literals):
        return None
    values: dict[int, str] = {}
    for mine, literal in zip(own, form.literals, strict=True):
        known = mine if isinstance(mine, str) else values.setdefault(mine, literal)
        if known != literal:
            return None
    return tuple(values[number] for number in sorted(values))


def form_key(text: str) -> str:
    """The same for all texts of one form with the same literals; a text without a form is its own key."""
    form = _scanned_last(text)
    return text if form is None else _MARK.join([form.shape, "", *form.literals])


def _spelling(text: str, token: Any, kinds: Mapping[int, str]) -> str:
    """A token as it stands in a shape: with the scanner's name, for ``N'x'`` is not ``n 'x'``."""
    kind = kinds.get(token.start)
    if kind is not None:
        return f"{_MARK}{kind}"
    spelled = text[token.start : token.end + 1]
    is_word = token.kind != "NO_KEYWORD" or (token.name == "IDENT" and spelled[0] != '"')
    return f"{token.name} {spelled.translate(_LOWER) if is_word else spelled}"


def _comments(text: str, scanned: Any, first: int) -> tuple[str, str] | None:
    """Comments before the first token and behind it; None where one of them is a hint."""
    before, after = "", ""
    for token in scanned:
        if token.name not in COMMENTS:
            continue
        said = text[token.start : token.end + 1]
        if HINT in said:
            return None
        if token.name == "SQL_COMMENT":
            said = said.rstrip("\r\n") + "\n"  # nothing that follows may become part of it
        if token.start < first:
            before += said if said.endswith("\n") else said + " "
        else:
            after += " " + said
    return before, after


def without_comments(text: str) -> str:
    """The text (of a replacement, with holes or without) without comments that are no hints.

    >>> without_comments("/*+ SeqScan(t) */ select a-/* b */-a from t -- end")
    '/*+ SeqScan(t) */ select a- -a from t '
    """
    if "/*" not in text and "--" not in text:
        return text
    try:
        comments = [token for token in scan(text) if token.name in COMMENTS]
    except (ParseError, UnicodeError):
        return text
    parts, at = [], 0
    for token in comments:
        if HINT not in text[token.start : token.end + 1]:
            parts += [text[at : token.start], " "]
            at = token.end + 1
    return "".join([*parts, text[at:]])


# --- cheap keys -----------------------------------------------------------------------------------

_FOLD = bytes(b + 32 if 65 <= b <= 90 else b for b in range(256))
# blanks, and what numbers are made of: a number leaves no trace (but for its letters, if it is no decimal
# one)
_DROPPED = b" \t\n\r\f\v0123456789.+_eE;"
# a comment or string that does not end takes all that is left, so that no text is walked over twice
_NOISE = re.compile(rb"/\*.*?(?:\*/|\Z)|--[^\n\r]*|'[^']*(?:'|\Z)", re.DOTALL)
# a backslash in a string, a comment within another, a dollar quote, a number with letters: what would be left
# is no key
_NESTED = re.compile(rb"/\*(?:[^*/]|\*(?!/)|/(?!\*))*+/\*")
# both ways begin with a byte that can be looked for: a \b in front would be tried at every place
_UNSURE = re.compile(rb"\$(?![0-9])|0(?<=\b0)[xob]")
_STRING = re.compile(rb"['$]")
# what 0xA, 0o7 or 0b1 leave of themselves
_BARE_NUMBER = re.compile(rb"(?<![a-zA-Z_])(?:[xX][a-fA-F_]*|[oO]_*|[bB]_*)(?![a-zA-Z_])")
HEAD = 24
_WINDOW = 256
# a text with more comments in front is found by its bytes only
_LEADING = 4
_COMMENT_OR_BLANK = frozenset(b"/- \t\n\r\f\v")


def rough_key(text: bytes) -> bytes:
    """What is left without blanks, comments, strings and numbers; empty where that says nothing.

    Texts with other keys, neither of them empty, are of other shapes or are told apart needlessly, which
    costs a chance only.
    """
    if b"\\" in text or (b"/*" in text and _NESTED.search(text)):
        return b""
    left = (_NOISE.sub(b"", text) if b"'" in text or b"--" in text or b"/*" in text else text).translate(
        _FOLD
    )
    # looking for bytes is many times faster than the expression
    if (b"$" in left or b"0x" in left or b"0o" in left or b"0b" in left) and _UNSURE.search(left):
        return b""
    return left.translate(None, _DROPPED)


def bare_key(bare: bytes) -> bytes:
    """The key that all texts have which are ``bare`` without their digits; empty where they may have several.

    >>> bare_key(b"select a from t where c = 'x '"), bare_key(b"select b from t"), bare_key(b"values ('--')")
    (b'slctafromtwhrc=', b'', b'')
    """
    # digits gone, other bytes may stand side by side, a date may look like a comment, a 0xA like a word
    if b"--" in bare or b"/*" in bare or b"$" in bare or _BARE_NUMBER.search(_NOISE.sub(b"", bare)):
        return b""
    return rough_key(bare)


def rough_head(text: bytes) -> bytes:
    """How the key of a text begins, from its first bytes, a little longer than heads are. It may hold
    comments.
    """
    if text and text[0] in _COMMENT_OR_BLANK:
        text = _behind_comments(text)
    return text[:_WINDOW].translate(_FOLD, _DROPPED)[: HEAD + 2]


def _behind_comments(text: bytes) -> bytes:
    for _ in range(_LEADING):
        text = text.lstrip()
        if text.startswith(b"/*"):
            text = text[text.find(b"*/") + 2 :]
        elif text.startswith(b"--"):
            text = text[text.find(b"\n") + 1 :] if b"\n" in text else b""
        else:
            break
    return text


def may_hold_comment(head: bytes) -> bool:
    """Whether a head may be that of another text, with a comment (or the rest of one) in it."""
    # bytes are looked for faster than pairs of them
    return (0x2A in head and (b"/*" in head or b"*/" in head)) or (0x2D in head and b"--" in head)


def known_head(text: bytes) -> bytes:
    """The head that all texts of this text's shape have, comments aside; ends before the first string."""
    plain = _NOISE.sub(lambda found: b"'" if found[0][:1] == b"'" else b" ", text)
    return _STRING.split(plain, maxsplit=1)[0].translate(_FOLD, _DROPPED)[:HEAD]
