#include "operations.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../common/job.h"

static char *out, *in;
static int pair[2];
static const MPI_Comm WORLD = MPI_COMM_WORLD;

void pingpong_between(int first, int second) {
  pair[0] = first;
  pair[1] = second;
}

static void pingpong(size_t bytes) {
  int rank;
  MUST(MPI_Comm_rank(WORLD, &rank));
  if (rank == pair[0]) {
    MUST(MPI_Send(out, (int)bytes, MPI_BYTE, pair[1], 0, WORLD));
    MUST(MPI_Recv(in, (int)bytes, MPI_BYTE, pair[1], 0, WORLD, MPI_STATUS_IGNORE));
  } else if (rank == pair[1]) {
    MUST(MPI_Recv(in, (int)bytes, MPI_BYTE, pair[0], 0, WORLD, MPI_STATUS_IGNORE));
    MUST(MPI_Send(out, (int)bytes, MPI_BYTE, pair[0], 0, WORLD));
  }
}

static void barrier(size_t bytes) {
  (void)bytes;
  MUST(MPI_Barrier(WORLD));
}

static void bcast(size_t bytes) { MUST(MPI_Bcast(out, (int)bytes, MPI_BYTE, 0, WORLD)); }

static int floats(size_t bytes) { return (int)(bytes / sizeof(float)); }

static void reduce(size_t bytes) {
  MUST(MPI_Reduce(out, in, floats(bytes), MPI_FLOAT, MPI_SUM, 0, WORLD));
}

static void allreduce(size_t bytes) {
  MUST(MPI_Allreduce(out, in, floats(bytes), MPI_FLOAT, MPI_SUM, WORLD));
}

static void scan(size_t bytes) {
  MUST(MPI_Scan(out, in, floats(bytes), MPI_FLOAT, MPI_SUM, WORLD));
}

static void reduce_scatter(size_t bytes) {
  MUST(MPI_Reduce_scatter_block(out, in, floats(bytes), MPI_FLOAT, MPI_SUM, WORLD));
}

static void alltoall(size_t bytes) {
  MUST(MPI_Alltoall(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, WORLD));
}

static void allgather(size_t bytes) {
  MUST(MPI_Allgather(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, WORLD));
}

static void gather(size_t bytes) {
  MUST(MPI_Gather(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, 0, WORLD));
}

static void scatter(size_t bytes) {
  MUST(MPI_Scatter(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, 0, WORLD));
}

static const struct operation OPERATIONS[] = {
    {"pingpong", pingpong, false},
    {"barrier", barrier, false},
    {"bcast", bcast, false},
    {"reduce", reduce, false},
    {"allreduce", allreduce, false},
    {"scan", scan, false},
    {"reduce_scatter", reduce_scatter, true},
    {"alltoall", alltoall, true},
    {"allgather", allgather, true},
    {"gather", gather, true},
    {"scatter", scatter, true},
};

const struct operation* operation_named(const char* name) {
  for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; ++i) {
    if (strcmp(OPERATIONS[i].name, name) == 0) return &OPERATIONS[i];
  }
  return NULL;
}

void operations_prepare(const struct operation* operation, size_t bytes) {
  int ranks;
  MUST(MPI_Comm_size(WORLD, &ranks));
  const size_t size = bytes * (operation->wide ? (size_t)ranks : 1);
  out = bench_allocate(size, 1);
  in = bench_allocate(size, 1);
  memset(out, 0, size);  // calloc's pages exist only after the first access
  memset(in, 0, size);
}

void operations_end(void) {
  free(out);
  free(in);
  out = in = NULL;
}
