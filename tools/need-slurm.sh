#!/usr/bin/env bash
# Slurm and munge from the distribution: the tests start a cluster of their own on this host.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
PATH="$PATH:/usr/sbin:/sbin"
need_programs munged slurmctld slurmd squeue sbatch
[ "${#missing[@]}" -gt 0 ] || exit 0
# The packages' own daemons are not wanted: the tests start theirs in a temporary directory.
policy=/usr/sbin/policy-rc.d
if can_install && [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
fi
apt_install slurm-wlm munge
