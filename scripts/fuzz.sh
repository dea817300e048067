#!/usr/bin/env bash
# Look for inputs that break the engine or the reading of model files.
#
#   scripts/fuzz.sh [SECONDS [SEED]]     SECONDS for each of the two, 60 by default; the same SEED
#                                        tries the same inputs again
#
# With clang and its libFuzzer the engine is fuzzed guided by coverage; the corpus stays in
# build/fuzz/corpus for the next time. Without, random inputs are tried. Inputs that broke it once, in
# fuzz/regressions, come first. One that breaks it now is left in build/fuzz.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
seed=${2:-$RANDOM$RANDOM}
python=$PWD/.venv/bin/python
build=build/fuzz
mkdir -p "$build/corpus"

if command -v clang++ > /dev/null &&
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o "$build/probe" 2> /dev/null; then
    compiler=clang++
    libfuzzer=ON
    how="by libFuzzer of $(clang++ --version | head -n 1), guided by coverage"
else
    compiler=${CXX:-g++}
    libfuzzer=OFF
    how="by random inputs, built with $compiler: clang++ with libFuzzer is not installed"
fi

"$python" -m cmake --version > /dev/null 2>&1 && cmake=("$python" -m cmake) || cmake=(cmake)
tree=$build/$(basename "$compiler")
"${cmake[@]}" -S . -B "$tree" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="$compiler" \
    -DPython_EXECUTABLE="$python" -DBOXWISE_FUZZ=ON -DBOXWISE_LIBFUZZER="$libfuzzer" \
    > "$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
"${cmake[@]}" --build "$tree" --target fuzz_engine -j "$(getconf _NPROCESSORS_ONLN)" \
    > "$build/build.log" 2>&1 || { cat "$build/build.log"; exit 1; }

shopt -s nullglob
regressions=(fuzz/regressions/*)
echo "running the engine on ${#regressions[@]} inputs that broke it once"
((${#regressions[@]} == 0)) || "$tree/fuzz_engine" "${regressions[@]}" > /dev/null

echo "fuzzing the engine for $seconds s $how"
limits=(-max_total_time="$seconds" -seed="$seed" -artifact_prefix="$build/")
if [[ $libfuzzer == ON ]]; then
    # From nothing it would take hours to come to inputs of more than some bytes.
    for ((i = 0; i < 20; ++i)); do
        head -c $((30 * (i + 1))) /dev/urandom > "$build/corpus/begin-$i"
    done
    "$tree/fuzz_engine" "${limits[@]}" -max_len=1000 -len_control=0 -timeout=25 -rss_limit_mb=2048 -verbosity=0 \
        -print_final_stats=1 "$build/corpus"
else
    "$tree/fuzz_engine" "${limits[@]}"
fi

echo "fuzzing model files for $seconds s"
"$python" fuzz/model_file.py --seconds "$seconds" --seed "$seed"
