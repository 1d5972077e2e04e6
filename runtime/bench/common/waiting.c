#define _GNU_SOURCE
#include "waiting.h"

#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "clock.h"

enum { EARLY_NS = 100000 };  ///< a sleeper wakes up some 10 us late, on a virtual machine later

bool bench_crowded(const struct job* job, bool beside) {
  // Ranks bound to different cores are not crowded, although each sees only one core: so the cores
  // of the whole node count.
  MPI_Comm node;
  MUST(MPI_Comm_split(MPI_COMM_WORLD, job->node[job->rank], job->rank, &node));
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) CPU_ZERO(&cores);
  MUST(MPI_Allreduce(MPI_IN_PLACE, &cores, (int)sizeof cores, MPI_BYTE, MPI_BOR, node));
  MUST(MPI_Comm_free(&node));
  int crowded = CPU_COUNT(&cores) < job->local_ranks * (beside ? 2 : 1);
  MUST(MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD));
  if (crowded) prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);  // otherwise all sleeps last 50 us longer
  return crowded;
}

void bench_nap(void) { lat_sleep(BENCH_NAP_NS); }

void bench_wait_until(int64_t moment, bool crowded) {
  const int64_t left = moment - now_ns();
  if (crowded && left > EARLY_NS) lat_sleep((uint64_t)(left - EARLY_NS));
  wait_until(moment);
}

void bench_wait_for(MPI_Request* request, int64_t nap_ns) {
  if (nap_ns == 0) {
    MUST(MPI_Wait(request, MPI_STATUS_IGNORE));
    return;
  }
  int done = 0;
  MUST(MPI_Test(request, &done, MPI_STATUS_IGNORE));
  while (!done) {
    lat_sleep((uint64_t)nap_ns);
    MUST(MPI_Test(request, &done, MPI_STATUS_IGNORE));
  }
}

void bench_meet(int64_t nap_ns) {
  MPI_Request all;
  MUST(MPI_Ibarrier(MPI_COMM_WORLD, &all));
  bench_wait_for(&all, nap_ns);
}
