#!/usr/bin/env bash
# What tests/support/hosts makes hosts of: namespaces, links between them, limits on these.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
need_programs unshare nsenter taskset mount sysctl ip tc
apt_install util-linux mount procps iproute2
