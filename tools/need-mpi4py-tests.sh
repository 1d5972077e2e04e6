#!/usr/bin/env bash
# mpi4py's own tests, of the version the distribution brings: they run under the injector. Only its
# source archive has them; it is unpacked in build/, nothing of it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(/usr/bin/python3 -c 'import mpi4py; print(mpi4py.__version__)')
into=build/mpi4py-tests
[ -f "$into/$version/test/runtests.py" ] && exit 0
python=python3
[ -x .venv/bin/python ] && python=.venv/bin/python
mkdir -p "$into"
"$python" -m pip download --quiet --no-deps --no-binary mpi4py --dest "$into" "mpi4py==$version"
tar -xzf "$into/mpi4py-$version.tar.gz" -C "$into"
mv "$into/mpi4py-$version" "$into/$version"
rm "$into/mpi4py-$version.tar.gz"
