// The common declarations of the tracer's files. docs/internals/trace-format.md describes their
// output.
//
//   calls.def      names of all calls, and the fields of their events
//   wrappers.c     MPI_X and PMPI_X of every call, from all_calls.def
//   life.c         MPI_Init to the end of the process: start, agreement between ranks, finish
//   thread.c       a thread's buffer of events
//   left.c         calls that were left by longjmp or an exception
//   fields.c       an event's fields about communicators, statuses, requests, collectives
//   requests.c  communicators.c  sites.c  modules.c   tables from handles and addresses to numbers
//   stacks.c       the same from whole stacks to numbers, if callers are recorded
//   python.c       the place in its script of an interpreter on the stack
//   topology.c     neighbours in MPI's order
//   trace_file.c   chunks of one file per rank
//   originals.c    the MPI library's own functions and constants
//   clock.c        the choice of the clock, and the tracer's addition to it
//   cores.c        the time for which a thread had no core
//   polls.c        tests and probes that found nothing
//   last.c         the rank's current call, for readers of a trace without an end
//   hosts.c        the distances between the clocks of the run's hosts
#pragma once

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../clock/clock.h"
#include "originals.h"

#define LAT_VERSION "0.1.0"
#define LAT_LIKELY(x) __builtin_expect(!!(x), 1)
#define LAT_UNLIKELY(x) __builtin_expect(!!(x), 0)

enum call {
#define LATITUDE_CALL(name, ...) CALL_##name,
#include "calls.def"
#undef LATITUDE_CALL
  CALL_latitude_pause,
  CALL_latitude_absence,
  CALL_latitude_polls,
  CALL_Request_get_status,  // counted, and never in an event
  CALL_count
};

enum { LAT_LONGEST_NAME = 32 };  // of a call's name, with its final zero
extern const char lat_call_names[CALL_count][LAT_LONGEST_NAME];
extern const char* const lat_call_shapes[CALL_count];

// --- state ------------------------------------------------------------------------------------

enum { LAT_OFF, LAT_ON };
extern _Atomic int lat_state;  // on between MPI_Init and the end of the trace
extern bool lat_cpu_clock;     // events carry thread CPU time
/// The outermost traced call in which the thread is.
struct outermost {
  const uint8_t* frame;  // canonical frame address of its wrapper; NULL: in none
  uintptr_t address;     // return address of its wrapper
};
extern _Thread_local struct outermost lat_outermost;
/// The frame while the tracer itself calls MPI: every other frame is below it.
#define LAT_OWN_WORK ((const uint8_t*)UINTPTR_MAX)
static inline void lat_begin_own_work(void) { lat_outermost.frame = LAT_OWN_WORK; }
/// Whether the thread has left its outermost call without returning from it; a call of MPI with
/// this return address and frame shows this.
bool lat_left(uintptr_t address, const uint8_t* frame);

// --- clock ------------------------------------------------------------------------------------

struct lat_host {
  int ranks;  // ranks of this run on this rank's host
  int cores;  // available to all these ranks together
};
/// Collective over MPI_COMM_WORLD: sets lat_cpu_clock from LATITUDE_CLOCK, to the same value on all
/// ranks. Call it after lat_hosts_start.
struct lat_host lat_choose_clock(void);
/// Time that the tracer itself adds (ns): between two calls by either clock, and to the duration of
/// a call in an event. Requires that lat_state is on.
void lat_calibrate(uint64_t* wall_ns, uint64_t* cpu_ns, uint64_t* call_ns);

// --- hosts ------------------------------------------------------------------------------------

extern int lat_hosts;  // hosts of the run, each with a clock of its own
/// Collective over MPI_COMM_WORLD, like the following functions: counts the hosts.
void lat_hosts_start(void);
/// The ranks on this rank's host.
MPI_Comm lat_hosts_sharing(void);
/// If there are several hosts, measures the offset of this host's clock from the clock of rank 0's
/// host, and writes it to the file.
void lat_hosts_meet(void);
void lat_hosts_end(void);

// --- a growing run of bytes ---------------------------------------------------------------------

struct lat_bytes {
  uint8_t* data;
  size_t used, capacity;
};
/// Memory of at least `bytes`; without memory the process ends with a message.
void* lat_allocate(void* old, size_t bytes);
/// Makes room for `more` bytes after the used bytes.
static inline void lat_room(struct lat_bytes* b, size_t more) {
  if (LAT_UNLIKELY(b->capacity - b->used < more)) {
    b->capacity = 2 * b->capacity + more;
    b->data = lat_allocate(b->data, b->capacity);
  }
}
enum { LAT_VARINT = 10 };  // the longest varint, bytes

static inline uint8_t* lat_encode(uint8_t* at, uint64_t value) {
  while (value > 0x7f) {
    *at++ = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  *at++ = (uint8_t)value;
  return at;
}
static inline uint64_t lat_zigzag(int64_t n) { return ((uint64_t)n << 1) ^ (uint64_t)(n >> 63); }

/// Appends to bytes that have room (lat_room).
static inline void lat_put(struct lat_bytes* b, uint64_t value) {
  b->used = (size_t)(lat_encode(b->data + b->used, value) - b->data);
}
static inline void lat_put_signed(struct lat_bytes* b, int64_t n) { lat_put(b, lat_zigzag(n)); }
/// Appends a string; makes room itself.
void lat_put_string(struct lat_bytes* b, const char* text);

// --- current call of a rank ----------------------------------------------------------------------

/// The current call of the process, in the layout of docs/internals/trace-format.md.
struct lat_last {
  char magic[8];
  uint32_t state;    // LAT_BETWEEN or LAT_INSIDE
  uint32_t signal;   // signal that ended the process; 0: none
  uint64_t address;  // return address of the latest call
  int64_t peer;      // rank of the call's partner in MPI_COMM_WORLD; LAT_NO_PEER: none
  char call[LAT_LONGEST_NAME];
};
enum { LAT_BETWEEN = 1, LAT_INSIDE = 2 };
#define LAT_NO_PEER INT64_MIN
extern struct lat_last* lat_last;
/// Makes directory/rank-NNNNNNN.last, if possible.
void lat_last_open(const char* directory, int rank);
/// Removes that file, because the trace has its end.
void lat_last_close(void);
/// Call in a forked child: the file belongs to the parent.
void lat_last_forget(void);
/// Stores that the call that has begun waits for, or sends to, this rank of a communicator.
static inline void lat_towards(MPI_Comm comm, int peer) {
  if (comm == lat_mpi.world && peer >= 0) lat_last->peer = peer;
}

// --- the file -----------------------------------------------------------------------------------

enum {
  LAT_META = 1,
  LAT_CALLS,
  LAT_MODULES,
  LAT_SITES,
  LAT_COMMUNICATORS,
  LAT_EVENTS,
  LAT_END,
  LAT_CLOCKS,
  LAT_USAGE,
  LAT_POLLS
};
enum { LAT_CHUNK_HEADER = 32 };

/// The number of ranks that the launcher has started, by its own variables; 0: unknown.
int lat_launched(void);
/// Creates directory/rank-NNNNNNN.lat. On failure prints one message and never writes anything.
bool lat_file_open(const char* directory, int rank, int size, uint64_t run);
/// Writes a chunk whose payload is behind LAT_CHUNK_HEADER free bytes, in one write; before it, the
/// definitions since the last chunk. On failure prints one message, and the file ends with the
/// previous chunk.
void lat_file_write(int kind, uint16_t thread, uint32_t records, uint64_t time,
                    struct lat_bytes* chunk);
void lat_file_close(void);
/// Call in a forked child: the file belongs to the parent.
void lat_file_forget(void);
/// Begins records to be written before the next chunk. Lock; append to the bytes; unlock with their
/// number.
struct lat_bytes* lat_define_begin(int kind);
/// As lat_define_begin; drops all records that were not yet written.
struct lat_bytes* lat_define_anew(int kind);
void lat_define_end(int kind, uint32_t records);

// --- threads and events -------------------------------------------------------------------------

enum { LAT_SITE_CACHE = 256 };
struct site {
  uintptr_t address;
  uint32_t number;
};
/// A stack that a thread has seen: the return addresses above the wrapper's, and their places.
struct lat_stack {
  uintptr_t address;     // the wrapper's return address
  const uint8_t* frame;  // canonical frame address of the wrapper
  uint32_t number, count;
  int places;  // places of functions of Python, which follow `above`
  struct {
    const uintptr_t* at;
    uintptr_t address;
  } above[];
};
struct frame {
  uintptr_t address;  // return address into an MPI layer
  uintptr_t caller;   // return address of the function that holds `address`
  size_t size;        // bytes between the two on the stack
};
enum { LAT_NESTED_CACHE = 64 };
/// A call within a call, for which nothing is recorded.
struct nested {
  uintptr_t address;    // the wrapper's return address
  uintptr_t outermost;  // return address of the outermost call's wrapper
  size_t apart;         // bytes from one frame to the other
};

enum { LAT_MOST_TIMES = 512 };
/// Durations of failed polls, of a sample of them.
struct lat_times {
  uint32_t ns[LAT_MOST_TIMES];
  uint32_t count, every, skipped;
};

struct thread {
  struct lat_bytes chunk;  // begins with room for the header
  uint32_t records;
  uint64_t chunk_time;      // origin of the chunk's first gap
  uint64_t left, left_cpu;  // when the last call returned
  // Times of the last check whether the thread had a core: the CPU time, the waits for a core, and
  // the number of times that it had given up a core; its absence since then; and the time from
  // which it is checked after a call.
  uint64_t looked, looked_cpu, waited, given_up, away_unread, look_from;
  uint64_t first_failed,
      first_failed_cpu;  // time at which the first poll since the last call had failed
  uint32_t failed;       // number of polls that have failed since the last call
  bool found;            // whether the last poll found a message
  uint32_t until_timed;  // number of polls until one whose duration is measured
  struct lat_times times;
  uint64_t write_at;      // time from which the chunk is written, full or not
  uint64_t last_request;  // request number to which the next one is relative
  atomic_bool busy;       // some thread uses the fields above
  uint16_t number;
  struct thread* next;
  uint64_t calls[CALL_count];
  struct site sites[LAT_SITE_CACHE];     // by address
  struct frame frames[LAT_SITE_CACHE];   // by return address into an MPI layer
  struct frame callers[LAT_SITE_CACHE];  // by that address and the one above it
  struct nested nested[LAT_NESTED_CACHE];
  uint8_t* stacks;     // LAT_SITE_CACHE of struct lat_stack, if stacks are recorded
  uintptr_t* handles;  // scratch of the current call: requests as the application passed them
  size_t handle_capacity;
  struct request*
      taken;  // scratch of the current call, too: requests that a Wait or Waitall completes
  size_t taken_capacity;
  MPI_Status* statuses;
  size_t status_capacity;
};
extern _Thread_local struct thread* lat_self;
struct thread* lat_thread_attach(void);
/// Writes the thread's records; requires its lock.
void lat_thread_write(struct thread* t);
/// Writes the records of all threads. A thread that stays busy is left out.
void lat_threads_write(void);
/// All threads so far, by `next`.
const struct thread* lat_threads(void);
/// Appends varint n, n × (name, count): the calls of all threads so far.
void lat_threads_counts(struct lat_bytes* b);

struct event {
  struct thread* thread;
  enum call call;
  uint64_t enter, cpu_gap;
  uintptr_t return_address;
  const uint8_t* frame;    // canonical frame address of the wrapper
  uint64_t returned;       // end of the call, if lat_return has set it, else 0
  size_t begin, duration;  // offsets in the chunk
};

/// Counts the call; false if it must not be recorded.
static inline bool lat_count(struct event* e, enum call call, void* return_address, void* frame) {
  const uintptr_t address = (uintptr_t)return_address;
  if (LAT_UNLIKELY(lat_outermost.frame != NULL) && !lat_left(address, frame)) return false;
  if (atomic_load_explicit(&lat_state, memory_order_relaxed) != LAT_ON) return false;
  struct thread* t = lat_self;
  if (LAT_UNLIKELY(!t)) t = lat_thread_attach();
  lat_outermost = (struct outermost){frame, address};
  ++t->calls[call];
  e->thread = t;
  e->call = call;
  e->return_address = address;
  e->frame = frame;
  e->returned = 0;
  struct lat_last* last = lat_last;
  last->address = address;
  last->peer = LAT_NO_PEER;
  memcpy(last->call, lat_call_names[call], sizeof last->call);
  last->state = LAT_INSIDE;
  return true;
}

/// Reads the clocks.
static inline void lat_read(struct event* e) {
  e->enter = lat_now_ns();
  e->cpu_gap = lat_cpu_clock ? lat_cpu_ns() - e->thread->left_cpu : 0;
}
// Call these when a poll begins and, if it found nothing, when it has failed; `begun` is the time
// of its start, if needed, else 0.
uint64_t lat_poll_timed(struct thread* t);
void lat_poll_noted(struct thread* t, uint64_t begun);
static inline uint64_t lat_poll_begins(struct event* e) {
  return LAT_LIKELY(--e->thread->until_timed) ? 0 : lat_poll_timed(e->thread);
}
static inline void lat_poll_failed(struct event* e, uint64_t begun) {
  struct thread* t = e->thread;
  t->found = false;
  if (LAT_UNLIKELY(++t->failed == 1 || begun)) lat_poll_noted(t, begun);
}
/// Notes that a poll found a message, and is not an event.
static inline void lat_poll_found(struct event* e) { e->thread->found = true; }
/// Writes the polls that failed in the gap before the event, whose clocks have been read.
void lat_polls(struct event* e);
/// Writes the cost of a failed poll; call it before the end.
void lat_polls_write(void);

/// A thread that loses its core loses it for longer than this; shorter sleeps count by the wall
/// clock.
enum { LAT_LONG_GAP_NS = 500000 };
/// A shorter absence is not examined.
enum { LAT_ABSENCE_NS = 50000 };
/// Call for a gap that is long by the wall clock, or of which the CPU clock lacks much.
void lat_long_gap(struct event* e);
/// Reads the clocks as the call begins (or ends, for a call that turned out to matter).
static inline void lat_stamp(struct event* e) {
  lat_read(e);
  if (LAT_UNLIKELY(e->thread->failed)) lat_polls(e);
  e->thread->found = false;
  const uint64_t gap = e->enter - e->thread->left;
  if (LAT_UNLIKELY(lat_cpu_clock ? gap > e->cpu_gap + LAT_ABSENCE_NS : gap >= LAT_LONG_GAP_NS)) {
    lat_long_gap(e);
  }
}
/// Starts writing the event: call, gap, room for the duration, site. Fields follow.
void lat_open(struct event* e);
/// Notes that the call ends here; the time until lat_close is the tracer's work: a pause.
static inline void lat_return(struct event* e) { e->returned = lat_now_ns(); }
/// Ends the event; or drops it.
void lat_close(struct event* e);
void lat_discard(struct event* e);
static inline void lat_leave(void) {
  lat_outermost.frame = NULL;
  lat_last->state = LAT_BETWEEN;
}

// --- cores
// ----------------------------------------------------------------------------------------

/// Begins to count absences: the thread's last call returned just now.
void lat_look_first(struct thread* t);
/// The thread's time without a core in the gap before the event, and the part of it for which it
/// was ready to run (LAT_NOT_KNOWN if the kernel does not record it). Reads clocks.
bool lat_look_at_gap(struct event* e, uint64_t* away_ns, uint64_t* waited_ns);
/// Notes that a call has returned: the thread's time without a core until now belongs to no gap.
/// Returns true if this check read clocks, whose time the caller leaves out of the gap.
bool lat_look_at_call(struct thread* t);
/// Writes the resources that the process and this thread have used so far; the time is `now`.
void lat_usage_write(uint64_t now);

// --- sites and modules
// ----------------------------------------------------------------------------

/// Number of the application's call site above the wrapper's frame.
uint32_t lat_site(struct event* e);
enum { LAT_DEEPEST = 64 };
/// Number of callers in events; 0: only the place of the MPI call.
extern int lat_stack_depth;
/// Reads LATITUDE_STACKS; if it is not set, only programs in Python have callers.
void lat_stacks_start(void);
/// As lat_site, if callers are recorded.
uint32_t lat_stack(struct event* e);
enum lat_where { LAT_NOWHERE, LAT_APPLICATION, LAT_MPI_LAYER };
/// Reads the list of loaded files, and defines them. Requires the sites' lock.
void lat_modules_read(void);
/// The file at an address, among the files that were loaded at the last reading.
enum lat_where lat_module_of(uintptr_t address);
/// As lat_module_of; reads the list of loaded files if none contains the address.
enum lat_where lat_module_found(uintptr_t address);
/// The address range of the loaded file that contains the address; empty if none does.
void lat_module_range(uintptr_t address, uintptr_t* first, uintptr_t* end);
/// No program has memory from here on: addresses of functions that an interpreter runs.
#define LAT_NO_MEMORY ((uintptr_t)1 << 63)
/// Defines a range of such addresses. Requires the sites' lock.
void lat_module_add(uintptr_t first, uintptr_t end, const char* path, const char* build_id);

// --- communicators
// --------------------------------------------------------------------------------

struct topology {
  int outdegree, indegree;
  int *destinations, *sources;
};
struct communicator {
  uintptr_t handle;
  uint32_t number;
  int size, rank;  // size of the remote group for an intercommunicator
  struct topology* topology;
};
void lat_communicators_start(void);
struct communicator* lat_communicator(MPI_Comm handle);
/// Agrees with the other members on the name of a new communicator, and defines it.
struct communicator* lat_communicator_made(MPI_Comm handle);
void lat_communicator_freed(MPI_Comm handle);
/// The neighbours, or none if the communicator has no topology.
const struct topology* lat_topology(MPI_Comm handle, struct communicator* c);

// --- requests
// ---------------------------------------------------------------------------------------

struct request {
  uint64_t number;  // 0: none
  uint64_t bytes;   // for a receive, as requested
  int source, tag;  // as requested, in MPI's own numbers
  bool receive, persistent, active;
  bool unrecorded;        // no recorded call has made it
  bool silent;            // made by a call that is recorded by name only: its end is not an event
  int partitions, ready;  // for a partitioned send: number of partitions, and number marked ready
                          // since the last start
  uint16_t thread;        // thread that posted it
  struct request* next;
};
/// The information on the request of a call.
enum lat_said {
  LAT_NOTHING,     // the request has no information, or is inactive
  LAT_THE_NUMBER,  // the number is known
  LAT_UNRECORDED,  // no recorded call has made the request
};
/// Enters a request; returns its number, 0 for a request without information.
uint64_t lat_request_add(uintptr_t handle, const struct request* properties);
/// Completes a request for a thread's call; *out receives the request if it has information.
enum lat_said lat_request_complete(uintptr_t handle, uint16_t thread, struct request* out);
/// Starts a persistent request.
enum lat_said lat_request_start(uintptr_t handle, uint64_t* number);
/// Frees a request.
enum lat_said lat_request_free(uintptr_t handle, uint16_t thread, uint64_t* number);
/// Marks this number of further partitions of a send ready; LAT_THE_NUMBER if they were the last.
enum lat_said lat_request_ready(uintptr_t handle, int partitions, uint64_t* number);
/// Whether statuses must be checked for cancellation.
extern atomic_bool lat_cancels;

// --- user-defined operations
// ------------------------------------------------------------------------

void lat_operation_made(MPI_Op operation);
void lat_operation_freed(MPI_Op operation);
bool lat_operation_known(MPI_Op operation);

// --- life
// ---------------------------------------------------------------------------------------------

/// Prints one line on stderr: "latitude: rank N: ...".
void lat_say(const char* format, ...) __attribute__((format(printf, 1, 2)));
extern int lat_rank, lat_size;
