// Hosts that compare their clocks, in virtual time: one rank on each.
//
//     virtual_hosts RANKS SECONDS L JITTER AHEAD_NS FAST_NS_PER_S
//
// Each rank's clock is AHEAD ns ahead of the clock of the rank before. The clocks of odd ranks gain
// FAST ns per second, and the clocks of even ranks lose as much, except for rank 0's clock.
// Messages take L ns and up to JITTER more, independently each way. Clocks are compared at the
// start, and after SECONDS; prints "RANK OWN OFFSET ERROR" for each record.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../clock/tests/virtual_clock.h"
#include "../../hosts.c"

enum { MOST = 64, BYTES = 24, WORLD = 1, SHARING, LEADERS, OVERHEAD_NS = 300 };
static const uint64_t NEVER = UINT64_MAX;

struct lat_mpi lat_mpi;
int lat_rank;
static int ranks;
static uint64_t seconds, latency, jitter;

/// The state of hosts.c for each rank.
static struct {
  int hosts;
  MPI_Comm sharing, leaders;
} kept[VIRTUAL_MOST_RANKS];

static struct inbox {
  uint64_t arrival[MOST];
  char data[MOST][BYTES];
  unsigned first, end;
} inboxes[VIRTUAL_MOST_RANKS][VIRTUAL_MOST_RANKS];

static void switched(int rank) {
  kept[lat_rank].hosts = lat_hosts;
  kept[lat_rank].sharing = sharing;
  kept[lat_rank].leaders = leaders;
  lat_rank = rank;
  lat_hosts = kept[rank].hosts;
  sharing = kept[rank].sharing;
  leaders = kept[rank].leaders;
}

static uint64_t drawn(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return jitter > 0 ? (state >> 33) % jitter : 0;
}

static int size_of_comm(MPI_Comm comm) { return comm == SHARING ? 1 : ranks; }

static int send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  (void)type, (void)tag, (void)comm;
  struct inbox* inbox = &inboxes[to][lat_rank];
  const unsigned at = inbox->end++ % MOST;
  memcpy(inbox->data[at], data, (size_t)count * sizeof(uint64_t));
  virtual_pass(OVERHEAD_NS);
  inbox->arrival[at] = virtual_now() + latency + drawn();
  virtual_wake(to, inbox->arrival[at]);
  return 0;
}

static int receive(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                   MPI_Status* status) {
  (void)type, (void)tag, (void)comm, (void)status;
  struct inbox* inbox = &inboxes[lat_rank][from];
  while (inbox->first == inbox->end) virtual_wait(NEVER);
  const unsigned at = inbox->first++ % MOST;
  virtual_pass_until(inbox->arrival[at]);
  memcpy(data, inbox->data[at], (size_t)count * sizeof(uint64_t));
  virtual_pass(OVERHEAD_NS);
  return 0;
}

static int bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  (void)data, (void)count, (void)type, (void)root;
  if (size_of_comm(comm) != 1) exit(4);  // only among the ranks of a host
  return 0;
}

static int split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part) {
  (void)comm, (void)type, (void)key, (void)info;
  *part = SHARING;
  return 0;
}

static int split(MPI_Comm comm, int colour, int key, MPI_Comm* part) {
  (void)comm, (void)colour, (void)key;
  *part = LEADERS;
  return 0;
}

static int rank_in(MPI_Comm comm, int* rank) {
  *rank = comm == SHARING ? 0 : lat_rank;
  return 0;
}

static int size_in(MPI_Comm comm, int* size) {
  *size = size_of_comm(comm);
  return 0;
}

void* lat_allocate(void* old, size_t bytes) { return realloc(old, bytes); }

static uint64_t decoded(const uint8_t** at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t byte = *(*at)++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

void lat_file_write(int kind, uint16_t thread, uint32_t records, uint64_t time,
                    struct lat_bytes* chunk) {
  (void)thread, (void)records, (void)time;
  if (kind != LAT_CLOCKS) exit(5);
  const uint8_t* at = chunk->data + LAT_CHUNK_HEADER;
  const uint64_t own = decoded(&at), zigzag = decoded(&at), error = decoded(&at);
  const int64_t offset = (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
  printf("%d %llu %lld %llu\n", lat_rank, (unsigned long long)own, (long long)offset,
         (unsigned long long)error);
}

static void body(int rank) {
  (void)rank;
  lat_hosts_start();
  lat_hosts_meet();
  virtual_pass_until(seconds * 1000000000u);
  lat_hosts_meet();
}

int main(int count, char** words) {
  if (count != 7) return 2;
  ranks = atoi(words[1]);
  seconds = strtoull(words[2], NULL, 10);
  latency = strtoull(words[3], NULL, 10);
  jitter = strtoull(words[4], NULL, 10);
  const int64_t ahead = strtoll(words[5], NULL, 10);
  const double fast = strtod(words[6], NULL);
  lat_mpi.Comm_split_type = split_type;
  lat_mpi.Comm_split = split;
  lat_mpi.Comm_rank = rank_in;
  lat_mpi.Comm_size = size_in;
  lat_mpi.Bcast = bcast;
  lat_mpi.Send = send;
  lat_mpi.Recv = receive;
  lat_mpi.world = WORLD;
  virtual_look_ns = 20;
  virtual_switched = switched;
  for (int i = 0; i < ranks; ++i) {
    const int sign = i == 0 ? 0 : i % 2 ? 1 : -1;
    virtual_place(i, "host", i * ahead, sign * fast);
  }
  virtual_run(ranks, body);
  return 0;
}
