// What [S] §III.A says an injector must not do, to be preloaded: NAIVE=A delays each send, NAIVE=C
// delays messages one after the other at the receiver. NAIVE_NS is the delay.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static void delay(char variant) {
  const char *asked = getenv("NAIVE"), *ns = getenv("NAIVE_NS");
  if (!asked || !ns || asked[0] != variant) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t end = now.tv_sec * 1000000000 + now.tv_nsec + atoll(ns);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while (now.tv_sec * 1000000000 + now.tv_nsec < end);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  delay('A');
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const int result = PMPI_Wait(request, status);
  delay('C');
  return result;
}
