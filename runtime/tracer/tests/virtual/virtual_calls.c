// A program of one rank under the tracer, in virtual time.
//
//     virtual_calls CLOCK_NS OWN_NS WRITE_NS ACTION…
//
// A clock reading takes CLOCK_NS, some of the tracer's own calls OWN_NS, and a write to a file
// WRITE_NS.
//
//     pass:NS sleep:NS                          computes, sleeps
//     keep:NS steal:NS                          waits for its processor, loses it to a hypervisor
//     blind:0                                   the kernel counts no waits for a processor
//     send:NS recv:NS isend:NS wait:NS dup:NS   a call of MPI that takes this time
//     test:NS:FOUND                             a test that finds a message, or does not
//     seize:COUNT                               closes all descriptors, opens COUNT own files
//                                               (SEIZED-0 …), which take their numbers
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../../../clock/clock.h"
#include "../../../clock/tests/virtual_clock.h"

extern uint64_t virtual_call_ns, virtual_own_ns;
extern int virtual_found;

static uint64_t write_ns;
static char** actions;
static int action_count;

/// Replaces the C library's function for the tracer.
ssize_t write(int file, const void* data, size_t size) {
  if (file > STDERR_FILENO) virtual_pass(write_ns);
  return syscall(SYS_write, file, data, size);
}

static void seize(unsigned long long count) {
  for (int i = STDERR_FILENO + 1; i < (int)sysconf(_SC_OPEN_MAX); ++i) close(i);
  for (unsigned long long i = 0; i < count; ++i) {
    char name[4096];
    snprintf(name, sizeof name, "%s-%llu", getenv("SEIZED"), i);
    const int own = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (own < 0 || syscall(SYS_write, own, "mine", 4) != 4) exit(3);
  }
}

static void act(const char* action) {
  static MPI_Request request;
  char what[16] = "", byte = 0;
  unsigned long long ns = 0;
  int found = 0, flag;
  MPI_Comm made;
  sscanf(action, "%15[^:]:%llu:%d", what, &ns, &found);
  virtual_call_ns = ns;
  virtual_found = found;
  if (strcmp(what, "pass") == 0) virtual_pass(ns);
  if (strcmp(what, "sleep") == 0) lat_sleep(ns);
  if (strcmp(what, "keep") == 0) virtual_keep(ns);
  if (strcmp(what, "steal") == 0) virtual_steal(ns);
  if (strcmp(what, "blind") == 0) virtual_counts_waiting = false;
  if (strcmp(what, "send") == 0) MPI_Send(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  if (strcmp(what, "recv") == 0) {
    MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(what, "isend") == 0) {
    MPI_Isend(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
  }
  if (strcmp(what, "wait") == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (strcmp(what, "test") == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  if (strcmp(what, "seize") == 0) seize(ns);
  if (strcmp(what, "dup") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &made);
}

static void body(int rank) {
  (void)rank;
  MPI_Init(NULL, NULL);
  for (int i = 0; i < action_count; ++i) act(actions[i]);
  virtual_call_ns = 0;
  MPI_Finalize();
}

int main(int count, char** words) {
  if (count < 4) return 2;
  virtual_look_ns = strtoull(words[1], NULL, 10);
  virtual_own_ns = strtoull(words[2], NULL, 10);
  write_ns = strtoull(words[3], NULL, 10);
  actions = words + 4;
  action_count = count - 4;
  virtual_place(0, "alone", 0, 0);
  virtual_run(1, body);
  return 0;
}
