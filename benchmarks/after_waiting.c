// How much longer does it take to compute with data that lay in the caches, after a wait?
//
//   cc -O2 -o after_waiting benchmarks/after_waiting.c && taskset -c 0 ./after_waiting
//
// A processor that waits for a message polls: it keeps its clock, but not the caches that it shares
// with others, who go on using them. For data of several sizes this reads and writes all of it a
// few times, with waits of several lengths in between, in turn, and prints medians. No MPI, no
// injector: what grows here is the machine's.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRounds = 101, kWaits = 6, kSizes = 4, kTouched = 8 };

static const double kWait[kWaits] = {0, 100e3, 500e3, 1e6, 2e6, 4e6};  // ns
static const size_t kBytes[kSizes] = {64 << 10, 512 << 10, 2 << 20, 8 << 20};

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double computed_ns(double* data, size_t count, int passes) {
  const double begin = now_ns();
  double sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (size_t i = 0; i < count; i += kTouched) {  // once a cache line
      sum += data[i] * data[i + 1] + data[i + 2];
      data[i] = sum * 1e-9;
    }
  }
  return now_ns() - begin;
}

int main(void) {
  static double took[kWaits][kRounds];
  printf("%-8s", "data");
  for (int w = 0; w < kWaits; ++w) printf("  after %4.1f ms", kWait[w] / 1e6);
  printf("\n");
  for (int s = 0; s < kSizes; ++s) {
    const size_t count = kBytes[s] / sizeof(double);
    double* data = calloc(count, sizeof(double));
    if (data == NULL) return 1;
    const int passes = (int)(2 * kBytes[kSizes - 1] / kBytes[s]);
    for (int round = 0; round < kRounds; ++round) {
      for (int w = 0; w < kWaits; ++w) {
        for (const double end = now_ns() + kWait[w]; now_ns() < end;) continue;
        took[w][round] = computed_ns(data, count, passes);
      }
    }
    printf("%5zu KiB", kBytes[s] >> 10);
    for (int w = 0; w < kWaits; ++w) {
      qsort(took[w], kRounds, sizeof(double), by_size);
      printf("   %8.1f us", took[w][kRounds / 2] / 1e3);
    }
    printf("\n");
    free(data);
  }
  return 0;
}
