#ifndef LATITUDE_INJECT_REPORT_H
#define LATITUDE_INJECT_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "sketch.h"

/// The counters of a process, in a mapped file, so that they survive any end of the process. Native
/// byte order; src/latitude/launch/injecting/recorded.py reads the file.
///
///     +0    8   "LATINJ1" and a zero byte
///     +8    8   rank, -1 when it has none
///     +16   8   process id
///     +24   8   1 when the delays are on, 2 when the run was refused (LAT_REFUSED), 3 when it was
///               ended after MPI_Init (LAT_IN_VAIN), else 0
///     +32   8   interfaces or queue pairs opened that are delayed
///     +40   8   messages delayed
///     +48   8   messages let through undelayed on these
///     +56   8   times the table was read
///     +64   8   1 once the process has exited, or finalised MPI
///     +72   8   bytes of a sketch's cell × cells
///     +80   8   when MPI_Init returned, ns of CLOCK_MONOTONIC; 0 before
///     +88   8   ns from MPI_Init's return to the call of MPI_Finalize; 0 before
///     +96   8   ranks of MPI_COMM_WORLD, 0 while unknown
///     +104  8   messages, or posts, that were late while their rank waited (watch.h)
///     +112  8   ns by which these were late, in all
///     +120  8   µs of CPU time of the process until the call of MPI_Finalize; 0 before
///     +128  128 reserved
///     +256  256 host
///     +512  768 transports opened: "+tcp -posix" (+ delayed, - left alone)
///     +1280 768 communication libraries loaded when MPI was finalised, or the run ended in vain
///     +2048 512 why the delays are off
///     +4096     sketch of the delays asked for, then of those achieved
struct lat_report {
  char magic[8];
  int64_t rank;
  uint64_t process;
  uint64_t on;
  uint64_t hooked;
  uint64_t delayed;
  uint64_t passed;
  uint64_t loads;
  uint64_t ended;
  uint64_t sketch_bytes;
  uint64_t started_ns;
  uint64_t runtime_ns;
  uint64_t ranks;
  uint64_t late;
  uint64_t late_ns;
  uint64_t cpu_us;
  char reserved[128];
  char host[256];
  char transports[768];
  char libraries[768];
  char off[512];
  char unused[1536];
  struct lat_cell asked[LAT_SKETCH_CELLS];
  struct lat_cell achieved[LAT_SKETCH_CELLS];
};

enum { LAT_REFUSED = 2, LAT_IN_VAIN = 3 };

/// The counters of this process; in private memory before `lat_report_open`, and if the file cannot
/// be made.
extern struct lat_report* lat_report;

void lat_report_open(const char* directory, long rank);

/// Adds a word to `transports` unless `transports` has it.
void lat_report_transport(const char* name, int delayed);

/// Writes the names of the loaded communication libraries.
void lat_report_libraries(void);

static inline void lat_count_up(uint64_t* counter) {
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/// Counts a delay that is over; it lasted `late_ns` longer than requested.
static inline void lat_report_delay(uint64_t asked_ns, uint64_t achieved_ns, uint64_t late_ns) {
  lat_count_up(&lat_report->delayed);
  if (late_ns) {
    lat_count_up(&lat_report->late);
    __atomic_fetch_add(&lat_report->late_ns, late_ns, __ATOMIC_RELAXED);
  }
  lat_sketch_add(lat_report->asked, asked_ns);
  lat_sketch_add(lat_report->achieved, achieved_ns);
}

#endif
