#include "fields.h"

static struct lat_bytes* chunk(struct event* e) { return &e->thread->chunk; }

static void put_bytes(struct event* e, MPI_Comm comm, int root, uint64_t bytes, uint64_t element,
                      unsigned flags) {
  lat_put_comm(e, comm);
  lat_put_peer(e, root);
  lat_put(chunk(e), bytes);
  lat_put(chunk(e), element);
  lat_put(chunk(e), flags);
}

void lat_put_collective(struct event* e, MPI_Comm comm, MPI_Count count, MPI_Datatype type,
                        unsigned flags) {
  const uint64_t element = lat_type_size(type);
  put_bytes(e, comm, MPI_PROC_NULL, (uint64_t)count * element, element, flags);
}

void lat_put_rooted(struct event* e, MPI_Comm comm, int root, MPI_Count count, MPI_Datatype type,
                    unsigned flags) {
  const uint64_t element = root == MPI_PROC_NULL ? 0 : lat_type_size(type);
  put_bytes(e, comm, root, (uint64_t)count * element, element, flags);
}

unsigned lat_reduction_flags(const void* send, MPI_Op operation) {
  return (lat_operation_known(operation) ? LAT_USER_OPERATION : 0u) | lat_in_place(send);
}

bool lat_is_root(MPI_Comm comm, int root) {
  return root == MPI_ROOT || root == lat_communicator(comm)->rank;
}

static MPI_Count at(struct counts counts, int i) {
  return counts.wide ? ((const MPI_Count*)counts.values)[i] : ((const int*)counts.values)[i];
}

static void begin_list(struct event* e, int n) {
  lat_room(chunk(e), ((size_t)n + 1) * LAT_VARINT);
  lat_put(chunk(e), (uint64_t)n);
}
static void put_value(struct event* e, uint64_t value) { lat_put_signed(chunk(e), (int64_t)value); }

/// Bytes of `n` counts, either of one type, or each of its own type.
struct sizes {
  struct counts counts;
  const MPI_Datatype* types;
  uint64_t size;
  bool type_each;
};

static struct sizes sizes_of(struct counts counts, const MPI_Datatype* types, bool type_each) {
  return (struct sizes){counts, types, type_each ? 0 : lat_type_size(*types), type_each};
}

static uint64_t bytes_at(const struct sizes* s, int i) {
  return (uint64_t)at(s->counts, i) * (s->type_each ? lat_type_size(s->types[i]) : s->size);
}

static void put_sizes(struct event* e, const struct sizes* s, int n) {
  for (int i = 0; i < n; ++i) put_value(e, bytes_at(s, i));
}

static uint64_t sum(const struct sizes* s, int n) {
  uint64_t total = 0;
  for (int i = 0; i < n; ++i) total += bytes_at(s, i);
  return total;
}

void lat_put_rooted_v(struct event* e, MPI_Comm comm, int root, const void* own, MPI_Count count,
                      MPI_Datatype type, struct counts all, MPI_Datatype all_type) {
  const struct communicator* c = lat_communicator(comm);
  const unsigned flags = lat_in_place(own);
  if (!lat_is_root(comm, root)) {
    lat_put_rooted(e, comm, root, count, type, flags);
    begin_list(e, 0);
    return;
  }
  const struct sizes sizes = sizes_of(all, &all_type, false);
  if (flags) {
    put_bytes(e, comm, root, bytes_at(&sizes, c->rank), sizes.size, flags);
  } else if (root == MPI_ROOT) {
    put_bytes(e, comm, root, 0, sizes.size, flags);  // the other ranks are in the remote group
  } else {
    lat_put_rooted(e, comm, root, count, type, flags);
  }
  begin_list(e, c->size + 1);
  put_value(e, (uint64_t)c->size);
  put_sizes(e, &sizes, c->size);
}

void lat_put_blocks(struct event* e, MPI_Comm comm, struct counts blocks, MPI_Datatype type,
                    unsigned flags) {
  const struct communicator* c = lat_communicator(comm);
  const struct sizes sizes = sizes_of(blocks, &type, false);
  put_bytes(e, comm, MPI_PROC_NULL, bytes_at(&sizes, c->rank), sizes.size, flags);
  begin_list(e, c->size + 1);
  put_value(e, (uint64_t)c->size);
  put_sizes(e, &sizes, c->size);
}

void lat_put_alltoall_v(struct event* e, MPI_Comm comm, const void* send, struct counts to,
                        const MPI_Datatype* to_types, struct counts from,
                        const MPI_Datatype* from_types, bool type_each) {
  const struct communicator* c = lat_communicator(comm);
  const unsigned flags = lat_in_place(send);
  const struct sizes in = sizes_of(from, from_types, type_each);
  const struct sizes out = flags ? in : sizes_of(to, to_types, type_each);
  put_bytes(e, comm, MPI_PROC_NULL, sum(&out, c->size), out.size, flags);
  begin_list(e, 2 * c->size + 1);
  put_value(e, (uint64_t)c->size);
  put_sizes(e, &out, c->size);
  put_sizes(e, &in, c->size);
}

/// Writes the degrees and neighbours; `more` values will follow.
static void put_topology(struct event* e, const struct topology* t, int more) {
  begin_list(e, 2 + t->outdegree + t->indegree + more);
  put_value(e, (uint64_t)t->outdegree);
  put_value(e, (uint64_t)t->indegree);
  for (int i = 0; i < t->outdegree; ++i) lat_put_peer(e, t->destinations[i]);
  for (int i = 0; i < t->indegree; ++i) lat_put_peer(e, t->sources[i]);
}

void lat_put_neighbours(struct event* e, MPI_Comm comm, MPI_Count count, MPI_Datatype type) {
  const struct topology* t = lat_topology(comm, lat_communicator(comm));
  lat_put_collective(e, comm, count, type, 0);
  put_topology(e, t, 0);
}

void lat_put_neighbours_gatherv(struct event* e, MPI_Comm comm, MPI_Count count, MPI_Datatype type,
                                struct counts from, MPI_Datatype from_type) {
  const struct topology* t = lat_topology(comm, lat_communicator(comm));
  const struct sizes in = sizes_of(from, &from_type, false);
  lat_put_collective(e, comm, count, type, 0);
  const uint64_t bytes = lat_size_of(count, type);
  put_topology(e, t, t->outdegree + t->indegree);
  for (int i = 0; i < t->outdegree; ++i) put_value(e, bytes);
  put_sizes(e, &in, t->indegree);
}

void lat_put_neighbours_v(struct event* e, MPI_Comm comm, struct counts to,
                          const MPI_Datatype* to_types, struct counts from,
                          const MPI_Datatype* from_types, bool type_each) {
  const struct topology* t = lat_topology(comm, lat_communicator(comm));
  const struct sizes out = sizes_of(to, to_types, type_each);
  const struct sizes in = sizes_of(from, from_types, type_each);
  put_bytes(e, comm, MPI_PROC_NULL, sum(&out, t->outdegree), out.size, 0);
  put_topology(e, t, t->outdegree + t->indegree);
  put_sizes(e, &out, t->outdegree);
  put_sizes(e, &in, t->indegree);
}
