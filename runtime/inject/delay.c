#define _GNU_SOURCE
#include "delay.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../clock/clock.h"
#include "report.h"
#include "settings.h"

const uint64_t* lat_delay_table;
bool lat_delay_reload_asked;
_Thread_local struct lat_stream lat_stream;

// Two tables: the injector reads one while the other is in use.
static uint64_t tables[2][LAT_TABLE_SIZE];
static uint64_t seed;
static uint64_t threads;
static bool stopped;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static void off(const char* why) {
  memcpy(lat_report->off, why, strnlen(why, sizeof lat_report->off - 1));
  if (lat_speaks()) fprintf(stderr, "latitude: warning: no latency is injected: %s\n", why);
}

static void load(void) {
  char table[PATH_MAX], seeds[PATH_MAX], why[PATH_MAX + 128];
  snprintf(table, sizeof table, "%s/table.dist", lat_directory());
  snprintf(seeds, sizeof seeds, "%s/table.seed", lat_directory());
  uint64_t* idle = lat_delay_table == tables[0] ? tables[1] : tables[0];
  if (!lat_table_read(table, idle, why, sizeof why) ||
      !lat_seed_read(seeds, &seed, why, sizeof why)) {
    if (lat_delay_table) {
      fprintf(stderr, "latitude: warning: the old table stays: %s\n", why);
    } else {
      off(why);
    }
    return;
  }
  __atomic_store_n(&lat_delay_table, idle, __ATOMIC_RELEASE);
  lat_report->on = 1;
  ++lat_report->loads;
}

static void on_hangup(int signal) {
  (void)signal;
  __atomic_store_n(&lat_delay_reload_asked, true, __ATOMIC_RELAXED);
}

/// Whether SIGHUP is free: nothing uses it, or only UCX, which then logs more.
static bool hangup_is_free(void) {
  struct sigaction present;
  if (sigaction(SIGHUP, NULL, &present) != 0) return false;
  if (present.sa_handler == SIG_DFL) return true;
  Dl_info of;
  return present.sa_handler != SIG_IGN && dladdr((void*)(uintptr_t)present.sa_handler, &of) &&
         of.dli_fname && strstr(of.dli_fname, "libucs");
}

static void setup(void) {
  lat_clock_calibrate();
  lat_report_open(lat_directory(), lat_rank());
  if (lat_layer_asked() == LAT_OFF) return;
  load();
  if (hangup_is_free()) {
    const struct sigaction ours = {.sa_handler = on_hangup, .sa_flags = SA_RESTART};
    sigaction(SIGHUP, &ours, NULL);
  }
}

void lat_delay_setup(void) { pthread_once(&once, setup); }

void lat_delay_stop(void) {
  pthread_mutex_lock(&loading);
  stopped = true;
  __atomic_store_n(&lat_delay_table, NULL, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&loading);
}

void lat_delay_reload(void) {
  pthread_mutex_lock(&loading);
  if (__atomic_exchange_n(&lat_delay_reload_asked, false, __ATOMIC_RELAXED) && !stopped) load();
  pthread_mutex_unlock(&loading);
}

void lat_delay_start_stream(struct lat_stream* stream, uint64_t which) {
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  stream->state = lat_lcg_start(seed, (uint64_t)lat_rank(), host, which);
}

void lat_delay_start_thread(void) {
  lat_delay_start_stream(&lat_stream, __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED));
}
