#!/usr/bin/env bash
# Slurm and munge from the distribution: the tests start a cluster of their own on this host.
set -euo pipefail
missing=()
for program in munged slurmctld slurmd squeue sbatch; do
  PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null || missing+=("$program")
done
if [ "${#missing[@]}" = 0 ]; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing slurm-wlm and munge with apt-get (missing: ${missing[*]})"
  # The packages' own daemons are not wanted: the tests start theirs in a temporary directory.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends slurm-wlm munge
else
  echo "missing: ${missing[*]}; install Slurm and munge (Debian: slurm-wlm munge)" >&2
  exit 2
fi
