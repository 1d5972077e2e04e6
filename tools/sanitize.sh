#!/usr/bin/env bash
# All C++ tests under sanitizers: `sanitize.sh thread`, or `sanitize.sh address,undefined`. Under
# `thread` also a parallel reading of every trace (*.tar.xz) in the folders that TRACES names.
set -euo pipefail
sanitizers=$1
build=build/sanitize-${sanitizers//,/-}
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLATITUDE_TESTS=ON \
  -DLATITUDE_SANITIZE="$sanitizers"
cmake --build "$build" --parallel "${JOBS:-$(nproc)}"
ctest --test-dir "$build" --output-on-failure --parallel "${JOBS:-$(nproc)}"
if [ "$sanitizers" = thread ]; then
  folders=()
  for from in ${TRACES:-examples}; do
    for archive in "$from"/*.tar.xz; do
      folder=$build/traces/$(basename "$archive" .tar.xz)
      mkdir -p "$folder"
      tar --extract --file "$archive" --directory "$folder" --transform 's|.*/||'
      folders+=("$folder")
    done
  done
  cmake --build "$build" --target read_in_parallel
  "$build/fuzz/read_in_parallel" "${folders[@]}"
fi
