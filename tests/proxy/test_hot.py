"""The innermost part, as it stands and compiled: the same for any bytes; which of the two is used, and why."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewright.proxy.machine import core, hot
from rewright.proxy.machine.client_stream import IN_COPY, PLAIN, TEXTS, WATCHED
from rewright.proxy.machine.hot import EVENT_LIMIT
from rewright.proxy.machine.server_stream import EVENTS, EVENTS_AND_TAGS
from rewright.proxy.wire import backend as b
from rewright.proxy.wire import frontend as f
from rewright.proxy.wire.framing import message

TREE = Path(__file__).resolve().parents[2]
COUNTS = (
    "answered",
    "cancelled",
    "chunk",
    "failed",
    "last",
    "mixed",
    "pending",
    "since",
    "started",
    "status",
)
PASSING = {b"select "}
SAME = f.Parse(b"", b"select same").encode()


def compiled() -> ModuleType:
    """The compiled copy, also where the environment says that it is not to be used."""
    from rewright.proxy.machine import _hot

    assert not core.why_not(_hot.SOURCE, Path(core.__file__).parent), "make install"
    return _hot  # type: ignore[no-any-return]


def test_it_is_compiled_where_it_can_be() -> None:
    if shutil.which("cc") is not None:
        assert not isinstance(compiled().ClientWalk.data, FunctionType)
        assert isinstance(hot.ClientWalk.data, FunctionType)
    else:
        assert importlib.util.find_spec("rewright.proxy.machine._hot") is None


@pytest.mark.parametrize(("switch", "described"), [("1", "pure Python: REWRIGHT_PURE is set"), ("0", None)])
def test_the_environment_chooses(switch: str, described: str | None) -> None:
    script = (
        "from rewright.proxy.machine import core; print(core.described(), core.Cycles.__module__, sep='|')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"REWRIGHT_PURE": switch}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    said, _, module = done.stdout.strip().partition("|")
    if described is None:
        described = (
            "compiled"
            if shutil.which("cc")
            else "pure Python: it was not compiled when Rewright was installed"
        )
    assert said == described
    assert module.rpartition(".")[2] == ("_hot" if said == "compiled" else "hot")


@pytest.fixture
def setup_py() -> dict[str, Any]:
    """Its names, without its last call."""
    names: dict[str, Any] = {"__file__": str(TREE / "setup.py"), "__name__": "setup_py"}
    text = (TREE / "setup.py").read_text().partition("\nsetup(")[0]
    exec(compile(text, "setup.py", "exec"), names)
    return names


def test_nothing_is_compiled_where_a_length_has_no_room(
    setup_py: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 32 bits a length of all ones would be -1, and a walk would stand still for ever."""
    monkeypatch.delenv("REWRIGHT_PURE", raising=False)
    assert setup_py["wanted"]()
    monkeypatch.setattr(sys, "maxsize", 2**31 - 1)
    assert not setup_py["wanted"]()


CYTHON = """
def f(bytes data, bytes same, int kind, Py_ssize_t length, object size):
    cdef const unsigned char *head = data
    {}
"""
BRANCHES = "if length > size and not head[0] and data in size: return data[1:] == same"
VALUE = "if not (data[1:] == same if kind == 7 else length > size and not head[0] and data in size): return 1"


@pytest.mark.parametrize(("lines", "wrong"), [(BRANCHES, False), (VALUE, True)], ids=["branches", "value"])
def test_what_cython_compiles_wrongly_is_not_used(
    setup_py: dict[str, Any], tmp_path: Path, lines: str, wrong: bool
) -> None:
    """Both are right in Python; the second is a crash in C."""
    if shutil.which("cc") is None:
        return
    (tmp_path / "it.pyx").write_text(CYTHON.format(lines))
    subprocess.run([sys.executable, "-m", "cython", "-3", str(tmp_path / "it.pyx")], check=True)
    made = (tmp_path / "it.c").read_text()
    if wrong:
        with pytest.raises(ValueError, match="taken for an object"):
            setup_py["look_at"](made)
    else:
        setup_py["look_at"](made)


def test_it_is_built_with_the_compiler_that_these_tests_ran_with() -> None:
    """Another version may make something else of the same lines, as this one did of some."""
    wanted = tomllib.loads((TREE / "pyproject.toml").read_text())["build-system"]["requires"]
    (pin,) = (one for one in wanted if one.startswith("cython"))
    assert re.search(rf"^{re.escape(pin)} ", (TREE / "requirements.lock").read_text(), re.MULTILINE)
    if shutil.which("cc") is not None:
        assert pin == f"cython=={metadata.version('cython')}"


def test_one_that_was_compiled_from_other_sources_is_not_used(tmp_path: Path) -> None:
    for name in core.SOURCES:
        shutil.copyfile(Path(core.__file__).with_name(name), tmp_path / name)
    right = core.digest(tmp_path)
    assert not core.why_not(right, tmp_path)
    (tmp_path / "hot.pxd").write_text("# changed\n")
    assert core.why_not(right, tmp_path) == "it was compiled from another version of the sources"
    (tmp_path / "hot.pxd").unlink()
    assert not core.why_not(right, tmp_path)


# --- the same for any bytes -----------------------------------------------------------------------


class Watching:
    """An interceptor, and what is above a stream: writes down what it is asked and told."""

    def __init__(self, told: list[Any], takes: bytes) -> None:
        self.told = told
        self.takes = takes
        self.in_force = self
        self.stale = False

    def passes(self, kind: int, data: bytes, at: int, end: int) -> bool:
        self.told.append(("passes", kind, data[at:end]))
        return self.takes not in data[at:end]

    def begin(self, taken: bytes, rest: bytes) -> None:
        self.told.append(("begin", taken, rest))

    def rested(self) -> None:
        self.told.append("rested")


def _noting(module: ModuleType, walk: str) -> tuple[type, list[Any]]:
    """The walk with the names of what it leaves to its subclass written down."""
    told: list[Any] = []
    names = {"ClientWalk": ("slowly", "keep"), "ServerWalk": ("slowly", "strange", "event", "back_to_usual")}

    def noting(name: str) -> Any:
        return lambda _self, *arguments: told.append((name, *arguments))

    methods = {name: noting(name) for name in (*names[walk], "slow_ended")}
    return type("Noting", (getattr(module, walk),), methods), told


def _client(module: ModuleType, pieces: list[bytes], watched: bytes, cycles: dict[str, Any]) -> list[Any]:
    made, told = _noting(module, "ClientWalk")
    counts = module.Cycles()
    for name, value in cycles.items():
        setattr(counts, name, value)
    walk = made(counts, lambda data: told.append(("sent", data)), lambda: 7.5, watched)
    walk.interceptor = walk.upwards = Watching(told, b"taken")
    walk.passing, walk.same = PASSING, SAME
    return _played(walk, counts, pieces, told)


def _server(
    module: ModuleType, pieces: list[bytes], watched: bytes, cycles: dict[str, Any], *, awaited: bool = False
) -> list[Any]:
    made, told = _noting(module, "ServerWalk")
    counts = module.Cycles()
    for name, value in cycles.items():
        setattr(counts, name, value)
    walk = made(counts, lambda data: told.append(("sent", data)), lambda: 7.5, watched)
    walk.upwards = Watching(told, b"")
    walk.slow_after = 3.0
    walk.awaited = awaited
    return _played(walk, counts, pieces, told)


def _played(walk: Any, counts: Any, pieces: list[bytes], told: list[Any]) -> list[Any]:
    for piece in pieces:
        walk.data(piece)
        told.append([getattr(counts, name) for name in COUNTS] + [walk.slow, walk.skip, walk.rest])
        walk.slow = False
    return told


def _cut(stream: bytes, sizes: list[int]) -> list[bytes]:
    pieces = []
    while stream and sizes:
        pieces.append(stream[: sizes[0]])
        stream, sizes = stream[sizes[0] :], sizes[1:]
    return [*pieces, stream] if stream else pieces


STARTS = st.fixed_dictionaries(
    {
        "pending": st.integers(-1, 3),
        "since": st.sampled_from([b"", b"P", b"PBE"]),
        "answered": st.integers(0, 2),
        "mixed": st.booleans(),
        "failed": st.booleans(),
        "unusual": st.booleans(),
    }
)
# those that pass unseen, and what is nearly one of them
NUMBERED = [
    f.Query(text).encode()
    for text in (b"select 17", b"select 4", b"sel8ect ", b"select", b"select 17 ", b"17", b"Select 1")
]
FRONTEND = st.sampled_from(
    [
        f.SYNC, f.FLUSH, f.TERMINATE, *NUMBERED, f.Query(b"").encode(), message(b"Q", b"x"), message(b"Q"),
        f.Query(b"taken").encode(), f.Parse(b"", b"select $1").encode(), SAME, SAME[:-2] + b"\0\1\0\0\0\0", f.Parse(b"", b"taken").encode(),
        f.Bind(b"", b"").encode(), f.Describe(b"P", b"").encode(), f.Execute(b"").encode(), f.Close(b"S", b"").encode(),
        f.FunctionCall(b"xx").encode(), f.CopyData(b"1\n").encode(), message(b"c"), b"Q\xff\xff\xff\xff", b"B\x80\0\0\0", b"S\0\0\0\0",
    ]
)  # fmt: skip
BACKEND = st.sampled_from(
    [
        b.ReadyForQuery(b"I").encode(), b.ReadyForQuery(b"T").encode(), message(b"Z"), message(b"Z", b"II"), b.PARSE_COMPLETE,
        b.BIND_COMPLETE, b.DataRow((b"1", None)).encode(), b.CommandComplete(b"SELECT 1").encode(), b.error("42601", "no"),
        b.notice("well"), b.ParameterStatus(b"a", b"b").encode(), message(b"G", b"\0\0\0"), b"E\x7f\xff\xff\xff", b"D\xff\xff\xff\xff",
    ]
)  # fmt: skip
SIZES = st.lists(st.integers(1, 60), max_size=8)


@given(st.lists(FRONTEND, max_size=8), SIZES, st.sampled_from([PLAIN, TEXTS, WATCHED, IN_COPY]), STARTS)
def test_the_clients_bytes(
    sent: list[bytes], sizes: list[int], watched: bytes, starts: dict[str, Any]
) -> None:
    pieces = _cut(b"".join(sent), sizes)
    assert _client(compiled(), pieces, watched, starts) == _client(hot, pieces, watched, starts)


@given(
    st.lists(BACKEND, max_size=8), SIZES, st.sampled_from([EVENTS, EVENTS_AND_TAGS]), STARTS, st.booleans()
)
def test_the_servers_bytes(
    sent: list[bytes], sizes: list[int], watched: bytes, starts: dict[str, Any], awaited: bool
) -> None:
    pieces = _cut(b"".join(sent), sizes)
    first, second = (
        _server(module, pieces, watched, starts, awaited=awaited) for module in (compiled(), hot)
    )
    assert first == second


@given(st.binary(max_size=80), SIZES, STARTS)
def test_bytes_that_are_no_messages(stream: bytes, sizes: list[int], starts: dict[str, Any]) -> None:
    pieces = _cut(stream, sizes)
    assert _client(compiled(), pieces, WATCHED, starts) == _client(hot, pieces, WATCHED, starts)
    assert _server(compiled(), pieces, EVENTS, starts) == _server(hot, pieces, EVENTS, starts)


LENGTHS = st.sampled_from(
    [0, 1, 2, 3, 4, 5, 6, 9, EVENT_LIMIT, EVENT_LIMIT + 1, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
)
HEADERS = st.builds(
    lambda kind, length, rest: bytes((kind,)) + length.to_bytes(4, "big") + rest,
    st.sampled_from(b"QPBDECSHXFdcfpZESGWCsTn12\0\xff"), LENGTHS, st.binary(max_size=9),
)  # fmt: skip


@given(st.lists(st.one_of(FRONTEND, HEADERS), min_size=1, max_size=4), STARTS)
def test_strange_lengths_of_the_client_cut_anywhere(sent: list[bytes], starts: dict[str, Any]) -> None:
    stream = b"".join(sent)
    for cut in range(len(stream)):
        pieces = _cut(stream, [cut] if cut else [])
        assert _client(compiled(), pieces, TEXTS, starts) == _client(hot, pieces, TEXTS, starts)


@given(st.lists(st.one_of(BACKEND, HEADERS), min_size=1, max_size=4), STARTS)
def test_strange_lengths_of_the_server_cut_anywhere(sent: list[bytes], starts: dict[str, Any]) -> None:
    stream = b"".join(sent)
    for cut in range(len(stream)):
        pieces = _cut(stream, [cut] if cut else [])
        assert _server(compiled(), pieces, EVENTS_AND_TAGS, starts) == _server(
            hot, pieces, EVENTS_AND_TAGS, starts
        )


def test_whole_sessions_are_the_same() -> None:
    """Each way in a process of its own: all of a session is built on the one that was chosen."""
    compiled()

    def played(pure: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-m", "tests.proxy.random_sessions", "0", "600"],
            cwd=TREE, env=os.environ | {"REWRIGHT_PURE": pure}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.splitlines()

    told, pure = played("0"), played("1")
    assert (told[0], pure[0]) == ("compiled", "pure Python: REWRIGHT_PURE is set")
    assert len(told) == 601
    assert told[1:] == pure[1:]


# --- the way out ----------------------------------------------------------------------------------


def _written(module: ModuleType, taken: list[Any], pieces: list[bytes]) -> list[Any]:
    """``taken``: what the socket does with each piece: how many bytes it takes, or how it fails."""
    told: list[Any] = []
    answers = iter(taken)

    def send(data: bytes) -> int:
        answer = next(answers, len(data))
        if isinstance(answer, Exception):
            raise answer
        return int(min(answer, len(data)))

    def noting(name: str) -> Any:
        return lambda _self, data: told.append((name, data))

    methods = {name: noting(name) for name in ("write_later", "enqueue", "send_failed")}
    outlet = type("Noting", (module.Outlet,), methods)()
    outlet.write(b"before")
    outlet.send = send
    for number, piece in enumerate(pieces):
        outlet.write(piece)
        told.append(outlet.queued)
        if number % 3 == 2:
            outlet.queued = False
    return told


TAKEN = st.one_of(
    st.integers(0, 5), st.sampled_from([BlockingIOError(), ConnectionResetError(), BrokenPipeError()])
)


@given(st.lists(TAKEN, max_size=6), st.lists(st.binary(max_size=6), max_size=8))
def test_what_is_written(taken: list[Any], pieces: list[bytes]) -> None:
    assert _written(compiled(), taken, pieces) == _written(hot, taken, pieces)


@pytest.mark.parametrize("which", ["compiled", "pure"])
def test_what_a_socket_takes(which: str) -> None:
    """Compiled, the system is called with the descriptor: whole, a part, nothing more, and gone."""
    told: list[tuple[str, bytes]] = []

    def noting(name: str) -> Any:
        return lambda _self, data: told.append((name, data))

    module = compiled() if which == "compiled" else hot
    methods = {name: noting(name) for name in ("write_later", "enqueue", "send_failed")}
    outlet = type("Noting", (module.Outlet,), methods)()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setblocking(False)
        ours.setblocking(which == "compiled")  # then it does not wait on any
        # compiled it must not be called; as it stands there is nothing else
        outlet.send = ours.send if which == "pure" else None.__init__
        outlet.number = ours.fileno()
        outlet.write(b"whole")
        assert (theirs.recv(100), told, outlet.queued) == (b"whole", [], False)
        much = bytes(range(256)) * 40_000
        outlet.write(much)
        ((name, rest),) = told
        assert (name, outlet.queued) == ("enqueue", True)
        assert 0 < len(rest) < len(much)
        told.clear()
        outlet.queued = False
        outlet.write(b"nothing of it")  # full
        assert told == [("enqueue", b"nothing of it")]
        assert outlet.queued
        arrived = b""
        while len(arrived) < len(much) - len(rest):
            arrived += theirs.recv(1 << 20)
        assert arrived + rest == much
        with pytest.raises(BlockingIOError):
            theirs.recv(1)
        theirs.close()
        told.clear()
        outlet.queued = False
        outlet.write(b"gone")
        assert told == [("send_failed", b"gone")]
        assert not outlet.queued
