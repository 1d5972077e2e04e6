#!/usr/bin/env bash
# What tests/hosts makes hosts of: namespaces, links between them, limits on these.
set -euo pipefail
missing=()
for program in unshare nsenter taskset mount sysctl ip tc; do
  command -v "$program" >/dev/null || missing+=("$program")
done
if [ "${#missing[@]}" = 0 ]; then
  exit 0
fi
packages=(util-linux mount procps iproute2)
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${packages[*]} with apt-get (missing: ${missing[*]})"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}"
else
  echo "missing: ${missing[*]}; install them (Debian: ${packages[*]})" >&2
  exit 2
fi
