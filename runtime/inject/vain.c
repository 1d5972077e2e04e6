#include "vain.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "settings.h"

enum { WRONG_USE = 2 };

/// UCX's transports that move every message between ranks of a node once they are open: no network
/// is as fast.
static bool stays_in_memory(void) {
  static const char* const words[] = {"-posix ", "-sysv ", "-xpmem "};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (strstr(lat_report->transports, words[i])) return true;
  }
  return false;
}

/// Whether no message can be delayed. All ranks open the network in MPI_Init in the same way, so
/// one rank answers for all. A process alone has no peer.
static bool in_vain(void) {
  if (lat_layer_asked() != LAT_FLOW || lat_report->rank != 0 || lat_report->ranks < 2) return false;
  if (lat_report->hooked == 0) return true;
  const bool one_node = (uint64_t)lat_local_ranks() == lat_report->ranks;
  return one_node && !lat_intra_node() && stays_in_memory();
}

void lat_end_in_vain(void) {
  if (lat_goes_on() || !in_vain()) return;
  lat_report_libraries();
  lat_report->on = LAT_IN_VAIN;
  lat_report->ended = 1;
  _exit(WRONG_USE);
}
