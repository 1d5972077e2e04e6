#ifndef LATITUDE_BENCH_JOB_H
#define LATITUDE_BENCH_JOB_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/// The ranks of the job, and their places.
struct job {
  int rank, ranks;
  /// For this rank: the number of ranks of its node before it, and the number of ranks on the node.
  int local_rank, local_ranks;
  /// node[r]: the node of rank r, numbered by first appearance; for all ranks, on all ranks.
  int* node;
  int nodes;
};

/// Starts MPI and finds the ranks and nodes.
struct job bench_begin(int* count, char*** arguments);

/// Binds this rank to a core of its own, if the rank's node has a core for each of its ranks. A
/// rank that is already bound to one core stays on that core. Returns the core, or -1.
int bench_pin(const struct job* job);

/// Ends MPI.
void bench_end(struct job* job);

/// Ends the whole job with one line on standard error.
_Noreturn void bench_fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Allocates memory, or ends the job.
void* bench_allocate(size_t count, size_t size);

/// MPI_X(…), which must succeed.
#define MUST(call) bench_must((call), #call, __FILE__, __LINE__)
void bench_must(int error, const char* call, const char* file, int line);

#endif
