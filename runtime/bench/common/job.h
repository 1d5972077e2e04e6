#ifndef LATITUDE_BENCH_JOB_H
#define LATITUDE_BENCH_JOB_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/// The ranks of the job, and where they run.
struct job {
  int rank, ranks;
  /// Of this rank: how many ranks of its node come before it, and how many share the node.
  int local_rank, local_ranks;
  /// node[r]: the node of rank r, numbered by first appearance. Of all ranks, on all ranks.
  int* node;
  int nodes;
};

/// Starts MPI and looks around.
struct job bench_begin(int* count, char*** arguments);

/// Binds this rank to a core of its own, where the node lets it have as many as it has ranks; a
/// rank that is bound to one core already stays there. Returns the core, or -1.
int bench_pin(const struct job* job);

/// Ends MPI.
void bench_end(struct job* job);

/// Ends the whole job with one line on standard error.
_Noreturn void bench_fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Memory, or the end of the job.
void* bench_allocate(size_t count, size_t size);

/// MPI_X(…) that must succeed.
#define MUST(call) bench_must((call), #call, __FILE__, __LINE__)
void bench_must(int error, const char* call, const char* file, int line);

#endif
