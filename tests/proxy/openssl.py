"""A certificate authority run by the openssl command: certificates of clients,
expired and revoked ones too.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

CONFIG = """
[ca]
default_ca = own
[own]
database = {home}/index.txt
new_certs_dir = {home}
serial = {home}/serial
default_md = sha256
default_crl_days = 30
default_days = 30
policy = any
unique_subject = no
[any]
organizationName = optional
organizationalUnitName = optional
commonName = optional
[req]
distinguished_name = none
[none]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = keyCertSign, cRLSign
[server]
subjectAltName = IP:127.0.0.1, DNS:localhost
"""


@dataclass(frozen=True, slots=True)
class Pair:
    certificate: Path
    key: Path

    def options(self) -> dict[str, str]:
        """Of libpq, for a client that has it."""
        return {"sslcert": str(self.certificate), "sslkey": str(self.key)}


class Authority:
    def __init__(self, home: Path) -> None:
        home.mkdir()
        self.home = home
        (home / "ca.cnf").write_text(CONFIG.format(home=home))
        (home / "index.txt").write_text("")
        (home / "serial").write_text("01\n")
        self.certificate, self.revoked = home / "ca.pem", home / "crl.pem"
        own = ["-config", home / "ca.cnf", "-extensions", "authority"]
        self._run("req", "-x509", *own, "-days", "30", "-subj", f"/CN=Authority {home.name}", *self._new_key("ca"),
                  "-out", self.certificate)  # fmt: skip
        self.write_revoked()

    def issue(self, name: str, subject: str, *, expired: bool = False, server: bool = False) -> Pair:
        """``subject`` as openssl takes it: ``/O=Example/CN=joe``."""
        request, made = self.home / f"{name}.csr", self.home / f"{name}.pem"
        config = ["-config", self.home / "ca.cnf"]
        self._run("req", "-new", *config, "-subj", subject, *self._new_key(name), "-out", request)
        dates = ["-startdate", "20200101000000Z", "-enddate", "20210101000000Z"] if expired else []
        more = ["-extensions", "server"] if server else []
        self._run("ca", *config, *dates, *more, "-batch", "-notext", "-preserveDN", "-in", request, "-out", made,
                  "-keyfile", self.home / "ca.key", "-cert", self.certificate)  # fmt: skip
        return Pair(made, self.home / f"{name}.key")

    def revoke(self, pair: Pair) -> None:
        signer = ["-keyfile", self.home / "ca.key", "-cert", self.certificate]
        self._run("ca", "-config", self.home / "ca.cnf", *signer, "-revoke", pair.certificate)
        self.write_revoked()

    def write_revoked(self) -> None:
        signer = ["-keyfile", self.home / "ca.key", "-cert", self.certificate]
        self._run("ca", "-config", self.home / "ca.cnf", *signer, "-gencrl", "-out", self.revoked)

    def _new_key(self, name: str) -> list[str]:
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                str(self.home / f"{name}.key")]  # fmt: skip

    def _run(self, *words: object) -> None:
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)
