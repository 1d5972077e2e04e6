// The MPI library's own functions, and the constants that are addresses in some MPIs. Nothing
// here needs the MPI library when the tracer is loaded: it is preloaded into shells too, and
// Python loads MPI later, and privately.
#pragma once

#include <mpi.h>

/// The MPI library's function of this name ("PMPI_Send"); the process ends when there is none.
void* lat_original(const char* name);
void* lat_original_or_null(const char* name);

/// Functions the tracer itself calls: lat_mpi.Bcast(…).
#define LAT_OWN_CALLS(F)                                                                  \
  F(Allreduce)                                                                            \
  F(Bcast)                                                                                \
  F(Cart_shift) F(Cartdim_get) F(Comm_free) F(Comm_group) F(Comm_rank) F(Comm_size)       \
      F(Comm_remote_size) F(Comm_split_type) F(Comm_test_inter) F(Dist_graph_neighbors)   \
          F(Dist_graph_neighbors_count) F(Get_elements_x) F(Get_library_version)          \
              F(Graph_neighbors) F(Graph_neighbors_count) F(Group_free) F(Group_size)     \
                  F(Group_translate_ranks) F(Query_thread) F(Test_cancelled) F(Topo_test) \
                      F(Type_size_x)

struct lat_mpi {
#define LAT_MEMBER(name) __typeof__(PMPI_##name)* name;
  LAT_OWN_CALLS(LAT_MEMBER)
#undef LAT_MEMBER
  MPI_Comm world, self, no_comm;
  MPI_Request no_request;
  MPI_Datatype no_type, byte, uint64;
  MPI_Op max, bor;
  MPI_Info no_info;
};
extern struct lat_mpi lat_mpi;

/// Ends the program, saying why, when its MPI is not the one the tracer was built for.
void lat_originals_check(void);
/// Fills lat_mpi. MPI is initialised.
void lat_originals_find(void);
