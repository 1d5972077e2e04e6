#!/usr/bin/env bash
# Open MPI, MPICH, Fortran, and real MPI programs from the distribution: the tests trace them.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
need_programs mpicc.openmpi mpicc.mpich mpirun.openmpi mpiexec.mpich mpifort.openmpi \
  mpifort.mpich lmp hpcc
/usr/bin/python3 -c 'import mpi4py' 2>/dev/null || missing+=(mpi4py)
apt_install openmpi-bin libopenmpi-dev mpich libmpich-dev gfortran lammps hpcc python3-mpi4py
