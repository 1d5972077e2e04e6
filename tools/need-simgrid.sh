#!/usr/bin/env bash
# SimGrid's smpicc and smpirun from the distribution: an independent network to predict.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
need_programs smpicc smpirun
apt_install libsimgrid-dev
