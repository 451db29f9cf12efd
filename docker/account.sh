#!/bin/sh
# The account that runs Rewright, and its state directory.
set -eu
useradd --system --uid 999 --create-home --home-dir /var/lib/rewright --shell /usr/sbin/nologin rewright
install -d -o rewright -g rewright -m 0700 /var/lib/rewright/.local/state/rewright
