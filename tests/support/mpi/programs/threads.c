// Two ranks of threads that each talk to their namesake on the other rank, under a tag or on a
// communicator that says which thread, and sleep a while between messages: a nap takes no core.
//
//     threads THREADS ROUNDS NAP_US tags|communicators
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 4 };
static int rank, rounds, by_tag;
static long nap_us;
static MPI_Comm comms[MOST];

static void nap(long us) {
  const struct timespec time = {us / 1000000, us % 1000000 * 1000};
  nanosleep(&time, NULL);
}

/// Thread i naps i + 1 times as long, and sends i + 1 times as much, as the first.
static void* talk(void* argument) {
  const int me = (int)(long)argument;
  const MPI_Comm comm = by_tag ? MPI_COMM_WORLD : comms[me];
  const int tag = by_tag ? me : 0;
  int out[MOST], in[MOST] = {-1};
  for (int i = 0; i < rounds; ++i) {
    nap(nap_us * (me + 1));
    out[0] = me * rounds + i;
    if (rank == 0) MPI_Send(out, me + 1, MPI_INT, 1, tag, comm);
    MPI_Recv(in, me + 1, MPI_INT, 1 - rank, tag, comm, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(in, me + 1, MPI_INT, 0, tag, comm);
    if (in[0] != me * rounds + i) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return NULL;
}

int main(int count, char** words) {
  int provided;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE || count != 5) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int threads = atoi(words[1]);
  rounds = atoi(words[2]);
  nap_us = atol(words[3]);
  by_tag = !strcmp(words[4], "tags");
  pthread_t others[MOST];
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (long i = 1; i < threads; ++i) pthread_create(&others[i], NULL, talk, (void*)i);
  talk(NULL);
  for (int i = 1; i < threads; ++i) pthread_join(others[i], NULL);
  MPI_Finalize();
  return 0;
}
