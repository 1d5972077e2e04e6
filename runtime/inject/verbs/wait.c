#define _GNU_SOURCE
#include <stdio.h>

#include "../../clock/clock.h"
#include "../delay.h"
#include "../report.h"
#include "verbs.h"

bool lat_verbs_per_wr;

void lat_verbs_wait(void) {
  if (!lat_delay_on()) {
    lat_count_up(&lat_report->passed);
    return;
  }
  const uint64_t begin = lat_ticks();
  const uint64_t asked_ns = lat_delay_next();
  const uint64_t passed = lat_busy_wait(begin, lat_ticks_of_ns(asked_ns));
  const uint64_t achieved_ns = lat_ns_of_ticks(passed);
  lat_report_delay(asked_ns, achieved_ns, achieved_ns > asked_ns ? achieved_ns - asked_ns : 0);
}

void lat_verbs_full(void) {
  static bool said;
  if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) {
    fprintf(stderr, "latitude: warning: more than %d kinds of queue pairs: some are not delayed\n",
            LAT_KINDS);
  }
}
