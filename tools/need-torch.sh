#!/usr/bin/env bash
# PyTorch with gloo from the distribution: a job to profile, and to predict under injected latency.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
/usr/bin/python3 -c 'import torch' 2>/dev/null || missing+=("PyTorch of /usr/bin/python3")
apt_install python3-torch
