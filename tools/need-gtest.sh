#!/usr/bin/env bash
# GoogleTest from the distribution: the C++ tests cannot run without it.
set -euo pipefail
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
printf '#include <gtest/gtest.h>\n' >"$probe/probe.cpp"
if "${CXX:-c++}" -std=c++20 -fsyntax-only "$probe/probe.cpp" 2>/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing libgtest-dev with apt-get"
  apt-get update -qq && apt-get install -y -qq libgtest-dev
else
  echo "GoogleTest is missing; install it (Debian: libgtest-dev)" >&2
  exit 2
fi
