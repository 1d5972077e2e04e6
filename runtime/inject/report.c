#define _GNU_SOURCE
#include "report.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert(offsetof(struct lat_report, asked) == 4096, "as drawn in report.h");

static struct lat_report nowhere;
static pthread_mutex_t words = PTHREAD_MUTEX_INITIALIZER;

struct lat_report* lat_report = &nowhere;

/// A forked child counts for itself: the file is its parent's.
static void in_child(void) { lat_report = &nowhere; }

static void at_exit(void) { lat_report->ended = 1; }

static struct lat_report* mapped(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return NULL;
  void* memory = MAP_FAILED;
  // Without room for it, writing to the mapping later would end the process.
  if (posix_fallocate(file, 0, sizeof(struct lat_report)) == 0) {
    memory = mmap(NULL, sizeof(struct lat_report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

void lat_report_open(const char* directory, long rank) {
  char path[PATH_MAX];
  char host[sizeof nowhere.host] = "";
  gethostname(host, sizeof host - 1);
  if (rank >= 0) {
    snprintf(path, sizeof path, "%s/rank-%07ld.inj", directory, rank);
  } else {
    snprintf(path, sizeof path, "%s/process-%s-%ld.inj", directory, host, (long)getpid());
  }
  struct lat_report* report = mapped(path);
  if (!report) {
    fprintf(stderr, "latitude: %s cannot be written: what is injected is not reported\n", path);
    report = &nowhere;
  }
  report->rank = rank;
  report->process = (uint64_t)getpid();
  report->sketch_bytes = sizeof report->asked;
  memcpy(report->host, host, sizeof host);
  memcpy(report->magic, "LATINJ1", sizeof report->magic);
  lat_report = report;
  pthread_atfork(NULL, NULL, in_child);
  atexit(at_exit);
}

void lat_report_transport(const char* name, int delayed) {
  char word[64];
  const int length = snprintf(word, sizeof word, "%c%s ", delayed ? '+' : '-', name);
  pthread_mutex_lock(&words);
  char* known = lat_report->transports;
  const size_t used = strlen(known);
  if (!strstr(known, word) && used + (size_t)length < sizeof lat_report->transports) {
    memcpy(known + used, word, (size_t)length);
  }
  pthread_mutex_unlock(&words);
}
