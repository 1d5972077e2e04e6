// Messages whose content is checked, one pattern a run; exits 1 at the first wrong byte.
//
//     traffic rendezvous|collectives|any_source|probes|threads|window MESSAGES
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { WINDOW = 1000, LARGE = 1 << 20, THREADS = 3 };

static int rank, ranks, messages;

static void check(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(uint32_t* data, int count, uint32_t seed) {
  for (int i = 0; i < count; ++i) data[i] = (seed + (uint32_t)i) * 2654435761u;
}

static int holds(const uint32_t* data, int count, uint32_t seed) {
  for (int i = 0; i < count; ++i) {
    if (data[i] != (seed + (uint32_t)i) * 2654435761u) return 0;
  }
  return 1;
}

/// All sizes from eager to rendezvous, both ways at once.
static void rendezvous(void) {
  uint32_t* out = malloc(LARGE);
  uint32_t* in = malloc(LARGE);
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  for (int m = 0; m < messages; ++m) {
    for (int bytes = 4; bytes <= LARGE; bytes *= 4) {
      fill(out, bytes / 4, (uint32_t)(rank * 1000 + m));
      memset(in, 0, (size_t)bytes);
      MPI_Sendrecv(out, bytes / 4, MPI_UINT32_T, to, m, in, bytes / 4, MPI_UINT32_T, from, m,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      check(holds(in, bytes / 4, (uint32_t)(from * 1000 + m)), "rendezvous");
    }
  }
}

static void collectives(void) {
  uint32_t *all = malloc((size_t)ranks * 64), *each = malloc((size_t)ranks * 64);
  for (int m = 0; m < messages; ++m) {
    long sum = 0;
    const long mine = rank + m;
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    check(sum == (long)ranks * (ranks - 1) / 2 + (long)ranks * m, "allreduce");
    for (int to = 0; to < ranks; ++to) fill(each + 16 * to, 16, (uint32_t)(rank * 64 + to));
    MPI_Alltoall(each, 16, MPI_UINT32_T, all, 16, MPI_UINT32_T, MPI_COMM_WORLD);
    for (int from = 0; from < ranks; ++from) {
      check(holds(all + 16 * from, 16, (uint32_t)(from * 64 + rank)), "alltoall");
    }
    int told = rank == m % ranks ? m : -1;
    MPI_Bcast(&told, 1, MPI_INT, m % ranks, MPI_COMM_WORLD);
    check(told == m, "bcast");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Rank 0 takes what comes; of each sender the messages must come in order.
static void any_source(void) {
  if (rank != 0) {
    for (int m = 0; m < messages; ++m) MPI_Send(&m, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
    return;
  }
  int* next = calloc((size_t)ranks, sizeof *next);
  for (int m = 0; m < messages * (ranks - 1); ++m) {
    int got;
    MPI_Status status;
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    check(status.MPI_TAG == status.MPI_SOURCE && got == next[status.MPI_SOURCE]++, "any source");
  }
}

/// Messages of unknown length: asked for, in turn by MPI_Iprobe and by MPI_Mprobe, then taken.
static void probes(void) {
  uint32_t out[64], in[64];
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  for (int m = 0; m < messages; ++m) {
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int length, there = 0;
    fill(out, 64, (uint32_t)(rank * 31 + m));
    MPI_Isend(out, 1 + m % 64, MPI_UINT32_T, to, 5, MPI_COMM_WORLD, &request);
    if (m % 2) {
      MPI_Mprobe(from, 5, MPI_COMM_WORLD, &message, &status);
    } else {
      while (!there) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &there, &status);
    }
    MPI_Get_count(&status, MPI_UINT32_T, &length);
    check(length == 1 + m % 64 && status.MPI_SOURCE == from, "probed");
    if (m % 2) {
      MPI_Mrecv(in, length, MPI_UINT32_T, &message, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, length, MPI_UINT32_T, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    check(holds(in, length, (uint32_t)(from * 31 + m)), "probes");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void* thread(void* number) {
  const int tag = (int)(intptr_t)number;
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  for (int m = 0; m < messages; ++m) {
    uint32_t out[32], in[32];
    fill(out, 32, (uint32_t)(rank * 7 + tag + m));
    MPI_Request request;
    MPI_Irecv(in, 32, MPI_UINT32_T, from, tag, MPI_COMM_WORLD, &request);
    MPI_Send(out, 32, MPI_UINT32_T, to, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(holds(in, 32, (uint32_t)(from * 7 + tag + m)), "threads");
  }
  return NULL;
}

static void threads(void) {
  pthread_t all[THREADS];
  for (int t = 0; t < THREADS; ++t) pthread_create(&all[t], NULL, thread, (void*)(intptr_t)t);
  for (int t = 0; t < THREADS; ++t) pthread_join(all[t], NULL);
}

static long most_memory(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

/// A thousand messages on their way at any time; each carries its number. Prints by how many KiB
/// the process grew after the first tenth of them.
static void window(void) {
  static MPI_Request requests[2 * WINDOW];
  static MPI_Status statuses[2 * WINDOW];  // MPICH's MPI_STATUSES_IGNORE trips a warning of gcc's
  static int out[WINDOW], in[WINDOW];
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  long before = 0;
  for (int first = 0; first < messages; first += WINDOW) {
    if (first <= messages / 10) before = most_memory();
    for (int i = 0; i < WINDOW; ++i) {
      MPI_Irecv(&in[i], 1, MPI_INT, from, 0, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < WINDOW; ++i) {
      out[i] = first + i;
      MPI_Isend(&out[i], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[WINDOW + i]);
    }
    MPI_Waitall(2 * WINDOW, requests, statuses);
    for (int i = 0; i < WINDOW; ++i) check(in[i] == first + i, "window");
  }
  // From one rank, as a launcher may join lines of different ranks.
  const long own[2] = {most_memory() - before, most_memory()};
  long* all = malloc(sizeof own * (size_t)ranks);
  MPI_Gather(own, 2, MPI_LONG, all, 2, MPI_LONG, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < ranks; ++i) {
    printf("grown %ld of %ld\n", all[2 * i], all[2 * i + 1]);
  }
  free(all);
}

int main(int count, char** words) {
  const int wanted = strcmp(words[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided;
  MPI_Init_thread(&count, &words, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  messages = atoi(words[2]);
  check(provided >= wanted, "no MPI_THREAD_MULTIPLE");
  if (strcmp(words[1], "rendezvous") == 0) rendezvous();
  if (strcmp(words[1], "collectives") == 0) collectives();
  if (strcmp(words[1], "any_source") == 0) any_source();
  if (strcmp(words[1], "probes") == 0) probes();
  if (strcmp(words[1], "threads") == 0) threads();
  if (strcmp(words[1], "window") == 0) window();
  if (rank == 0) puts("right");
  MPI_Barrier(MPI_COMM_WORLD);  // MPICH 4.0 may hang in MPI_Finalize where ranks come apart
  MPI_Finalize();
  return 0;
}
