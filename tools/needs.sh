#!/usr/bin/env bash
# needs.sh NAME…: runs need-NAME.sh for each. Where nobody may install, what is missing is noted in
# build/missing, and tests that lack it say so; CI and root must have it.
set -euo pipefail
tools=$(dirname "$0")
. "$tools/apt.sh"
notes=$tools/../build/missing
mkdir -p "$notes"
for name; do
  rm -f "$notes/$name"
  "$tools/need-$name.sh" && continue
  if can_install || [ "${CI:-}" = true ]; then exit 2; fi
  touch "$notes/$name"
done
