// Two ranks of four threads; each thread exchanges messages with the thread of the same number over
// a communicator of its own.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 300 };
static int rank;
static MPI_Comm comms[THREADS];

static void* talk(void* argument) {
  const int me = (int)(long)argument;
  int in, out = me;
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, i, comms[me], &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, i, comms[me], &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (in != me) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, talk, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
