"""Settings as the composition root would give them, small enough to read."""

from __future__ import annotations

from collections.abc import Callable

from rewright.proxy.ports import SettingRule, SettingsRules


def _choice(*words: str) -> Callable[[str], object]:
    def parse(text: str) -> object:
        if text.lower() not in words:
            raise ValueError(text)
        return text.lower()

    return parse


def _switch(text: str) -> object:
    if text.lower() not in {"on", "off", "true", "false"}:
        raise ValueError(text)
    return text.lower() in {"on", "true"}


def _time(text: str) -> object:
    if text.endswith("ms"):
        return float(text[:-2]) / 1000
    return float(text) / 1000 if text.isdigit() else float(text.removesuffix("s"))


def rule(name: str, default: str, parse: Callable[[str], object], *words: str) -> SettingRule:
    return SettingRule(name, default, parse, f"Available values: {', '.join(words)}.")


MODES = ("off", "observe", "apply", "inline")
TRUSTS = ("proved", "tested", "judged")

RULES = SettingsRules(
    (
        rule("mode", "apply", _choice(*MODES), *MODES),
        rule("trust", "proved", _choice(*TRUSTS), *TRUSTS),
        rule("hints", "on", _switch, "on", "off"),
        rule("model", "on", _switch, "on", "off"),
        rule("min_duration", "200ms", _time, "a time"),
        rule("budget", "500ms", _time, "a time"),
        rule("notice", "off", _switch, "on", "off"),
        rule("pooled", "off", _switch, "on", "off"),
    )
)
