"""Every configuration in the documents is started: Rewright with it, clients get through, and so does who reviews."""

from __future__ import annotations

import json
import os
import re
import ssl
import subprocess
import tempfile
import tomllib
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.config.loading import load
from rewright.config.model import Config
from rewright.doctor import examine
from rewright.engines.postgres.scratch import free_port
from tests.documents.pages import Block, blocks
from tests.documents.world import PASSWORD, World, serving
from tests.models.conftest import Stub, imported, stub  # noqa: F401 - fixtures
from tests.proxy.bouncers import prepares, program
from tests.proxy.waiting import until

pytestmark = [pytest.mark.server, pytest.mark.timeout(200)]
# what a test says besides: nothing is looked for, and pages and sockets have places of their own
QUIET = {
    "REWRIGHT_OPTIMISER__CONCURRENCY": "0",
    "REWRIGHT_DATABASES__APP__DSN": "postgresql://127.0.0.1:{server}/app",
}
FILES = re.compile(r'^(\w+) = "([^"]*(?:/etc/|/run/|\.pem|\.key|\.toml|\.conf)[^"]*)"', re.MULTILINE)


@pytest.fixture
def own_files(documents: World, tmp_path: Path) -> Mapping[str, str]:
    """Keys of configurations that name files, and files for them."""
    server = documents.authority.issue_cert("127.0.0.1", "rewright.internal")
    server.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    server.private_key_pem.write_to_path(tmp_path / "key.pem")
    documents.authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    (tmp_path / "dsn").write_text(documents.dsn("app", "rewright_optimiser"))
    (tmp_path / "password").write_text(PASSWORD)
    return {
        "tls_cert": str(tmp_path / "cert.pem"),
        "tls_key": str(tmp_path / "key.pem"),
        "tls_client_ca": str(tmp_path / "authority.pem"),
        "tls_client_crl": str(revocations(documents, tmp_path)),
        "users": str(documents.home / "users.toml"),
        "optimiser_dsn_file": str(tmp_path / "dsn"),
        "admin_password_file": str(tmp_path / "password"),
        "viewer_password_file": str(tmp_path / "password"),
        "upstream_password_file": str(tmp_path / "password"),
    }


def revocations(documents: World, folder: Path) -> Path:
    """A list of the authority's that revokes nobody."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization

    key = serialization.load_pem_private_key(documents.authority.private_key_pem.bytes(), None)
    issuer = x509.load_pem_x509_certificate(documents.authority.cert_pem.bytes())
    made = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(issuer.subject)
        .last_update(issuer.not_valid_before_utc)
        .next_update(issuer.not_valid_after_utc)
        .sign(key, hashes.SHA256())  # type: ignore[arg-type]
    )
    file = folder / "crl.pem"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return file


def configured(
    block: Block, documents: World, files: Mapping[str, str], home: Path, more: str = "", **ports: int
) -> Config:
    """As the page says, but for addresses, files and where it listens."""
    own = {"p6432": free_port(), "p6480": free_port(), **ports}
    text = documents.here(block.text.replace("10.0.0.5:", "127.0.0.1:"), **own)
    text = re.sub(r'"\./lake"', json.dumps(str(documents.home / "lake")), text)
    text = FILES.sub(lambda found: f"{found[1]} = {json.dumps(files[found[1]])}", text)
    (home / "rewright.toml").write_text(text + more)
    told = tomllib.loads(text)
    listen = {
        "REWRIGHT_LISTEN__ADDRESS": f"127.0.0.1:{own['p6432']}",
        "REWRIGHT_HTTP__ADDRESS": f"127.0.0.1:{own['p6480']}",
        "REWRIGHT_STORE__URL": str(home / "store.db"),
    }
    given = {
        name: value.format(server=documents.server.port)
        for name, value in {**QUIET, **listen}.items()
        if not _says(told, name)
    }
    return load(home / "rewright.toml", environment=given)


def _says(told: Mapping[str, Any], variable: str) -> bool:
    """Whether the page has a word on it; of databases, whether it names any."""
    section, key, *_ = variable.removeprefix("REWRIGHT_").lower().split("__")
    return section in told and (section == "databases" or key in told[section])


# with a PgBouncer, and with a model: tests of their own
ALONE = [block for block in blocks("toml") if "6543" not in block.text and "api_base" not in block.text]


@pytest.mark.parametrize("block", ALONE, ids=str)
def test_it_serves(
    block: Block,
    documents: World,
    own_files: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    config = configured(block, documents, own_files, tmp_path)
    with serving(config) as running:
        port = running.address[1]
        for name, database in config.databases.items():
            if config.auth.method != "cert" and name != "*":
                assert value(port, name, "select 1") == 1
            if database.optimiser_dsn:
                with psycopg.connect(database.optimiser_dsn) as connection:
                    connection.execute("select 1")
            for other in database.beside:
                assert value(port, name, f"select count(*) from {other}.painting") == 60
        if config.auth.method == "cert":
            assert as_joe(documents, port, tmp_path, "select current_user") == "app_rw"
        if config.http.admin_password:
            reviewed(config, own_files["tls_client_ca"])


def value(port: int, database: str, text: str) -> Any:
    dsn = f"host=127.0.0.1 port={port} user=postgres password='{PASSWORD}' dbname={database}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(text.encode()).fetchone()
    return row[0] if row else None


def reviewed(config: Config, authority: str) -> None:
    """The page of who signs in, over TLS, by its name."""
    assert config.http.address is not None
    request = urllib.request.Request(
        f"https://127.0.0.1:{config.http.address[1]}/sign-in", headers={"Host": config.http.hosts[0]}
    )
    context = ssl.create_default_context(cafile=authority)
    with urllib.request.urlopen(request, timeout=30, context=context) as answer:
        assert "Password" in answer.read().decode()


def as_joe(documents: World, port: int, home: Path, text: str, name: str = "joe", user: str = "joe") -> Any:
    """Who logs in as ``user`` with a certificate of ``name`` and nothing else."""
    mine = documents.authority.issue_cert("joe@unused.example", common_name=name)
    mine.cert_chain_pems[0].write_to_path(home / "client.pem")
    mine.private_key_pem.write_to_path(home / "client.key")
    (home / "client.key").chmod(0o600)
    with psycopg.connect(
        host="127.0.0.1", port=port, user=user, dbname="app", sslmode="verify-full",
        sslrootcert=str(home / "authority.pem"), sslcert=str(home / "client.pem"), sslkey=str(home / "client.key"),
    ) as connection:  # fmt: skip
        row = connection.execute(text.encode()).fetchone()
    return row[0] if row else None


@pytest.mark.parametrize(
    "block",
    [block for block in blocks("toml") if "api_base" in block.text and block.page.endswith("models.md")],
    ids=str,
)
def test_a_model_is_asked(
    block: Block,
    documents: World,
    own_files: Mapping[str, str],
    tmp_path: Path,
    stub: Stub,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    stub.answer = lambda _body: "ready"
    config = configured(
        block, documents, own_files, tmp_path, p8000=int(stub.url.split(":")[2].split("/")[0])
    )
    found = [one for one in examine(config) if one.subject == "model"]
    assert [one.status for one in found] == ["ok"], found
    assert stub.requests


@pytest.mark.parametrize("block", blocks("ini"), ids=str)
def test_pgbouncer(block: Block, documents: World, own_files: Mapping[str, str], tmp_path: Path) -> None:
    """Before the server, with Rewright as the page says before it; or before Rewright."""
    with bouncer(block, documents) as port:
        if "port=6432" in block.text:
            assert value(port, "app", "show rewright.pooled") == "on"
            return
        (beside,) = [one for one in blocks("toml") if one.page == block.page]
        config = configured(beside, documents, own_files, tmp_path, p6543=port)
        with serving(config) as running:
            assert value(running.address[1], "app", "select count(*) from painting") == 60
        with psycopg.connect(config.databases["app"].optimiser_dsn) as connection:
            connection.execute("select 1")


@contextmanager
def bouncer(block: Block, documents: World) -> Iterator[int]:
    """Debian's, with the page's file."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="rewright-bouncer-") as made:
        home = Path(made)
        home.chmod(0o777)
        (home / "userlist.txt").write_text(f'"postgres" "{PASSWORD}"\n')
        text = documents.here(block.text).replace(
            "listen_port = 6543", f"listen_port = {port}\nlisten_addr = 127.0.0.1"
        )
        text = text.replace("/etc/pgbouncer/userlist.txt", str(home / "userlist.txt"))
        if not prepares():
            text = re.sub(r"^max_prepared_statements.*$", "", text, flags=re.MULTILINE)
        (home / "bouncer.ini").write_text(f"{text}\nunix_socket_dir =\n")
        account = "nobody" if os.geteuid() == 0 else None
        process = subprocess.Popen(
            [program(), "-q", str(home / "bouncer.ini")], user=account, stderr=subprocess.DEVNULL
        )

        def answers() -> bool:
            assert process.poll() is None
            try:
                return value(port, "app", "select 1") == 1
            except psycopg.OperationalError:
                return False

        try:
            until(answers)
            yield port
        finally:
            process.terminate()
            process.wait(30)


@pytest.mark.parametrize("block", blocks("toml", "users"), ids=str)
def test_users_log_in(block: Block, documents: World, own_files: Mapping[str, str], tmp_path: Path) -> None:
    """With the password that the page says, to the databases that it says, as the role that it says."""
    (tmp_path / "users.toml").write_text(
        FILES.sub(lambda found: f'{found[1]} = "{own_files[found[1]]}"', block.text)
    )
    base = load(documents.home / "rewright.toml", environment={})
    config = replace(
        base,
        listen=replace(base.listen, address=("127.0.0.1", 0)),
        http=replace(base.http, address=None),
        store=replace(base.store, url=str(tmp_path / "store.db")),
        auth=replace(base.auth, users=str(tmp_path / "users.toml")),
        databases={name: one for name, one in base.databases.items() if one.engine == "postgres"},
    )
    with serving(config) as running:
        dsn = f"host=127.0.0.1 port={running.address[1]} user=joe password=secret"
        with psycopg.connect(dsn, dbname="app") as connection:
            assert connection.execute("select current_user").fetchone() == ("app_rw",)
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(dsn, dbname="rewright")


@pytest.mark.parametrize("block", blocks("text", "ident"), ids=str)
def test_names_of_certificates(
    block: Block, documents: World, own_files: Mapping[str, str], tmp_path: Path
) -> None:
    """With the configuration of the same page, and the map besides."""
    (beside,) = [one for one in blocks("toml") if one.page == block.page]
    (tmp_path / "ident.conf").write_text(block.text)
    config = configured(beside, documents, own_files, tmp_path)
    config = replace(config, auth=replace(config.auth, ident=str(tmp_path / "ident.conf")))
    with serving(config) as running:
        port = running.address[1]
        assert as_joe(documents, port, tmp_path, "select current_user", user="app_rw") == "app_rw"
        assert as_joe(documents, port, tmp_path, "select current_user", name="joe@example.org") == "app_rw"
        with pytest.raises(psycopg.OperationalError, match="certificate"):
            as_joe(documents, port, tmp_path, "select 1", name="eve@example.com")
