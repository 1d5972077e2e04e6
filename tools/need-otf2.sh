#!/usr/bin/env bash
# OTF2: its C library with headers, against which the tests check our declarations, and the writer of its
# Python package, in build/, with which the tests make archives.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/apt.sh
printf '#include <otf2/otf2.h>\n' | "${CC:-cc}" -fsyntax-only -x c - 2>/dev/null || missing+=(otf2)
apt_install libopen-trace-format2-dev
python=python3
[ -x .venv/bin/python ] && python=.venv/bin/python
version=3.2
into=build/otf2-writer
if [ ! -d "$into/otf2-$version.dist-info" ]; then
  rm -rf "$into"
  "$python" -m pip install --quiet --no-deps --target "$into" "otf2==$version"
fi
