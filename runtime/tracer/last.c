#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer.h"

// The current call of a rank, in a mapped file: its content survives any end of the process. The
// file is removed when the trace has its own end.

enum { PAGE = 4096, FATAL = 5 };
static const int fatal[FATAL] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static struct lat_last nowhere;  // memory, if no file can be made
struct lat_last* lat_last = &nowhere;
static char path[4096];
static struct sigaction before[FATAL];

/// Stores the signal, and then lets it take its usual effect.
static void fell(int number, siginfo_t* info, void* context) {
  (void)context;
  const uint8_t* at = info->si_addr;
  const uint8_t* page = (const uint8_t*)lat_last;
  if (number == SIGBUS && lat_last != &nowhere && at >= page && at < page + PAGE) {
    // The disk is full, or the file is gone: the page becomes private memory.
    mmap((void*)(uintptr_t)page, PAGE, PROT_READ | PROT_WRITE,
         MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return;
  }
  lat_last->signal = (uint32_t)number;
  for (int i = 0; i < FATAL; ++i) {
    if (fatal[i] == number) sigaction(number, &before[i], NULL);
  }
  if (info->si_code <= 0) raise(number);  // otherwise the instruction is tried again
}

void lat_last_open(const char* directory, int rank) {
  char* whole = realpath(directory, NULL);
  snprintf(path, sizeof path, "%s/rank-%07d.last", whole ? whole : directory, rank);
  free(whole);
  uint8_t page[PAGE] = {0};
  memcpy(page, "LATLAST1", 8);
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  // Written first: the process must not find out by an access that a page has no room on the disk.
  if (file >= 0 && write(file, page, PAGE) == PAGE) {
    void* mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) lat_last = mapped;
  }
  if (file >= 0) close(file);
  if (lat_last == &nowhere) {
    unlink(path);
    return;
  }
  struct sigaction own = {.sa_sigaction = fell, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&own.sa_mask);
  for (int i = 0; i < FATAL; ++i) sigaction(fatal[i], &own, &before[i]);
}

void lat_last_close(void) {
  if (lat_last != &nowhere) unlink(path);
}

void lat_last_forget(void) { lat_last = &nowhere; }
