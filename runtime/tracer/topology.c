#include <stdlib.h>

#include "tracer.h"

static int* list(int n) { return lat_allocate(NULL, ((size_t)n + 1) * sizeof(int)); }

/// Lists for each dimension the neighbour below, then the neighbour above (MPI 4.1 §8.6).
static void cartesian(MPI_Comm handle, struct topology* t) {
  int dimensions = 0;
  lat_mpi.Cartdim_get(handle, &dimensions);
  t->outdegree = t->indegree = 2 * dimensions;
  t->destinations = list(t->outdegree);
  t->sources = list(t->indegree);
  for (int d = 0; d < dimensions; ++d) {
    int below = MPI_PROC_NULL;
    int above = MPI_PROC_NULL;
    lat_mpi.Cart_shift(handle, d, 1, &below, &above);
    t->destinations[2 * d] = t->sources[2 * d] = below;
    t->destinations[2 * d + 1] = t->sources[2 * d + 1] = above;
  }
}

static void graph(MPI_Comm handle, int rank, struct topology* t) {
  int degree = 0;
  lat_mpi.Graph_neighbors_count(handle, rank, &degree);
  t->outdegree = t->indegree = degree;
  t->destinations = list(degree);
  t->sources = list(degree);
  lat_mpi.Graph_neighbors(handle, rank, degree, t->destinations);
  memcpy(t->sources, t->destinations, (size_t)degree * sizeof(int));
}

static void distributed(MPI_Comm handle, struct topology* t) {
  int weighted = 0;
  lat_mpi.Dist_graph_neighbors_count(handle, &t->indegree, &t->outdegree, &weighted);
  t->destinations = list(t->outdegree);
  t->sources = list(t->indegree);
  int* weights_in = list(t->indegree);
  int* weights_out = list(t->outdegree);
  lat_mpi.Dist_graph_neighbors(handle, t->indegree, t->sources, weights_in, t->outdegree,
                               t->destinations, weights_out);
  free(weights_in);
  free(weights_out);
}

const struct topology* lat_topology(MPI_Comm handle, struct communicator* c) {
  if (c->topology) return c->topology;
  struct topology* t = lat_allocate(NULL, sizeof *t);
  memset(t, 0, sizeof *t);
  int kind = MPI_UNDEFINED;
  lat_mpi.Topo_test(handle, &kind);
  if (kind == MPI_CART) cartesian(handle, t);
  if (kind == MPI_GRAPH) graph(handle, c->rank, t);
  if (kind == MPI_DIST_GRAPH) distributed(handle, t);
  return c->topology = t;
}
