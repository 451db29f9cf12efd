"""Queries that no session need look at: found again by their text without digits, and not a moment too long."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from rewright.proxy.serving.index import DIGITS, RewriteIndex
from rewright.proxy.wire import frontend as f
from rewright.sql.forms import rough_key
from rewright.sql.templates import split
from rewright.wiring.templates import make
from tests.proxy.test_interceptor import FAST, OTHER, REWRITE, SHOW, SLOW, World
from tests.proxy.test_session import kinds

NUMBERED = b"select a17 from t where c = "


def settled() -> World:
    """A session that has read its settings, and sent a query of no interest."""
    world = World()
    for number in (b"1", b"2"):
        world.send(f.Query(NUMBERED + number))
    assert world.session.client.passing is world.index.passing
    assert NUMBERED.translate(None, DIGITS) in world.index.passing
    return world


def looked_at(world: World, text: bytes, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the interceptor sees the text."""
    seen: list[int] = []
    passes = world.interceptor.passes

    def noting(kind: int, data: bytes, at: int, end: int) -> bool:
        seen.append(kind)
        return passes(kind, data, at, end)

    with monkeypatch.context() as patch:
        patch.setattr(world.interceptor, "passes", noting)
        world.send(f.Query(text))
    return bool(seen)


def test_a_text_of_no_interest_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = settled()
    assert not looked_at(world, NUMBERED + b"3", monkeypatch)
    assert looked_at(world, OTHER + b" 3 as b", monkeypatch)


@pytest.mark.parametrize(
    "near",
    [
        b"select a17 from t where c ",
        b"select a17 from t where c = 1 ",
        b"17",
        b"select a17 from t where d = 1",
    ],
)
def test_what_is_nearly_one_of_no_interest_is_looked_at(near: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    world = settled()
    assert not looked_at(world, NUMBERED + b"3", monkeypatch)
    assert looked_at(world, near, monkeypatch)
    assert not looked_at(world, NUMBERED + b"4", monkeypatch)


def test_nor_by_another_session(monkeypatch: pytest.MonkeyPatch) -> None:
    world, other = settled(), World()
    other.index.replace([])
    world.index.passing.add(b"select other ")
    assert not looked_at(world, OTHER + b" 4", monkeypatch)
    assert looked_at(other, OTHER + b" 4", monkeypatch)


def test_a_rewrite_found_since_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    world = settled()
    text = NUMBERED + b"5"
    world.index.replace([REWRITE, replace(REWRITE, id=2, original=text.decode())])
    assert looked_at(world, NUMBERED + b"6", monkeypatch)  # may be one without being it
    world.send(f.Query(text))
    world.send(f.Query(SHOW))
    assert world.show.last.rewrite_id == 2


def test_statements_prepared_before_gain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    world = settled()
    world.send(f.Parse(b"s", OTHER), f.Sync())
    assert not looked_at(world, NUMBERED + b"6", monkeypatch)
    world.index.replace([replace(REWRITE, id=3, original=OTHER.decode())])
    World().index.passing.add(NUMBERED.translate(None, DIGITS))
    world.send(f.Query(NUMBERED + b"7"))
    world.send(f.Bind(b"", b"s"), f.Execute(b""), f.Sync())
    world.send(f.Query(SHOW))
    assert world.show.last.rewrite_id == 3


def test_what_became_of_the_last_query_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    world = settled()
    world.send(f.Query(SLOW))
    world.send(f.Query(SHOW))
    assert world.show.last.rewrite_id == REWRITE.id
    assert looked_at(world, NUMBERED + b"8", monkeypatch)
    world.send(f.Query(SHOW))
    assert world.show.last.rewrite_id is None
    world.send(f.Query(NUMBERED))  # SHOW may have changed the settings; they are read again
    assert not looked_at(world, NUMBERED + b"9", monkeypatch)


def test_not_before_the_settings_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    world = settled()
    world.send(f.Query(b"set rewright.mode = 'inline'"))
    assert looked_at(world, NUMBERED + b"10", monkeypatch)


def test_the_unnamed_statement_ends_with_a_query_that_is_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Though its text has a rewrite since, it is not there any more, and the server says so."""
    world = settled()
    world.send(f.Parse(b"", OTHER), f.Sync())
    assert not looked_at(world, NUMBERED + b"3", monkeypatch)
    world.index.replace([replace(REWRITE, id=3, original=OTHER.decode())])
    world.send(f.Parse(b"s", b"select 1"), f.Sync())  # now all statements are looked up again
    ran = list(world.server.ran)
    told = world.send(f.Bind(b"", b""), f.Execute(b""), f.Sync())
    assert b"C26000\0" in told
    assert b"D" not in kinds(told)
    assert world.server.ran == ran


def test_an_open_portal_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a replacement, half read, in a block: it goes on behind a Query that is of no interest."""
    world = settled()
    world.send(f.Parse(b"s", SLOW), f.Sync())
    world.send(f.Query(b"begin"))
    world.send(f.Bind(b"p", b"s"), f.Execute(b"p", 1), f.Flush())
    assert world.ran() == FAST
    assert looked_at(world, NUMBERED + b"3", monkeypatch)
    told = world.send(f.Execute(b"p"), f.Sync())
    assert world.ran() == FAST
    assert kinds(told).count(b"D") == 2


def test_in_a_failed_block_it_is_the_servers_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    world = settled()
    world.send(f.Query(b"begin"))
    world.send(f.Bind(b"", b"nothing"), f.Sync())
    assert not looked_at(world, NUMBERED + b"3", monkeypatch)
    world.send(f.Query(b"commit"))
    world.send(f.Query(SLOW))
    assert world.ran() == FAST


@pytest.mark.parametrize("prepared", [False, True])
def test_inline_looks_at_all(monkeypatch: pytest.MonkeyPatch, prepared: bool) -> None:
    """However the mode came: by a Query, or by a statement that was only prepared before."""
    world = settled()
    text = b"set rewright.mode = inline"
    if prepared:
        world.send(f.Parse(b"s", text), f.Sync())
        world.send(f.Bind(b"", b"s"), f.Execute(b""), f.Sync())
        world.server.mode = b"inline"
    else:
        world.send(f.Query(text))
    for number in (b"3", b"4"):
        assert looked_at(world, NUMBERED + number, monkeypatch)
    world.send(f.Close(b"S", b"s"), f.Sync())
    world.send(f.Query(b"reset rewright.mode"))
    for number in (b"5", b"6"):
        world.send(f.Query(NUMBERED + number))
    assert not looked_at(world, NUMBERED + b"7", monkeypatch)


def test_one_session_does_not_pass_for_another_whose_mode_wants_none() -> None:
    """What a session that wants no rewrites lets pass is of interest to the next one."""
    world = settled()
    world.send(f.Query(b"set rewright.mode = off"))
    for _ in range(2):
        world.send(f.Query(SLOW))
    assert world.ran() == SLOW
    assert SLOW.translate(None, DIGITS) not in world.index.passing


# --- the same Parse once more ---------------------------------------------------------------------


def looked_at_parse(world: World, text: bytes, monkeypatch: pytest.MonkeyPatch) -> bool:
    seen: list[int] = []
    passes = world.interceptor.passes

    def noting(kind: int, data: bytes, at: int, end: int) -> bool:
        seen.append(kind)
        return passes(kind, data, at, end)

    with monkeypatch.context() as patch:
        patch.setattr(world.interceptor, "passes", noting)
        world.unnamed(text)
    assert world.ran() in {text, FAST}
    return f.Parse(b"", text).encode()[0] in seen


def test_the_same_parse_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = settled()
    assert looked_at_parse(world, NUMBERED + b"1", monkeypatch)
    assert not looked_at_parse(world, NUMBERED + b"1", monkeypatch)
    assert looked_at_parse(world, NUMBERED + b"2", monkeypatch)
    assert looked_at_parse(world, NUMBERED + b"1", monkeypatch)
    assert not looked_at_parse(world, NUMBERED + b"1", monkeypatch)
    assert looked_at_parse(world, SLOW, monkeypatch)
    assert looked_at_parse(world, SLOW, monkeypatch)
    assert world.ran() == FAST


@pytest.mark.parametrize("found", ["at once", "by a tick"])
def test_not_when_it_has_a_rewrite_since(monkeypatch: pytest.MonkeyPatch, found: str) -> None:
    world = settled()
    for _ in range(3):
        world.unnamed(OTHER)
    assert not looked_at_parse(world, OTHER, monkeypatch)
    world.index.replace([replace(REWRITE, id=3, original=OTHER.decode())])
    if found == "by a tick":
        world.interceptor.look_again()
    assert looked_at_parse(world, OTHER, monkeypatch)
    assert world.ran() == FAST


@pytest.mark.parametrize(
    "between",
    [
        (f.Query(b"set rewright.mode = off"),),
        (f.Query(b"discard all"),),
        (f.Close(b"S", b""), f.Sync()),
        (f.Parse(b"", SLOW), f.Sync()),
        (f.Bind(b"", b"nothing"), f.Sync()),
    ],
    ids=["set", "discard", "close", "another", "error"],
)
def test_not_behind_what_may_have_changed_it(
    monkeypatch: pytest.MonkeyPatch, between: tuple[f.FrontendMessage, ...]
) -> None:
    world = settled()
    for _ in range(2):
        world.unnamed(OTHER)
    assert not looked_at_parse(world, OTHER, monkeypatch)
    world.send(*between)
    assert looked_at_parse(world, OTHER, monkeypatch)


def test_what_the_unnamed_statement_is_stays_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rewrite that comes between a Parse that passed unseen and its Bind is that of its own text."""
    world = settled()
    for _ in range(2):
        world.unnamed(OTHER)
    world.send(f.Parse(b"", SLOW), f.Sync())
    world.send(f.Parse(b"", OTHER), f.Sync())
    assert not looked_at_parse(world, OTHER, monkeypatch)
    world.send(f.Parse(b"", OTHER), f.Sync())
    world.index.replace([REWRITE, replace(REWRITE, id=3, original=OTHER.decode(), replacement="select 3")])
    world.interceptor.look_again()
    world.send(f.Bind(b"", b""), f.Execute(b""), f.Sync())
    assert world.ran() == b"select 3"


WORDS = (
    "select", "a1", "x", "x0", "from", "t", "0x1F", "0b1", "0o7", "1.5", "17", "'x'", "'1-1-1'", "'a''b'", "-1-1", "/1*", "*/",
    "--\n", "/* 1 */", "/*/* */*/", "$1", "$$2$$", "E'\\n'", "=", ",", "order", "b", "1e5", '"B1"', "where", "limit", ";", "4x",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_no_text_with_a_rewrite_is_among_them(seed: int) -> None:
    """Whatever is known, and however it is written."""
    chance = random.Random(seed)

    def text() -> str:
        return chance.choice((" ", "", "  ")).join(chance.choices(WORDS, k=chance.randint(1, 6)))

    known = [text() for _ in range(4)]
    if seed % 2:
        known = [one for one in known if rough_key(one.encode())]
    rewrites = [replace(REWRITE, id=n, original=one) for n, one in enumerate(known)]
    templates = [one for one in map(split, known) if one is not None]
    rewrites += [
        replace(REWRITE, id=9, original=one[0], replacement=one[0], scope="any") for one in templates
    ]
    index = RewriteIndex(make())
    index.replace(rewrites)
    tried = known + [one.upper() for one in known] + [one.replace(" ", "\t ") for one in known]
    tried += [one.replace("17", "23") for one in known] + [text() for _ in range(40)]
    tried += [one.replace("17", number) for one in known for number in ("0x1F", "0b11", "0o17", "0XaF")]
    for one in tried:
        if index.find("db", one.encode(), ()) is not None:
            assert index.may_know_like(one.encode().translate(None, DIGITS)), one


def test_most_texts_are_told_apart() -> None:
    index = RewriteIndex()
    index.replace([REWRITE])
    for text in (
        NUMBERED,
        b"update t set a = 'x' where c = 3",
        b"begin",
        b"select a from t order by c limit 5",
    ):
        bare = text.translate(None, DIGITS)
        assert not index.may_know_like(bare)
    assert not index.may_know_like(b"begin")
