#!/usr/bin/env bash
# GoogleTest from the distribution: the C++ tests cannot run without it.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
printf '#include <gtest/gtest.h>\n' | "${CXX:-c++}" -std=c++20 -fsyntax-only -x c++ - 2>/dev/null ||
  missing+=(GoogleTest)
apt_install libgtest-dev
