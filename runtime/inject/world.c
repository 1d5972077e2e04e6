#define _GNU_SOURCE
#include "world.h"

#include <dlfcn.h>
#include <stddef.h>

#include "../abi/offered.h"
#include "../preload/original.h"

typedef int size_function(intptr_t communicator, int* size);
typedef int barrier_function(intptr_t communicator);

intptr_t lat_world(void) {
  lat_abi_get_version* get_version = NULL;
  *(void**)&get_version = lat_original("PMPI_Abi_get_version", "libmpi");
  if (lat_abi_offered(get_version)) return LAT_STANDARD_WORLD;
  const void* open_mpi = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
  return open_mpi ? (intptr_t)open_mpi : LAT_MPICH_WORLD;
}

uint64_t lat_world_size(void) {
  size_function* size_of = NULL;
  *(void**)&size_of = lat_original("PMPI_Comm_size", "libmpi");
  int size = 0;
  if (!size_of || size_of(lat_world(), &size) != 0) return 0;
  return (uint64_t)size;
}

bool lat_world_barrier(void) {
  barrier_function* barrier = NULL;
  *(void**)&barrier = lat_original("PMPI_Barrier", "libmpi");
  return barrier && barrier(lat_world()) == 0;
}
