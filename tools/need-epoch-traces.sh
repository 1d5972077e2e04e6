#!/usr/bin/env bash
# Paraver traces of a real program, with what Dimemas made of them: those of the NAG-PyPOP source
# package (BSD-3-Clause-Clear). They are unpacked in build/, nothing of it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.3.5
into=build/epoch-traces
[ -f "$into/modelfactors.csv" ] && exit 0
python=python3
[ -x .venv/bin/python ] && python=.venv/bin/python
mkdir -p "$into"
"$python" -m pip download --quiet --no-deps --no-binary :all: --dest "$into" \
  "NAG-PyPOP==$version"
tar -xzf "$into/NAG-PyPOP-$version.tar.gz" -C "$into" --strip-components=5 --wildcards \
  '*/examples/mpi/epoch_example_traces/*.prv.gz' '*/epoch_example_traces/*.pcf' \
  '*/epoch_example_traces/modelfactors.csv'
rm "$into/NAG-PyPOP-$version.tar.gz"
