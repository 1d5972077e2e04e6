#include <stdlib.h>

#include "tracer.h"

enum { ASK = 1, ANSWER = 2, EXCHANGES = 50 };

int lat_hosts = 1;
static MPI_Comm sharing;  ///< the ranks on this rank's host; the first of them leads
static MPI_Comm leaders;  ///< one rank per host; null on the others

/// A time of this host's clock, and the offset to the clock of rank 0's host.
struct point {
  int64_t own, offset, error;
};

void lat_hosts_start(void) {
  int place = 0;
  uint64_t hosts = 1;
  sharing = leaders = lat_mpi.no_comm;
  lat_mpi.Comm_split_type(lat_mpi.world, MPI_COMM_TYPE_SHARED, lat_rank, lat_mpi.no_info, &sharing);
  lat_mpi.Comm_rank(sharing, &place);
  lat_mpi.Comm_split(lat_mpi.world, place == 0 ? 0 : MPI_UNDEFINED, lat_rank, &leaders);
  if (place == 0) {
    lat_mpi.Comm_size(leaders, &lat_hosts);
    hosts = (uint64_t)lat_hosts;
  }
  lat_mpi.Bcast(&hosts, 1, lat_mpi.uint64, 0, sharing);
  lat_hosts = (int)hosts;
}

void lat_hosts_end(void) {
  if (leaders != lat_mpi.no_comm) lat_mpi.Comm_free(&leaders);
  if (sharing != lat_mpi.no_comm) lat_mpi.Comm_free(&sharing);
}

MPI_Comm lat_hosts_sharing(void) { return sharing; }

static int64_t now(void) { return (int64_t)lat_now_ns(); }

static void answer(const struct point* known, int whom) {
  for (int i = 0; i < EXCHANGES; ++i) {
    MPI_Status status;
    int64_t told[2];
    lat_mpi.Recv(told, 1, lat_mpi.uint64, whom, ASK, leaders, &status);
    told[0] = now() + known->offset;
    told[1] = known->error;
    lat_mpi.Send(told, 2, lat_mpi.uint64, whom, ANSWER, leaders);
  }
}

/// Asks for the time of another rank. The exchange with the least round trip counts: the answer was
/// given somewhere within it.
static struct point ask(int whom) {
  struct point best = {0, 0, INT64_MAX};
  for (int i = 0; i < EXCHANGES; ++i) {
    MPI_Status status;
    int64_t told[2] = {0, 0};
    const int64_t sent = now();
    lat_mpi.Send(told, 1, lat_mpi.uint64, whom, ASK, leaders);
    lat_mpi.Recv(told, 2, lat_mpi.uint64, whom, ANSWER, leaders, &status);
    const int64_t trip = now() - sent;
    const int64_t error = (trip + 1) / 2 + told[1];
    if (error >= best.error) continue;
    best.own = sent + trip / 2;
    best.offset = told[0] - best.own;
    best.error = error;
  }
  return best;
}

/// Measures from rank 0 down a binomial tree: a rank that answers has already asked. So n hosts
/// take log2(n) steps, after Hunold & Carpen-Amarie, IEEE TPDS 27 (2016).
static struct point meet_leaders(void) {
  struct point known = {now(), 0, 0};
  int rank = 0;
  int step = 1;
  lat_mpi.Comm_rank(leaders, &rank);
  while (step < lat_hosts) step *= 2;
  for (step /= 2; step >= 1; step /= 2) {
    if (rank % (2 * step) == 0 && rank + step < lat_hosts) {
      answer(&known, rank + step);
    } else if (rank % (2 * step) == step) {
      known = ask(rank - step);
    }
  }
  return known;
}

void lat_hosts_meet(void) {
  if (lat_hosts == 1) return;
  struct point known = {0, 0, 0};
  if (leaders != lat_mpi.no_comm) known = meet_leaders();
  lat_mpi.Bcast(&known, 3, lat_mpi.uint64, 0, sharing);
  struct lat_bytes b = {0};
  lat_room(&b, LAT_CHUNK_HEADER + 3 * LAT_VARINT);
  b.used = LAT_CHUNK_HEADER;
  lat_put(&b, (uint64_t)known.own);
  lat_put_signed(&b, known.offset);
  lat_put(&b, (uint64_t)known.error);
  lat_file_write(LAT_CLOCKS, 0, 1, 0, &b);
  free(b.data);
}
