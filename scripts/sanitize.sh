#!/usr/bin/env bash
# Run the engine's tests with the address and undefined-behaviour sanitizers compiled in.
#
#   scripts/sanitize.sh [PYTEST-ARGUMENTS]
#
# Everything is made in build/sanitize: a copy of the package with its own compiled module, so that
# the normal one stays as it is. A finding ends the run with a status other than 0.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$PWD/.venv/bin/python
build=$PWD/build/sanitize
package=$build/pkg
compiler=${CXX:-g++}

mkdir -p "$build"
"$python" -m cmake --version > /dev/null 2>&1 && cmake=("$python" -m cmake) || cmake=(cmake)
"${cmake[@]}" -S . -B "$build/cmake" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBOXWISE_SANITIZE=ON \
    -DCMAKE_CXX_COMPILER="$compiler" -DPython_EXECUTABLE="$python" > "$build/configure.log" 2>&1 ||
    { cat "$build/configure.log"; exit 1; }
"${cmake[@]}" --build "$build/cmake"

rm -rf "$package"
mkdir -p "$package"
cp -R src/boxwise "$package/"
rm -f "$package"/boxwise/_native*.so
cp "$build"/cmake/_native*.so "$package/boxwise/"
# The editable install looks for boxwise before PYTHONPATH does; here it must not.
cat > "$package/sitecustomize.py" << 'END'
import sys

sys.meta_path[:] = [f for f in sys.meta_path if "scikit" not in type(f).__module__.lower()
                    and "scikit" not in type(f).__name__.lower()]
END

# Python itself is not built with the sanitizers, so their libraries have to be there before it
# starts. Python and NumPy keep memory until the end on purpose: leaks are not looked for.
export LD_PRELOAD
LD_PRELOAD="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libubsan.so)"
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export PYTHONPATH=$package PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1

"$python" -c "
import pathlib, boxwise._native as native
found = pathlib.Path(native.__file__)
assert found.is_relative_to('$package'), f'the wrong module would be tested: {found}'
"

tests=(tests/core tests/store tests/differential tests/tuning/test_grid.py tests/inputs/test_cells.py
       tests/learners/test_prediction.py tests/learners/test_intervals_and_missing.py
       tests/learners/test_ecosystem.py tests/learners/test_every_estimator.py
       tests/learners/test_agglomerative_gfmm.py::test_nor_do_boxes_that_must_stay_pure_on_average)

# Left out: what limits the address space (the sanitizer needs all of it), what measures memory or time.
# A report goes straight to the terminal: captured, it would be lost when the process ends.
exec "$python" -m pytest -q --capture=sys -p no:cacheprovider -o testpaths= "${tests[@]}" \
    -k "not impossible_number and not other_threads_run and not vocabulary_costs and not bytes_reported and not hyperbox_brain" "$@"
