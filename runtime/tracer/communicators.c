#include <stdlib.h>

#include "spin.h"
#include "tracer.h"

enum { INTRA = 0, INTER = 1, UNKNOWN = 2, STRIDED = 0, LISTED = 1, OUTSIDE = -1 };

static struct communicator world;
static struct communicator** live;  // communicators with a handle; a list because they are few, the
                                    // latest first
static size_t live_count, live_capacity;
static uint32_t next_number;
static uint64_t made;  // number of communicators whose first rank is this one
static lat_spin lock = ATOMIC_FLAG_INIT;

struct members {
  int size;
  int* ranks;  // in MPI_COMM_WORLD
  bool all_inside;
};

static struct members members_of(MPI_Comm handle) {
  struct members m = {0, NULL, true};
  MPI_Group group;
  MPI_Group all;
  lat_mpi.Comm_group(handle, &group);
  lat_mpi.Comm_group(lat_mpi.world, &all);
  lat_mpi.Group_size(group, &m.size);
  m.ranks = lat_allocate(NULL, ((size_t)m.size + 1) * sizeof *m.ranks);
  int* local = lat_allocate(NULL, ((size_t)m.size + 1) * sizeof *local);
  for (int i = 0; i < m.size; ++i) local[i] = i;
  lat_mpi.Group_translate_ranks(group, m.size, local, all, m.ranks);
  for (int i = 0; i < m.size; ++i) {
    if (m.ranks[i] == MPI_UNDEFINED) {
      m.ranks[i] = OUTSIDE;
      m.all_inside = false;
    }
  }
  free(local);
  lat_mpi.Group_free(&group);
  lat_mpi.Group_free(&all);
  return m;
}

static void put_group(struct lat_bytes* b, const struct members* m) {
  const int step = m->size > 1 ? m->ranks[1] - m->ranks[0] : 1;
  bool strided = m->size > 0;
  for (int i = 1; i < m->size; ++i) strided &= m->ranks[i] - m->ranks[i - 1] == step;
  lat_room(b, ((size_t)m->size + 4) * LAT_VARINT);
  lat_put(b, (uint64_t)m->size);
  lat_put(b, strided ? STRIDED : LISTED);
  if (strided) {
    lat_put_signed(b, m->ranks[0]);
    lat_put_signed(b, step);
    return;
  }
  for (int i = 0, before = 0; i < m->size; before = m->ranks[i++]) {
    lat_put_signed(b, m->ranks[i] - before);
  }
}

/// The number by which all members know a communicator: the number of communicators that its first
/// rank has made. Collective over the communicator.
static uint64_t agree(MPI_Comm handle, const struct communicator* c) {
  uint64_t count = c->rank == 0 ? ++made : 0;
  if (c->size > 1) lat_mpi.Bcast(&count, 1, lat_mpi.uint64, 0, handle);
  return count;
}

/// Fills `c`, and defines it in the file. With `together`, all members do this at the same time.
static void define(struct communicator* c, MPI_Comm handle, bool together) {
  int inter = 0;
  lat_mpi.Comm_test_inter(handle, &inter);
  lat_mpi.Comm_rank(handle, &c->rank);
  (inter ? lat_mpi.Comm_remote_size : lat_mpi.Comm_size)(handle, &c->size);
  struct members m = members_of(handle);
  const bool agreed = together && !inter && m.all_inside;
  const uint64_t count = agreed ? agree(handle, c) : 0;

  c->handle = (uintptr_t)handle;
  struct lat_bytes* b = lat_define_begin(LAT_COMMUNICATORS);
  c->number = next_number++;
  lat_room(b, 4 * LAT_VARINT);
  lat_put(b, c->number);
  lat_put(b, agreed ? (uint64_t)m.ranks[0] : 0);
  lat_put(b, count);
  lat_put(b, inter ? INTER : agreed ? INTRA : UNKNOWN);
  put_group(b, &m);
  lat_define_end(LAT_COMMUNICATORS, 1);
  free(m.ranks);
}

static struct communicator* enter(struct communicator* c) {
  lat_lock(&lock);
  if (live_count == live_capacity) {
    live_capacity = 2 * live_capacity + 8;
    live = lat_allocate(live, live_capacity * sizeof(struct communicator*));
  }
  live[live_count++] = c;
  lat_unlock(&lock);
  return c;
}

static struct communicator* make(MPI_Comm handle, bool together) {
  struct communicator* c = lat_allocate(NULL, sizeof *c);
  memset(c, 0, sizeof *c);
  define(c, handle, together);
  return enter(c);
}

/// Position of a live communicator, or live_count. Requires the lock.
static size_t position(MPI_Comm handle) {
  for (size_t i = live_count; i-- > 0;) {
    if (live[i]->handle == (uintptr_t)handle) return i;
  }
  return live_count;
}

struct communicator* lat_communicator(MPI_Comm handle) {
  if (LAT_LIKELY((uintptr_t)handle == world.handle)) return &world;
  lat_lock(&lock);
  const size_t i = position(handle);
  struct communicator* c = i < live_count ? live[i] : NULL;
  lat_unlock(&lock);
  return c ? c : make(handle, false);
}

struct communicator* lat_communicator_made(MPI_Comm handle) {
  return handle == lat_mpi.no_comm ? NULL : make(handle, true);
}

void lat_communicator_freed(MPI_Comm handle) {
  lat_lock(&lock);
  const size_t i = position(handle);
  if (i < live_count) {
    struct communicator* c = live[i];
    memmove(&live[i], &live[i + 1], (--live_count - i) * sizeof(struct communicator*));
    if (c->topology) {
      free(c->topology->destinations);
      free(c->topology->sources);
      free(c->topology);
    }
    free(c);
  }
  lat_unlock(&lock);
}

void lat_communicators_start(void) {
  world =
      (struct communicator){.handle = (uintptr_t)lat_mpi.world, .rank = lat_rank, .size = lat_size};
  struct members all = {lat_size, lat_allocate(NULL, (size_t)lat_size * sizeof(int)), true};
  for (int i = 0; i < lat_size; ++i) all.ranks[i] = i;
  struct lat_bytes* b = lat_define_begin(LAT_COMMUNICATORS);
  lat_room(b, 4 * LAT_VARINT);
  for (int i = 0; i < 3; ++i) lat_put(b, 0);
  lat_put(b, INTRA);
  put_group(b, &all);
  lat_define_end(LAT_COMMUNICATORS, 1);
  free(all.ranks);
  next_number = 1;
  make(lat_mpi.self, true);
}
