"""The ``rewright.*`` settings as texts of SQL and of the server's answers.

Owns reading them back, recognising SET and SHOW of one of them, and the errors for wrong values. Must not
know the registry they come from (``SettingsRules``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rewright.proxy.ports import Redirect, SettingRule, SettingsRules, SettingsView, SqlError

BLANK = r"(?:\s|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)"
NAME = r'(?:rewright|"rewright")\s*\.\s*(?:(?P<name>\w+)|"(?P<quoted>\w+)")'
_SET = re.compile(
    rf"{BLANK}*set{BLANK}+(?:(?:session|local){BLANK}+)?{NAME}{BLANK}*(?:=|to\b){BLANK}*(?P<value>.*?){BLANK}*;?{BLANK}*",
    re.IGNORECASE | re.DOTALL,
)
_SHOW = re.compile(rf"{BLANK}*show{BLANK}+{NAME}{BLANK}*;?{BLANK}*", re.IGNORECASE)
# -c rewright.x=y in ``options``; a backslash keeps the next character
_OUR_OPTION = re.compile(rb"(?:(?<=\s)|^)(?:-c\s*|--)rewright\.(?:\\.|[^\s\\])*", re.IGNORECASE | re.DOTALL)
LITERAL = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"|([\w.+-]+)")


class Settings:
    """Rules with a database's defaults applied."""

    def __init__(self, rules: SettingsRules, defaults: Mapping[str, str] | None = None) -> None:
        self._rules: dict[str, SettingRule] = {rule.name: rule for rule in rules.rules}
        texts = (
            {rule.name: rule.default for rule in rules.rules} | dict(rules.defaults) | dict(defaults or {})
        )
        self._defaults = {name: texts[name] for name in self._rules}
        self.names = tuple(self._rules)
        self.default_view, _ = self.view([None] * len(self.names))

    def view(self, texts: Sequence[str | None]) -> tuple[SettingsView, tuple[str, ...]]:
        """Values for texts in the order of ``names``, and the names whose text is wrong (they count as
        default).
        """
        values: dict[str, Any] = {}
        wrong: list[str] = []
        for name, text in zip(self.names, texts, strict=True):
            try:
                values[name] = self._rules[name].parse(text or self._defaults[name])
            except ValueError:
                wrong.append(name)
                values[name] = self._rules[name].parse(self._defaults[name])
        return SettingsView(**values), tuple(wrong)

    def check(self, name: str, text: str) -> None:
        """Raises SqlError (22023, or 42602 for a name that does not exist)."""
        rule = self._rules.get(name.lower())
        if rule is None:
            raise SqlError(
                "42602",
                f'invalid configuration parameter name "rewright.{name}"',
                detail='"rewright" is a reserved prefix.',
                hint=f"Settings: {', '.join(self.names)}.",
            )
        try:
            rule.parse(text)
        except ValueError as error:
            message = f'invalid value for parameter "rewright.{rule.name}": "{text}"'
            raise SqlError("22023", message, hint=rule.allowed) from error

    def check_set(self, sql: str) -> None:
        """Raises SqlError when the text is a SET of one of ours to a wrong value."""
        found = _SET.fullmatch(sql)
        if found is None or not self._rules:
            return
        value = found["value"]
        if value.lower() == "default":
            return
        # what is no plain literal the server judges, and it is looked at when it is read back
        literal = LITERAL.fullmatch(value)
        if literal is not None:
            single, double, plain = literal.groups()
            text = single.replace("''", "'") if single is not None else double or plain
            self.check(found["name"] or found["quoted"], text)

    def show(self, sql: str, kept: Callable[[str], str | None] | None = None) -> Redirect | None:
        """SHOW of one of ours: the server's value, or the default where it has none. ``kept``: what counts
        instead of the server's.
        """
        found = _SHOW.fullmatch(sql)
        name = (found["name"] or found["quoted"]).lower() if found else ""
        if name not in self._rules:
            return None
        default = _quoted(self._defaults[name])
        current = f"pg_catalog.current_setting('rewright.{name}', true)"
        # a custom setting that was RESET is an empty text, not NULL
        value = f"case when {current} operator(pg_catalog.<>) '' then {current} else {default} end"
        if kept is not None:
            value = f"{_quoted(kept(name) or self._defaults[name])}::pg_catalog.text"
        return Redirect(f'select {value} as "rewright.{name}"', tag="SHOW")

    def startup_texts(self, parameters: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
        """The settings of ours that a startup packet names, in ``options`` or by name; the last of a kind
        counts.
        """
        found: dict[str, str] = {}
        for key, value in parameters:
            text = value.decode("utf-8", "replace")
            if key == b"options":
                found |= {name.lower(): setting for name, setting in _options(text)}
            elif key.lower().startswith(b"rewright."):
                found[key.decode("utf-8", "replace")[9:].lower()] = text
        return found

    @staticmethod
    def without_ours(parameters: Sequence[tuple[bytes, bytes]]) -> tuple[tuple[bytes, bytes], ...]:
        """The parameters of a startup packet without the settings of ours; an ``options`` of which nothing is
        left goes, too.
        """
        kept = []
        for key, value in parameters:
            left = _OUR_OPTION.sub(b"", value).strip() if key == b"options" else value
            if not key.lower().startswith(b"rewright.") and (left or key != b"options"):
                kept.append((key, left))
        return tuple(kept)

    def check_options(self, parameters: Sequence[tuple[bytes, bytes]]) -> None:
        """Raises SqlError for a wrong value in the startup packet: ``options=-c rewright.mode=x``, or by
        name.
        """
        for key, value in parameters:
            text = value.decode("utf-8", "replace")
            if key == b"options":
                for name, setting in _options(text):
                    self._check_known(name, setting)
            elif key.lower().startswith(b"rewright."):
                self._check_known(key.decode("utf-8", "replace")[9:], text)

    def _check_known(self, name: str, text: str) -> None:
        if self._rules:
            self.check(name, text)


def _quoted(text: str) -> str:
    """As a literal of SQL, whatever standard_conforming_strings is."""
    return "e'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _options(text: str) -> list[tuple[str, str]]:
    """``-c rewright.x=y``, ``-crewright.x=y`` and ``--rewright.x=y``; a backslash
    keeps the next character.
    """
    words = [re.sub(r"\\(.)", r"\1", word) for word in re.findall(r"(?:\\.|[^\s\\])+", text, flags=re.DOTALL)]
    found = []
    for before, word in zip(["", *words], words, strict=False):
        body = word if before == "-c" else word[2:] if word.startswith(("-c", "--")) else ""
        name, equals, value = body.partition("=")
        if equals and name.lower().startswith("rewright."):
            found.append((name[9:].replace("-", "_"), value))
    return found
