// The shared library of an MPI with one rank, whose calls take the virtual time that the program
// sets: virtual_calls.c. By MPICH's binary interface, in which handles are numbers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../clock/tests/virtual_clock.h"

struct status {
  int bytes, more, source, tag, error;
};

uint64_t virtual_call_ns;  // time of the program's next call
uint64_t virtual_own_ns;   // time of each of some of the tracer's own calls
int virtual_found;         // whether the next test finds a message

enum { NO_REQUEST = 0x2c000000, A_REQUEST = 0x2c000007, NO_COMM = 0x04000000, WORLD = 0x44000000 };

static int take(void) {
  virtual_pass(virtual_call_ns);
  return 0;
}

// Functions that the program calls.

int PMPI_Init(int* count, char*** words) {
  (void)count, (void)words;
  return take();
}

int PMPI_Finalize(void) { return take(); }

int PMPI_Send(const void* buffer, int count, int type, int to, int tag, int comm) {
  (void)buffer, (void)count, (void)type, (void)to, (void)tag, (void)comm;
  return take();
}

int PMPI_Recv(void* buffer, int count, int type, int from, int tag, int comm,
              struct status* status) {
  (void)buffer, (void)type, (void)comm;
  *status = (struct status){.bytes = count, .source = from, .tag = tag};
  return take();
}

int PMPI_Isend(const void* buffer, int count, int type, int to, int tag, int comm, int* request) {
  (void)buffer, (void)count, (void)type, (void)to, (void)tag, (void)comm;
  *request = A_REQUEST;
  return take();
}

int PMPI_Wait(int* request, struct status* status) {
  (void)status;
  *request = NO_REQUEST;
  return take();
}

int PMPI_Test(int* request, int* flag, struct status* status) {
  (void)status;
  *flag = virtual_found;
  if (*flag) *request = NO_REQUEST;
  return take();
}

int PMPI_Comm_dup(int comm, int* made) {
  *made = comm + 1;
  return take();
}

// Functions that the tracer itself calls.

int PMPI_Bcast(void* data, int count, int type, int root, int comm) {
  (void)data, (void)count, (void)type, (void)root, (void)comm;
  return 0;
}

int PMPI_Allreduce(const void* send, void* receive, int count, int type, int op, int comm) {
  (void)type, (void)op, (void)comm;
  memcpy(receive, send, (size_t)count * sizeof(uint64_t));
  return 0;
}

int PMPI_Comm_rank(int comm, int* rank) {
  (void)comm;
  *rank = 0;
  return 0;
}

int PMPI_Comm_size(int comm, int* size) {
  (void)comm;
  *size = 1;
  return 0;
}

int PMPI_Comm_split(int comm, int color, int key, int* part) {
  (void)comm, (void)color, (void)key;
  *part = WORLD;
  return 0;
}

int PMPI_Comm_split_type(int comm, int kind, int key, int info, int* part) {
  (void)kind, (void)key, (void)info;
  *part = comm;
  return 0;
}

int PMPI_Comm_free(int* comm) {
  *comm = NO_COMM;
  return 0;
}

int PMPI_Comm_get_parent(int* parent) {
  *parent = NO_COMM;
  return 0;
}

int PMPI_Comm_test_inter(int comm, int* inter) {
  (void)comm;
  *inter = 0;
  return 0;
}

int PMPI_Comm_group(int comm, int* group) {
  *group = comm;
  virtual_pass(virtual_own_ns);
  return 0;
}

int PMPI_Group_size(int group, int* size) {
  (void)group;
  *size = 1;
  return 0;
}

int PMPI_Group_translate_ranks(int from, int count, const int* ranks, int to, int* found) {
  (void)from, (void)to;
  memcpy(found, ranks, (size_t)count * sizeof *ranks);
  return 0;
}

int PMPI_Group_free(int* group) {
  (void)group;
  return 0;
}

int PMPI_Get_elements_x(const struct status* status, int type, int64_t* count) {
  (void)type;
  *count = status->bytes;
  return 0;
}

int PMPI_Get_library_version(char* version, int* length) {
  *length = sprintf(version, "MPI in virtual time");
  return 0;
}

int PMPI_Query_thread(int* level) {
  *level = 0;
  return 0;
}

int PMPI_Test_cancelled(const struct status* status, int* cancelled) {
  (void)status;
  *cancelled = 0;
  return 0;
}

int PMPI_Type_size_x(int type, int64_t* size) {
  *size = type >> 8 & 0xff;  // MPICH's numbers hold it
  return 0;
}

// Functions that are looked up here, but not called.
#define UNUSED(name) \
  void PMPI_##name(void) { abort(); }
UNUSED(Cart_shift)
UNUSED(Cartdim_get)
UNUSED(Comm_remote_size)
UNUSED(Dist_graph_neighbors)
UNUSED(Dist_graph_neighbors_count)
UNUSED(Graph_neighbors)
UNUSED(Graph_neighbors_count)
UNUSED(Topo_test)
