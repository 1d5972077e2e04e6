#!/usr/bin/env bash
# PyTorch with gloo from the distribution: a job to profile, and to predict under injected latency.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
dpkg -s python3-torch >/dev/null 2>&1 || missing+=("PyTorch of /usr/bin/python3")
apt_install python3-torch
