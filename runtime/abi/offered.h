#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef int lat_abi_get_version(int* major, int* minor);

/// Whether a library has the standard's binary interface, by its MPI_Abi_get_version: a library
/// that has the function but another interface returns version -1 (MPI 5.0, section 20.2). It may
/// be called at any time. `get_version` may be null, because older libraries lack it.
static inline bool lat_abi_offered(lat_abi_get_version* get_version) {
  int major = -1;
  int minor = -1;
  return get_version && get_version(&major, &minor) == 0 && major > 0;
}
