// Are all nodes as good as their neighbours? Underwood, Anderson and Apon, ICPE'18, section 4.1.1.
//
//     nodes out=DIRECTORY passes=20 trips=100 bytes=8 each_rank=0 at_once=0 quanta=20 …
//
// In each pass every pair of nodes (of ranks, with each_rank) plays ping-pong, and every core
// computes equal quanta. Series of every rank: `trips`, 4 numbers per pair and pass: pass, partner,
// median and least half round trip in ns; `quanta`, the duration of each quantum in ns, pass by
// pass.
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

#include "../common/clock.h"
#include "../common/job.h"
#include "../common/options.h"
#include "../common/results.h"
#include "../common/stop.h"
#include "../common/waiting.h"
#include "quantum.h"
#include "rounds.h"

enum { COLUMNS = 4, WARM = 5, TAG = 91, TURN_NS = 1000000 };

static struct {
  const char* out;
  double pin, passes, trips, bytes, each_rank, at_once, quanta, quantum_ns;
} wanted = {
    .out = ".", .pin = 1, .passes = 20, .trips = 100, .bytes = 8, .quanta = 20, .quantum_ns = 1e6};

static struct job job;
static bool crowded;
static cpu_set_t cores;  ///< cores that this rank may use
static char* buffer;
static int players, player = -1;  ///< -1: this rank only waits
static int* rank_of;              ///< rank of each player

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void choose_players(void) {
  rank_of = bench_allocate((size_t)job.ranks, sizeof *rank_of);
  for (int rank = 0, nodes = 0; rank < job.ranks; ++rank) {
    const bool first = job.node[rank] == nodes;
    nodes += first;
    if (!first && wanted.each_rank == 0) continue;
    if (rank == job.rank) player = players;
    rank_of[players++] = rank;
  }
}

/// If ranks outnumber cores, all pairs play on the same two cores, one after the other; otherwise
/// pairs that happen to share a core would be slow. `turn` -1: on all cores again.
static void take_core(int turn) {
  if (!crowded || wanted.at_once != 1 || CPU_COUNT(&cores) < 2) return;
  cpu_set_t mine = cores;
  for (size_t core = 0; turn >= 0 && core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores) && turn-- == 0) {
      CPU_ZERO(&mine);
      CPU_SET(core, &mine);
    }
  }
  sched_setaffinity(0, sizeof mine, &mine);
}

/// Half a round trip, on the rank that begins.
static double trip(int partner, bool begins) {
  const int bytes = (int)wanted.bytes;
  const int64_t start = now_ns();
  if (begins) MUST(MPI_Send(buffer, bytes, MPI_BYTE, partner, TAG, MPI_COMM_WORLD));
  MUST(MPI_Recv(buffer, bytes, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  if (!begins) MUST(MPI_Send(buffer, bytes, MPI_BYTE, partner, TAG, MPI_COMM_WORLD));
  return (double)(now_ns() - start) / 2;
}

/// Plays with another player, and fills a row; returns whether this player began, so that the row
/// belongs to it.
static bool play(int pass, int other, double* row) {
  const int partner = rank_of[other], trips = (int)wanted.trips;
  const bool begins = player < other;
  double* const times = bench_allocate((size_t)trips, sizeof *times);
  take_core(begins ? 0 : 1);
  for (int i = -WARM; i < trips; ++i) {
    const double time = trip(partner, begins);
    if (i >= 0) times[i] = time;
  }
  take_core(-1);
  qsort(times, (size_t)trips, sizeof *times, ascending);
  row[0] = pass;
  row[1] = partner;
  row[2] = (times[trips / 2] + times[(trips - 1) / 2]) / 2;
  row[3] = times[0];
  free(times);
  return begins;
}

/// A rank that waits for its turn on a player's core polls rarely: waking up and polling take that
/// core some 10 us, as long as ten trips.
static void meet(void) { bench_meet(crowded ? TURN_NS : 0); }

/// Plays every player against every other one; returns the number of rows that this rank has
/// filled.
static int run_rounds(int pass, double* rows) {
  const int most = players / 2, at_once = wanted.at_once > 0 ? (int)wanted.at_once : most;
  int filled = 0;
  for (int round = 0; round < rounds_of(players); ++round) {
    const int other = player < 0 ? -1 : round_partner(players, round, player);
    const int place = other < 0 ? -1 : round_place(players, round, player);
    for (int from = 0; from < most; from += at_once) {
      meet();
      if (place < from || place >= from + at_once) continue;
      filled += play(pass, other, rows + (size_t)filled * COLUMNS);
    }
  }
  return filled;
}

static void run_quanta(int64_t steps, double* times) {
  meet();
  for (int i = 0; i < (int)wanted.quanta; ++i) {
    const int64_t begin = now_ns();
    quantum_work(steps);
    times[i] = (double)(now_ns() - begin);
  }
}

static bool next_pass(int pass) {
  int more = pass < (int)wanted.passes && !(job.rank == 0 && bench_stop_asked());
  if (job.rank == 0) {
    bench_results_text("pass", "%d", pass);
    bench_results_flush();
  }
  MUST(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
  return more;
}

static void run(void) {
  const size_t passes = (size_t)wanted.passes, quanta = (size_t)wanted.quanta;
  double* const rows = bench_allocate(passes * (size_t)players * COLUMNS, sizeof *rows);
  double* const times = bench_allocate(passes * quanta, sizeof *times);
  int64_t steps = quantum_steps((int64_t)wanted.quantum_ns);
  MUST(MPI_Bcast(&steps, 1, MPI_INT64_T, 0, MPI_COMM_WORLD));
  int pass = 0, filled = 0;
  for (; next_pass(pass); ++pass) {
    filled += run_rounds(pass, rows + (size_t)filled * COLUMNS);
    run_quanta(steps, times + (size_t)pass * quanta);
  }
  bench_results_gather(MPI_COMM_WORLD, rows, filled * COLUMNS, "trips");
  bench_results_gather(MPI_COMM_WORLD, times, pass * (int)quanta, "quanta passes=%d", pass);
  free(rows);
  free(times);
}

int main(int count, char** arguments) {
  job = bench_begin(&count, &arguments);
  bench_options(count, arguments,
                (struct option_word[]){{"out", NULL, &wanted.out},
                                       {"pin", &wanted.pin, NULL},
                                       {"passes", &wanted.passes, NULL},
                                       {"trips", &wanted.trips, NULL},
                                       {"bytes", &wanted.bytes, NULL},
                                       {"each_rank", &wanted.each_rank, NULL},
                                       {"at_once", &wanted.at_once, NULL},
                                       {"quanta", &wanted.quanta, NULL},
                                       {"quantum_ns", &wanted.quantum_ns, NULL},
                                       {0}});
  bench_stop_listen(job.rank == 0);
  const int core = wanted.pin != 0 ? bench_pin(&job) : -1;
  sched_getaffinity(0, sizeof cores, &cores);
  crowded = bench_crowded(&job, false);
  choose_players();
  if (players < 3) bench_fail("%d to compare; three or more are needed", players);
  buffer = bench_allocate((size_t)wanted.bytes, 1);
  bench_results_open(wanted.out, "nodes");
  bench_results_job(&job, core);
  if (job.rank == 0) bench_results_text("crowded", "%d", crowded);
  run();
  bench_results_close();
  free(rank_of);
  free(buffer);
  bench_end(&job);
  return 0;
}
