// The MPI library's own functions, and the constants that are addresses in some MPIs. No symbol of
// the MPI library is needed when the tracer is loaded: it is preloaded into shells too, and Python
// loads MPI later, and privately.
#pragma once

#include <mpi.h>

/// The MPI library's function of this name ("PMPI_Send"); the process ends if it does not exist.
void* lat_original(const char* name);
void* lat_original_or_null(const char* name);
/// As lat_original_or_null for names that the tracer does not define: also looks in the executable.
void* lat_anywhere_or_null(const char* name);

struct lat_mpi {
  // Functions the tracer itself calls: lat_mpi.Bcast(…).
#define OWN_CALL(name) __typeof__(PMPI_##name)* name;
#include "own_calls.def"
#undef OWN_CALL
  MPI_Comm world, self, no_comm;
  MPI_Request no_request;
  MPI_Datatype no_type, byte, uint64;
  MPI_Op max, bor;
  MPI_Info no_info;
};
extern struct lat_mpi lat_mpi;

/// Ends the program with the reason if its MPI is not the one for which the tracer was built.
void lat_originals_check(void);
/// Fills lat_mpi. Requires that MPI is initialised.
void lat_originals_find(void);
