#!/usr/bin/env bash
# libfabric's headers from the distribution, and an MPICH over libfabric from its wheel: in a
# virtual environment of its own, because its mpicc and mpiexec must not hide those of the system.
set -euo pipefail
version=5.0.2
wheel=${XDG_CACHE_HOME:-$HOME/.cache}/latitude/mpich-wheel
if ! printf '#include <rdma/fabric.h>\n' | cc -fsyntax-only -x c - 2>/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing libfabric-dev with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends libfabric-dev
  else
    echo "headers of libfabric are missing; install them (Debian: libfabric-dev)" >&2
    exit 2
  fi
fi
if ! "$wheel/bin/mpichversion" 2>/dev/null | grep -q "$version"; then
  echo "installing MPICH $version in $wheel"
  rm -rf "$wheel"
  "$(dirname "$0")/make-venv.sh" "${PYTHON:-python3}" "$wheel"
  "$wheel/bin/pip" install --quiet "mpich==$version"
fi
