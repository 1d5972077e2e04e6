// MPI_Finalize: delays stop, and all ranks meet. MPICH then closes its endpoints one by one, and
// over UCX's tcp waits for ever when the other side has done so before (without us, too: 21 of 40
// runs of 4 ranks on 2 cores; one that looks for messages 0.2 ms longer than its peer is enough).
// As all have met, nothing is on its way: the endpoints are left to UCX's worker, which ends them
// with itself.
//
// MPI is called by name, so that the library is the same for every MPI: Open MPI's MPI_COMM_WORLD
// is the address of a variable, MPICH's a number, the standard ABI's another; each fits the
// register of an argument.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "delay.h"
#include "export.h"
#include "original.h"
#include "report.h"
#include "settings.h"

typedef int finalize_function(void);
typedef int barrier_function(intptr_t communicator);
typedef void* close_function(void* endpoint, unsigned mode);
typedef void* closex_function(void* endpoint, const void* parameters);

enum { MPICH_WORLD = 0x44000000, STANDARD_WORLD = 0x101 };

/// What moves messages, by the beginnings of their file names; Open MPI loads only those in use.
static const char* const movers[] = {"libuct",   "libfabric", "libpsm2",  "mca_pml_",
                                     "mca_mtl_", "mca_btl_",  "libmlx5-", "libmpi"};

static bool keep_endpoints;

static intptr_t world(void) {
  const void* open_mpi = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
  if (open_mpi) return (intptr_t)open_mpi;
  return dlsym(RTLD_DEFAULT, "MPI_Abi_get_version") && !dlsym(RTLD_DEFAULT, "MPIR_Err_return_comm")
             ? STANDARD_WORLD
             : MPICH_WORLD;
}

static int note_library(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* base = slash ? slash + 1 : info->dlpi_name;
  for (size_t i = 0; i < sizeof movers / sizeof *movers; ++i) {
    if (strncmp(base, movers[i], strlen(movers[i])) != 0) continue;
    char* known = lat_report->libraries;
    const size_t used = strlen(known);
    snprintf(known + used, sizeof lat_report->libraries - used, "%s ", base);
    break;
  }
  return 0;
}

static void before_finalize(void) {
  lat_delay_setup();
  dl_iterate_phdr(note_library, NULL);
  barrier_function* barrier = NULL;
  *(void**)&barrier = lat_original("PMPI_Barrier", "libmpi");
  const bool meet = lat_delay_on() && barrier;
  lat_delay_stop();
  if (meet) barrier(world());
  lat_report->ended = 1;
  keep_endpoints = meet && world() == MPICH_WORLD;
}

/// NULL is UCX's word for: closed.
LAT_EXPORT void* ucp_ep_close_nb(void* endpoint, unsigned mode) {
  static close_function* original;
  if (keep_endpoints) return NULL;
  lat_find((void**)&original, __func__, "libucp");
  return original(endpoint, mode);
}

LAT_EXPORT void* ucp_ep_close_nbx(void* endpoint, const void* parameters) {
  static closex_function* original;
  if (keep_endpoints) return NULL;
  lat_find((void**)&original, __func__, "libucp");
  return original(endpoint, parameters);
}

static int finalize(const char* name) {
  static bool begun;
  finalize_function* original = NULL;
  lat_find((void**)&original, name, "libmpi");
  if (lat_layer_asked() != LAT_NOTHING && !__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED)) {
    before_finalize();
  }
  return original();
}

LAT_EXPORT int MPI_Finalize(void) { return finalize("MPI_Finalize"); }

/// Open MPI's Fortran interface calls this one.
LAT_EXPORT int PMPI_Finalize(void) { return finalize("PMPI_Finalize"); }
