#include "layer.h"

#include <mpi.h>

void layer_put(char *bytes, int count, int peer) {
  MPI_Send(bytes, count, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
  __asm__ volatile("");
}

void layer_get(char *bytes, int count, int peer) {
  MPI_Recv(bytes, count, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* inside */
  __asm__ volatile("");
}
