// Says how much of the time this machine leaves to who wants to run: one thread for each processor
// sleeps a little, several times, then looks at the clock for `MS` ms.
//
//     probe MS
//
// Prints one line for each processor: the share of the time that was lost, where two looks at the
// clock were more than 20 µs apart, and the median lateness of sleeps, ns.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { GAP = 20000, NAP = 200000, NAPS = 9 };

struct seen {
  pthread_t thread;
  int processor;
  long spin_ns, lost_ns, late_ns[NAPS];
};

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  long x = *(const long*)a, y = *(const long*)b;
  return (x > y) - (x < y);
}

static void* look(void* argument) {
  struct seen* seen = argument;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)seen->processor, &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  for (int i = 0; i < NAPS; ++i) {
    struct timespec nap = {.tv_nsec = NAP};
    long begin = now();
    nanosleep(&nap, NULL);
    seen->late_ns[i] = now() - begin - NAP;
  }
  qsort(seen->late_ns, NAPS, sizeof *seen->late_ns, ascending);
  long begin = now(), last = begin, time = begin;
  while (time - begin < seen->spin_ns) {
    time = now();
    if (time - last > GAP) seen->lost_ns += time - last;
    last = time;
  }
  seen->spin_ns = time - begin;
  return NULL;
}

int main(int count, char** words) {
  static struct seen each[CPU_SETSIZE];
  cpu_set_t allowed;
  int threads = 0;
  if (count != 2 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 2;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET((size_t)cpu, &allowed)) continue;
    struct seen* seen = &each[threads];
    seen->processor = cpu;
    seen->spin_ns = atol(words[1]) * 1000000L;
    if (pthread_create(&seen->thread, NULL, look, seen) != 0) return 1;
    ++threads;
  }
  for (int i = 0; i < threads; ++i) {
    pthread_join(each[i].thread, NULL);
    printf("%g %ld\n", (double)each[i].lost_ns / (double)each[i].spin_ns,
           each[i].late_ns[NAPS / 2]);
  }
  return 0;
}
