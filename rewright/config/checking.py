"""Settings that only make sense, or are only allowed, together.

Owns what is said of contradictions. Must not know how settings are read.
"""

from __future__ import annotations

from rewright.config.model import Config, Database
from rewright.config.sources import Sources
from rewright.extras import install, missing


def check_together(sources: Sources, config: Config) -> None:
    """What only makes sense in combination."""
    if bool(config.listen.tls_cert) != bool(config.listen.tls_key):
        origin = origin_of(sources, ("listen",))
        sources.problems.append(f"{origin}: [listen]: tls_cert and tls_key are set together or not at all")
    _console(sources, config)
    _auth(sources, config)
    _tracing(sources, config)
    for name, database in config.databases.items():
        _beside(sources, config, name, database)
        _lakes(sources, config, name, database)
    host = config.listen.address[0]
    # without authentication only this machine may come
    if config.auth.method == "trust" and not _loopback(host):
        sources.problems.append(
            f"{origin_of(sources, ('auth',))}: [auth] method: trust is allowed on a loopback address only, "
            f"not {host}"
        )


def _console(sources: Sources, config: Config) -> None:
    """Query texts are not for the whole network."""
    http = config.http
    if bool(http.tls_cert) != bool(http.tls_key):
        sources.problems.append(
            f"{origin_of(sources, ('http',))}: [http]: tls_cert and tls_key are set together or not at all"
        )
    # insecure: somebody else sees to it, such as a proxy with TLS
    if http.address is None or http.insecure or _loopback(http.address[0]):
        return
    wanted = {"a password": http.admin_password or http.viewer_password, "TLS": http.tls_cert}
    missing = " and ".join(name for name, value in wanted.items() if not value)
    if missing:
        sources.problems.append(
            f"{origin_of(sources, ('http',))}: [http] address: beyond loopback ({http.address[0]}) the "
            f"console needs {missing};"
            " insecure = true allows it without"
        )


def _loopback(host: str) -> bool:
    return host.startswith("127.") or host in {"::1", "localhost"}


def _tracing(sources: Sources, config: Config) -> None:
    # checked when it is configured, not when the first span is lost
    if config.tracing.exporter != "off" and (packages := missing("otel")):
        sources.complain(
            ("tracing", "exporter"), f"needs the Python packages {', '.join(packages)}: {install('otel')}"
        )


def _auth(sources: Sources, config: Config) -> None:
    auth, origin = config.auth, origin_of(sources, ("auth",))
    if auth.method in {"file", "cert"} and not auth.users:
        sources.problems.append(f"{origin}: [auth] users: method {auth.method} needs a file of users")
    # both name certificates of clients, which TLS has to ask for
    wanted = "method" if auth.method == "cert" else "clientcert" if auth.clientcert != "off" else ""
    if wanted and not (config.listen.tls_cert and config.listen.tls_client_ca):
        sources.problems.append(
            f"{origin}: [auth] {wanted}: certificates of clients need [listen] tls_cert and tls_client_ca"
        )


NAMES_OF_DUCKDB = frozenset(
    {"main", "memory", "system", "temp", "public", "information_schema", "pg_catalog"}
)


def _beside(sources: Sources, config: Config, name: str, lake: Database) -> None:
    """The databases beside a lake are known, can be read, and are called like nothing that DuckDB knows."""
    path = ("databases", name, "beside")
    if lake.beside and lake.engine != "duckdb":
        sources.complain(path, "only a lake (engine duckdb) has databases beside it")
        return
    for other in lake.beside:
        there = config.databases.get(other)
        # optimiser_dsn is the account that only reads
        if there is None or there.engine != "postgres" or not there.optimiser_dsn:
            sources.complain(path, "must name databases of engine postgres that have an optimiser_dsn")
            return
        # its tables are named DATABASE.SCHEMA.TABLE there, which would lead to DuckDB's own
        if other.lower() in NAMES_OF_DUCKDB:
            sources.complain(path, f"a database called {other} cannot stand beside a lake")
            return


def _lakes(sources: Sources, config: Config, name: str, database: Database) -> None:
    """The lakes whose tables a database's clients are shown are lakes, and the database is none."""
    path = ("databases", name, "lakes")
    if database.lakes and database.engine != "postgres":
        sources.complain(path, "is for databases of engine postgres")
    elif any(
        other not in config.databases or config.databases[other].engine != "duckdb"
        for other in database.lakes
    ):
        sources.complain(path, "must name databases of engine duckdb")


def origin_of(sources: Sources, prefix: tuple[str, ...]) -> str:
    found = (w.origin for path, w in sources.values.items() if path[: len(prefix)] == prefix)
    return next(found, "configuration")
