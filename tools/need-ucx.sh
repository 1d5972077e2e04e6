#!/usr/bin/env bash
# Headers of UCX and libibverbs: the tests compare the injector's own declarations with them.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
printf '#include <uct/api/uct.h>\n#include <infiniband/verbs.h>\n' |
  cc -fsyntax-only -x c - 2>/dev/null || missing+=("headers of UCX or libibverbs")
apt_install libucx-dev libibverbs-dev
