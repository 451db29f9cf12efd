#!/bin/sh
# A C compiler for the relay core, in the stage that builds only. Without one Rewright would be installed all the same.
set -eu
apt-get update
apt-get install --yes --no-install-recommends gcc libc6-dev
rm -rf /var/lib/apt/lists/*
