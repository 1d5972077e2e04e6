#include "settings.h"

#include <stdlib.h>
#include <string.h>

static const char* const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
                                    "MV2_COMM_WORLD_RANK",  "PALS_RANKID", "ALPS_APP_PE",
                                    "FLUX_TASK_RANK",       "SLURM_PROCID"};
static const char* const local_ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                          "MV2_COMM_WORLD_LOCAL_RANK",  "PALS_LOCAL_RANKID",
                                          "FLUX_TASK_LOCAL_ID",         "SLURM_LOCALID"};

static const char* const local_sizes[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                          "MV2_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE"};

static long number(const char* const* names, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const char* text = getenv(names[i]);
    char* end;
    if (!text || !*text) continue;
    const long value = strtol(text, &end, 10);
    if (*end == '\0' && value >= 0) return value;
  }
  return -1;
}

enum lat_layer lat_layer_asked(void) {
  const char* layer = getenv("LATITUDE_INJECT");
  if (layer && strcmp(layer, "flow") == 0) return LAT_FLOW;
  if (layer && strcmp(layer, "verbs") == 0) return LAT_VERBS;
  if (layer && strcmp(layer, "off") == 0) return LAT_OFF;
  return LAT_NOTHING;
}

const char* lat_directory(void) {
  const char* directory = getenv("LATITUDE_INJECT_DIR");
  return directory ? directory : ".";
}

bool lat_intra_node(void) { return getenv("LATITUDE_INJECT_INTRA") != NULL; }
bool lat_per_wr(void) { return getenv("LATITUDE_INJECT_PER_WR") != NULL; }
bool lat_goes_on(void) { return getenv("LATITUDE_INJECT_GO_ON") != NULL; }
long lat_rank(void) { return number(ranks, sizeof ranks / sizeof *ranks); }
long lat_local_ranks(void) {
  const long known = number(local_sizes, sizeof local_sizes / sizeof *local_sizes);
  return known > 0 ? known : 1;
}
bool lat_speaks(void) { return number(local_ranks, sizeof local_ranks / sizeof *local_ranks) <= 0; }
