"""The proxy's configuration as plain data; the composition root makes it from rewright.toml.

Owns the shapes and their defaults. Must not read files (except through the paths it names, elsewhere) or
know the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rewright.proxy.auth.certificates import Level, NameMap, Naming


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds (0: none), sizes in bytes."""

    max_connections: int = 1000
    max_user_connections: int = 0
    connect_timeout: float = 10.0
    login_timeout: float = 60.0
    idle_timeout: float = 0.0
    drain_grace: float = 30.0
    keepalive_idle: int = 60
    client_buffer: int = 4 << 20  # held or unsent bytes of one session before it stops reading or looking
    total_buffer: int = 512 << 20  # of all sessions; above it nothing is held and nothing is looked at
    hold: int = 1 << 20  # of one answer that is held back until it is whole; 0: none is
    max_text: int = 2 << 20  # statements longer than this are relayed unseen


@dataclass(frozen=True, slots=True)
class ListenConfig:
    """Where clients connect. Several workers share the port (SO_REUSEPORT) and
    ``run_dir`` for their sockets.
    """

    host: str = "127.0.0.1"
    port: int = 6432
    tls_cert: str = ""
    tls_key: str = ""
    workers: int = 1
    run_dir: str = ""
    tls_min_version: str = "tlsv1.2"
    tls_max_version: str = ""
    tls_client_ca: str = ""  # clients are asked for certificates, which one of these must have signed
    tls_client_crl: str = ""


@dataclass(frozen=True, slots=True)
class DatabaseConfig:
    """One name clients may ask for; ``*`` stands for any other. ``dsn``: libpq's forms, several hosts
    allowed.
    """

    name: str
    dsn: str = ""
    engine: Literal["postgres", "duckdb"] = "postgres"
    path: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)
    serve: bool = True
    admins: frozenset[str] = frozenset()  # of this database, besides those of every one
    max_connections: int = 0


@dataclass(frozen=True, slots=True)
class UserConfig:
    """A line of users.toml: the SCRAM verifier clients prove, and how Rewright logs in upstream for them.

    ``databases`` empty: all. Passwords stand here already read from their files.
    """

    verifier: str = ""
    upstream_user: str = ""
    upstream_password: str = ""
    databases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuthConfig:
    """``trust`` is accepted from loopback peers only and still logs in upstream as ``users`` or the dsn say.

    ``cert``: a certificate is all the proof that is asked for; with the other methods ``clientcert`` asks for
    one besides.
    """

    method: Literal["passthrough", "file", "trust", "cert"] = "passthrough"
    users: Mapping[str, UserConfig] = field(default_factory=dict)
    clientcert: Level = "off"
    clientname: Naming = "cn"
    names: NameMap = field(default_factory=NameMap)

    @property
    def level(self) -> Level:
        """What is asked of a client's certificate."""
        return "verify-full" if self.method == "cert" else self.clientcert


@dataclass(frozen=True, slots=True)
class ProxyConfig:
    listen: ListenConfig = field(default_factory=ListenConfig)
    databases: Mapping[str, DatabaseConfig] = field(default_factory=dict)
    auth: AuthConfig = field(default_factory=AuthConfig)
    limits: Limits = field(default_factory=Limits)
    admins: frozenset[str] = frozenset()
    admin_database: str = ""  # the name behind which the proxy itself answers; empty: none
    tag: bool = False

    def sessions_of(self, kind: str, name: str) -> int:
        """How many there may be at once, of all workers: of a role, of a database, of all; 0: no limit."""
        if kind == "database":
            database = self.database(name)
            return database.max_connections if database is not None else 0
        return self.limits.max_user_connections if kind == "role" else self.limits.max_connections

    def database(self, name: str) -> DatabaseConfig | None:
        return self.databases.get(name) or self.databases.get("*")
