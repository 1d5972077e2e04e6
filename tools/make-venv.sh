#!/usr/bin/env bash
# make-venv.sh PYTHON DIR: a virtual environment, also where the system's Python lacks ensurepip.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
python=$1
dir=$2

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
  echo "Latitude needs Python 3.10 or newer; $python is $("$python" -V). Try: make PYTHON=python3.11" >&2
  exit 2
fi
if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  "$python" -m venv "$dir"
elif can_install; then
  missing=(ensurepip)
  apt_install python3-venv python3-dev
  "$python" -m venv "$dir"
elif "$python" -m virtualenv --version >/dev/null 2>&1; then
  "$python" -m virtualenv "$dir"
else
  echo "$python has neither ensurepip nor virtualenv; install Debian's python3-venv" >&2
  exit 2
fi
"$dir/bin/pip" install --quiet --upgrade pip
