#!/usr/bin/env bash
# Fuzzes every reader under ASan and UBSan, SECONDS_EACH (600) seconds each; new inputs that reach
# new code go to build/fuzz/found/NAME. Needs clang with libFuzzer.
set -euo pipefail
seconds=${SECONDS_EACH:-600}
if ! command -v clang++ >/dev/null; then
  echo "fuzzing needs clang with libFuzzer (Debian: clang, libclang-rt-14-dev)" >&2
  exit 2
fi
cmake -S . -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DLATITUDE_FUZZ=ON \
  -DLATITUDE_SANITIZE=address,undefined
cmake --build build/fuzz --parallel "$(nproc)" \
  --target fuzz_liballprof fuzz_native fuzz_paraver fuzz_goal_text fuzz_goal_binary
for name in liballprof native paraver goal_text goal_binary; do
  mkdir -p "build/fuzz/found/$name"
  dictionary=()
  if [ -f "fuzz/$name.dict" ]; then dictionary=("-dict=fuzz/$name.dict"); fi
  "build/fuzz/fuzz/fuzz_$name" "${dictionary[@]}" -max_total_time="$seconds" -print_final_stats=1 \
    "build/fuzz/found/$name" "fuzz/corpus/$name"
done
