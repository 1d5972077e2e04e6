// Preloaded: all ranks meet before MPI_Finalize, and MPICH leaves its endpoints to UCX's worker.
// Otherwise its ranks on two hosts hang there, one of ten runs or more: it closes endpoints one by
// one, and over UCX's tcp waits for ever when the other side has done so before.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

typedef int finalize_function(void);
typedef int barrier_function(int communicator);
typedef void* close_function(void* endpoint, const void* how);

enum { WORLD = 0x44000000 };

static bool met;

static int finalize(const char* name) {
  finalize_function* original = (finalize_function*)dlsym(RTLD_NEXT, name);
  barrier_function* barrier = (barrier_function*)dlsym(RTLD_DEFAULT, "PMPI_Barrier");
  if (!met) met = barrier(WORLD) == 0;
  return original();
}

int MPI_Finalize(void) { return finalize("MPI_Finalize"); }
int PMPI_Finalize(void) { return finalize("PMPI_Finalize"); }

static void* closed(const char* name, void* endpoint, const void* how) {
  close_function* original = (close_function*)dlsym(RTLD_NEXT, name);
  return met ? NULL : original(endpoint, how);
}

void* ucp_ep_close_nb(void* endpoint, const void* mode) { return closed(__func__, endpoint, mode); }

void* ucp_ep_close_nbx(void* endpoint, const void* parameters) {
  return closed(__func__, endpoint, parameters);
}
