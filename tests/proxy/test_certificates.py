"""Clients' certificates: who gets in with which, beside PostgreSQL's own server, and what everybody else is
told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.auth.certificates import MapError, NameMap, distinguished_name, name_of, parse_map
from rewright.proxy.auth.scram import Verifier
from rewright.proxy.config import AuthConfig, ListenConfig, ProxyConfig, UserConfig
from tests.proxy.debian import DebianServer
from tests.proxy.openssl import Authority, Pair
from tests.proxy.running import LOOPS, RunningProxy, config
from tests.proxy.waiting import until

IDENT = """
# which certificate may be whom
other   joe                       alice
clients joe                       alice     # one by name
clients "/^(.*)@example\\.org$"   \\1
"""


# --- names, without a server -----------------------------------------------------------------------


def test_a_map_of_names() -> None:
    names = parse_map(IDENT, "clients")
    assert names.allows("joe", "alice")
    assert names.allows("bob@example.org", "bob")
    for name, user in (("joe", "joe"), ("alice", "alice"), ("bob@example.orgs", "bob"), ("bob", "bob")):
        assert not names.allows(name, user)
    assert NameMap().allows("joe", "joe")
    assert not NameMap().allows("joe", "Joe")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("clients joe", "line 1"),
        ("\nclients joe alice bob", "line 2"),
        ("clients /( joe", "line 1"),
        ("clients /joe \\1", "no parentheses"),
        ('clients "joe alice', "line 1"),
        ("others joe joe", "no map clients"),
    ],
)
def test_a_map_that_is_wrong(text: str, said: str) -> None:
    with pytest.raises(MapError, match=said):
        parse_map(text, "clients")


def test_the_name_in_a_certificate() -> None:
    joe = (("commonName", "joe"),)
    assert name_of({"subject": ((("organizationName", "X"),), joe)}, "cn") == "joe"
    assert name_of({"subject": (joe, joe)}, "cn") is None
    assert name_of({"subject": ((("commonName", "joe\0.evil"),),)}, "cn") is None
    assert name_of({"subject": ()}, "cn") is None
    assert name_of({"subject": ()}, "dn") is None
    assert name_of(None, "cn") is None
    both = ((("organizationName", "A+B"), ("organizationalUnitName", "#1 ")),)
    assert distinguished_name((*both, joe, (("commonName", "é"),))) == "CN=\\C3\\A9,CN=joe,OU=\\#1\\ +O=A\\+B"


# --- whole logins ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Papers:
    """What clients have; ``other``: by an authority that nobody knows."""

    authority: Authority
    server: Pair
    alice: Pair
    joe: Pair
    nameless: Pair
    twice: Pair
    expired: Pair
    revoked: Pair
    other: Pair


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    home = tmp_path_factory.mktemp("papers")
    own, other = Authority(home / "own"), Authority(home / "other")
    made = Papers(
        own,
        own.issue("server", "/CN=localhost", server=True),
        own.issue("alice", "/O=Example, Ltd/OU=Ops/CN=alice"),
        own.issue("joe", "/CN=joe"),
        own.issue("nameless", "/O=Example"),
        own.issue("twice", "/CN=alice/CN=bob"),
        own.issue("expired", "/CN=alice", expired=True),
        own.issue("revoked", "/CN=alice"),
        other.issue("alice", "/CN=alice"),
    )
    own.revoke(made.revoked)
    return made


def listen(papers: Papers) -> ListenConfig:
    return ListenConfig(
        port=0,
        tls_cert=str(papers.server.certificate),
        tls_key=str(papers.server.key),
        tls_client_ca=str(papers.authority.certificate),
        tls_client_crl=str(papers.authority.revoked),
    )


@pytest.fixture(scope="module")
def parts(scratch_server: ScratchServer, module_database: str, papers: Papers) -> ProxyConfig:
    password = scratch_server.address.passwords["scratch"]
    user = UserConfig("", "scratch", password)
    auth = AuthConfig("cert", {"alice": user, "bob": replace(user, databases=("elsewhere",))})
    base = f"host=127.0.0.1 port={scratch_server.port} dbname={module_database}"
    return config(base, auth=auth, listen=listen(papers))


@pytest.fixture(scope="module", params=LOOPS)
def proxy(parts: ProxyConfig, request: pytest.FixtureRequest) -> Iterator[RunningProxy]:
    with RunningProxy(parts, loop=request.param) as running:
        yield running
    assert not running.problems


def connect(port: int, user: str, pair: Pair | None = None, **more: str) -> psycopg.Connection:
    papers = pair.options() if pair is not None else {"sslcert": "/none", "sslkey": "/none"}
    # by keyword arguments alone: libpq's environment and home are not the test's business
    return psycopg.connect(
        host="127.0.0.1",
        port=port,
        user=user,
        dbname="postgres",
        **({"sslmode": "require"} | papers | more),  # type: ignore[arg-type]
    )


@pytest.mark.server
@pytest.mark.parametrize("version", ["TLSv1.2", "TLSv1.3"])
def test_a_certificate_is_a_login(proxy: RunningProxy, papers: Papers, version: str) -> None:
    versions = {"ssl_min_protocol_version": version, "ssl_max_protocol_version": version}
    for _ in range(2):
        with connect(proxy.port, "alice", papers.alice, **versions) as connection:
            assert connection.execute("select current_user").fetchone() == ("scratch",)


@pytest.mark.server
def test_who_is_told_why(proxy: RunningProxy, papers: Papers) -> None:
    """Not of ours to say: which users there are."""
    named = 'certificate authentication failed for user "alice"'
    for pair, said in (
        (None, "connection requires a valid client certificate"),
        (papers.joe, named),
        (papers.nameless, named),
        (papers.twice, named),
    ):
        with pytest.raises(psycopg.OperationalError, match=said):
            connect(proxy.port, "alice", pair)
    with pytest.raises(psycopg.OperationalError, match="requires a valid client certificate"):
        connect(proxy.port, "alice", sslmode="disable")
    with pytest.raises(psycopg.OperationalError, match='certificate authentication failed for user "joe"'):
        connect(proxy.port, "joe", papers.joe)


@pytest.fixture(scope="module")
def beside(papers: Papers) -> Iterator[DebianServer]:
    """PostgreSQL's own way with the same files."""
    files = {"ssl_ca_file": papers.authority.certificate, "ssl_crl_file": papers.authority.revoked}
    server = DebianServer(
        papers.server.certificate, papers.server.key, hba="local all all trust\nhostssl all all all cert\n"
    )
    for key, file in files.items():
        there = server.home / file.name
        there.write_bytes(file.read_bytes())
        there.chmod(0o644)
        server.settings[key] = str(there)
    with server:
        yield server


@pytest.mark.server
@pytest.mark.parametrize("version", ["TLSv1.2", "TLSv1.3"])
@pytest.mark.parametrize(
    ("which", "alert"),
    [("expired", "certificate expired"), ("revoked", "certificate revoked"), ("other", "unknown ca")],
)
def test_a_bad_certificate_is_refused_in_tls_own_words(
    proxy: RunningProxy, beside: DebianServer, papers: Papers, which: str, alert: str, version: str
) -> None:
    """Never a bare end: the client is told what is wrong, as by PostgreSQL."""
    versions = {"ssl_min_protocol_version": version, "ssl_max_protocol_version": version}
    for port in (beside.port, proxy.port):
        with pytest.raises(psycopg.OperationalError, match=f"alert {alert}"):
            connect(port, "alice", getattr(papers, which), **versions)
    until(lambda: any(n == "connection.dropped" and "certificate" in str(t) for n, t in proxy.events))


@pytest.mark.server
def test_a_map_and_distinguished_names(parts: ProxyConfig, papers: Papers) -> None:
    users = {**parts.auth.users, "joe": parts.auth.users["alice"]}
    mapped = replace(parts.auth, users=users, names=parse_map(IDENT, "clients"))
    with RunningProxy(replace(parts, auth=mapped)) as running:
        connect(running.port, "alice", papers.joe).close()
        for user, pair in (("joe", papers.joe), ("alice", papers.alice)):
            with pytest.raises(psycopg.OperationalError, match="certificate authentication failed"):
                connect(running.port, user, pair)
    whole = parse_map('clients "CN=alice,OU=Ops,O=Example\\, Ltd" alice', "clients")
    with RunningProxy(replace(parts, auth=replace(mapped, clientname="dn", names=whole))) as running:
        connect(running.port, "alice", papers.alice).close()
        with pytest.raises(psycopg.OperationalError, match="certificate authentication failed"):
            connect(running.port, "alice", papers.joe)


@pytest.mark.server
@pytest.mark.parametrize("level", ["verify-ca", "verify-full"])
def test_a_certificate_besides_a_password(parts: ProxyConfig, papers: Papers, level: str) -> None:
    """Channel binding goes with it: it is the server's certificate that is bound to."""
    alice = replace(parts.auth.users["alice"], verifier=str(Verifier.of_password("alices")))
    both = AuthConfig("file", {"alice": alice}, level)  # type: ignore[arg-type]
    right = {"password": "alices", "channel_binding": "require"}
    with RunningProxy(replace(parts, auth=both)) as running:
        connect(running.port, "alice", papers.alice, **right).close()
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            connect(running.port, "alice", papers.alice, password="wrong")
        with pytest.raises(psycopg.OperationalError, match="requires a valid client certificate"):
            connect(running.port, "alice", **right)
        if level == "verify-ca":
            connect(running.port, "alice", papers.joe, **right).close()
        else:
            with pytest.raises(psycopg.OperationalError, match="certificate authentication failed"):
                connect(running.port, "alice", papers.joe, **right)


@pytest.mark.server
def test_a_certificate_besides_what_the_server_asks(
    parts: ProxyConfig, scratch_server: ScratchServer, papers: Papers
) -> None:
    password = scratch_server.address.passwords["postgres"]
    mapped = AuthConfig(clientcert="verify-full", names=parse_map("clients alice postgres", "clients"))
    with RunningProxy(replace(parts, auth=mapped)) as running:
        connect(running.port, "postgres", papers.alice, password=password).close()
        with pytest.raises(psycopg.OperationalError, match="certificate authentication failed"):
            connect(running.port, "postgres", papers.joe, password=password)


@pytest.mark.server
def test_what_was_revoked_meanwhile(parts: ProxyConfig, tmp_path: Path) -> None:
    """From the next reload on; sessions that run stay, as with PostgreSQL."""
    own = Authority(tmp_path / "own")
    server, alice = own.issue("server", "/CN=localhost", server=True), own.issue("alice", "/CN=alice")
    here = replace(
        parts.listen,
        tls_cert=str(server.certificate),
        tls_key=str(server.key),
        tls_client_ca=str(own.certificate),
        tls_client_crl=str(own.revoked),
    )
    with (
        RunningProxy(replace(parts, listen=here)) as running,
        connect(running.port, "alice", alice) as session,
    ):
        own.revoke(alice)
        asyncio.run_coroutine_threadsafe(running.proxy.reload(running.proxy.config), running.loop).result(10)
        with pytest.raises(psycopg.OperationalError, match="revoked"):
            connect(running.port, "alice", alice)
        assert session.execute("select 1").fetchone() == (1,)
