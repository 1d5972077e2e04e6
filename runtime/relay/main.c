// A network device that returns each packet some time after it was sent into it.
//
//     latitude-relay DEVICE NS BYTES
//
// It prints "ready" once the device is there, and at its end (SIGTERM, SIGINT) the number of
// packets. The kernel takes the device away with the process.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

#include "carry.h"
#include "tun.h"

static int told_to_end(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  return signalfd(-1, &ends, SFD_CLOEXEC);
}

/// Ranks that wait for a message keep all cores busy: the relay gets priority over them, if
/// permitted.
static void come_first(void) {
  const struct sched_param least = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &least);
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const char* why = "signals cannot be waited for";
  struct lat_line line = {.take = lat_tun_take, .give = lat_tun_give, .packets = -1};
  line.stop = told_to_end();
  if (line.stop >= 0) line.packets = lat_tun_open(words[1], &why);
  if (line.packets < 0) {
    fprintf(stderr, "%s: %s\n", why, strerror(errno));
    return 2;
  }
  come_first();
  puts("ready");
  fflush(stdout);
  struct lat_carried carried;
  if (lat_carry(&line, strtoull(words[2], NULL, 10), strtoull(words[3], NULL, 10), &carried) < 0) {
    fprintf(stderr, "there is no memory of %s bytes\n", words[3]);
    return 2;
  }
  printf("packets=%llu bytes=%llu refused=%llu full=%llu left=%llu late_ns=%llu latest_ns=%llu\n",
         (unsigned long long)carried.packets, (unsigned long long)carried.bytes,
         (unsigned long long)carried.refused, (unsigned long long)carried.full,
         (unsigned long long)carried.left, (unsigned long long)carried.late_ns,
         (unsigned long long)carried.latest_ns);
  return 0;
}
