#define _GNU_SOURCE
#include "job.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../clock/clock.h"

enum { PATIENCE_S = 5, READ_NS = 200000000 };

/// Hash of a text by FNV-1a.
static uint64_t hash_of(const char* text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *text; ++text) hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
  return hash;
}

/// Names distinguish nodes: MPI's notion of shared memory depends on its settings.
static void find_nodes(struct job* job) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length;
  MUST(MPI_Get_processor_name(name, &length));
  const uint64_t mine = hash_of(name);
  const size_t ranks = (size_t)job->ranks;
  uint64_t* hashes = bench_allocate(ranks, sizeof *hashes);
  uint64_t* known = bench_allocate(ranks, sizeof *known);
  job->node = bench_allocate(ranks, sizeof *job->node);
  MUST(MPI_Allgather(&mine, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, MPI_COMM_WORLD));
  for (int rank = 0; rank < job->ranks; ++rank) {
    int node = 0;
    while (node < job->nodes && known[node] != hashes[rank]) ++node;
    if (node == job->nodes) known[job->nodes++] = hashes[rank];
    job->node[rank] = node;
    if (hashes[rank] != mine) continue;
    job->local_rank += rank < job->rank;
    ++job->local_ranks;
  }
  free(hashes);
  free(known);
}

struct job bench_begin(int* count, char*** arguments) {
  MPI_Init(count, arguments);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  struct job job = {0};
  MUST(MPI_Comm_rank(MPI_COMM_WORLD, &job.rank));
  MUST(MPI_Comm_size(MPI_COMM_WORLD, &job.ranks));
  find_nodes(&job);
  return job;
}

int bench_pin(const struct job* job) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  if (CPU_COUNT(&allowed) < job->local_ranks) return -1;
  int turn = job->local_rank;
  size_t core = 0;
  while (core < CPU_SETSIZE && (!CPU_ISSET(core, &allowed) || turn-- > 0)) ++core;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(core, &mine);
  return sched_setaffinity(0, sizeof mine, &mine) == 0 ? (int)core : -1;
}

static void leave(int number) {
  (void)number;
  _exit(0);
}

void bench_end(struct job* job) {
  free(job->node);
  MPI_Barrier(MPI_COMM_WORLD);
  // MPICH 4.0 over UCX's TCP may wait in MPI_Finalize forever; all results are already written.
  signal(SIGALRM, leave);
  alarm(PATIENCE_S);
  MPI_Finalize();
  alarm(0);
}

void bench_fail(const char* format, ...) {
  va_list values;
  va_start(values, format);
  fputs("latitude: error: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  lat_sleep(READ_NS);  // MPICH's launcher drops output that it has not read yet when a rank aborts
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

void* bench_allocate(size_t count, size_t size) {
  void* memory = calloc(count ? count : 1, size);
  if (!memory) bench_fail("no memory for %zu times %zu bytes", count, size);
  return memory;
}

void bench_must(int error, const char* call, const char* file, int line) {
  if (error == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  bench_fail("%s:%d: %s: %s", file, line, call, text);
}
