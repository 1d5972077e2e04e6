// A bench program as some ranks in virtual time, which talk through a network with LogGPS's
// parameters (docs/explanation/model.md; rendezvous by its handshake).
//
//     virtual_mpi PROGRAM RANKS NAME=NUMBER… -- WORD…
//
//     PROGRAM.R is rank R's copy, a shared library with a main that gets the words
//     L=NS send=NS receive=NS g=NS G=PS                       time of a byte in ps
//     S=BYTES Sisend=BYTES Sstart=BYTES                       eager limits of three kinds of send
//     get=1          the receiver gets the data of a rendezvous, and tells the sender
//     copy=PS        time of the sender per byte of an eager message
//     meet=NS        time of a collective after the last rank has come
//     look=NS        time of MPI_Test and MPI_Iprobe
//     clock=NS oversleep=NS cores=N                           N per host
//     tell=1         prints each message that leaves: TIME FROM TO BYTES TAG
//     hosts=N        ranks are assigned to N hosts in turn; by default one host per rank
//     ahead.R=NS fast.R=NS                                    clock of rank R's host
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../clock/clock.h"
#include "../../../clock/tests/virtual_clock.h"
#include "mpi.h"

static const uint64_t NEVER = UINT64_MAX;

static struct {
  uint64_t L, send, receive, g, G_ps, copy_ps, meet, look;
  int64_t S, S_isend, S_start;
  bool get;
  int hosts, cores, tell;
} network = {.S = INT64_MAX,
             .S_isend = INT64_MAX,
             .S_start = INT64_MAX,
             .meet = 1000,
             .look = 100,
             .cores = 1};

struct message {
  struct message* next;
  MPI_Comm comm;
  int from, tag, bytes;
  uint64_t arrival;  // arrival of the message, or of its RTS
  uint64_t done;     // time at which its sender may continue; NEVER while it waits for the receiver
  bool waits;
  bool received;
  char data[];
};

/// The common state of all ranks of a communicator.
struct meeting {
  struct meeting* next;
  uint64_t number;
  int come;
  uint64_t done;  // NEVER until all have come
  const void* gave[VIRTUAL_MOST_RANKS];
  void* takes[VIRTUAL_MOST_RANKS];
};

struct virtual_comm {
  int size;
  int world[VIRTUAL_MOST_RANKS];  // rank in the world of each rank
  uint64_t met[VIRTUAL_MOST_RANKS];
  struct meeting* meetings;
};

struct virtual_start {
  const void* buffer;
  int bytes, to, tag;
  MPI_Comm comm;
};

struct virtual_request {
  struct virtual_start starts;  // for a persistent request
  struct message* message;
  struct meeting* meeting;
};

struct virtual_comm virtual_world;
static struct message* inboxes[VIRTUAL_MOST_RANKS];
static uint64_t wire_free[VIRTUAL_MOST_RANKS];
static const char* program;
static char** words;
static int word_count;

static size_t size_of(MPI_Datatype type) {
  static const size_t sizes[] = {1, 1, 4, 8, 8, 4, 8, 16};
  return sizes[type];
}

static int rank_in(MPI_Comm comm) {
  int rank = 0;
  while (comm->world[rank] != virtual_rank()) ++rank;
  return rank;
}

/// B of docs/explanation/model.md.
static uint64_t bytes_ns(int bytes) {
  return bytes > 0 ? (uint64_t)(bytes - 1) * network.G_ps / 1000 : 0;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

// Messages.

static struct message* post(const void* buffer, int bytes, int to, int tag, MPI_Comm comm,
                            int64_t limit) {
  struct message* message = calloc(1, sizeof *message + (size_t)bytes);
  memcpy(message->data, buffer, (size_t)bytes);
  message->comm = comm;
  message->from = rank_in(comm);
  message->tag = tag;
  message->bytes = bytes;
  message->waits = bytes > limit;
  const int self = virtual_rank(), receiver = comm->world[to];
  virtual_pass_until(wire_free[self]);
  const uint64_t begun = virtual_now();
  if (network.tell) {
    printf("%llu %d %d %d %d\n", (unsigned long long)begun, self, to, bytes, tag);
  }
  wire_free[self] = begun + later(network.g, message->waits ? 0 : bytes_ns(bytes));
  const uint64_t o = network.send + (message->waits ? 0 : (uint64_t)bytes * network.copy_ps / 1000);
  message->arrival = begun + o + network.L + (message->waits ? 0 : bytes_ns(bytes));
  message->done = message->waits ? NEVER : begun + o;
  struct message** link = &inboxes[receiver];
  while (*link) link = &(*link)->next;
  *link = message;
  virtual_wake(receiver, message->arrival);
  virtual_pass(o);
  return message;
}

static void wait_for(struct message* message) {
  while (message->done == NEVER) virtual_wait(NEVER);
  virtual_pass_until(message->done);
  if (message->received) free(message);
}

static struct message** find(int from, int tag, MPI_Comm comm) {
  struct message** link = &inboxes[virtual_rank()];
  while (*link && ((*link)->comm != comm || (*link)->from != from ||
                   (tag != MPI_ANY_TAG && (*link)->tag != tag))) {
    link = &(*link)->next;
  }
  return link;
}

static void tell(const struct message* message, MPI_Status* status) {
  if (status) *status = (MPI_Status){message->from, message->tag, MPI_SUCCESS, message->bytes};
}

static struct message** arrived(int from, int tag, MPI_Comm comm) {
  while (!*find(from, tag, comm)) virtual_wait(NEVER);
  virtual_pass_until((*find(from, tag, comm))->arrival);
  return find(from, tag, comm);
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  struct message* message = post(buffer, count * (int)size_of(type), to, tag, comm, network.S);
  if (message->waits) wait_for(message);
  return MPI_SUCCESS;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  struct message* message =
      post(buffer, count * (int)size_of(type), to, tag, comm, network.S_isend);
  *request = calloc(1, sizeof **request);
  if (message->waits) (*request)->message = message;
  return MPI_SUCCESS;
}

int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  *request = calloc(1, sizeof **request);
  (*request)->starts = (struct virtual_start){buffer, count * (int)size_of(type), to, tag, comm};
  return MPI_SUCCESS;
}

int MPI_Start(MPI_Request* request) {
  const struct virtual_start* of = &(*request)->starts;
  struct message* message = post(of->buffer, of->bytes, of->to, of->tag, of->comm, network.S_start);
  (*request)->message = message->waits ? message : NULL;
  return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request* request) {
  free(*request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  struct message** link = arrived(from, tag, comm);
  struct message* message = *link;
  *link = message->next;
  if (message->bytes > count * (int)size_of(type)) exit(5);
  memcpy(buffer, message->data, (size_t)message->bytes);
  tell(message, status);
  message->received = true;
  if (!message->waits) {
    virtual_pass(network.receive);
    free(message);
    return MPI_SUCCESS;
  }
  const uint64_t matched = virtual_now(), B = bytes_ns(message->bytes);
  const uint64_t ends = network.receive + network.send;
  message->done = matched + network.L + ends + B + (network.get ? 2 * network.L + ends : 0);
  virtual_wake(comm->world[from], message->done);
  virtual_pass_until(matched + 2 * network.L + B + 2 * network.receive + network.send);
  return MPI_SUCCESS;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  tell(*arrived(from, tag, comm), status);
  return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* status) {
  const struct message* message = *find(from, tag, comm);
  *there = message && message->arrival <= virtual_now();
  if (*there) tell(message, status);
  virtual_pass(network.look);
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  *count = status->bytes / (int)size_of(type);
  return MPI_SUCCESS;
}

// Actions of all ranks together: all ranks give and take when the last one has come.

typedef void together(MPI_Comm comm, const struct meeting* meeting, const void* how);

static struct meeting* meet(MPI_Comm comm, const void* gives, void* takes, together* act,
                            const void* how) {
  const int rank = rank_in(comm);
  const uint64_t number = comm->met[rank]++;
  struct meeting* meeting = comm->meetings;
  while (meeting && meeting->number != number) meeting = meeting->next;
  if (!meeting) {
    meeting = calloc(1, sizeof *meeting);
    meeting->number = number;
    meeting->done = NEVER;
    meeting->next = comm->meetings;
    comm->meetings = meeting;
  }
  meeting->gave[rank] = gives == MPI_IN_PLACE ? takes : gives;
  meeting->takes[rank] = takes;
  if (++meeting->come < comm->size) return meeting;
  if (act) act(comm, meeting, how);
  meeting->done = virtual_now() + network.meet;
  for (int i = 0; i < comm->size; ++i) virtual_wake(comm->world[i], meeting->done);
  return meeting;
}

static int met(struct meeting* meeting) {
  while (meeting->done == NEVER) virtual_wait(NEVER);
  virtual_pass_until(meeting->done);
  return MPI_SUCCESS;
}

static void combine(void* into, const void* value, size_t count, MPI_Datatype type, MPI_Op op) {
  struct located {
    double value;
    int rank;
  };
  for (size_t i = 0; i < count; ++i) {
    if (type == MPI_BYTE && op == MPI_BOR) {
      ((unsigned char*)into)[i] |= ((const unsigned char*)value)[i];
    } else if (type == MPI_INT && op == MPI_LOR) {
      ((int*)into)[i] = ((int*)into)[i] || ((const int*)value)[i];
    } else if (type == MPI_DOUBLE && op == MPI_MAX) {
      const double b = ((const double*)value)[i];
      if (b > ((double*)into)[i]) ((double*)into)[i] = b;
    } else if (type == MPI_DOUBLE_INT && op == MPI_MAXLOC) {
      const struct located b = ((const struct located*)value)[i];
      if (b.value > ((struct located*)into)[i].value) ((struct located*)into)[i] = b;
    } else if (type == MPI_FLOAT && op == MPI_SUM) {
      ((float*)into)[i] += ((const float*)value)[i];
    } else {
      exit(6);
    }
  }
}

struct collective {
  size_t count;
  MPI_Datatype type;
  MPI_Op op;
  int root;  // the only rank that takes, or gives; −1: all
};

static void reduce(MPI_Comm comm, const struct meeting* meeting, const void* argument) {
  const struct collective* how = argument;
  const size_t bytes = how->count * size_of(how->type);
  char* all = malloc(bytes + 1);
  memcpy(all, meeting->gave[0], bytes);
  for (int i = 1; i < comm->size; ++i) {
    combine(all, meeting->gave[i], how->count, how->type, how->op);
  }
  for (int i = 0; i < comm->size; ++i) {
    if (how->root < 0 || how->root == i) memcpy(meeting->takes[i], all, bytes);
  }
  free(all);
}

static void gather(MPI_Comm comm, const struct meeting* meeting, const void* argument) {
  const struct collective* how = argument;
  for (int i = 0; i < comm->size; ++i) {
    for (int from = 0; from < comm->size && (how->root < 0 || how->root == i); ++from) {
      memcpy((char*)meeting->takes[i] + (size_t)from * how->count, meeting->gave[from], how->count);
    }
  }
}

static void broadcast(MPI_Comm comm, const struct meeting* meeting, const void* argument) {
  const struct collective* how = argument;
  for (int i = 0; i < comm->size; ++i) {
    if (i != how->root) memcpy(meeting->takes[i], meeting->gave[how->root], how->count);
  }
}

int MPI_Barrier(MPI_Comm comm) { return met(meet(comm, NULL, NULL, NULL, NULL)); }

static MPI_Request later_met(struct meeting* meeting) {
  MPI_Request request = calloc(1, sizeof *request);
  request->meeting = meeting;
  return request;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  *request = later_met(meet(comm, NULL, NULL, NULL, NULL));
  return MPI_SUCCESS;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const struct collective how = {.count = (size_t)count * size_of(type), .root = root};
  return met(meet(comm, buffer, buffer, broadcast, &how));
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  const struct collective how = {.count = (size_t)count * size_of(type), .root = root};
  *request = later_met(meet(comm, buffer, buffer, broadcast, &how));
  return MPI_SUCCESS;
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  const struct collective how = {(size_t)count, type, op, root};
  return met(meet(comm, send, receive, reduce, &how));
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return MPI_Reduce(send, receive, count, type, op, -1, comm);
}

int MPI_Gather(const void* send, int count, MPI_Datatype type, void* receive, int received,
               MPI_Datatype of, int root, MPI_Comm comm) {
  (void)received;
  (void)of;
  const struct collective how = {.count = (size_t)count * size_of(type), .root = root};
  return met(meet(comm, send, receive, gather, &how));
}

int MPI_Allgather(const void* send, int count, MPI_Datatype type, void* receive, int received,
                  MPI_Datatype of, MPI_Comm comm) {
  return MPI_Gather(send, count, type, receive, received, of, -1, comm);
}

// Only the time of the following functions counts.

int MPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm) {
  return MPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) {
  return MPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Scatter(const void* send, int count, MPI_Datatype type, void* receive, int received,
                MPI_Datatype of, int root, MPI_Comm comm) {
  (void)send, (void)count, (void)type, (void)receive, (void)received, (void)of, (void)root;
  return MPI_Barrier(comm);
}

int MPI_Alltoall(const void* send, int count, MPI_Datatype type, void* receive, int received,
                 MPI_Datatype of, MPI_Comm comm) {
  return MPI_Scatter(send, count, type, receive, received, of, 0, comm);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  (void)status;
  if (!*request) return MPI_SUCCESS;
  if ((*request)->meeting) met((*request)->meeting);
  if ((*request)->message) wait_for((*request)->message);
  if ((*request)->starts.comm) {
    (*request)->message = NULL;
    return MPI_SUCCESS;
  }
  free(*request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const struct virtual_request* of = *request;
  virtual_pass(network.look);
  *done = !of || ((!of->meeting || of->meeting->done <= virtual_now()) &&
                  (!of->message || of->message->done <= virtual_now()));
  return *done ? MPI_Wait(request, status) : MPI_SUCCESS;
}

// Communicators.

struct wish {
  int colour, key;
};

static void split(MPI_Comm comm, const struct meeting* meeting, const void* unused) {
  (void)unused;
  for (int i = 0; i < comm->size; ++i) {
    const struct wish* mine = meeting->gave[i];
    MPI_Comm* part = meeting->takes[i];
    *part = MPI_COMM_NULL;
    if (mine->colour == MPI_UNDEFINED) continue;
    for (int j = 0; j < i && !*part; ++j) {
      const struct wish* theirs = meeting->gave[j];
      if (theirs->colour == mine->colour) *part = *(MPI_Comm*)meeting->takes[j];
    }
    if (!*part) *part = calloc(1, sizeof **part);
    (*part)->world[(*part)->size++] = comm->world[i];  // keys are ranks
  }
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* part) {
  const struct wish wish = {colour, key};
  return met(meet(comm, &wish, part, split, NULL));
}

int MPI_Comm_free(MPI_Comm* comm) {
  *comm = MPI_COMM_NULL;  // others may still be in it
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = rank_in(comm);
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = comm->size;
  return MPI_SUCCESS;
}

// The rest.

int MPI_Init(int* count, char*** arguments) {
  (void)count;
  (void)arguments;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) { return MPI_SUCCESS; }

int MPI_Abort(MPI_Comm comm, int code) {
  (void)comm;
  exit(code);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, int handler) {
  (void)comm;
  (void)handler;
  return MPI_SUCCESS;
}

int MPI_Error_string(int error, char* text, int* length) {
  *length = snprintf(text, MPI_MAX_ERROR_STRING, "error %d", error);
  return MPI_SUCCESS;
}

int MPI_Get_processor_name(char* name, int* length) {
  lat_clock_name(name, MPI_MAX_PROCESSOR_NAME);
  *length = (int)strlen(name);
  return MPI_SUCCESS;
}

int MPI_Get_library_version(char* version, int* length) {
  *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "MPI in virtual time");
  return MPI_SUCCESS;
}

/// The cores of a host: all its ranks may use each of them.
int sched_getaffinity(pid_t process, size_t size, cpu_set_t* cores) {
  (void)process;
  memset(cores, 0, size);
  for (size_t core = 0; core < (size_t)network.cores; ++core) CPU_SET(core, cores);
  return 0;
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t* cores) {
  (void)process;
  (void)size;
  (void)cores;
  return 0;
}

static int64_t ahead[VIRTUAL_MOST_RANKS];
static double fast[VIRTUAL_MOST_RANKS];

static void option(const char* word) {
  const char* value = strchr(word, '=') + 1;
  const uint64_t number = strtoull(value, NULL, 10);
  int rank;
  if (strncmp(word, "L=", 2) == 0) network.L = number;
  if (strncmp(word, "send=", 5) == 0) network.send = number;
  if (strncmp(word, "receive=", 8) == 0) network.receive = number;
  if (strncmp(word, "g=", 2) == 0) network.g = number;
  if (strncmp(word, "G=", 2) == 0) network.G_ps = number;
  if (strncmp(word, "S=", 2) == 0) network.S = (int64_t)number;
  if (strncmp(word, "Sisend=", 7) == 0) network.S_isend = (int64_t)number;
  if (strncmp(word, "Sstart=", 7) == 0) network.S_start = (int64_t)number;
  if (strncmp(word, "get=", 4) == 0) network.get = number != 0;
  if (strncmp(word, "copy=", 5) == 0) network.copy_ps = number;
  if (strncmp(word, "meet=", 5) == 0) network.meet = number;
  if (strncmp(word, "look=", 5) == 0) network.look = number;
  if (strncmp(word, "clock=", 6) == 0) virtual_look_ns = number;
  if (strncmp(word, "oversleep=", 10) == 0) virtual_oversleep_ns = number;
  if (strncmp(word, "hosts=", 6) == 0) network.hosts = (int)number;
  if (strncmp(word, "tell=", 5) == 0) network.tell = (int)number;
  if (strncmp(word, "cores=", 6) == 0) network.cores = (int)number;
  if (sscanf(word, "ahead.%d=", &rank) == 1) ahead[rank] = strtoll(value, NULL, 10);
  if (sscanf(word, "fast.%d=", &rank) == 1) fast[rank] = strtod(value, NULL);
}

static void body(int rank) {
  int (*run)(int, char**) = NULL;
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", program, rank);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library) *(void**)&run = dlsym(library, "main");
  if (!run) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  if (run(word_count, words) != 0) exit(3);
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  program = arguments[1];
  virtual_world.size = atoi(arguments[2]);
  network.hosts = virtual_world.size;
  int at = 3;
  for (; at < count && strcmp(arguments[at], "--") != 0; ++at) option(arguments[at]);
  words = arguments + at;
  word_count = count - at;
  for (int rank = 0; rank < virtual_world.size; ++rank) {
    char host[16];
    snprintf(host, sizeof host, "host%d", rank % network.hosts);
    virtual_world.world[rank] = rank;
    virtual_place(rank, host, ahead[rank], fast[rank]);
  }
  virtual_run(virtual_world.size, body);
  return 0;
}
