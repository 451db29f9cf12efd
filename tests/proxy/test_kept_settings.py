"""Settings that a session keeps itself: what is read from texts, and what a startup packet says."""

from __future__ import annotations

import pytest

from rewright.proxy.serving.kept_settings import UNREAD, KeptSettings, SetCommand, read_command
from rewright.proxy.serving.settings import Settings
from tests.proxy.rules import RULES

NAMES = ("mode", "trust")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("set rewright.mode = off", SetCommand("mode", "off")),
        ("SET SESSION rewright.mode TO 'it''s';", SetCommand("mode", "it's")),
        ('/* x */ set local "rewright"."trust" to "tested"', SetCommand("trust", "tested", local=True)),
        ("set rewright.mode to default", SetCommand("mode", None)),
        ("reset rewright.mode", SetCommand("mode", None)),
        ("reset all", SetCommand("", None)),
        ("discard all;", SetCommand("", None)),
        ("select set_config('rewright.mode', 'off', true)", SetCommand("mode", "off", local=True)),
        ("select pg_catalog.set_config('rewright.mode','off',false)", SetCommand("mode", "off")),
        ("set rewright.mode = off; select 1", UNREAD),
        ("select 1, set_config('rewright.mode', $1, false)", UNREAD),
        ("do $$ begin set rewright.mode = off; end $$", UNREAD),
        ("select set_config('role', 'x', true)", None),
        ("alter role joe set rewright.mode = off", None),
        ("show rewright.mode", None),
        ("select current_setting('rewright.mode')", None),
        ("set work_mem = '1MB'", None),
    ],
)
def test_commands(text: str, command: SetCommand | None) -> None:
    assert read_command(text.encode()) == command


def test_what_counts_first() -> None:
    kept = KeptSettings(NAMES, {"trust": "tested"})
    kept.answered(pooled=True, defined='{rewright.mode=observe,rewright.mode=off,"rewright.trust=judged"}')
    assert kept.texts() == ("observe", "tested")
    kept.change(SetCommand("mode", "apply"))
    kept.cycle_ended(idle=True)
    assert kept.text("mode") == "apply"
    kept.change(SetCommand("mode", None))
    assert kept.text("mode") == "observe"


def test_tags_before_a_change_do_not_end_it() -> None:
    kept = KeptSettings(NAMES)
    kept.tag(b"COMMIT")
    kept.failed()
    kept.change(SetCommand("mode", "off", local=True))
    kept.cycle_ended(idle=False)
    assert kept.text("mode") == "off"
    kept.cycle_ended(idle=True)
    assert kept.text("mode") is None


def test_shared_sessions_forget_with_each_transaction() -> None:
    kept = KeptSettings(NAMES)
    kept.share((None, "tested"))
    kept.change(SetCommand("trust", "judged"))
    assert kept.texts() == (None, "judged")
    kept.cycle_ended(idle=True)
    assert kept.texts() == (None, "tested")


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (b"-c rewright.mode=off", ()),
        (b"-crewright.mode=off --rewright.trust=tested", ()),
        (b"-c geqo=off -c rewright.mode=off", ((b"options", b"-c geqo=off"),)),
        (
            b"-c search_path=a\\ b -c  rewright.x=a\\ b -c geqo=off",
            ((b"options", b"-c search_path=a\\ b  -c geqo=off"),),
        ),
    ],
)
def test_startup_packets_without_ours(options: bytes, left: tuple[tuple[bytes, bytes], ...]) -> None:
    parameters = ((b"user", b"u"), (b"options", options), (b"rewright.trust", b"tested"))
    assert Settings.without_ours(parameters) == ((b"user", b"u"), *left)


def test_settings_of_a_startup_packet() -> None:
    parameters = ((b"options", b"-c rewright.mode=off"), (b"Rewright.Trust", b"tested"))
    assert Settings(RULES).startup_texts(parameters) == {"mode": "off", "trust": "tested"}
