"""A mistake of ours in a session, wherever it is made: counted, told with its cause, and of no other
session's concern.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.machine.server_stream import ServerStream
from rewright.proxy.ports import Ports
from rewright.proxy.serving.index import RewriteIndex
from rewright.proxy.texts import Texts
from tests.proxy.rules import RULES
from tests.proxy.running import LOOPS, RunningProxy, config

pytestmark = pytest.mark.server


class Mistake(Exception):
    pass


def _raising(function: Callable[..., object]) -> Callable[..., object]:
    def failing(self: object, *arguments: object, **named: object) -> object:
        if any(b"FAULT" in one for one in arguments if isinstance(one, bytes)):
            raise Mistake
        return function(self, *arguments, **named)

    return failing


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(
    ("part", "method", "sql"),
    [(Texts, "query", "select 'FAULT'"), (ServerStream, "event", "do $$ begin raise 'FAULT'; end $$")],
    ids=["client", "server"],
)
def test_a_fault_is_counted_and_told_with_its_cause(
    scratch_server: ScratchServer,
    module_database: str,
    monkeypatch: pytest.MonkeyPatch,
    part: type,
    method: str,
    sql: str,
    loop: str,
) -> None:
    """In the walk over either side's bytes."""
    monkeypatch.setattr(part, method, _raising(getattr(part, method)))
    ports = Ports(lookup=RewriteIndex(), settings=RULES)
    upstream = f"host=127.0.0.1 port={scratch_server.port}"
    with RunningProxy(config(upstream), ports, loop=loop) as running:
        here = scratch_server.dsn(module_database)
        here = here.replace(f":{scratch_server.port}/", f":{running.port}/")
        with psycopg.connect(here, autocommit=True) as other:
            with pytest.raises(psycopg.OperationalError), psycopg.connect(here, autocommit=True) as one:
                one.execute(sql)
            assert other.execute("select 1").fetchone() == (1,)
        until = time.monotonic() + 5
        while not running.faults and time.monotonic() < until:
            time.sleep(0.01)
        assert [type(fault) for fault in running.faults] == [Mistake]
        assert running.proxy.metrics.faults == 1
        running.faults.clear()


def test_a_test_fails_on_a_fault() -> None:
    with pytest.raises(Mistake), RunningProxy(config("host=127.0.0.1 port=1")) as running:
        running._event("session.fault", exc_info=Mistake())
