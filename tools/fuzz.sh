#!/usr/bin/env bash
# Fuzzes every reader under ASan and UBSan, SECONDS_EACH (600) seconds each; new inputs that reach
# new code go to build/fuzz/found/NAME. Needs clang with libFuzzer.
set -euo pipefail
seconds=${SECONDS_EACH:-600}
compiler=$(command -v clang++-19 clang++-18 clang++-17 clang++-16 clang++ | head -1 || true)
if [ -z "$compiler" ] || [ "$("$compiler" -dumpversion | cut -d. -f1)" -lt 16 ]; then
  echo "fuzzing needs clang 16 or later with libFuzzer (Debian: clang-16, libclang-rt-16-dev)" >&2
  exit 2
fi
targets=(liballprof native otf2 paraver dumpi goal_text goal_binary)
cmake -S . -B build/fuzz -DCMAKE_CXX_COMPILER="$compiler" -DLATITUDE_FUZZ=ON \
  -DLATITUDE_SANITIZE=address,undefined
cmake --build build/fuzz --parallel "$(nproc)" --target "${targets[@]/#/fuzz_}"
for name in "${targets[@]}"; do
  mkdir -p "build/fuzz/found/$name"
  dictionary=()
  if [ -f "fuzz/$name.dict" ]; then dictionary=("-dict=fuzz/$name.dict"); fi
  "build/fuzz/fuzz/fuzz_$name" "${dictionary[@]}" -max_total_time="$seconds" -print_final_stats=1 \
    "build/fuzz/found/$name" "fuzz/corpus/$name"
done
for name in kineto execution_trace chakra job_file; do  # readers in Python
  (cd tests && ../.venv/bin/python -m support.fuzzed_jobs "$name" "$seconds")
done
