// MPI_Init: the program's run time lasts from its return to the call of MPI_Finalize, unless
// another library tells its limits. The injector finds both functions by name, so that the library
// is the same for every MPI.
#include "../clock/clock.h"
#include "../preload/export.h"
#include "../preload/original.h"
#include "../preload/run.h"
#include "delay.h"
#include "report.h"
#include "settings.h"
#include "vain.h"
#include "world.h"

typedef int init_function(int* count, char*** words);
typedef int init_thread_function(int* count, char*** words, int required, int* provided);

void latitude_run_begins(void) { lat_report->started_ns = lat_now_ns(); }

/// After MPI has started, not before: UCX installs its SIGHUP handler when it is loaded. If one
/// entry point calls another, the outer one returns last and its time counts.
static void after_init(void) {
  if (lat_layer_asked() == LAT_NOTHING) return;
  lat_delay_setup();
  lat_report->ranks = lat_world_size();
  latitude_run_begins();
  lat_end_in_vain();
}

static int init(const char* name, int* count, char*** words) {
  init_function* original = NULL;
  lat_find((void**)&original, name, "libmpi");
  const int result = original(count, words);
  after_init();
  return result;
}

static int init_thread(const char* name, int* count, char*** words, int required, int* provided) {
  init_thread_function* original = NULL;
  lat_find((void**)&original, name, "libmpi");
  const int result = original(count, words, required, provided);
  after_init();
  return result;
}

LAT_EXPORT int MPI_Init(int* count, char*** words) { return init("MPI_Init", count, words); }

LAT_EXPORT int MPI_Init_thread(int* count, char*** words, int required, int* provided) {
  return init_thread("MPI_Init_thread", count, words, required, provided);
}

/// Open MPI's Fortran interface calls these functions.
LAT_EXPORT int PMPI_Init(int* count, char*** words) { return init("PMPI_Init", count, words); }

LAT_EXPORT int PMPI_Init_thread(int* count, char*** words, int required, int* provided) {
  return init_thread("PMPI_Init_thread", count, words, required, provided);
}
