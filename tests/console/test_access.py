"""Sessions, passwords and Host headers, without pages."""

from __future__ import annotations

import pytest

from rewright.console.access import COOKIE, IDLE_SECONDS, Gate, Rules, TooManyFailures

RULES = Rules(admin_password="a", viewer_password="v", token="t", hosts=("DB.example",))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("header", "allowed"),
    [
        ("localhost", True),
        ("localhost:6480", True),
        ("127.0.0.1:6480", True),
        ("[::1]:6480", True),
        ("10.1.2.3", True),
        ("db.example:443", True),
        ("DB.EXAMPLE.", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example:6480", False),
        ("evil.example:127.0.0.1", False),
        ("[::1].evil.example", False),
        ("", False),
        ("localhost:", True),
        ("localhost:x", False),
    ],
)
def test_hosts(header: str, allowed: bool) -> None:
    assert Gate(RULES).host_allowed(header) is allowed


def test_roles() -> None:
    gate = Gate(RULES)
    for password, role in (("a", "admin"), ("v", "viewer")):
        cookie = gate.sign_in(password)
        assert cookie is not None
        assert gate.visitor({}, {COOKIE: cookie}).role == role
    assert gate.sign_in("") is None
    assert gate.visitor({}, {}).role is None
    assert gate.visitor({}, {COOKIE: "made up"}).role is None
    assert gate.visitor({"authorization": "Bearer t"}, {}).admin
    assert gate.visitor({"authorization": "Bearer x"}, {}).role is None
    assert gate.visitor({"authorization": "Basic t"}, {}).role is None


def test_an_empty_password_is_none() -> None:
    gate = Gate(Rules(viewer_password="v"))
    assert gate.sign_in("") is None
    assert not gate.visitor({"authorization": "Bearer "}, {}).admin
    assert Gate(Rules()).visitor({}, {}).role == "viewer"
    assert Gate(Rules()).sign_in("") is None


def test_sessions_end() -> None:
    clock = Clock()
    gate = Gate(RULES, clock)
    first, second = gate.sign_in("a"), gate.sign_in("a")
    assert first is not None
    assert second is not None
    gate.sign_out({COOKIE: first})
    assert gate.visitor({}, {COOKIE: first}).role is None
    clock.now = IDLE_SECONDS - 1
    assert gate.visitor({}, {COOKIE: second}).admin
    clock.now += IDLE_SECONDS + 1
    assert gate.visitor({}, {COOKIE: second}).role is None


def test_everybody_is_signed_out() -> None:
    gate = Gate(RULES)
    cookies = [cookie for cookie in map(gate.sign_in, ("a", "a", "v")) if cookie is not None]
    assert [gate.visitor({}, {COOKIE: one}).role for one in cookies] == ["admin", "admin", "viewer"]
    gate.sign_out_everybody()
    assert [gate.visitor({}, {COOKIE: one}).role for one in cookies] == [None, None, None]
    assert gate.visitor({"authorization": "Bearer t"}, {}).admin


def test_guessing_ends() -> None:
    clock = Clock()
    gate = Gate(RULES, clock)
    for _ in range(20):
        assert gate.sign_in("x") is None
    with pytest.raises(TooManyFailures):
        gate.sign_in("a")
    clock.now = 61
    assert gate.sign_in("a") is not None


def test_forms_need_their_sessions_token() -> None:
    gate = Gate(RULES)
    mine, other = gate.sign_in("a"), gate.sign_in("a")
    assert mine is not None
    assert other is not None
    visitor = gate.visitor({}, {COOKIE: mine})
    assert gate.form_allowed(visitor, {}, visitor.csrf)
    assert not gate.form_allowed(visitor, {}, gate.visitor({}, {COOKIE: other}).csrf)
    assert not gate.form_allowed(visitor, {}, "")
    assert not gate.form_allowed(visitor, {"sec-fetch-site": "cross-site"}, visitor.csrf)
    assert not gate.form_allowed(gate.visitor({}, {}), {}, "")
    assert gate.form_allowed(gate.visitor({"authorization": "Bearer t"}, {}), {}, "")
