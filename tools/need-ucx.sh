#!/usr/bin/env bash
# Headers of UCX and libibverbs: the tests compare the injector's own declarations with them.
set -euo pipefail
if printf '#include <uct/api/uct.h>\n#include <infiniband/verbs.h>\n' | cc -fsyntax-only -x c - 2>/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing libucx-dev and libibverbs-dev with apt-get"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends libucx-dev libibverbs-dev
else
  echo "headers of UCX or libibverbs are missing; install them (Debian: libucx-dev libibverbs-dev)" >&2
  exit 2
fi
