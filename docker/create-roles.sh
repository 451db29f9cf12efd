#!/bin/sh
# First start of the database: the extension and the optimiser's role.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set password="$(cat /run/secrets/optimiser_password)" <<'SQL'
create extension if not exists pg_hint_plan;
create role rewright_optimiser login password :'password';
grant pg_read_all_data to rewright_optimiser;
alter role rewright_optimiser set default_transaction_read_only = on;
SQL
