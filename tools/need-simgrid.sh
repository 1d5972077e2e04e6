#!/usr/bin/env bash
# SimGrid's smpicc and smpirun from the distribution: an independent network to predict.
set -euo pipefail
if command -v smpicc >/dev/null && command -v smpirun >/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing libsimgrid-dev with apt-get (missing: smpicc, smpirun)"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends libsimgrid-dev
else
  echo "missing: smpicc, smpirun; install SimGrid (Debian: libsimgrid-dev)" >&2
  exit 2
fi
