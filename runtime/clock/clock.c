#define _GNU_SOURCE
#include "clock.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum { SECOND_NS = 1000000000, CALIBRATION_NS = 2000000, TRIES = 16 };

static uint64_t read_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

uint64_t lat_now_ns(void) { return read_ns(CLOCK_MONOTONIC); }
uint64_t lat_cpu_ns(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

uint64_t lat_waited_ns(void) {
  char text[96];
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0) close(file);
  text[size > 0 ? size : 0] = '\0';
  unsigned long long ran = 0;
  unsigned long long waited = 0;
  // A kernel without such statistics writes zeros.
  return sscanf(text, "%llu %llu", &ran, &waited) == 2 && ran > 0 ? waited : LAT_NOT_KNOWN;
}

static uint64_t us_of(struct timeval time) {
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

struct lat_usage lat_used(void) {
  struct rusage process = {0};
  struct rusage thread = {0};
  getrusage(RUSAGE_SELF, &process);
  getrusage(RUSAGE_THREAD, &thread);
  return (struct lat_usage){us_of(process.ru_utime), us_of(process.ru_stime),
                            (uint64_t)thread.ru_nvcsw, (uint64_t)thread.ru_nivcsw};
}

struct timespec lat_date(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now;
}

void lat_clock_name(char* name, size_t room) {
  char boot[64] = "";
  FILE* file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file) {
    if (!fgets(boot, sizeof boot, file)) boot[0] = '\0';
    fclose(file);
  }
  boot[strcspn(boot, "\n")] = '\0';
  if (!boot[0]) gethostname(boot, sizeof boot - 1);
  char space[64] = "";  // a container may have a time namespace of its own
  if (readlink("/proc/self/ns/time", space, sizeof space - 1) < 0) space[0] = '\0';
  snprintf(name, room, "%s %s", boot, space);
}

uint64_t lat_wait_until(uint64_t moment) {
  uint64_t now = lat_now_ns();
  while (now < moment) now = lat_now_ns();
  return now;
}

// The processor's counter.

double lat_ticks_per_ns = 1;
static bool counting;

#if defined(__x86_64__)

enum { POWER_LEAF = 0x80000007, INVARIANT = 1 << 8 };

/// Waits for the preceding instructions, so that a short wait does not begin early.
static uint64_t counter(void) {
  unsigned processor;
  return __rdtscp(&processor);
}

static bool counter_is_even(void) {
  unsigned a, b, c, d = 0;
  return __get_cpuid(POWER_LEAF, &a, &b, &c, &d) && (d & INVARIANT);
}

static void pause_briefly(void) { _mm_pause(); }

#elif defined(__aarch64__)

static uint64_t counter(void) {
  uint64_t ticks;
  __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

static bool counter_is_even(void) { return true; }  // by the architecture
static void pause_briefly(void) { __asm__ volatile("yield"); }

#else

static uint64_t counter(void) { return lat_now_ns(); }
static bool counter_is_even(void) { return false; }
static void pause_briefly(void) {}

#endif

/// Both clocks at one moment: of several readings, the one that took the least time.
static void read_both(uint64_t* ticks, uint64_t* ns) {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < TRIES; ++i) {
    const uint64_t before = counter();
    const uint64_t now = lat_now_ns();
    const uint64_t after = counter();
    if (after - before >= least) continue;
    least = after - before;
    *ticks = before + least / 2;
    *ns = now;
  }
}

void lat_clock_calibrate(void) {
  if (!counter_is_even()) return;
  uint64_t ticks0 = 0, ns0 = 0, ticks1 = 0, ns1 = 0;
  read_both(&ticks0, &ns0);
  while (lat_now_ns() - ns0 < CALIBRATION_NS) pause_briefly();
  read_both(&ticks1, &ns1);
  if (ticks1 <= ticks0) return;
  lat_ticks_per_ns = (double)(ticks1 - ticks0) / (double)(ns1 - ns0);
  counting = true;
}

uint64_t lat_ticks(void) { return __builtin_expect(counting, 1) ? counter() : lat_now_ns(); }

uint64_t lat_busy_wait(uint64_t start, uint64_t ticks) {
  uint64_t passed = lat_ticks() - start;
  while (passed < ticks) {
    pause_briefly();
    passed = lat_ticks() - start;
  }
  return passed;
}

static struct timespec after(uint64_t ns) {
  return (struct timespec){.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
}

void lat_sleep(uint64_t ns) {
  const struct timespec length = after(ns);
  nanosleep(&length, NULL);
}

void lat_yield(void) { sched_yield(); }

int lat_timer_open(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

void lat_timer_set(int timer, uint64_t moment) {
  const struct itimerspec at = {.it_value = after(moment)};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

int lat_poll(struct pollfd* descriptors, unsigned count, uint64_t most_ns) {
  const struct timespec most = after(most_ns);
  return ppoll(descriptors, count, most_ns == LAT_FOR_EVER ? NULL : &most, NULL);
}
