/* A ping-pong whose messages pass through the program's own layer over MPI (layer.c). */
#include <mpi.h>

#include "layer.h"

enum { ROUNDS = 25 };

static char byte;

static __attribute__((noinline)) void give(int peer) {
  layer_put(&byte, 1, peer); /* send */
  __asm__ volatile("");
}

static __attribute__((noinline)) void take(int peer) {
  layer_get(&byte, 1, peer); /* receive */
  __asm__ volatile("");
}

static __attribute__((noinline)) void answer(int peer) {
  take(peer); /* first */
  give(peer);
}

static __attribute__((noinline)) void ask(int peer) {
  give(peer);
  take(peer); /* second */
  __asm__ volatile("");
}

static __attribute__((noinline)) void ask_again(int peer) {
  give(peer);
  take(peer); /* third */
  __asm__ volatile("");
}

int main(int argc, char **argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < ROUNDS; ++round) {
    if (rank == 1) answer(0);
    if (rank == 0 && round % 2 == 0) ask(1);
    if (rank == 0 && round % 2 == 1) ask_again(1); /* on one rank, two ways lead to one line */
  }
  MPI_Finalize();
  return 0;
}
