// Preloaded into one rank: its CLOCK_MONOTONIC is AHEAD_NS ahead and gains 200 us a second.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

#ifndef AHEAD_NS
#define AHEAD_NS 5000000
#endif

typedef int (*clock_fn)(clockid_t, struct timespec*);

int clock_gettime(clockid_t clock, struct timespec* now) {
  static clock_fn original;
  static long long first;
  if (!original) original = (clock_fn)dlsym(RTLD_NEXT, "clock_gettime");
  const int result = original(clock, now);
  if (clock != CLOCK_MONOTONIC) return result;
  long long ns = now->tv_sec * 1000000000LL + now->tv_nsec;
  if (!first) first = ns;
  ns += AHEAD_NS + (ns - first) / 5000;
  now->tv_sec = ns / 1000000000;
  now->tv_nsec = ns % 1000000000;
  return result;
}
