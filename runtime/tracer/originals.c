#define _GNU_SOURCE
#include "originals.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include "../abi/offered.h"

struct lat_mpi lat_mpi;

struct search {
  const char* name;
  void* found;
};

/// Looks for the name in one loaded file, for files loaded privately (dlopen without RTLD_GLOBAL).
static int look_in(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct search* search = data;
  if (!info->dlpi_name || !info->dlpi_name[0]) return 0;
  void* library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return 0;
  void* symbol = dlsym(library, search->name);
  Dl_info owner;
  Dl_info own;
  if (symbol && dladdr(symbol, &owner) && dladdr(&lat_mpi, &own) &&
      owner.dli_fbase != own.dli_fbase) {
    search->found = symbol;
  }
  dlclose(library);
  return search->found != NULL;
}

void* lat_original_or_null(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (symbol) return symbol;
  struct search search = {name, NULL};
  dl_iterate_phdr(look_in, &search);
  return search.found;
}

void* lat_anywhere_or_null(const char* name) {
  void* symbol = dlsym(RTLD_DEFAULT, name);
  return symbol ? symbol : lat_original_or_null(name);
}

static void* or_abort(void* symbol, const char* name) {
  if (symbol) return symbol;
  fprintf(stderr, "latitude: the program's MPI library has no %s\n", name);
  abort();
}

void* lat_original(const char* name) { return or_abort(lat_original_or_null(name), name); }

enum interface { STANDARD_ABI, OPEN_MPIS, MPICHS };
#ifdef LATITUDE_STANDARD_ABI
static const enum interface built_for = STANDARD_ABI;
#elif defined OPEN_MPI
static const enum interface built_for = OPEN_MPIS;
#else
static const enum interface built_for = MPICHS;
#endif

/// The binary interface of the program's MPI library.
static enum interface of_program(void) {
  lat_abi_get_version* get_version;
  *(void**)&get_version = lat_original_or_null("PMPI_Abi_get_version");
  if (lat_abi_offered(get_version)) return STANDARD_ABI;
  return lat_original_or_null("ompi_mpi_comm_world") ? OPEN_MPIS : MPICHS;
}

void lat_originals_check(void) {
  static const char* const names[] = {
      [STANDARD_ABI] = "the MPI standard's ABI",
      [OPEN_MPIS] = "Open MPI",
      [MPICHS] = "MPICH or the like",
  };
  const enum interface wanted = of_program();
  if (wanted == built_for) return;
  fprintf(stderr, "latitude: the tracer was built for %s, the program uses %s: pass --mpicc %s\n",
          names[built_for], names[wanted],
          wanted == STANDARD_ABI ? "abi" : "and the mpicc that the program was built with");
  exit(2);
}

#ifdef OPEN_MPI
/// An executable may hold its own copy of a library's variable, which then replaces the library's.
static void* variable(const char* name) { return or_abort(lat_anywhere_or_null(name), name); }
#endif

// Open MPI's handles are addresses of its variables; other MPIs have numbers.
#ifdef OPEN_MPI
#define CONSTANT(constant, symbol) variable(symbol)
#else
#define CONSTANT(constant, symbol) constant
#endif

void lat_originals_find(void) {
#define OWN_CALL(name) *(void**)&lat_mpi.name = lat_original("PMPI_" #name);
#include "own_calls.def"
#undef OWN_CALL
  lat_mpi.world = CONSTANT(MPI_COMM_WORLD, "ompi_mpi_comm_world");
  lat_mpi.self = CONSTANT(MPI_COMM_SELF, "ompi_mpi_comm_self");
  lat_mpi.no_comm = CONSTANT(MPI_COMM_NULL, "ompi_mpi_comm_null");
  lat_mpi.no_request = CONSTANT(MPI_REQUEST_NULL, "ompi_request_null");
  lat_mpi.no_type = CONSTANT(MPI_DATATYPE_NULL, "ompi_mpi_datatype_null");
  lat_mpi.byte = CONSTANT(MPI_BYTE, "ompi_mpi_byte");
  lat_mpi.uint64 = CONSTANT(MPI_UINT64_T, "ompi_mpi_uint64_t");
  lat_mpi.max = CONSTANT(MPI_MAX, "ompi_mpi_op_max");
  lat_mpi.bor = CONSTANT(MPI_BOR, "ompi_mpi_op_bor");
  lat_mpi.no_info = CONSTANT(MPI_INFO_NULL, "ompi_mpi_info_null");
}
