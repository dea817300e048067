#!/bin/sh
# Sets up .venv in the current directory; called by the Makefile.
#
#   bootstrap.sh package          create .venv, compile the engine, install boxwise into it
#   bootstrap.sh extra NAME       install what the extra NAME of pyproject.toml asks for
#   bootstrap.sh spark            install PySpark
#   bootstrap.sh locked           create .venv, install exactly what requirements/ci.txt names
#   bootstrap.sh wheel            build the wheel and the source distribution into dist/
#   bootstrap.sh sdist            build the source distribution into dist/
#
# With LOCKED set, the first two install no requirement: all comes from the lock file. PySpark is
# then that of requirements/spark.txt.
set -eu

venv_python=.venv/bin/python
oldest="3.11"
newest_locked="3.14" # the lock file holds wheels up to this one

fail() {
    printf '\nboxwise: %s\n' "$1" >&2
    shift
    for hint in "$@"; do printf '  %s\n' "$hint" >&2; done
    printf '\n' >&2
    exit 1
}

version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }
is_recent() { "$1" -c "import sys; sys.exit(sys.version_info < (${oldest%.*}, ${oldest#*.}))" 2>/dev/null; }
has_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }
has_headers() {
    "$1" -c 'import os, sys, sysconfig as s
sys.exit(not os.path.exists(os.path.join(s.get_path("include"), "Python.h")))' 2>/dev/null
}

# Prints the first interpreter that has all it takes; otherwise says what the best one lacks.
find_python() {
    seen="" lacking="" lacks=""
    # A Python that was asked for is not silently replaced by another.
    if [ -n "${PYTHON:-}" ]; then set -- "$PYTHON"; else
        set -- python3 python3.14 python3.13 python3.12 python3.11 python
    fi
    for python in "$@"; do
        found=$(version "$python") || continue
        seen="$seen $python ($found)"
        is_recent "$python" || continue
        if ! has_venv "$python"; then
            : "${lacking:=$python}" "${lacks:=venv}"
        elif ! has_headers "$python"; then
            : "${lacking:=$python}" "${lacks:=headers}"
        else
            echo "$python"
            return
        fi
    done
    case $lacks in
    venv) fail "$lacking ($(version "$lacking")) cannot create virtual environments." \
        "Debian, Ubuntu:  sudo apt install python3-venv   (or python$(version "$lacking")-venv)" \
        "elsewhere:       install Python anew with its ensurepip module" \
        "another Python:  make PYTHON=/path/to/python3 ..." ;;
    headers) fail "the headers of $lacking ($(version "$lacking")) are missing; the engine needs Python.h." \
        "Debian, Ubuntu:  sudo apt install python3-dev   (or python$(version "$lacking")-dev)" \
        "Fedora:          sudo dnf install python3-devel" \
        "another Python:  make PYTHON=/path/to/python3 ..." ;;
    esac
    fail "Python $oldest or newer is needed; found:${seen:- none}." \
        "Debian, Ubuntu:  sudo apt install python3 python3-venv python3-dev" \
        "Fedora:          sudo dnf install python3 python3-devel" \
        "macOS:           brew install python" \
        "Windows:         winget install Python.Python.3.13" \
        "another Python:  make PYTHON=/path/to/python3 ..."
}

compiles_cpp20() {
    printf '%s\n' '#include <concepts>' '#include <span>' '#include <vector>' \
        'template <std::integral T> T first(std::span<const T> s) { return s[0]; }' \
        'int main() { std::vector<int> v{0}; return first<int>(v); }' >"$scratch/try.cpp"
    # Not quoted: CXX may carry options, such as "ccache g++".
    # shellcheck disable=SC2086
    $1 -std=c++20 "$scratch/try.cpp" -o "$scratch/try" >/dev/null 2>&1
}

find_compiler() {
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    if [ -n "${CXX:-}" ]; then
        compiles_cpp20 "$CXX" && echo "$CXX" && return
        fail "CXX is \"$CXX\", which does not compile C++20."
    fi
    for compiler in c++ g++ clang++ g++-15 g++-14 g++-13 g++-12 g++-11 \
        clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15; do
        if compiles_cpp20 "$compiler"; then
            echo "$compiler"
            return
        fi
    done
    fail "a C++20 compiler is needed (GCC 11, Clang 15 or newer)." \
        "Debian, Ubuntu:  sudo apt install g++" \
        "Fedora:          sudo dnf install gcc-c++" \
        "macOS:           xcode-select --install" \
        "Windows:         winget install Microsoft.VisualStudio.2022.BuildTools, with the C++ workload" \
        "another one:     make CXX=/path/to/c++ ..."
}

pip_install() {
    "$venv_python" -m pip install --quiet --disable-pip-version-check "$@" ||
        fail "pip could not install: $*" "The lines above say why; without a network, try again with one."
}

# The build needs no isolation, so the compiled objects stay valid and a second build is quick.
build_requirements() {
    "$venv_python" -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")'
}
backend_requirements() { # CMake and Ninja, where the machine has none or an old one
    "$venv_python" -c 'import scikit_build_core.build as backend
print(*backend.get_requires_for_build_editable({}), sep="\n")'
}
install_each() { # one requirement a line, on standard input
    while IFS= read -r requirement; do
        [ -z "$requirement" ] || set -- "$@" "$requirement"
    done
    [ $# -eq 0 ] || pip_install "$@"
}

create_venv() {
    if ! is_recent "$venv_python" || ! "$venv_python" -m pip --version >/dev/null 2>&1; then
        python=$(find_python)
        echo "boxwise: creating .venv with $python ($(version "$python"))"
        "$python" -m venv --clear .venv
    elif ! has_headers "$venv_python"; then
        find_python >/dev/null # says what is missing, or finds a better interpreter:
        fail ".venv belongs to an interpreter without headers." "Remove .venv and try again."
    fi
}

install_package() {
    CXX=$(find_compiler)
    export CXX
    create_venv
    echo "boxwise: compiling the engine"
    # Editable: Python edits need no reinstall, and the doctests in src import the tested files.
    if [ -n "${LOCKED:-}" ]; then
        pip_install --no-index --no-build-isolation --no-deps --editable .
    else
        build_requirements | install_each
        backend_requirements | install_each
        pip_install --no-build-isolation --editable .
    fi
}

install_locked() {
    create_venv
    found=$(version "$venv_python")
    [ "${found#*.}" -le "${newest_locked#*.}" ] ||
        fail "the lock file covers Python $oldest to $newest_locked, and .venv has $found." \
            "Leave LOCKED out, or choose: make PYTHON=python$newest_locked LOCKED=1 ..."
    echo "boxwise: installing what requirements/ci.txt locks"
    pip_install --require-hashes --requirement requirements/ci.txt
}

# The package is there already, so this adds the requirements of the extra and builds nothing.
install_extra() {
    if [ -z "${LOCKED:-}" ]; then
        pip_install "boxwise[$1]"
    elif ! "$venv_python" -m pip install --quiet --disable-pip-version-check --no-index \
        "boxwise[$1]"; then
        fail "requirements/ci.txt lacks what the extra '$1' needs." \
            "Renew it:  make lock   (and commit it)" \
            "Or leave LOCKED out."
    fi
}

# It exists as a source distribution only. Built without isolation, it fetches nothing unlocked.
install_spark() {
    if [ -z "${LOCKED:-}" ]; then
        install_extra spark
    else
        pip_install --require-hashes --only-binary :all: --requirement requirements/spark_build.txt
        pip_install --require-hashes --no-build-isolation --requirement requirements/spark.txt
    fi
}

build_sdist() {
    "$venv_python" -c 'import scikit_build_core.build as backend; backend.build_sdist("dist")' >/dev/null
}

# Made where the editable install was compiled, so only what changed since then is compiled.
build_wheel() {
    if [ -n "${PYTHON:-}" ] && [ "$(version "$PYTHON")" != "$(version "$venv_python")" ]; then
        fail ".venv has Python $(version "$venv_python"), and PYTHON is $PYTHON ($(version "$PYTHON"))." \
            "Remove .venv and try again."
    fi
    CXX=$(find_compiler)
    export CXX
    rm -f dist/boxwise-*.whl dist/boxwise-*.tar.gz # one wheel, so that dist/*.whl names it
    "$venv_python" -m pip wheel --quiet --disable-pip-version-check --no-index --no-build-isolation \
        --no-deps --wheel-dir dist . || fail "the wheel could not be built; the lines above say why."
    build_sdist
    ls -l dist/boxwise-*
}

case ${1:-} in
package) install_package ;;
extra)
    echo "boxwise: installing what '$2' needs"
    install_extra "$2"
    ;;
spark)
    echo "boxwise: installing PySpark"
    install_spark
    ;;
locked) install_locked ;;
wheel) build_wheel ;;
sdist) build_sdist ;;
*) fail "usage: bootstrap.sh package | extra NAME | spark | locked | wheel | sdist" ;;
esac
