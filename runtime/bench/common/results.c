#define _GNU_SOURCE
#include "results.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "job.h"

enum { LONGEST_PATH = 4096, LONGEST_HEAD = 1024, GATHERED = 0x6c61, MOST_COLLECTED = 1 << 24 };

/// The next data to write, in memory: no open descriptor that another part of the process might
/// close, and whose number it might reuse for another file.
static FILE* out;
static char* text;
static size_t text_size;
static bool begun;
static char path[LONGEST_PATH], temporary[LONGEST_PATH + 8];

static void checked(bool good) {
  if (!good) bench_fail("%s: cannot be written: %s", temporary, strerror(errno));
}

static void collect(void) {
  out = open_memstream(&text, &text_size);
  checked(out != NULL);
}

/// Appends the collected data to the file.
static void put(void) {
  checked(fclose(out) == 0);
  FILE* file = fopen(temporary, begun ? "ae" : "we");
  checked(file != NULL);
  begun = true;
  checked(fwrite(text, 1, text_size, file) == text_size);
  checked(fclose(file) == 0);
  free(text);
}

void bench_results_open(const char* directory, const char* program) {
  int rank;
  MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (rank != 0) return;
  snprintf(path, sizeof path, "%s/%s.bench", directory, program);
  snprintf(temporary, sizeof temporary, "%s.part", path);
  collect();
  fprintf(out, "latitude-bench 1 %s\n", program);
  bench_results_flush();
}

void bench_results_text(const char* name, const char* format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(out, "text %s ", name);
  vfprintf(out, format, values);
  fputc('\n', out);
  va_end(values);
}

static void series(const double* values, size_t count, const char* head) {
  fprintf(out, "series %zu %s\n", count, head);
  checked(fwrite(values, sizeof *values, count, out) == count);
  fputc('\n', out);
  if (ftello(out) > MOST_COLLECTED) bench_results_flush();
}

void bench_results_series(const double* values, size_t count, const char* format, ...) {
  char head[LONGEST_HEAD];
  va_list words;
  va_start(words, format);
  vsnprintf(head, sizeof head, format, words);
  va_end(words);
  series(values, count, head);
}

void bench_results_gather(MPI_Comm comm, const double* values, int count, const char* format, ...) {
  char head[LONGEST_HEAD];
  va_list words;
  va_start(words, format);
  vsnprintf(head, sizeof head, format, words);
  va_end(words);
  int rank, ranks;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &ranks));
  if (rank != 0) {
    MUST(MPI_Send(values, count, MPI_DOUBLE, 0, GATHERED, comm));
    return;
  }
  for (int from = 0; from < ranks; ++from) {
    double* theirs = NULL;
    int theirs_count = count;
    if (from != 0) {
      MPI_Status status;
      MUST(MPI_Probe(from, GATHERED, comm, &status));
      MUST(MPI_Get_count(&status, MPI_DOUBLE, &theirs_count));
      theirs = bench_allocate((size_t)theirs_count, sizeof *theirs);
      MUST(MPI_Recv(theirs, theirs_count, MPI_DOUBLE, from, GATHERED, comm, MPI_STATUS_IGNORE));
    }
    char ranked[LONGEST_HEAD + 32];
    snprintf(ranked, sizeof ranked, "%s rank=%d", head, from);
    series(theirs ? theirs : values, (size_t)theirs_count, ranked);
    free(theirs);
  }
}

void bench_results_flush(void) {
  if (!out) return;
  put();
  collect();
}

void bench_results_close(void) {
  if (!out) return;
  fputs("end\n", out);
  put();
  checked(rename(temporary, path) == 0);
  out = NULL;
}

void bench_results_job(const struct job* job, int core) {
  enum { LONGEST_HOST = MPI_MAX_PROCESSOR_NAME };
  char host[LONGEST_HOST] = "";
  int letters;
  MUST(MPI_Get_processor_name(host, &letters));
  char* hosts = bench_allocate((size_t)job->ranks, sizeof host);
  int* cores = bench_allocate((size_t)job->ranks, sizeof core);
  MUST(MPI_Gather(host, LONGEST_HOST, MPI_CHAR, hosts, LONGEST_HOST, MPI_CHAR, 0, MPI_COMM_WORLD));
  MUST(MPI_Gather(&core, 1, MPI_INT, cores, 1, MPI_INT, 0, MPI_COMM_WORLD));
  if (out) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MUST(MPI_Get_library_version(version, &length));
    version[strcspn(version, "\n")] = '\0';
    bench_results_text("mpi", "%s", version);
    bench_results_text("clock_cost_ns", "%.3f", bench_clock_cost_ns());
    bench_results_text("ranks", "%d", job->ranks);
    for (int rank = 0; rank < job->ranks; ++rank) {
      bench_results_text("rank", "%d node=%d core=%d host=%s", rank, job->node[rank], cores[rank],
                         hosts + (size_t)rank * LONGEST_HOST);
    }
  }
  free(hosts);
  free(cores);
}
