#!/usr/bin/env bash
# libfabric's headers from the distribution, and an MPICH over libfabric from its wheel: in a
# virtual environment of its own, because its mpicc and mpiexec must not hide those of the system.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
version=5.0.2
wheel=${XDG_CACHE_HOME:-$HOME/.cache}/latitude/mpich-wheel
printf '#include <rdma/fabric.h>\n' | cc -fsyntax-only -x c - 2>/dev/null ||
  missing+=("headers of libfabric")
apt_install libfabric-dev
if ! "$wheel/bin/mpichversion" 2>/dev/null | grep -q "$version"; then
  echo "installing MPICH $version in $wheel"
  rm -rf "$wheel"
  "$(dirname "$0")/make-venv.sh" "${PYTHON:-python3}" "$wheel"
  "$wheel/bin/pip" install --quiet "mpich==$version"
fi
