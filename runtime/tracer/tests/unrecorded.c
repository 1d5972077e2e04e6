// Rank 0 waits for (tests, starts) a request that MPI gave it outside the tracer's view, as in a
// program that makes its request by a call specific to its MPI.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/// The MPI library, whose own functions are looked up, not those of a library before it.
static int is_mpi(struct dl_phdr_info* info, size_t size, void* handle) {
  (void)size;
  const char* name = strrchr(info->dlpi_name, '/');
  if (!name || (strncmp(name, "/libmpi.so", 10) && strncmp(name, "/libmpich.so", 12))) return 0;
  *(void**)handle = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* how = argc > 1 ? argv[1] : "wait";
  int rank, value = 7, flag = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* mpi = NULL;
  dl_iterate_phdr(is_mpi, &mpi);
  int (*hidden_irecv)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) =
      dlsym(mpi, "PMPI_Irecv");
  int (*hidden_recv_init)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) =
      dlsym(mpi, "PMPI_Recv_init");
  if (rank == 0) {
    MPI_Request request;
    (strcmp(how, "start") ? hidden_irecv : hidden_recv_init)(&value, 1, MPI_INT, 1, 0,
                                                             MPI_COMM_WORLD, &request);
    if (strcmp(how, "start") == 0) MPI_Start(&request);
    if (strcmp(how, "test") == 0) {
      while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    } else {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    puts(value == 8 ? "right" : "wrong");
  } else {
    value = 8;
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
