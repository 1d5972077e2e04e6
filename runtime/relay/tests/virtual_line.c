// The relay in virtual time: packets that come at the times of a test.
//
//     virtual_line DELAY MEMORY LOOK OVERSLEEP COUNT GAP BYTES [BURST]
//
// COUNT packets of BYTES come, BURST at a time, GAP ns between bursts; the n-th is filled with the
// byte n. Prints "TAKEN GIVEN LENGTH" for each forwarded packet, in that order (ns of true time),
// and the totals. It is over when nothing has come for a second after the last one was due.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../clock/tests/virtual_clock.h"
#include "../carry.h"

enum { PACKETS = 5, STOP = 6, SECOND = 1000000000 };

static uint64_t delay, count, gap, bytes, burst = 1, memory;
static uint64_t taken, given;
static uint64_t* when;

static uint64_t comes(uint64_t number) { return number / burst * gap; }

static ssize_t take(int packets, void* data, size_t room) {
  if (taken == count || comes(taken) > virtual_now() || bytes > room) return -1;
  memset(data, (int)(taken & 0xff), bytes);
  when[taken++] = virtual_now();
  virtual_ready(packets, taken < count ? comes(taken) : UINT64_MAX);
  return (ssize_t)bytes;
}

static ssize_t give(int packets, const void* data, size_t length) {
  (void)packets;
  const unsigned char* of = data;
  for (size_t i = 0; i < length; ++i) {
    if (of[i] != (given & 0xff)) exit(3);
  }
  printf("%llu %llu %zu\n", (unsigned long long)when[given], (unsigned long long)virtual_now(),
         length);
  ++given;
  return (ssize_t)length;
}

static void body(int rank) {
  (void)rank;
  const struct lat_line line = {PACKETS, STOP, take, give};
  virtual_ready(PACKETS, 0);
  virtual_ready(STOP, comes(count) + (count + 1) * delay + SECOND);
  struct lat_carried carried;
  if (lat_carry(&line, delay, memory, &carried) < 0) exit(4);
  printf("packets=%llu bytes=%llu refused=%llu full=%llu left=%llu late_ns=%llu latest_ns=%llu\n",
         (unsigned long long)carried.packets, (unsigned long long)carried.bytes,
         (unsigned long long)carried.refused, (unsigned long long)carried.full,
         (unsigned long long)carried.left, (unsigned long long)carried.late_ns,
         (unsigned long long)carried.latest_ns);
}

int main(int words, char** word) {
  if (words < 8) return 2;
  uint64_t* const into[] = {&delay, &memory, &virtual_look_ns, &virtual_oversleep_ns,
                            &count, &gap,    &bytes,           &burst};
  for (int i = 1; i < words && i <= 8; ++i) *into[i - 1] = strtoull(word[i], NULL, 10);
  when = calloc(count + 1, sizeof *when);
  virtual_run(1, body);
  return 0;
}
