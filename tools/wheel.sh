#!/usr/bin/env bash
# wheel.sh BIN DIR OPTION…: a wheel for other machines, in DIR. Its name tells the oldest C library and
# the Pythons it runs with. BIN is of a virtual environment that has what builds it: no network is
# needed. Options are pip's.
set -euo pipefail
bin=$1
dir=$2
shift 2
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$bin/pip" wheel --quiet --no-deps --no-build-isolation --wheel-dir "$made" \
  -C cmake.define.LATITUDE_STATIC_CXX=ON -C cmake.define.CMAKE_UNITY_BUILD=ON "$@" .
mkdir -p "$dir"
rm -f "$dir"/latitude-*.whl
PATH=$bin:$PATH "$bin/auditwheel" repair --plat auto --wheel-dir "$dir" "$made"/latitude-*.whl
