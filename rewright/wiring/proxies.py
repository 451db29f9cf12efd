"""The configuration as the proxy's own records. Must not know processes."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewright.config.loading import ConfigError
from rewright.config.model import Auth, Config
from rewright.proxy.auth.certificates import MapError, NameMap, parse_map
from rewright.proxy.config import AuthConfig, DatabaseConfig, Limits, ListenConfig, ProxyConfig, UserConfig
from rewright.proxy.ports import SettingRule, SettingsRules
from rewright.proxy.tls_negotiation import server_context
from rewright.proxy.upstream import DsnError, parse_dsn
from rewright.settings import REGISTRY, allowed_sentence

USER_KEYS = ("verifier", "upstream_user", "upstream_password", "upstream_password_file", "databases")


def proxy_config(config: Config) -> ProxyConfig:
    """Raises ConfigError when a dsn can't be understood, or a certificate or the
    file of users can't be used.
    """
    listen = _listen(config)
    problems = [*_dsn_problems(config), *_certificate_problems(listen)]
    if problems:
        raise ConfigError(problems)
    limits = config.limits
    return ProxyConfig(
        listen=listen,
        databases={
            name: DatabaseConfig(
                name,
                one.dsn,
                _engine(one.engine),
                one.path,
                one.defaults,
                admins=frozenset(one.admins),
                max_connections=one.max_connections,
            )
            for name, one in config.databases.items()
        },
        auth=auth_config(config.auth),
        limits=Limits(
            max_connections=config.listen.max_connections,
            max_user_connections=limits.max_user_connections,
            connect_timeout=limits.connect_timeout,
            login_timeout=limits.login_timeout,
            idle_timeout=limits.idle_timeout,
            drain_grace=limits.drain_grace,
            keepalive_idle=math.ceil(limits.keepalive),
            client_buffer=limits.client_buffer,
            total_buffer=limits.total_buffer,
            hold=config.serve.hold,
        ),
        admins=frozenset(config.admins.roles),
        admin_database=config.admins.database,
        tag=config.serve.tag,
    )


def optimises(config: Config, database: str) -> bool:
    """Whether slow queries of a database are looked at by anybody."""
    found = config.databases.get(database) or config.databases.get("*")
    return found is not None and bool(found.optimiser_dsn) and config.optimiser.concurrency > 0


def settings_rules(config: Config) -> SettingsRules:
    """The registry, with the configuration's defaults."""
    rules = tuple(
        SettingRule(setting.name, setting.default, setting.parse, allowed_sentence(setting))
        for setting in REGISTRY
    )
    return SettingsRules(rules, dict(config.defaults))


def _dsn_problems(config: Config) -> Iterator[str]:
    for name, database in config.databases.items():
        for key in ("dsn", "optimiser_dsn"):
            try:
                target = parse_dsn(getattr(database, key))
            except DsnError as error:
                yield f"[databases.{name}] {key}: {error}"
            else:
                if target.as_client and key == "optimiser_dsn":
                    yield (
                        f"[databases.{name}] {key}: sslmode=as-client is for dsn: the optimiser is nobody's "
                        f"client"
                    )


def _listen(config: Config) -> ListenConfig:
    host, port = config.listen.address
    return ListenConfig(
        host,
        port,
        config.listen.tls_cert,
        config.listen.tls_key,
        config.listen.workers,
        run_dir=config.serve.run_dir,
        tls_min_version=config.listen.tls_min_version,
        tls_max_version=config.listen.tls_max_version,
        tls_client_ca=config.listen.tls_client_ca,
        tls_client_crl=config.listen.tls_client_crl,
    )


def _certificate_problems(listen: ListenConfig) -> Iterator[str]:
    if not listen.tls_cert:
        return
    try:
        server_context(listen)
    except OSError as error:  # ssl.SSLError is one
        reason = error.strerror or str(error)
        files = (listen.tls_cert, listen.tls_key, listen.tls_client_ca, listen.tls_client_crl)
        missing = [file for file in files if file and not Path(file).is_file()]
        yield f"[listen] tls_cert: {', '.join(missing) or listen.tls_cert}: {reason}"


def auth_config(section: Auth) -> AuthConfig:
    """Raises ConfigError."""
    method: Any = section.method
    level: Any = section.clientcert
    naming: Any = section.clientname
    return AuthConfig(method, _users(section.users, method), level, naming, _names(section))


def _names(section: Auth) -> NameMap:
    """Raises ConfigError."""
    if not section.ident:
        return NameMap()
    file = Path(section.ident).expanduser()
    try:
        return parse_map(file.read_text(encoding="utf-8"), section.ident_map)
    except (OSError, UnicodeDecodeError, MapError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError([f"[auth] ident: {file}: {reason}"]) from error


def _engine(name: str) -> Any:
    """To clients a lake is a lake, whatever runs its queries."""
    return "duckdb" if name == "spark" else name


def _users(path: str, method: str) -> Mapping[str, UserConfig]:
    if not path:
        return {}
    file = Path(path).expanduser()
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError([f"[auth] users: {file}: {reason}"]) from error
    problems: list[str] = []
    users = {name: _user(f"{file}: [{name}]", table, problems, method) for name, table in document.items()}
    if problems:
        raise ConfigError(problems)
    return users


def _user(where: str, table: object, problems: list[str], method: str) -> UserConfig:
    """One section of users.toml: ``[joe] verifier = "SCRAM-SHA-256$..."``."""
    if not isinstance(table, dict):
        problems.append(f"{where}: a section for each user, with the keys {', '.join(USER_KEYS)}")
        return UserConfig()
    problems += [
        f"{where}: there is no key {key}; allowed: {', '.join(USER_KEYS)}"
        for key in table.keys() - set(USER_KEYS)
    ]
    # with method cert a user may go without a verifier; a wrong one is refused even then
    verifier = str(table.get("verifier", ""))
    if not verifier.startswith("SCRAM-SHA-256$") and (verifier or method != "cert"):
        problems.append(
            f"{where}: verifier: a SCRAM verifier as in pg_authid.rolpassword (SCRAM-SHA-256$...)"
        )
    # a file goes before a password that is written down here
    password = str(table.get("upstream_password", ""))
    if "upstream_password_file" in table:
        try:
            password = (
                Path(str(table["upstream_password_file"]))
                .expanduser()
                .read_text(encoding="utf-8")
                .rstrip("\r\n")
            )
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{where}: upstream_password_file: {error}")
    databases = table.get("databases", [])
    if not isinstance(databases, list) or not all(isinstance(name, str) for name in databases):
        problems.append(f"{where}: databases: a list of texts")
        databases = []
    return UserConfig(verifier, str(table.get("upstream_user", "")), password, tuple(databases))
