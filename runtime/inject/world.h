#ifndef LATITUDE_INJECT_WORLD_H
#define LATITUDE_INJECT_WORLD_H

#include <stdbool.h>
#include <stdint.h>

/// MPI_COMM_WORLD of any loaded MPI. The injector finds MPI's functions by their names, so that the
/// library is the same for every MPI. Open MPI's handle is the address of a variable, MPICH's is a
/// number, and the standard ABI's is another number; each fits the register of an argument.
enum { LAT_MPICH_WORLD = 0x44000000, LAT_STANDARD_WORLD = 0x101 };
intptr_t lat_world(void);

/// The number of ranks of MPI_COMM_WORLD; 0 without MPI.
uint64_t lat_world_size(void);

/// MPI_Barrier; false without MPI.
bool lat_world_barrier(void);

#endif
