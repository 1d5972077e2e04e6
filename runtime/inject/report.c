#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "settings.h"

_Static_assert(offsetof(struct lat_report, asked) == 4096, "as drawn in report.h");

static struct lat_report nowhere;
static pthread_mutex_t words = PTHREAD_MUTEX_INITIALIZER;

/// Libraries that move messages, by the beginnings of their file names; Open MPI loads only those
/// in use.
static const char* const movers[] = {"libuct",   "libfabric", "libpsm2",  "mca_pml_",
                                     "mca_mtl_", "mca_btl_",  "libmlx5-", "libmpi"};

struct lat_report* lat_report = &nowhere;

/// A forked child counts for itself: the file belongs to its parent.
static void in_child(void) { lat_report = &nowhere; }

static void at_exit(void) { lat_report->ended = 1; }

/// Maps a new file; NULL, and the reason in `error`, if the file already exists or cannot be made.
static struct lat_report* mapped(const char* path, int* error) {
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  *error = errno;
  if (file < 0) return NULL;
  void* memory = MAP_FAILED;
  // Without room for it on the disk, a later write to the mapping would end the process.
  *error = posix_fallocate(file, 0, sizeof(struct lat_report));
  if (*error == 0) {
    memory = mmap(NULL, sizeof(struct lat_report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) *error = errno;
  }
  close(file);
  if (memory != MAP_FAILED) return memory;
  unlink(path);
  return NULL;
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
  int error;
  struct lat_report* report = mapped(path, &error);
  if (!report && error == EEXIST && rank >= 0) {
    // The file of this rank exists, because the process was started by this rank, or belongs to the
    // next run of a script.
    snprintf(path, sizeof path, "%s/rank-%07ld-%ld.inj", directory, rank, (long)getpid());
    report = mapped(path, &error);
  }
  if (!report) {
    if (lat_speaks()) {
      fprintf(stderr, "latitude: warning: %s: %s: what is injected is not reported\n", path,
              strerror(error));
    }
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

static int note_library(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* base = slash ? slash + 1 : info->dlpi_name;
  for (size_t i = 0; i < sizeof movers / sizeof *movers; ++i) {
    if (strncmp(base, movers[i], strlen(movers[i])) != 0) continue;
    char* known = lat_report->libraries;
    const size_t used = strlen(known);
    snprintf(known + used, sizeof lat_report->libraries - used, "%s ", base);
    break;
  }
  return 0;
}

void lat_report_libraries(void) { dl_iterate_phdr(note_library, NULL); }
