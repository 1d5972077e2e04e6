#ifndef LATITUDE_INJECT_SETTINGS_H
#define LATITUDE_INJECT_SETTINGS_H

#include <stdbool.h>

/// The requests of `latitude inject`, from the environment:
///
///     LATITUDE_INJECT        flow or verbs; off: run times are measured, nothing is delayed; the
///                            library does nothing without it
///     LATITUDE_INJECT_DIR    holds table.dist and table.seed; ranks leave their counters there
///     LATITUDE_INJECT_INTRA  set: shared-memory transports are delayed, too
///     LATITUDE_INJECT_PER_WR set: one delay per work request instead of one per post
///     LATITUDE_INJECT_GO_ON  set: the program continues even if nothing can be delayed
enum lat_layer { LAT_NOTHING, LAT_OFF, LAT_FLOW, LAT_VERBS };

enum lat_layer lat_layer_asked(void);
const char* lat_directory(void);
bool lat_intra_node(void);
bool lat_per_wr(void);
bool lat_goes_on(void);

/// The rank from the launcher; -1 without a launcher.
long lat_rank(void);

/// Ranks on this host; 1 if the launcher does not give their number.
long lat_local_ranks(void);

/// Whether this process may print messages for all ranks of its host.
bool lat_speaks(void);

#endif
