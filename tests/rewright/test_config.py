"""The configuration: where values come from, and what is said about wrong ones."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from rewright import values
from rewright.cli import rewright
from rewright.config.loading import ConfigError, load
from rewright.config.model import SECTIONS, Config
from rewright.config.options import options_of
from rewright.config.showing import defaults, effective, example, without_passwords
from rewright.settings import REGISTRY, allowed_sentence


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "rewright.toml"
    path.write_text(text)
    return path


def problems(tmp_path: Path, text: str, **environment: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load(written(tmp_path, text), environment=environment)
    return caught.value.problems


def test_file_then_environment_then_command_line(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [listen]
        workers = 2
        address = "[::1]:7000"
        [databases.App]
        dsn = "postgresql://db/app"
        [databases.App.defaults]
        mode = "observe"
        [defaults]
        budget = "2s"
        hints = false
        """,
    )
    config = load(
        path,
        environment={
            "REWRIGHT_LISTEN__WORKERS": "3",
            "REWRIGHT_DATABASES__APP__OPTIMISER_DSN": "host=x",
            "HOME": "/",
        },
        overrides={"listen.workers": 4},
    )
    assert config.listen.workers == 4
    assert config.listen.address == ("::1", 7000)
    assert config.databases["App"].optimiser_dsn == "host=x"
    assert config.databases["App"].defaults == {"mode": "observe"}
    assert config.defaults == {"budget": "2s", "hints": "off"}
    assert config.origins["listen.workers"] == "command line"
    assert (
        config.origins["databases.App.optimiser_dsn"] == "environment: REWRIGHT_DATABASES__APP__OPTIMISER_DSN"
    )
    assert config.origins["listen.address"] == str(path)


def test_secrets_from_files(tmp_path: Path) -> None:
    secret = tmp_path / "dsn"
    secret.write_text("postgresql://joe:pw@db/app\n")
    config = load(
        written(tmp_path, f'[databases.app]\ndsn_file = "{secret}"'),
        environment={"REWRIGHT_STORE__URL_FILE": str(secret)},
    )
    assert config.databases["app"].dsn == "postgresql://joe:pw@db/app"
    assert config.store.url == "postgresql://joe:pw@db/app"
    shown = {key: value for key, value, _ in effective(config)}
    assert shown["databases.app.dsn"] == "postgresql://joe:***@db/app"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[listen]\nworkers = 0", "[listen] workers: must be a whole number from 1 to 256 (not 0)"),
        ("[listen]\nworkers = 1.5", "[listen] workers: must be a whole number from 1 to 256 (not 1.5)"),
        ("[listen]\naddress = 5432", "[listen] address: must be an address such as 127.0.0.1:6432"),
        ("[listen]\nadress = 'x:1'", "there is no key [listen] adress; did you mean address?"),
        ("[lisen]\naddress = 'x:1'", "there is no section [lisen]; did you mean [listen]?"),
        (
            "[auth]\nmethod = 'md5'",
            "[auth] method: must be one of passthrough, file, trust, cert (not 'md5')",
        ),
        ("[auth]\nmethod = 'file'", "[auth] users: method file needs a file of users"),
        ("[auth]\nmethod = 'cert'", "[auth] users: method cert needs a file of users"),
        (
            "[auth]\nclientcert = 'verify-ca'",
            "[auth] clientcert: certificates of clients need [listen] tls_cert and tls_client_ca",
        ),
        (
            "[listen]\naddress='0.0.0.0:1'\n[auth]\nmethod='trust'",
            "trust is allowed on a loopback address only",
        ),
        ("[listen]\ntls_cert = 'x'", "tls_cert and tls_key are set together"),
        (
            "[defaults]\nmode = 'fast'",
            "[defaults] mode: Available values: off, observe, apply, inline. (not 'fast')",
        ),
        ("[defaults]\nmood = 'off'", "there is no key [defaults] mood; did you mean mode?"),
        (
            "[databases.app.defaults]\nbudget = 'soon'\n[databases.app]\ndsn='x'",
            "[databases.app.defaults] budget: A time",
        ),
        ("[databases.app]\nengine = 'duckdb'", "[databases.app]: engine duckdb needs path"),
        ("[databases.app]\nengine = 'postgres'", "[databases.app]: engine postgres needs dsn"),
        ("[databases.app]", "[databases.app]: engine postgres needs dsn"),
        ("[databases.app]\ndsn_file = '/nowhere/x'", "[databases.app] dsn_file: cannot read /nowhere/x"),
        ("[verify]\naccept = ['errors']", "[verify] accept: must be a list of float-order, tie-order"),
        (
            "[optimiser]\nrun_timeout = 'never'",
            "[optimiser] run_timeout: must be a time such as 200ms or 30s",
        ),
        ("[store]\nliterals = 'perhaps'", "[store] literals: must be on or off (not 'perhaps')"),
        ("top = 1", "top: keys stand in sections"),
        ("[listen", "not TOML"),
    ],
)
def test_errors_name_file_key_and_what_is_allowed(tmp_path: Path, text: str, message: str) -> None:
    found = problems(tmp_path, text)
    assert any(message in one for one in found), found
    assert all(str(tmp_path / "rewright.toml") in one for one in found)


def test_errors_of_the_environment_name_the_variable(tmp_path: Path) -> None:
    assert problems(tmp_path, "", REWRIGHT_LISTEN__WORKERS="many", REWRIGHT_LISTN__WORKERS="1") == (
        "environment: REWRIGHT_LISTEN__WORKERS: [listen] workers: must be a whole number from 1 to 256 (not 'many')",
        "environment: REWRIGHT_LISTN__WORKERS: there is no section [listn]; did you mean [listen]?",
    )


def test_a_secret_is_not_shown_in_an_error(tmp_path: Path) -> None:
    assert "hunter2" not in "".join(problems(tmp_path, '[databases.a]\ndsn = ["hunter2"]'))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load(tmp_path / "none.toml", environment={})


def test_the_example_loads_and_means_the_defaults(tmp_path: Path) -> None:
    text = example()
    tomllib.loads(text)
    config = load(written(tmp_path, text), environment={})
    assert config == Config(defaults={setting.name: setting.default for setting in REGISTRY})


def test_every_key_that_is_shown_has_a_default() -> None:
    given = {"listen.workers": 2, "databases.app.dsn": "postgresql://x/app", "defaults.mode": "observe"}
    config = load(environment={}, overrides=given)
    usual = defaults(config)
    for key, value, origin in effective(config):
        assert key in usual
        # what nobody set is the default
        assert origin != "default" or value == usual[key], key
    assert (usual["listen.workers"], usual["databases.app.dsn"], usual["defaults.mode"]) == ("1", "", "apply")


def test_everything_is_shown_with_its_origin() -> None:
    rows = {
        key: (value, origin)
        for key, value, origin in effective(load(environment={}, overrides={"listen.workers": 2}))
    }
    assert rows["listen.workers"] == ("2", "command line")
    assert rows["optimiser.run_timeout"] == ("30s", "default")
    assert rows["defaults.mode"] == ("apply", "default")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("200ms", 0.2),
        ("500", 0.5),
        ("1.5min", 90.0),
        (".5s", 0.5),
        (" 2 h ", 7200.0),
        ("100us", 0.0001),
        ("0", 0.0),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert values.duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("written", "bytes_"),
    [("1MB", 1 << 20), ("64kB", 64 << 10), (" 3 B ", 3), (4096, 4096), ("0", 0), (0, 0), ("1GB", 1 << 30)],
)
def test_sizes(written: object, bytes_: int) -> None:
    assert values.size(1 << 30)(written) == bytes_


@pytest.mark.parametrize(
    "written", ["", "1mb", "-1", "1.5MB", "2GB", "1TB", True, 1.0, "MB", "1 MB x", "١MB"]
)
def test_no_sizes(written: object) -> None:
    with pytest.raises(ValueError, match="a size such as 64kB or 1MB, 1024MB at most"):
        values.size(1 << 30)(written)


@pytest.mark.parametrize("text", ["", "-1s", "fast", "1 fortnight", "1e3", "nan", "1s 2", True])
def test_no_durations(text: object) -> None:
    with pytest.raises(ValueError, match="a time"):
        values.duration(text)


@pytest.mark.parametrize("setting", REGISTRY, ids=lambda setting: str(setting.name))
def test_each_setting_parses_its_default_and_refuses_nonsense(setting: object) -> None:
    from rewright.settings import Setting

    assert isinstance(setting, Setting)
    setting.parse(setting.default)
    with pytest.raises(ValueError, match=r"\w"):
        setting.parse("no such value")
    assert allowed_sentence(setting).endswith(".")


def test_secrets_are_shown_by_no_page_or_command() -> None:
    given = {
        "http.admin_password": "tell nobody",
        "http.viewer_password": "password=tell nobody",
        "http.token": "tell://nobody",
        "databases.app.dsn": "postgresql://joe:nobody@db/app",
    }
    shown = {key: value for key, value, _ in effective(load(environment={}, overrides=given))}
    assert [shown[key] for key in given] == ["***", "***", "***", "postgresql://joe:***@db/app"]
    assert "nobody" not in str(shown)
    # a new key that holds a secret says so
    for name, kind in SECTIONS.items():
        for option in options_of(kind):
            if any(word in option.name for word in ("password", "token", "secret")) and option.default == "":
                assert option.hides == "all", f"{name}.{option.name}"


def test_passwords_of_every_form() -> None:
    assert without_passwords("host=x password='a b' user=joe") == "host=x password=*** user=joe"
    assert without_passwords("postgresql://joe@db") == "postgresql://joe@db"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[databases.app]\ndsn = "host=a,b port=1,2,3"\n', ["[databases.app] dsn: host, hostaddr and port"]),
        (
            '[databases.app]\ndsn = "sslmode=wat"\noptimiser_dsn = "nonsense"\n',
            [
                "[databases.app] dsn: invalid sslmode 'wat': use one of disable",
                "[databases.app] optimiser_dsn: invalid",
            ],
        ),
        (
            '[listen]\ntls_cert = "/no/cert.pem"\ntls_key = "/no/key.pem"\n',
            ["[listen] tls_cert: /no/cert.pem, /no/key.pem: No such file or directory"],
        ),
        (
            '[auth]\nmethod = "file"\nusers = "/no/users.toml"\n',
            ["[auth] users: /no/users.toml: No such file"],
        ),
        (
            '[auth]\nident = "/no/ident.conf"\n',
            ["[auth] ident: /no/ident.conf: No such file"],
        ),
    ],
)
@pytest.mark.usefixtures("process_set_up")
def test_what_keys_name_is_looked_at(tmp_path: Path, text: str, said: list[str]) -> None:
    """By `config --check` and by `serve`, with the file that says it."""
    path = tmp_path / "rewright.toml"
    path.write_text(text if "databases" in text else f'{text}[databases.app]\ndsn = "host=a"\n')
    for command in (["config", "--check"], ["serve"]):
        done = CliRunner().invoke(rewright, [*command, "--config", str(path)])
        assert done.exit_code == 1, done.output
        for one in said:
            assert f"{path}: {one}" in done.output


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("[::1]", True), ("0.0.0.0", False), ("db", False)],
)
def test_the_console_beyond_loopback(tmp_path: Path, host: str, local: bool) -> None:
    http = f'[http]\naddress = "{host}:6480"\n'
    allowed = 'admin_password = "x"\ntls_cert = "c.pem"\ntls_key = "k.pem"'
    for more in (allowed, "insecure = true"):
        load(written(tmp_path, http + more))
    if local:
        load(written(tmp_path, http))
        return
    (said,) = problems(tmp_path, http)
    assert "needs a password and TLS;" in said
    (said,) = problems(tmp_path, http + 'admin_password = "x"')
    assert "needs TLS;" in said
