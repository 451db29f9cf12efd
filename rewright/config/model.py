"""What can be configured, section by section. Must not know how files are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewright import values
from rewright.config.options import option
from rewright.values import address, choice, integer, number, seconds, size, store_url, switch, text, words


@dataclass(frozen=True, slots=True)
class Listen:
    """Where clients connect."""

    address: tuple[str, int] = option("127.0.0.1:6432", address, "where clients connect")
    workers: int = option(1, integer(1, 256), "processes that share the port")
    tls_cert: str = option("", text, "PEM file with the certificate chain; empty: no TLS to clients")
    tls_key: str = option("", text, "PEM file with its key")
    tls_min_version: str = option("tlsv1.2", choice("tlsv1.2", "tlsv1.3"), "the oldest TLS for clients")
    tls_max_version: str = option(
        "", choice("", "tlsv1.2", "tlsv1.3"), "the newest TLS version for clients; empty: no limit"
    )
    tls_client_ca: str = option(
        "",
        text,
        "PEM file with the authorities that sign client certificates; empty: clients are not asked for one",
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
    idle_timeout: float = option("0s", seconds, "idle time after which a client is disconnected")
    max_user_connections: int = option(
        0, integer(0, 1_000_000), "sessions of one user, in all workers; further ones get 53300; 0: no limit"
    )
    keepalive: float = option(
        "60s",
        seconds,
        "silence after which a peer is probed; without an answer within the same time it is disconnected",
    )
    drain_grace: float = option("30s", seconds, "after SIGTERM, for running queries to end")
    client_buffer: int = option(4 << 20, integer(1 << 16, 1 << 32), "bytes held for one client")
    total_buffer: int = option(512 << 20, integer(1 << 20, 1 << 40), "bytes held for all clients of a worker")
    lake_memory: int = option(2 << 30, integer(64 << 20, 1 << 42), "bytes for one statement on a lake")
    lake_total_memory: int = option(
        6 << 30, integer(256 << 20, 1 << 42), "bytes for all statements on one lake in a worker"
    )
    lake_timeout: float = option("10min", seconds, "working time for one statement on a lake")
    lake_processes: int = option(
        16,
        integer(2, 256),
        "statements on one lake that run at once in a worker; one user may use three quarters of them",
    )


@dataclass(frozen=True, slots=True)
class Http:
    """Health, metrics and the console."""

    address: tuple[str, int] | None = option(
        "127.0.0.1:6480",
        lambda value: None if value == "" else address(value),
        "/healthz, /metrics and the console; not loopback: needs a password and TLS; empty: disabled",
    )
    literals: bool = option(
        False, switch, "whether pages show the literals of queries, to those who may see the queries"
    )
    admin_password: str = option(
        "", text, "for deciding on rewrites in the console; empty: nobody may", hides="all"
    )
    viewer_password: str = option(
        "",
        text,
        "for reading pages; with neither password everybody who can connect may read them",
        hides="all",
    )
    token: str = option(
        "", text, "for programs with the rights of an admin: Authorization: Bearer TOKEN", hides="all"
    )
    hosts: tuple[str, ...] = option(
        [],
        words(),
        "host names under which the console answers browsers, in addition to IP addresses and localhost",
        example=["rewright.internal"],
    )
    tls_cert: str = option("", text, "PEM file with the certificate chain of the console; empty: no TLS")
    tls_key: str = option("", text, "PEM file with its key")
    insecure: bool = option(
        False,
        switch,
        "listen on other addresses than loopback without a password or TLS: on a private network, or behind "
        "a proxy that has both",
    )


@dataclass(frozen=True, slots=True)
class StoreSection:
    """The store of rewrites, measurements and the log."""

    url: str = option(
        "~/.local/state/rewright/store.db",
        store_url,
        "a file, or postgresql://... if several proxies share one store",
        hides="passwords",
    )
    literals: bool = option(True, switch, "whether literals of queries are stored")
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
        "the optimiser's own read-only role, may be on a replica; empty: no rewrites are looked for",
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
        "lakes of this configuration that AUGMENT searches for every client of this database; without it, "
        "for clients that may log in to the lake",
        example=["lake"],
    )
    max_connections: int = option(
        0, integer(0, 1_000_000), "sessions in all workers; further ones get 53300; 0: no limit"
    )
    admins: tuple[str, ...] = option(
        [],
        words(),
        "roles that see all queries of this database and may decide on its rewrites, as [admins] roles do",
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
    """Who may log in."""

    method: str = option(
        "passthrough",
        choice("passthrough", "file", "trust", "cert"),
        "passthrough: the upstream server decides; file: passwords of [auth] users; cert: certificates, "
        "without a password; trust: anybody, on loopback only",
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
        "whether clients also need a certificate ([listen] tls_client_ca): verify-ca: any valid one; "
        "verify-full: one in their name",
    )
    clientname: str = option(
        "cn",
        choice("cn", "dn"),
        "the name in a certificate: its common name, or its distinguished name as in RFC 2253",
    )
    ident: str = option(
        "",
        text,
        "a file like pg_ident.conf: the users that a certificate's name may log in as; empty: the user of "
        "the same name",
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
    run_timeout: float = option("30s", seconds, "time limit for one measured run")
    foreign_keys: str = option(
        "verified",
        choice("verified", "declared", "never"),
        "whether proofs may rely on them: if no stored row violates them, checked repeatedly | as "
        "declared | never",
    )
    foreign_keys_every: float = option(
        "1h",
        seconds,
        "time between two checks of the rows behind a served rewrite that relies on one, on NOT NULL or on "
        "a key; at least 1s",
    )
    max_runs_per_hour: int = option(
        200, integer(0, 1_000_000), "measured runs in an hour, all databases together"
    )
    budget: float = option("60s", seconds, "time limit for optimising one query")
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
        "tokens of one reply, reasoning included; 0: a default for each role, too few for models that "
        "reason at length",
    )
    reasoning_effort: str = option(
        "",
        choice("", "minimal", "low", "medium", "high"),
        "reasoning effort for models that have one; empty: the model's default",
    )
    response_format: str = option(
        "text",
        choice("text", "json", "schema"),
        "how JSON is requested: in the prompt only, or from the server as well (json_object, json_schema)",
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

    enabled: bool = option(True, switch, "whether clients may ask questions")
    model: bool = option(
        True,
        switch,
        "whether a model may read them ([models] ask); off: only questions that need no model are answered",
    )
    confidence: float = option(0.75, number(0, 1), "a reading with less confidence is refused")
    read_timeout: float = option("120s", seconds, "time for reading one question, models included")
    run_timeout: float = option(
        "30s", seconds, "time for a question's query; a shorter statement_timeout takes precedence"
    )
    rows: int = option(10_000, integer(1, 10**9), "rows of an answer; if there are more, a NOTICE says so")
    cost: float = option(10_000_000, number(0, 1e15), "estimated cost above which a query is not run")
    processes: int = option(
        2, integer(1, 64), "questions that a worker reads at the same time; further ones wait"
    )
    per_user: int = option(
        2,
        integer(1, 1000),
        "questions of one user that a worker reads at the same time; further ones get 53400",
    )
    candidates: int = option(1, integer(1, 16), "queries that a model makes for one question")
    tokens: int = option(56_000, integer(1000, 10**7), "a model's tokens for one query")
    remember: float = option(
        "1d",
        seconds,
        "how long a question's query is reused for the same role and an unchanged catalog; 0: never",
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
        "reservations that a proof may have and still count as proved",
    )
    timeout: float = option("20s", seconds, "time limit for one check")


@dataclass(frozen=True, slots=True)
class Serve:
    """How replacements are sent and answered, and where a running proxy keeps its sockets."""

    tag: bool = option(False, switch, "append /* rewright:ID */ to what is sent")
    hold: int = option(
        "1MB",
        size(1 << 30),
        "how much of an answer is held back, until it is whole, if the replacement may stop with an error "
        "where the original would not; a larger answer is the original's; 0: nothing is held back",
    )
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
        "roles that are admins of every database they are connected to, on every server, and may pause",
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
        "otlp: spans of slow and of rewritten statements, without their texts, sent to where the "
        "OTEL_EXPORTER_OTLP_… variables say",
    )


@dataclass(frozen=True, slots=True)
class Logging:
    """What the processes log on stderr."""

    format: str = option("text", choice("text", "json"), "one event a line")
    level: str = option(
        "info", choice("debug", "info", "warning", "error"), "the lowest level that is logged"
    )


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
