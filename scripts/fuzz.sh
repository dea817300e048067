#!/usr/bin/env bash
# Look for inputs that break the engine or the reading of model files.
#
#   scripts/fuzz.sh [SECONDS]     for each of the two; 60 by default
#
# With clang the engine is fuzzed by libFuzzer, guided by coverage; its corpus stays in
# build/fuzz/corpus for the next time. Without, random inputs are tried.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s extglob

seconds=${1:-60}
python=.venv/bin/python
build=build/fuzz
mkdir -p "$build/corpus"

if command -v clang++ > /dev/null &&
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer -x c++ - -o "$build/probe" 2> /dev/null; then
    compile=(clang++ -fsanitize=fuzzer-no-link,address,undefined)
    link=(clang++ -fsanitize=fuzzer,address,undefined)
    run=(-max_total_time="$seconds" -max_len=3000 -timeout=10 -rss_limit_mb=2048
         -print_final_stats=1 -artifact_prefix="$build/" "$build/corpus")
else
    compile=("${CXX:-g++}" -fsanitize=address,undefined -DBOXWISE_FUZZ_MAIN)
    link=("${compile[@]}")
    run=("$seconds")
fi
flags=(-std=c++20 -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=undefined
       -ffp-contract=off -DBOXWISE_NO_CLONES -Inative)

objects=()
for source in fuzz/engine.cpp native/*.cpp; do
    case $source in  # what needs Python, and the other engines
        native/@(agglomerat|bindings|bound_|bundle|contraction|cutting|evidence_|join|row_reader|trials|value_distance)*)
            continue ;;
    esac
    object=$build/$(dirname "$source")_$(basename "$source" .cpp).o
    extra=()
    # As in CMakeLists.txt, so that what is tested is what is used.
    [[ $source == native/@(kernels|lanes).cpp ]] && extra=(-O3 -fno-signed-zeros -ffinite-math-only)
    "${compile[@]}" "${flags[@]}" "${extra[@]}" -c "$source" -o "$object"
    objects+=("$object")
done
"${link[@]}" "${objects[@]}" -pthread -o "$build/engine"

echo "fuzzing the engine for $seconds s"
"$build/engine" "${run[@]}"

echo "fuzzing model files for $seconds s"
"$python" fuzz/model_file.py --seconds "$seconds"
