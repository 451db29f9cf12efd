#!/bin/sh
# Spark needs a Java runtime.
set -eu
if command -v java >/dev/null 2>&1; then exit 0; fi
command -v apt-get >/dev/null 2>&1 || { echo "install a Java runtime, 17 or newer" >&2; exit 1; }
run() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
run apt-get update -q
run env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends openjdk-17-jre-headless
