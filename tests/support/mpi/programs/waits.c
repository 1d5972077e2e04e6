// Textbook cases of waiting on three ranks: one of them computes before it meets the others, who do
// not. Computation is processor time, so that a busy machine makes nobody else late.
//
//     waits CASE MILLISECONDS
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank;

static void compute(int who, long ms) {
  struct timespec now;
  if (rank != who) return;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const long long until = now.tv_sec * 1000000000LL + now.tv_nsec + ms * 1000000;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec * 1000000000LL + now.tv_nsec < until);
}

static void send(int from, int to) {
  char byte = 0;
  if (rank == from) MPI_Send(&byte, 1, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  if (rank == to) MPI_Recv(&byte, 1, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void received_in_the_wrong_order(long ms) {
  char bytes[2];
  MPI_Request both[2];
  MPI_Status statuses[2];
  compute(1, ms);
  if (rank != 0) {
    MPI_Send(bytes, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    return;
  }
  MPI_Irecv(&bytes[0], 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &both[0]);
  MPI_Irecv(&bytes[1], 1, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &both[1]);
  MPI_Waitall(2, both, statuses);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* name = words[1];
  const long ms = atol(words[2]);
  char mine = 0, all = 0;
  if (!strcmp(name, "late_sender")) {
    compute(0, ms);
    send(0, 1);
    send(1, 2);
  } else if (!strcmp(name, "wrong_order")) {
    received_in_the_wrong_order(ms);
  } else if (!strcmp(name, "late_receiver")) {
    compute(1, ms);
    if (rank == 0) MPI_Ssend(&mine, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&mine, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(name, "barrier")) {
    compute(2, ms);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(name, "n_to_n")) {
    compute(1, ms);
    MPI_Allreduce(&mine, &all, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  } else if (!strcmp(name, "early_reduce")) {
    compute(1, ms);
    compute(2, ms);
    MPI_Reduce(&mine, &all, 1, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
  } else if (!strcmp(name, "late_broadcast")) {
    compute(0, ms);
    MPI_Bcast(&mine, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
  } else if (!strcmp(name, "early_scan")) {
    compute(0, ms);
    MPI_Scan(&mine, &all, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
