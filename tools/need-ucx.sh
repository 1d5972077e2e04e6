#!/usr/bin/env bash
# UCX's headers: the tests compare the injector's own declarations with them.
set -euo pipefail
if printf '#include <uct/api/uct.h>\n' | cc -fsyntax-only -x c - 2>/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing libucx-dev with apt-get"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends libucx-dev
else
  echo "UCX's headers are missing; install them (Debian: libucx-dev)" >&2
  exit 2
fi
