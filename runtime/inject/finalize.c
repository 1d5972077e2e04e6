// MPI_Finalize: delays stop, and all ranks meet. MPICH over UCX's tcp hangs when a rank that looks
// for messages sees another one disconnect (without us, too: a rank that polls for 0.2 ms longer
// than its peer is enough), so having met they look away until all are about to disconnect. MPI is
// called by name, so that the library is the same for every MPI: Open MPI's MPI_COMM_WORLD is the
// address of a variable, MPICH's a number, the standard ABI's another; each fits the register of an
// argument.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "delay.h"
#include "export.h"
#include "original.h"
#include "report.h"
#include "settings.h"

typedef int finalize_function(void);
typedef int barrier_function(intptr_t communicator);

enum { APART_NS = 10000000 };  // more than a time slice, for ranks that share cores
enum { MPICH_WORLD = 0x44000000, STANDARD_WORLD = 0x101 };

/// What moves messages, by the beginnings of their file names; Open MPI loads only those in use.
static const char* const movers[] = {"libuct",   "libfabric", "libpsm2",  "mca_pml_",
                                     "mca_mtl_", "mca_btl_",  "libmlx5-", "libmpi"};

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
  lat_report->ended = 1;
  if (!meet) return;
  barrier(world());
  const struct timespec unhurried = {0, APART_NS};
  if (world() == MPICH_WORLD) nanosleep(&unhurried, NULL);
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
