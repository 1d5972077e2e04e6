#!/usr/bin/env bash
# groff, with which the tests read the manual pages.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
need_programs groff
apt_install groff
