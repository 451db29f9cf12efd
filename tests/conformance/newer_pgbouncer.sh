#!/bin/sh
# Builds the PgBouncer of a later Debian ($2, default trixie) in the directory $1 and prints its path: the installed one may be too
# old to carry prepared statements. Nothing of the system is changed. Needs a C compiler, pkg-config and libssl-dev.
set -eu
directory=${1:?directory} suite=${2:-trixie}
mkdir -p "$directory/lists/partial" "$directory/cache/archives/partial"
cd "$directory"
home=$PWD
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb-src [signed-by=$keys] http://deb.debian.org/debian $suite main" >sources.list
later="-o Dir::Etc::sourcelist=$home/sources.list -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists=$home/lists -o Dir::Cache=$home/cache"
# shellcheck disable=SC2086 # several words
{
    apt-get $later update -q
    apt-get $later source -q --download-only pgbouncer
    apt-get download -q libevent-dev
    dpkg -x libevent-dev_*.deb libevent
    tar xf pgbouncer_*.orig.tar.gz
    cd pgbouncer-*/
    export LIBEVENT_CFLAGS="-I$home/libevent/usr/include -I$home/libevent/usr/include/$(gcc -print-multiarch)"
    export LIBEVENT_LIBS="-l:libevent-2.1.so.7"
    ./configure --quiet --without-cares --without-pam
    make pgbouncer
} >log 2>&1 || { tail -20 log >&2; exit 1; }
# PgBouncer does not run as root: its account must be able to come here
chmod 755 "$home" "$PWD"
ls "$home"/pgbouncer-*/pgbouncer
