// MPI_Finalize: the run time ends, delays stop, and all ranks meet. MPICH then closes its endpoints
// one by one, and over UCX's tcp waits forever if the other side has closed them before. (This
// happens without the injector, too: in 21 of 40 runs of 4 ranks on 2 cores; polling for messages
// 0.2 ms longer than the peer is enough.) As all ranks have met, nothing is on its way. The
// endpoints are left to UCX's worker, which ends them together with itself.
#include <stdbool.h>
#include <stddef.h>

#include "../clock/clock.h"
#include "../preload/export.h"
#include "../preload/original.h"
#include "../preload/run.h"
#include "delay.h"
#include "report.h"
#include "settings.h"
#include "world.h"

typedef int finalize_function(void);
typedef void* close_function(void* endpoint, unsigned mode);
typedef void* closex_function(void* endpoint, const void* parameters);

static bool keep_endpoints;

void latitude_run_ends(void) {
  static bool ended;
  if (lat_layer_asked() == LAT_NOTHING || __atomic_exchange_n(&ended, true, __ATOMIC_RELAXED)) {
    return;
  }
  lat_delay_setup();
  if (lat_report->started_ns) lat_report->runtime_ns = lat_now_ns() - lat_report->started_ns;
  const struct lat_usage used = lat_used();
  lat_report->cpu_us = used.user_us + used.system_us;
  lat_report_libraries();
  lat_delay_stop();
}

static void before_finalize(void) {
  latitude_run_ends();
  // Also if nothing is delayed here, for any reason: other ranks may delay.
  const bool met = lat_world_barrier();
  lat_report->ended = 1;
  keep_endpoints = met && lat_world() == LAT_MPICH_WORLD;
}

/// A NULL return tells the caller, as in UCX, that the endpoint is closed.
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

/// Open MPI's Fortran interface calls this function.
LAT_EXPORT int PMPI_Finalize(void) { return finalize("PMPI_Finalize"); }
