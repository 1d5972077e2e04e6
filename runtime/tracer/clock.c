#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

#include "tracer.h"

enum { MOST_CORES = 4096, CALIBRATION_CALLS = 1001 };

bool lat_cpu_clock;

struct lat_host lat_choose_clock(void) {
  struct lat_host host = {1, 1};
  uint64_t mine[MOST_CORES / 64] = {0};
  uint64_t ours[MOST_CORES / 64];
  sched_getaffinity(0, sizeof mine, (cpu_set_t*)mine);
  // Ranks that are bound to different cores have the union of these cores.
  lat_mpi.Comm_size(lat_hosts_sharing(), &host.ranks);
  lat_mpi.Allreduce(mine, ours, MOST_CORES / 64, lat_mpi.uint64, lat_mpi.bor, lat_hosts_sharing());
  host.cores = 0;
  for (int i = 0; i < MOST_CORES / 64; ++i) host.cores += __builtin_popcountll(ours[i]);

  const char* asked = getenv("LATITUDE_CLOCK");
  uint64_t cpu = host.ranks > host.cores;
  if (asked && strcmp(asked, "wall") == 0) cpu = 0;
  if (asked && strcmp(asked, "cpu") == 0) cpu = 1;
  uint64_t any = 0;
  lat_mpi.Allreduce(&cpu, &any, 1, lat_mpi.uint64, lat_mpi.max, lat_mpi.world);
  lat_cpu_clock = any != 0;
  return host;
}

__attribute__((noinline)) static void null_call(uint64_t* wall_gap, uint64_t* cpu_gap,
                                                uint64_t* duration) {
  struct event e;
  if (!lat_count(&e, CALL_latitude_pause, NULL, __builtin_dwarf_cfa())) return;
  lat_read(&e);
  *wall_gap = e.enter - e.thread->left;
  *cpu_gap = e.cpu_gap;
  lat_open(&e);
  lat_close(&e);
  *duration = e.thread->left - e.enter;
  lat_leave();
}

static int ascending(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a;
  const uint64_t y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

void lat_calibrate(uint64_t* wall_ns, uint64_t* cpu_ns, uint64_t* call_ns) {
  static uint64_t wall[CALIBRATION_CALLS];
  static uint64_t cpu[CALIBRATION_CALLS];
  static uint64_t call[CALIBRATION_CALLS];
  struct thread* t = lat_self;
  const struct thread before = *t;
  t->write_at = t->look_from = UINT64_MAX;  // the leftovers of these calls do not belong to the
                                            // trace
  for (int i = 0; i < CALIBRATION_CALLS; ++i) null_call(&wall[i], &cpu[i], &call[i]);
  t->chunk.used = before.chunk.used;
  t->records = before.records;
  t->write_at = before.write_at;
  t->look_from = before.look_from;
  t->calls[CALL_latitude_pause] = before.calls[CALL_latitude_pause];
  qsort(wall, CALIBRATION_CALLS, sizeof *wall, ascending);
  qsort(cpu, CALIBRATION_CALLS, sizeof *cpu, ascending);
  qsort(call, CALIBRATION_CALLS, sizeof *call, ascending);
  *wall_ns = wall[CALIBRATION_CALLS / 2];
  *cpu_ns = cpu[CALIBRATION_CALLS / 2];
  *call_ns = call[CALIBRATION_CALLS / 2];
}
