#!/usr/bin/env bash
# valgrind: the tests look for memory that the injector loses in a real run.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
need_programs valgrind
apt_install valgrind
