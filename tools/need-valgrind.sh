#!/usr/bin/env bash
# valgrind: the tests look for memory that the injector loses in a real run.
set -euo pipefail
command -v valgrind >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing valgrind with apt-get"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends valgrind
else
  echo "valgrind is missing; install it (Debian: valgrind)" >&2
  exit 2
fi
