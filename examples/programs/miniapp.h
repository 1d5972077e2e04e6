// What the mini-apps share: their options, and computation that waits on the clock.
//
// Two cores carry two busy ranks. Ranks that *wait* for the time their computation takes leave the
// cores to others, so many of them run on few cores at the speed of a cluster.
#ifndef LATITUDE_MINIAPP_H
#define LATITUDE_MINIAPP_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

typedef struct {
  const char* name;
  int iterations;
  int64_t compute_ns;  // of a rank in one iteration
  int bytes;           // of a message
  double imbalance;    // a rank's computation varies from 1 to 1 + this
  uint64_t seed;       // of the imbalance
  int planes;          // of a sweep; wavefront only
  int busy;            // burn processor time instead of waiting
  int rank;
  int ranks;
} miniapp_t;

static inline void usage(const miniapp_t* app) {
  fprintf(stderr,
          "usage: %s [--iterations N] [--compute TIME] [--bytes N] [--busy] [--imbalance SHARE]\n"
          "          [--seed N] [--planes N]\n"
          "TIME is e.g. 2ms, 500us or 100ns; SHARE e.g. 0.2: computation takes up to 20%% more\n",
          app->name);
  exit(2);
}

static inline int64_t parse_time(const miniapp_t* app, const char* text) {
  static const struct {
    const char* unit;
    double ns;
  } units[] = {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  char* end;
  const double value = strtod(text, &end);
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
    if (end != text && value >= 0 && strcmp(end, units[i].unit) == 0) {
      return (int64_t)(value * units[i].ns);
    }
  }
  usage(app);
  return 0;
}

// Reads the options, then starts MPI. `app` holds the defaults.
static inline void start(miniapp_t* app, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--busy") == 0) {
      app->busy = 1;
      continue;
    }
    if (i + 1 == argc) usage(app);
    const char* value = argv[++i];
    const char* option = argv[i - 1];
    if (strcmp(option, "--iterations") == 0) {
      app->iterations = atoi(value);
    } else if (strcmp(option, "--compute") == 0) {
      app->compute_ns = parse_time(app, value);
    } else if (strcmp(option, "--bytes") == 0) {
      app->bytes = atoi(value);
    } else if (strcmp(option, "--imbalance") == 0) {
      app->imbalance = atof(value);
    } else if (strcmp(option, "--seed") == 0) {
      app->seed = strtoull(value, NULL, 10);
    } else if (strcmp(option, "--planes") == 0) {
      app->planes = atoi(value);
    } else {
      usage(app);
    }
  }
  if (app->iterations < 1 || app->bytes < 8 || app->imbalance < 0 || app->planes < 1) usage(app);
  prctl(PR_SET_TIMERSLACK, 1UL);  // else sleeps end up to 50 us late, so that wake-ups be merged
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &app->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &app->ranks);
}

// Any numbers → one that looks random (the finaliser of MurmurHash3).
static inline uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdULL;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}

static inline int64_t now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// Computes for 1/`parts` of the time of `iteration`: waits on the clock, or burns so much of the
// processor's time.
static inline void compute(const miniapp_t* app, int iteration, int parts) {
  const uint64_t key = (uint64_t)iteration << 32 | (uint64_t)app->rank;
  const double random = (double)(mix(app->seed ^ mix(key)) >> 11) * 0x1p-53;
  const double ns = (double)app->compute_ns * (1.0 + app->imbalance * random) / parts;
  const clockid_t clock = app->busy ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const int64_t end = now_ns(clock) + (int64_t)ns;
  if (app->busy) {
    while (now_ns(clock) < end) {
    }
    return;
  }
  const struct timespec until = {.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
}

// Ends MPI; rank 0 says how long the iterations took. Its result is the exit status.
static inline int finish(const miniapp_t* app, int64_t begin_ns, int right) {
  const double seconds = (double)(now_ns(CLOCK_MONOTONIC) - begin_ns) * 1e-9;
  MPI_Finalize();
  if (app->rank != 0) return EXIT_SUCCESS;
  printf("%s: %d ranks, %d iterations in %.6f s, result %s\n", app->name, app->ranks,
         app->iterations, seconds, right ? "right" : "WRONG");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
