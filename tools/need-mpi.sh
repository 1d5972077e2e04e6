#!/usr/bin/env bash
# Open MPI, MPICH, Fortran, and real MPI programs from the distribution: the tests trace them.
set -euo pipefail
missing=()
for program in mpicc.openmpi mpicc.mpich mpirun.openmpi mpiexec.mpich mpifort.openmpi \
  mpifort.mpich lmp hpcc; do
  command -v "$program" >/dev/null || missing+=("$program")
done
/usr/bin/python3 -c 'import mpi4py' 2>/dev/null || missing+=(mpi4py)
if [ "${#missing[@]}" = 0 ]; then
  exit 0
fi
packages=(openmpi-bin libopenmpi-dev mpich libmpich-dev gfortran lammps hpcc python3-mpi4py)
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${packages[*]} with apt-get (missing: ${missing[*]})"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}"
else
  echo "missing: ${missing[*]}; install Open MPI and MPICH (Debian: ${packages[*]})" >&2
  exit 2
fi
