#!/bin/sh
# pg_hint_plan for the PostgreSQL of this image, from the archive that the image already trusts.
set -eu
major=${PG_MAJOR:?major version}
apt-get update
apt-get install --yes --no-install-recommends "postgresql-$major-pg-hint-plan"
rm -rf /var/lib/apt/lists/*
