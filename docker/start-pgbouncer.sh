#!/bin/sh
# Starts PgBouncer with the file that PGBOUNCER_INI names; the password of its clients and of the server is a secret.
set -eu
umask 077
printf '"postgres" "%s"\n' "$(sed 's/"/""/g' /run/secrets/postgres_password)" > /tmp/users.txt
exec pgbouncer "/etc/pgbouncer/${PGBOUNCER_INI:?file name}"
