"""What can be configured, section by section. Must not know how files are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewright import values
from rewright.config.options import option
from rewright.values import address, choice, integer, number, seconds, store_url, switch, text, words


@dataclass(frozen=True, slots=True)
class Listen:
    """Where clients connect."""

    address: tuple[str, int] = option("127.0.0.1:6432", address, "where clients connect")
    workers: int = option(1, integer(1, 256), "processes that share the port")
    tls_cert: str = option("", text, "PEM file with the certificate chain; empty: no TLS to clients")
    tls_key: str = option("", text, "PEM file with its key")
    tls_min_version: str = option("tlsv1.2", choice("tlsv1.2", "tlsv1.3"), "the oldest TLS for clients")
    tls_max_version: str = option(
        "", choice("", "tlsv1.2", "tlsv1.3"), "the newest TLS for clients; empty: whatever there is"
    )
    tls_client_ca: str = option(
        "",
        text,
        "PEM file with the authorities that sign clients' certificates; empty: clients are not asked for any",
    )
    tls_client_crl: str = option("", text, "PEM file with certificates that they have revoked")
    max_connections: int = option(
        1000, integer(1, 1_000_000), "clients of all workers together; further ones get 53300"
    )


@dataclass(frozen=True, slots=True)
class Limits:
    """Times and sizes that protect the proxy. Times: 0 is none."""

    connect_timeout: float = option("10s", seconds, "for a connection to the upstream server")
    login_timeout: float = option("60s", seconds, "from a client's first byte until it is logged in")
    idle_timeout: float = option("0s", seconds, "after which an idle client is disconnected")
    max_user_connections: int = option(
        0, integer(0, 1_000_000), "sessions of one user, in all workers; further ones get 53300; 0: no limit"
    )
    keepalive: float = option(
        "60s",
        seconds,
        "silence after which a peer is probed; one that answers no probe for as long again is gone",
    )
    drain_grace: float = option("30s", seconds, "after SIGTERM, for running queries to end")
    client_buffer: int = option(4 << 20, integer(1 << 16, 1 << 32), "bytes held for one client")
    total_buffer: int = option(512 << 20, integer(1 << 20, 1 << 40), "bytes held for all clients of a worker")
    lake_memory: int = option(2 << 30, integer(64 << 20, 1 << 42), "bytes for one statement on a lake")
    lake_total_memory: int = option(
        6 << 30, integer(256 << 20, 1 << 42), "bytes for all statements on one lake in a worker"
    )
    lake_timeout: float = option("10min", seconds, "of work for one statement on a lake")
    lake_processes: int = option(
        16,
        integer(2, 256),
        "statements on one lake that run at once in a worker; one user gets three quarters",
    )


@dataclass(frozen=True, slots=True)
class Http:
    """Health, metrics and the console."""

    address: tuple[str, int] | None = option(
        "127.0.0.1:6480",
        lambda value: None if value == "" else address(value),
        "/healthz, /metrics and the console; other than loopback only with a password and TLS; empty: none",
    )
    literals: bool = option(
        False, switch, "may pages show texts with the literals of queries, to whoever may see them"
    )
    admin_password: str = option(
        "", text, "of whoever may decide on rewrites in the console; empty: nobody may", hides="all"
    )
    viewer_password: str = option(
        "",
        text,
        "of whoever may read pages; no password at all: everybody who reaches the address",
        hides="all",
    )
    token: str = option(
        "", text, "lets programs do what an admin may: Authorization: Bearer TOKEN", hides="all"
    )
    hosts: tuple[str, ...] = option(
        [],
        words(),
        "names by which browsers may call the console, besides addresses and localhost",
        example=["rewright.internal"],
    )
    tls_cert: str = option("", text, "PEM file with the certificate chain of the console; empty: no TLS")
    tls_key: str = option("", text, "PEM file with its key")
    insecure: bool = option(
        False,
        switch,
        "listen beyond loopback without a password or TLS: for a private network or behind a proxy that has "
        "them",
    )


@dataclass(frozen=True, slots=True)
class StoreSection:
    """The store of rewrites, measurements and the log."""

    url: str = option(
        "~/.local/state/rewright/store.db",
        store_url,
        "a file, or postgresql://... when several proxies share one",
        hides="passwords",
    )
    literals: bool = option(True, switch, "may literals of queries be kept")
    retention: float = option("30d", seconds, "how long the log is kept")
    log_rows: int = option(200_000, integer(100, 100_000_000), "lines of the log at most")


@dataclass(frozen=True, slots=True)
class Database:
    """One name that clients may connect to; ``"*"`` is any other name."""

    engine: str = option(
        "postgres",
        choice("postgres", "duckdb", "spark"),
        "postgres: relayed; duckdb: a lake; spark: a lake whose queries run on Spark",
    )
    dsn: str = option(
        "",
        text,
        "the upstream server (libpq's forms, several hosts allowed)",
        hides="passwords",
        example="postgresql://db.internal/app",
    )
    optimiser_dsn: str = option(
        "",
        text,
        "the optimiser's own read-only role, may be a replica; empty: nothing new is found",
        hides="passwords",
    )
    path: str = option(
        "", text, "the lake's directory, or s3://bucket/prefix (engines duckdb, spark)", example="./lake"
    )
    beside: tuple[str, ...] = option(
        [],
        words(),
        "PostgreSQL databases of this configuration that a lake's queries may name (app.orders), read as "
        "their optimiser_dsn",
        example=["app"],
    )
    lakes: tuple[str, ...] = option(
        [],
        words(),
        "lakes of this configuration whose tables AUGMENT finds for every client of this database; without "
        "it, for those who may log in to the lake",
        example=["lake"],
    )
    max_connections: int = option(
        0, integer(0, 1_000_000), "sessions in all workers; further ones get 53300; 0: no limit"
    )
    admins: tuple[str, ...] = option(
        [],
        words(),
        "roles that see every text of this database and may decide on its rewrites, besides [admins] roles",
        example=["alice"],
    )
    spark_master: str = option(
        "local[*]",
        text,
        "where Spark runs (engine spark): local[N], spark://..., or sc://... for Spark Connect",
    )
    defaults: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Auth:
    """Who may come in."""

    method: str = option(
        "passthrough",
        choice("passthrough", "file", "trust", "cert"),
        "passthrough: the upstream server decides; file: [auth] users; cert: those, by a certificate alone; "
        "trust: anybody, on loopback only",
    )
    users: str = option(
        "",
        text,
        "users.toml: SCRAM verifiers, upstream user and password (methods file and cert)",
        example="users.toml",
    )
    clientcert: str = option(
        "off",
        choice("off", "verify-ca", "verify-full"),
        "whether clients need a certificate besides ([listen] tls_client_ca): verify-ca: any; verify-full: "
        "one in their name",
    )
    clientname: str = option(
        "cn",
        choice("cn", "dn"),
        "the name in a certificate: its common name, or its distinguished name as in RFC 2253",
    )
    ident: str = option(
        "",
        text,
        "a file like pg_ident.conf: which users a certificate's name may log in as; empty: the one of the "
        "same name",
        example="ident.conf",
    )
    ident_map: str = option("clients", text, "the map of that file")


@dataclass(frozen=True, slots=True)
class Optimiser:
    """The process that looks for rewrites."""

    measure: str = option(
        "run",
        choice("off", "explain", "run", "both"),
        "off | explain | run (the replacement, stopped at the original's observed time; the original until "
        "it has lost) | both",
    )
    concurrency: int = option(1, integer(0, 64), "queries optimised at a time; 0: none")
    run_timeout: float = option("30s", seconds, "a measured run at most")
    foreign_keys: str = option(
        "verified",
        choice("verified", "declared", "never"),
        "whether proofs may rest on them: when no stored row breaks them, looked at again and again | as "
        "declared | never",
    )
    foreign_keys_every: float = option(
        "1h",
        seconds,
        "between two looks at the rows under a served rewrite that rests on one, on NOT NULL or on a key; at "
        "least 1s",
    )
    max_runs_per_hour: int = option(
        200, integer(0, 1_000_000), "measured runs in an hour, all databases together"
    )
    budget: float = option("60s", seconds, "one query's optimisation at most")
    queue: int = option(
        1000, integer(1, 1_000_000), "slow queries waiting; further ones are dropped and counted"
    )


@dataclass(frozen=True, slots=True)
class Models:
    """Language models. Their keys come from the environment only."""

    default: str = option("", text, "a litellm model name; empty: no model")
    reasoning: str = option("", text, "for another model in this role")
    rewrite: str = option("", text, "likewise")
    assistant: str = option("", text, "likewise")
    decision: str = option("", text, "likewise")
    hint: str = option("", text, "likewise")
    lake: str = option("", text, "likewise")
    ask: str = option("", text, "likewise")
    share: str = option(
        "schema",
        choice("schema", "statistics", "samples"),
        "schema | statistics | samples: what a prompt may contain",
    )
    api_base: str = option(
        "", text, "an OpenAI-compatible server; empty: the provider's own", example="http://127.0.0.1:8000/v1"
    )
    daily_tokens: int = option(2_000_000, integer(0, 10**12), "tokens in a day at most")
    daily_money: float = option(0, number(0, 1e9), "US dollars in a day at most; 0: no limit")
    query_tokens: int = option(200_000, integer(0, 10**12), "tokens for one query at most")
    query_money: float = option(0, number(0, 1e9), "US dollars for one query at most; 0: no limit")
    max_tokens: int = option(
        0,
        integer(0, 10**7),
        "tokens of one reply, thinking included; 0: what each role is known to need, too few for models "
        "that think at length",
    )
    reasoning_effort: str = option(
        "",
        choice("", "minimal", "low", "medium", "high"),
        "how long a model that can think should; empty: its default",
    )
    response_format: str = option(
        "text",
        choice("text", "json", "schema"),
        "how JSON is asked for: in words alone, or of the server as well (json_object, json_schema)",
    )
    samples: int = option(
        1, integer(1, 4), "replies asked for where rules find nothing, each by another strategy"
    )

    def of(self, role: str) -> str:
        """The model for a role; empty: none."""
        return str(getattr(self, role)) or self.default


@dataclass(frozen=True, slots=True)
class Ask:
    """Questions in plain language: ASK. What a model is told of the data follows [models] share."""

    enabled: bool = option(True, switch, "may clients ask questions")
    model: bool = option(
        True, switch, "may a model read them ([models] ask); off: only what is read without one is answered"
    )
    confidence: float = option(0.75, number(0, 1), "a reading less sure than this is refused")
    read_timeout: float = option("120s", seconds, "for reading one question, models included")
    run_timeout: float = option("30s", seconds, "of a question's query; a tighter statement_timeout counts")
    rows: int = option(
        10_000, integer(1, 10**9), "of an answer at most; there is a NOTICE where there were more"
    )
    cost: float = option(
        10_000_000, number(0, 1e15), "the planner's cost of a query above which it is not run"
    )
    processes: int = option(2, integer(1, 64), "questions that a worker reads at once; further ones wait")
    per_user: int = option(
        2,
        integer(1, 1000),
        "questions that one user may have read at once in a worker; further ones get 53400",
    )
    candidates: int = option(1, integer(1, 16), "queries that a model makes for one question")
    tokens: int = option(56_000, integer(1000, 10**7), "a model's tokens for one query")
    remember: float = option(
        "1d",
        seconds,
        "how long a question's query is used again on the same catalog by the same role; 0: never",
    )
    documents: tuple[str, ...] = option(
        [],
        words(),
        "Markdown files (glossaries, business rules) that a model may read passages of",
        example=["glossary.md"],
    )


@dataclass(frozen=True, slots=True)
class Verify:
    """The checker."""

    scratch: str = option("embedded", text, "embedded, or a DSN of a throw-away database", hides="passwords")
    accept: tuple[str, ...] = option(
        ["float-order"],
        words("float-order", "tie-order", "refinement"),
        "reservations with which a proof still counts as proved",
    )
    timeout: float = option("20s", seconds, "one check at most")


@dataclass(frozen=True, slots=True)
class Serve:
    """How replacements are sent, and where running proxies keep what is only theirs."""

    tag: bool = option(False, switch, "append /* rewright:ID */ to what is sent")
    run_dir: str = option(
        "",
        text,
        "a directory of this user alone for sockets and the switch of rewright pause; empty: "
        "$XDG_RUNTIME_DIR/rewright, or one in the system's temporary directory",
        example="/run/rewright",
    )


@dataclass(frozen=True, slots=True)
class Admins:
    """Who may decide."""

    roles: tuple[str, ...] = option(
        ["postgres"],
        words(),
        "roles that are admins of each database they are connected to, on every server, and may pause",
    )
    database: str = option(
        "rewright",
        text,
        "the name of the admin database, for those roles with a verifier in [auth] users or a certificate; "
        "empty: none",
    )


@dataclass(frozen=True, slots=True)
class Tracing:
    """Spans for OpenTelemetry."""

    exporter: str = option(
        "off",
        choice("off", "otlp"),
        "otlp: spans of slow and of rewritten statements, to where the OTEL_EXPORTER_OTLP_… variables say; "
        "without their texts",
    )


@dataclass(frozen=True, slots=True)
class Logging:
    """What the processes say on stderr."""

    format: str = option("text", choice("text", "json"), "one event a line")
    level: str = option("info", choice("debug", "info", "warning", "error"), "from which weight on")


@dataclass(frozen=True, slots=True)
class Config:
    """Everything, with its origins: ``origins["listen.address"]`` is a file, a variable or ``default``."""

    listen: Listen = field(default_factory=Listen)
    http: Http = field(default_factory=Http)
    store: StoreSection = field(default_factory=StoreSection)
    databases: Mapping[str, Database] = field(default_factory=dict)
    auth: Auth = field(default_factory=Auth)
    defaults: Mapping[str, str] = field(default_factory=dict)
    optimiser: Optimiser = field(default_factory=Optimiser)
    models: Models = field(default_factory=Models)
    ask: Ask = field(default_factory=Ask)
    verify: Verify = field(default_factory=Verify)
    serve: Serve = field(default_factory=Serve)
    admins: Admins = field(default_factory=Admins)
    limits: Limits = field(default_factory=Limits)
    log: Logging = field(default_factory=Logging)
    tracing: Tracing = field(default_factory=Tracing)
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)


# Sections with fixed keys, in the order of the annotated file; databases and defaults are apart.
SECTIONS: Mapping[str, type[Any]] = {
    "listen": Listen,
    "http": Http,
    "store": StoreSection,
    "auth": Auth,
    "optimiser": Optimiser,
    "models": Models,
    "verify": Verify,
    "ask": Ask,
    "serve": Serve,
    "admins": Admins,
    "limits": Limits,
    "log": Logging,
    "tracing": Tracing,
}

show = values.show
