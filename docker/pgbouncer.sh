#!/bin/sh
# PgBouncer from the archive that the image already trusts.
set -eu
apt-get update
apt-get install --yes --no-install-recommends pgbouncer
rm -rf /var/lib/apt/lists/*
