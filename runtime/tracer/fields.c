#include "fields.h"

enum { ANY_SOURCE = -1, PROC_NULL = -2, ROOT = -3, ANY_TAG = -1 };
enum { AS_ASKED = 0, RESOLVED = 1, CANCELLED = 2 };
enum { UNRECORDED = 0 };  // in place of a request's number

static int64_t peer_of(int rank) {
  if (rank >= 0) return rank;
  if (rank == MPI_ANY_SOURCE) return ANY_SOURCE;
  if (rank == MPI_PROC_NULL) return PROC_NULL;
  return rank == MPI_ROOT ? ROOT : rank;
}
static int64_t tag_of(int tag) { return tag == MPI_ANY_TAG ? ANY_TAG : tag; }

static struct lat_bytes* chunk(struct event* e) { return &e->thread->chunk; }

uint64_t lat_type_size(MPI_Datatype type) {
  if (type == lat_mpi.no_type) return 0;
  MPI_Count size = 0;
  lat_mpi.Type_size_x(type, &size);
  return size > 0 ? (uint64_t)size : 0;
}

void lat_put_comm(struct event* e, MPI_Comm comm) {
  lat_put(chunk(e), lat_communicator(comm)->number);
}

void lat_put_message(struct event* e, MPI_Comm comm, int peer, int tag, uint64_t bytes) {
  lat_put_comm(e, comm);
  lat_put_second(e, peer, tag, bytes);
}

void lat_put_peer(struct event* e, int peer) { lat_put_signed(chunk(e), peer_of(peer)); }

void lat_put_second(struct event* e, int peer, int tag, uint64_t bytes) {
  lat_put_peer(e, peer);
  lat_put_signed(chunk(e), tag_of(tag));
  lat_put(chunk(e), bytes);
}

static uint64_t received(MPI_Status* status) {
  MPI_Count bytes = 0;
  lat_mpi.Get_elements_x(status, lat_mpi.byte, &bytes);
  return bytes > 0 ? (uint64_t)bytes : 0;
}

static bool was_cancelled(MPI_Status* status) {
  int cancelled = 0;
  if (LAT_UNLIKELY(atomic_load_explicit(&lat_cancels, memory_order_relaxed))) {
    lat_mpi.Test_cancelled(status, &cancelled);
  }
  return cancelled != 0;
}

void lat_put_status(struct event* e, int source, int tag, uint64_t bytes, MPI_Status* status) {
  const uint64_t got = received(status);
  if (source == MPI_PROC_NULL ||
      (status->MPI_SOURCE == source && status->MPI_TAG == tag && got == bytes)) {
    lat_put(chunk(e), AS_ASKED);
    return;
  }
  lat_put(chunk(e), RESOLVED);
  lat_put_second(e, status->MPI_SOURCE, status->MPI_TAG, got);
}

void lat_put_probed(struct event* e, MPI_Comm comm, int source, int tag, MPI_Status* status) {
  lat_put_comm(e, comm);
  lat_put_peer(e, source);
  lat_put_signed(chunk(e), tag_of(tag));
  lat_put_status(e, source, tag, 0, status);
}

void lat_put_matched(struct event* e, MPI_Comm comm, int source, int tag, MPI_Status* status) {
  const uint64_t bytes = received(status);
  lat_put_message(e, comm, source, tag, bytes);
  lat_put_status(e, source, tag, bytes, status);
}

// --- requests -----------------------------------------------------------------------------------

/// Writes a number relative to the last one in the chunk.
static void put_number(struct event* e, uint64_t number) {
  lat_put_signed(chunk(e), (int64_t)(number - e->thread->last_request));
  e->thread->last_request = number;
}

static void put_request(struct event* e, MPI_Request request, struct request properties) {
  properties.thread = e->thread->number;
  put_number(e, lat_request_add((uintptr_t)request, &properties));
}

void lat_put_send_request(struct event* e, MPI_Request request) {
  put_request(e, request, (struct request){.active = true});
}

void lat_put_receive_request(struct event* e, MPI_Request request, int source, int tag,
                             uint64_t bytes) {
  put_request(e, request,
              (struct request){
                  .receive = true, .active = true, .source = source, .tag = tag, .bytes = bytes});
}

// MPICH and its derivatives leave the status of an Isendrecv undefined: it is treated as requested.
#ifdef OPEN_MPI
enum { TELLS_WHAT_ISENDRECV_GOT = 1 };
#else
enum { TELLS_WHAT_ISENDRECV_GOT = 0 };
#endif

void lat_put_sendrecv_request(struct event* e, MPI_Request request, int source, int tag,
                              uint64_t bytes) {
  put_request(e, request,
              (struct request){.receive = TELLS_WHAT_ISENDRECV_GOT,
                               .active = true,
                               .source = source,
                               .tag = tag,
                               .bytes = bytes});
}

void lat_ignore_request(struct event* e, MPI_Request request) {
  const struct request properties = {.silent = true, .active = true, .thread = e->thread->number};
  lat_request_add((uintptr_t)request, &properties);
}

void lat_put_partitioned(struct event* e, MPI_Comm comm, int peer, int tag, int partitions,
                         uint64_t bytes_each, MPI_Request request) {
  const uint64_t bytes = (uint64_t)partitions * bytes_each;
  lat_put_message(e, comm, partitions ? peer : MPI_PROC_NULL, tag, bytes);
  put_request(e, request, (struct request){.persistent = true, .partitions = partitions});
}

void lat_put_persistent_send(struct event* e, MPI_Request request) {
  put_request(e, request, (struct request){.persistent = true});
}

void lat_put_persistent_receive(struct event* e, MPI_Request request, int source, int tag,
                                uint64_t bytes) {
  put_request(
      e, request,
      (struct request){
          .receive = true, .persistent = true, .source = source, .tag = tag, .bytes = bytes});
}

/// Reserves room for the longest list, and later closes the rest of the room: the length of a list
/// is known only after its items.
static size_t begin_list(struct event* e, int n, size_t item) {
  lat_room(chunk(e), LAT_VARINT + (size_t)n * item * LAT_VARINT);
  const size_t at = chunk(e)->used;
  chunk(e)->used += LAT_VARINT;
  return at;
}

static void end_list(struct event* e, size_t at, uint64_t n) {
  struct lat_bytes* b = chunk(e);
  uint8_t* items = lat_encode(b->data + at, n);
  const uint8_t* from = b->data + at + LAT_VARINT;
  const size_t size = (size_t)(b->data + b->used - from);
  memmove(items, from, size);
  b->used = (size_t)(items + size - b->data);
}

/// Writes the number of a request that has information; 1 if it has, else 0.
static uint64_t put_said(struct event* e, enum lat_said said, uint64_t number) {
  if (said == LAT_NOTHING) return 0;
  put_number(e, said == LAT_UNRECORDED ? UNRECORDED : number);
  return 1;
}

void lat_put_started(struct event* e, int n, const MPI_Request* requests) {
  const size_t at = begin_list(e, n, 1);
  uint64_t known = 0;
  for (int i = 0; i < n; ++i) {
    uint64_t number = 0;
    const enum lat_said said = lat_request_start((uintptr_t)requests[i], &number);
    known += put_said(e, said, number);
  }
  end_list(e, at, known);
}

void lat_put_ready(struct event* e, int partitions, MPI_Request request) {
  uint64_t number = 0;
  const enum lat_said said = lat_request_ready((uintptr_t)request, partitions, &number);
  lat_put(chunk(e), said != LAT_NOTHING);
  put_said(e, said, number);
}

uint64_t lat_put_freed(struct event* e) {
  uint64_t number = 0;
  const uintptr_t handle = e->thread->handles[0];
  const enum lat_said said = lat_request_free(handle, e->thread->number, &number);
  lat_put(chunk(e), 1);
  return put_said(e, said, number);
}

void lat_put_made(struct event* e, MPI_Comm comm) {
  const struct communicator* c = comm == lat_mpi.no_comm ? NULL : lat_communicator(comm);
  lat_put(chunk(e), c ? (uint64_t)c->number + 1 : 0);
}

// --- completions
// ----------------------------------------------------------------------------------

static void* at_least(void* old, size_t* capacity, size_t n, size_t item) {
  if (LAT_LIKELY(n <= *capacity && old)) return old;
  *capacity = 2 * n + 16;
  return lat_allocate(old, *capacity * item);
}

void lat_keep_requests(struct event* e, int n, const MPI_Request* requests) {
  struct thread* t = e->thread;
  const size_t count = n > 0 ? (size_t)n : 0;
  t->handles = at_least(t->handles, &t->handle_capacity, count, sizeof *t->handles);
  for (size_t i = 0; i < count; ++i) t->handles[i] = (uintptr_t)requests[i];
}

/// The request that the thread's call completes; without a number if it has no information.
static struct request take(const struct event* e, uintptr_t handle) {
  struct request r = {0};
  if (handle == (uintptr_t)lat_mpi.no_request) return r;
  const enum lat_said said = lat_request_complete(handle, e->thread->number, &r);
  if (said == LAT_NOTHING) r.number = 0;
  r.unrecorded = said == LAT_UNRECORDED;
  return r;
}

void lat_take_requests(struct event* e, int n, const MPI_Request* requests) {
  struct thread* t = e->thread;
  const size_t count = n > 0 ? (size_t)n : 0;
  t->taken = at_least(t->taken, &t->taken_capacity, count, sizeof *t->taken);
  for (size_t i = 0; i < count; ++i) t->taken[i] = take(e, (uintptr_t)requests[i]);
}

MPI_Status* lat_own_statuses(struct event* e, int n, MPI_Status* statuses) {
  if (statuses != MPI_STATUSES_IGNORE && statuses != MPI_STATUS_IGNORE) return statuses;
  struct thread* t = e->thread;
  t->statuses =
      at_least(t->statuses, &t->status_capacity, n > 0 ? (size_t)n : 0, sizeof *t->statuses);
  return t->statuses;
}

/// 1 if the request has information, else 0.
static uint64_t put_completed(struct event* e, const struct request* r, MPI_Status* status) {
  if (r->unrecorded) {
    put_number(e, UNRECORDED);
    lat_put(chunk(e), AS_ASKED);
    return 1;
  }
  if (!r->number) return 0;
  put_number(e, r->number);
  if (was_cancelled(status)) {
    lat_put(chunk(e), CANCELLED);
  } else if (r->receive) {
    lat_put_status(e, r->source, r->tag, r->bytes, status);
  } else {
    lat_put(chunk(e), AS_ASKED);
  }
  return 1;
}

enum { FIELDS_OF_COMPLETED = 5 };

void lat_put_taken(struct event* e, int n, MPI_Status* statuses) {
  const size_t at = begin_list(e, n, FIELDS_OF_COMPLETED);
  uint64_t known = 0;
  for (int i = 0; i < n; ++i) known += put_completed(e, &e->thread->taken[i], &statuses[i]);
  end_list(e, at, known);
}

uint64_t lat_put_completed(struct event* e, int n, MPI_Status* statuses) {
  const size_t at = begin_list(e, n, FIELDS_OF_COMPLETED);
  uint64_t known = 0;
  for (int i = 0; i < n; ++i) {
    const struct request r = take(e, e->thread->handles[i]);
    known += put_completed(e, &r, &statuses[i]);
  }
  end_list(e, at, known);
  return known;
}

uint64_t lat_put_completed_some(struct event* e, int n, const int* indices, MPI_Status* statuses) {
  const int count = n == MPI_UNDEFINED || n < 0 ? 0 : n;
  const size_t at = begin_list(e, count, FIELDS_OF_COMPLETED);
  uint64_t known = 0;
  for (int i = 0; i < count; ++i) {
    if (indices[i] < 0) continue;  // MPI_UNDEFINED
    const struct request r = take(e, e->thread->handles[indices[i]]);
    known += put_completed(e, &r, &statuses[i]);
  }
  end_list(e, at, known);
  return known;
}

bool lat_any_request(const struct event* e, int n) {
  for (int i = 0; i < n; ++i) {
    if (e->thread->handles[i] != (uintptr_t)lat_mpi.no_request) return true;
  }
  return false;
}
