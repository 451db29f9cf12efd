#!/bin/sh
# What some tests need of Debian: its PostgreSQL server (the embedded one has no TLS), PgBouncer (to compare with), and a
# browser for the console.
set -eu
have() { ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && command -v pgbouncer >/dev/null 2>&1 && [ -x /usr/bin/chromium ]; }
if have; then exit 0; fi
command -v apt-get >/dev/null 2>&1 || { echo "install a PostgreSQL server with TLS, PgBouncer and Chromium" >&2; exit 1; }
run() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
run apt-get update -q
run env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends postgresql pgbouncer chromium fonts-dejavu-core
