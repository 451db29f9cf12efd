"""Who gets in: the exchange itself, and whole logins with users kept in a file."""

from __future__ import annotations

import base64
import socket
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
import trustme
from hypothesis import given, settings
from hypothesis import strategies as st

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.auth.scram import (
    PLAIN,
    PLUS,
    ScramClient,
    ScramError,
    ScramServer,
    Verifier,
    mock_verifier,
)
from rewright.proxy.auth.upstream_login import UpstreamLogin, md5_response
from rewright.proxy.config import AuthConfig, ListenConfig, UserConfig
from rewright.proxy.wire.backend import AUTH_OK, AUTH_SASL, Authentication
from tests.proxy.running import LOOPS, RunningProxy, config
from tests.proxy.waiting import cancelled_when, queries_running

VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}


def exchange(password: str, given_password: str, *, binding: bytes = b"", tls: bool = False) -> None:
    server = ScramServer(Verifier.of_password(password), binding=binding)
    client = ScramClient(given_password, binding=binding, tls=tls)
    challenge = server.first(client.mechanism, client.first())
    client.check(server.final(client.proof(challenge)))


@settings(max_examples=20)
@given(st.text(min_size=1, max_size=20))
def test_right_password(password: str) -> None:
    exchange(password, password)
    exchange(password, password, binding=b"x" * 32, tls=True)


def test_wrong_password() -> None:
    with pytest.raises(ScramError) as caught:
        exchange("right", "wrong")
    assert caught.value.sqlstate == "28P01"
    client = ScramClient("anything")
    server = ScramServer(mock_verifier("nobody", b"secret"))
    proof = client.proof(server.first(PLAIN, client.first()))
    with pytest.raises(ScramError):
        server.final(proof)


def test_the_standards_example() -> None:
    """RFC 7677, section 3."""

    salt = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    server = ScramServer(Verifier.of_password("pencil", salt), nonce=b"%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0")
    first = server.first(PLAIN, b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO")
    assert first == b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    final = server.final(
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
        b"p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    )
    assert final == b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def test_downgrade_and_wrong_binding_are_noticed() -> None:
    server = ScramServer(Verifier.of_password("x"), binding=b"certificate hash")
    with pytest.raises(ScramError, match="negotiation"):
        server.first(PLAIN, ScramClient("x", tls=True).first())
    server = ScramServer(Verifier.of_password("x"), binding=b"one")
    client = ScramClient("x", binding=b"other", tls=True)
    challenge = server.first(PLUS, client.first())
    with pytest.raises(ScramError, match="channel binding"):
        server.final(client.proof(challenge))


@pytest.mark.parametrize(
    "first", [b"", b"n", b"n,,", b"n,,n=,r=", b"x,,n=,r=abc", b"n,a=x,n=,r=abc", b"\xff" * 50]
)
def test_malformed_first_messages(first: bytes) -> None:
    with pytest.raises(ScramError):
        ScramServer(Verifier.of_password("x")).first(PLAIN, first)


@given(st.binary(max_size=100))
def test_malformed_final_messages(final: bytes) -> None:
    server = ScramServer(Verifier(4096, b"salt", b"k" * 32, b"k" * 32))
    server.first(PLAIN, b"n,,n=,r=abc")
    with pytest.raises(ScramError):
        server.final(final)


def test_server_that_skips_its_signature_is_not_believed() -> None:
    login = UpstreamLogin("u", "p")
    login.from_server(Authentication(AUTH_SASL, PLAIN + b"\0\0").encode())
    with pytest.raises(ScramError):
        login.from_server(Authentication(AUTH_OK).encode())


def test_md5() -> None:
    assert md5_response("user", "password", b"1234").startswith(b"md5")
    assert len(md5_response("user", "password", b"1234")) == 35


def test_verifier_text() -> None:
    verifier = Verifier.of_password("secret")
    assert Verifier.parse(str(verifier)) == verifier
    for bad in ("", "md5abc", "SCRAM-SHA-256$x:y$z:w", "SCRAM-SHA-256$4096:AAAA$AAAA:AAAA"):
        with pytest.raises(ValueError, match="verifier"):
            Verifier.parse(bad)


# --- whole logins ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def users(scratch_server: ScratchServer) -> dict[str, UserConfig]:
    password = scratch_server.address.passwords["scratch"]
    alice = UserConfig(str(Verifier.of_password("alices")), "scratch", password)
    return {
        "alice": alice,
        "bob": replace(alice, verifier=str(Verifier.of_password("bobs")), upstream_password="wrong"),
        "carol": replace(alice, databases=("elsewhere",)),
    }


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def proxy(
    scratch_server: ScratchServer,
    module_database: str,
    users: dict[str, UserConfig],
    authority: trustme.CA,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningProxy]:
    home = tmp_path_factory.mktemp("tls")
    listen = ListenConfig(port=0, tls_cert=str(home / "cert.pem"), tls_key=str(home / "key.pem"))
    write_certificate(authority, home)
    parts = config(
        f"host=127.0.0.1 port={scratch_server.port} dbname={module_database}",
        auth=AuthConfig("file", users),
        listen=listen,
    )
    with RunningProxy(parts) as running:
        yield running
    assert not running.problems


def write_certificate(authority: trustme.CA, home: Path) -> None:
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    (home / "key.pem").write_bytes(certificate.private_key_pem.bytes())
    (home / "cert.pem").write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    authority.cert_pem.write_to_path(home / "ca.pem")


def connect(proxy: RunningProxy, user: str, password: str, **more: str) -> psycopg.Connection:
    more = {"sslmode": "disable"} | more
    return psycopg.connect(
        host="127.0.0.1",
        port=proxy.port,
        user=user,
        password=password,
        dbname="postgres",
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.server
def test_file_login(proxy: RunningProxy) -> None:
    with connect(proxy, "alice", "alices") as connection:
        assert connection.execute("select current_user").fetchone() == ("scratch",)
        assert connection.info.parameter_status("server_version")


@pytest.mark.server
@pytest.mark.parametrize(
    ("user", "password"), [("alice", "wrong"), ("nobody", "x"), ("carol", "alices"), ("alice", "")]
)
def test_nobody_else_gets_in(proxy: RunningProxy, user: str, password: str) -> None:
    expected = "password authentication failed|no password supplied"
    with pytest.raises(psycopg.OperationalError, match=expected):
        connect(proxy, user, password)


@pytest.mark.server
def test_wrong_upstream_password_keeps_everybody_out(proxy: RunningProxy) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(proxy, "bob", "bobs")


@pytest.mark.server
def test_tls_with_channel_binding(proxy: RunningProxy, authority: trustme.CA, tmp_path: Path) -> None:
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    for more in (
        {"channel_binding": "require"},
        {"channel_binding": "disable"},
        {"sslnegotiation": "direct"},
        {"gssencmode": "prefer"},
    ):
        with connect(
            proxy, "alice", "alices", sslmode="verify-full", sslrootcert=str(tmp_path / "ca.pem"), **more
        ) as connection:
            assert connection.pgconn.ssl_in_use
            assert connection.execute("select 1").fetchone() == (1,)


@pytest.mark.server
def test_trust_is_for_this_machine(
    scratch_server: ScratchServer, module_database: str, users: dict[str, UserConfig]
) -> None:
    # other tests close the database postgres to ordinary roles
    base = f"host=127.0.0.1 port={scratch_server.port} dbname={module_database}"
    with RunningProxy(config(base, auth=AuthConfig("trust", users))) as running:
        with connect(running, "alice", "") as connection:
            assert connection.execute("select current_user").fetchone() == ("scratch",)
        with pytest.raises(psycopg.OperationalError, match="password"):
            connect(running, "postgres", "")


# --- TLS towards the server -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def tls_server(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """Debian's server, which has TLS; the embedded one has none."""
    from tests.proxy.debian import DebianServer

    home = tmp_path_factory.mktemp("upstream")
    write_certificate(authority, home)
    with DebianServer(home / "cert.pem", home / "key.pem") as server:
        yield server.port, home / "ca.pem"


@pytest.mark.server
@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full", "prefer", "disable"])
def test_upstream_tls(tls_server: tuple[int, Path], mode: str) -> None:
    port, ca = tls_server
    root = f" sslrootcert={ca}" if mode.startswith("verify") else ""
    base = f"host=localhost hostaddr=127.0.0.1 port={port} sslmode={mode}{root}"
    with (
        RunningProxy(config(base)) as running,
        psycopg.connect(
            host="127.0.0.1",
            port=running.port,
            user="tester",
            password="secret",
            dbname="postgres",
            sslmode="disable",
        ) as connection,
    ):
        found = connection.execute("select ssl from pg_stat_ssl where pid = pg_backend_pid()").fetchone()
        assert found == (mode != "disable",)
    users = {"alice": UserConfig(str(Verifier.of_password("alices")), "tester", "secret")}
    with (
        RunningProxy(config(base, auth=AuthConfig("file", users))) as running,
        connect(running, "alice", "alices") as c,
    ):
        assert c.execute("select 1").fetchone() == (1,)


@pytest.mark.server
def test_upstream_certificate_is_checked(tls_server: tuple[int, Path], tmp_path: Path) -> None:
    port, ca = tls_server
    other = trustme.CA()
    other.cert_pem.write_to_path(tmp_path / "other.pem")
    wrong = (
        f"host=localhost hostaddr=127.0.0.1 port={port} sslmode=verify-full sslrootcert={tmp_path / 'other.pem'}",
        f"host=elsewhere hostaddr=127.0.0.1 port={port} sslmode=verify-full sslrootcert={ca}",
    )
    for base in wrong:
        with (
            RunningProxy(config(base)) as running,
            pytest.raises(psycopg.OperationalError, match="could not connect"),
        ):
            psycopg.connect(
                host="127.0.0.1", port=running.port, user="tester", password="secret", dbname="postgres"
            )


@pytest.mark.server
def test_upstream_tls_where_the_client_has_it(
    tls_server: tuple[int, Path], authority: trustme.CA, tmp_path: Path
) -> None:
    """So that hostssl and hostnossl mean the client's encryption."""
    write_certificate(authority, tmp_path)
    listen = ListenConfig(port=0, tls_cert=str(tmp_path / "cert.pem"), tls_key=str(tmp_path / "key.pem"))
    base = f"host=127.0.0.1 port={tls_server[0]} sslmode=as-client"
    there = f"host=127.0.0.1 port={tls_server[0]} user=tester password=secret dbname=postgres"
    with RunningProxy(config(base, listen=listen)) as running:
        for mode in ("require", "disable", "prefer"):
            with psycopg.connect(
                host="127.0.0.1",
                port=running.port,
                user="tester",
                password="secret",
                dbname="postgres",
                sslmode=mode,
                channel_binding="disable",
            ) as connection:
                found = connection.execute(
                    "select ssl from pg_stat_ssl where pid = pg_backend_pid()"
                ).fetchone()
                assert found == (mode != "disable",)
                with (
                    cancelled_when(connection, lambda: queries_running(there, "pg_sleep(30)")),
                    pytest.raises(psycopg.errors.QueryCanceled),
                ):
                    connection.execute("select pg_sleep(30)")


@pytest.mark.server
def test_a_server_without_tls_refuses_clients_with_it_as_asked(
    scratch_server: ScratchServer, authority: trustme.CA, tmp_path: Path
) -> None:
    write_certificate(authority, tmp_path)
    listen = ListenConfig(port=0, tls_cert=str(tmp_path / "cert.pem"), tls_key=str(tmp_path / "key.pem"))
    base = f"host=127.0.0.1 port={scratch_server.port} sslmode=as-client"
    with (
        RunningProxy(config(base, listen=listen)) as running,
        pytest.raises(psycopg.OperationalError, match="could not connect"),
    ):
        psycopg.connect(host="127.0.0.1", port=running.port, user="postgres", sslmode="require")
    assert "does not support SSL" in str(running.events)


@pytest.mark.server
@pytest.mark.parametrize(
    ("oldest", "newest", "used"), [("tlsv1.2", "tlsv1.2", "TLSv1.2"), ("tlsv1.3", "", "TLSv1.3")]
)
@pytest.mark.parametrize("loop", LOOPS)
def test_versions_of_tls_for_clients(
    scratch_server: ScratchServer,
    authority: trustme.CA,
    tmp_path: Path,
    oldest: str,
    newest: str,
    used: str,
    loop: str,
) -> None:
    write_certificate(authority, tmp_path)
    listen = ListenConfig(
        port=0,
        tls_cert=str(tmp_path / "cert.pem"),
        tls_key=str(tmp_path / "key.pem"),
        tls_min_version=oldest,
        tls_max_version=newest,
    )
    with RunningProxy(
        config(f"host={scratch_server.address.socket_dir} port={scratch_server.port}", listen=listen),
        loop=loop,
    ) as running:
        dsn = f"host=127.0.0.1 port={running.port} user=postgres dbname=postgres sslmode=require"
        with psycopg.connect(dsn) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
        other = "TLSv1.3" if used == "TLSv1.2" else "TLSv1.2"
        # in OpenSSL's words, as from PostgreSQL, not as a reset
        with pytest.raises(psycopg.OperationalError, match="alert protocol version"):
            psycopg.connect(f"{dsn} ssl_min_protocol_version={other} ssl_max_protocol_version={other}")
        ours = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        ours.check_hostname, ours.verify_mode = False, ssl.CERT_NONE
        ours.set_alpn_protocols(["postgresql"])
        ours.minimum_version = ours.maximum_version = VERSIONS[other]
        with (
            socket.create_connection(("127.0.0.1", running.port), 5) as plain,
            pytest.raises(ssl.SSLError, match="PROTOCOL_VERSION"),
        ):
            ours.wrap_socket(plain)
