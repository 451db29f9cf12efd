"""Kerberos: logins by GSSAPI through the proxy, and its answer to who wants GSSAPI encryption.

    python -m tests.conformance.gss

A realm of our own (MIT's KDC from Debian's packages, unpacked and not installed), Debian's server with
``gss`` in its pg_hba.conf, and Debian's psql. Each login is tried directly and through ``rewright serve``.
Exit code 1: they differ where they should not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rewright.engines.postgres.scratch import free_port
from tests.conformance import fetch
from tests.conformance.stage import Through, debian
from tests.proxy.debian import programs

PACKAGES = (
    "krb5-kdc",
    "krb5-user",
    "krb5-admin-server",
    "libgssrpc4",
    "libkadm5srv-mit12",
    "libkadm5clnt-mit12",
    "libkdb5-10",
    "libverto1",
    "libverto-libev1",
    "libev4",
    "libss2",
)
HBA = "local all all trust\nhostgssenc all all 127.0.0.1/32 gss include_realm=0\n"
HBA += "hostnogssenc all all 127.0.0.1/32 gss include_realm=0\n"
REALM = """[libdefaults]
 default_realm = TEST
 dns_lookup_realm = false
 dns_lookup_kdc = false
 rdns = false
 dns_canonicalize_hostname = false
[realms]
 TEST = {{
  kdc = 127.0.0.1:{port}
 }}
"""
KDC = """[kdcdefaults]
 kdc_ports = {port}
 kdc_tcp_ports = {port}
[realms]
 TEST = {{
  database_name = {home}/principal
  key_stash_file = {home}/stash
  acl_file = {home}/acl
 }}
[dbmodules]
 db_module_dir = {root}/usr/lib/{triplet}/krb5/plugins/kdb
"""
ASKED = "select gss_authenticated, encrypted, current_user from pg_stat_gssapi where pid = pg_backend_pid()"


@dataclass(frozen=True)
class Realm:
    """``environment`` is what clients need; ``keytab`` the server's key."""

    root: Path
    home: Path
    environment: Mapping[str, str]

    @property
    def keytab(self) -> Path:
        return self.home / "keytab"

    def run(self, program: str, *words: str, said: str = "") -> None:
        done = subprocess.run(
            [self.root / "usr" / program, *words],
            env={**os.environ, **self.environment},
            input=said,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{program}: {done.stdout}{done.stderr}")


@contextmanager
def realm() -> Iterator[Realm]:
    """A key distribution centre for the realm TEST with a user ``tester`` and the
    service postgres/localhost.
    """
    root = fetch.debian_packages("kerberos", PACKAGES)
    libraries = next(root.glob("usr/lib/*-linux-gnu"))
    with tempfile.TemporaryDirectory(prefix="rewright-conformance-") as directory:
        home, port = Path(directory), free_port()
        home.chmod(0o755)
        (home / "krb5.conf").write_text(REALM.format(port=port))
        (home / "kdc.conf").write_text(KDC.format(port=port, home=home, root=root, triplet=libraries.name))
        made = Realm(
            root,
            home,
            {
                "LD_LIBRARY_PATH": str(libraries),
                "KRB5_CONFIG": str(home / "krb5.conf"),
                "KRB5_KDC_PROFILE": str(home / "kdc.conf"),
                "KRB5CCNAME": str(home / "tickets"),
            },
        )
        made.run("sbin/kdb5_util", "create", "-s", "-r", "TEST", "-P", "master", "-W")
        made.run("sbin/kadmin.local", "-q", "addprinc -pw secret tester@TEST")
        made.run("sbin/kadmin.local", "-q", "addprinc -randkey postgres/localhost@TEST")
        made.run("sbin/kadmin.local", "-q", f"ktadd -k {home}/keytab postgres/localhost@TEST")
        made.keytab.chmod(0o644)
        server = subprocess.Popen(
            [root / "usr/sbin/krb5kdc", "-n", "-P", str(home / "pid")],
            env={**os.environ, **made.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _ticket(made)
            yield made
        finally:
            server.terminate()
            server.wait(20)


def _ticket(made: Realm) -> None:
    for attempt in range(50):
        try:
            made.run("bin/kinit", "tester@TEST", said="secret\n")
        except SystemExit:
            if attempt == 49:
                raise
            time.sleep(0.1)
        else:
            return


def psql(made: Realm, port: int, mode: str, *, ticket: bool = True) -> tuple[int, str]:
    """Exit code and what was said, without the port."""
    environment = {**os.environ, **made.environment}
    environment.pop("LD_LIBRARY_PATH")
    if not ticket:
        environment["KRB5CCNAME"] = str(made.home / "none")
    dsn = f"host=localhost hostaddr=127.0.0.1 port={port} user=tester dbname=postgres gssencmode={mode} sslmode=disable"
    done = subprocess.run(
        [programs() / "psql", "-X", "-A", "-t", "-c", ASKED, dsn],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, (done.stdout + done.stderr).replace(str(port), "PORT").strip()


def main() -> int:
    wrong = 0
    with (
        realm() as made,
        debian(hba=HBA, settings={"krb_server_keyfile": str(made.keytab)}) as (server, _pair),
    ):
        server_at = f"host=127.0.0.1 port={server.port} sslmode=disable"
        with Through(server_at) as through:
            cases = (
                ("a login by ticket", "disable", True, (0, "t|f|tester"), (0, "t|f|tester")),
                ("encryption where there is some", "prefer", True, (0, "t|t|tester"), (0, "t|f|tester")),
                ("encryption or nothing", "require", True, (0, "t|t|tester"), (2, "")),
                ("no ticket", "disable", False, (2, ""), (2, "")),
            )
            for name, mode, ticket, *wanted in cases:
                found = [psql(made, port, mode, ticket=ticket) for port in (server.port, through.port)]
                right = all(
                    one[0] == code and (code or one[1] == said)
                    for one, (code, said) in zip(found, wanted, strict=True)
                )
                if name == "no ticket":
                    right = right and found[0] == found[1]
                wrong += not right
                print(f"{'as expected' if right else 'WRONG'}: {name}")
                for side, (code, said) in zip(("directly", "through"), found, strict=True):
                    print(f"  {side}: {code} {said}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
