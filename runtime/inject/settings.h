#ifndef LATITUDE_INJECT_SETTINGS_H
#define LATITUDE_INJECT_SETTINGS_H

#include <stdbool.h>

/// What `latitude inject` asks for, from the environment:
///
///     LATITUDE_INJECT        flow or verbs; off: run times are measured, nothing is delayed; the
///                            library does nothing without it
///     LATITUDE_INJECT_DIR    holds table.dist and table.seed; ranks leave their counters there
///     LATITUDE_INJECT_INTRA  set: shared-memory transports are delayed, too
///     LATITUDE_INJECT_PER_WR set: one delay a work request instead of one a post
///     LATITUDE_INJECT_GO_ON  set: the program runs on where nothing can be delayed
enum lat_layer { LAT_NOTHING, LAT_OFF, LAT_FLOW, LAT_VERBS };

enum lat_layer lat_layer_asked(void);
const char* lat_directory(void);
bool lat_intra_node(void);
bool lat_per_wr(void);
bool lat_goes_on(void);

/// The rank that a launcher gave this process, -1 when it was started by none.
long lat_rank(void);

/// Ranks on this host, 1 when the launcher does not tell.
long lat_local_ranks(void);

/// Whether this process may speak for the others of its host.
bool lat_speaks(void);

#endif
