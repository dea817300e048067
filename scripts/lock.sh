#!/bin/sh
# Writes requirements/ci.txt: everything that `make LOCKED=1` installs, with the hashes of the files.
#
#   lock.sh [--upgrade]     what is locked stays as it is, unless it no longer fits or is upgraded
#
# One file serves all platforms and Python versions (its lines have markers), and holds wheels only:
# a source distribution would fetch what builds it, unlocked.
set -eu

python=.venv/bin/python
requirements() { # of the build, which uv does not read from pyproject.toml
    "$python" -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")'
    printf '%s\n' cmake ninja # scikit-build-core asks for them where a machine has none
}

mkdir -p requirements
requirements | "$python" -m uv pip compile --quiet --universal --python-version 3.11 \
    --generate-hashes --only-binary :all: --emit-build-options \
    --no-emit-index-url --custom-compile-command "make lock" \
    --extra bench --extra demo --extra docs --extra lint --extra paper --extra test \
    --output-file requirements/ci.txt "$@" pyproject.toml -
