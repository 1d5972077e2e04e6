#include "spin.h"
#include "tracer.h"

// The application's own reduction operations; a list because they are few.
static MPI_Op* operations;
static size_t count, capacity;
static lat_spin lock = ATOMIC_FLAG_INIT;

static size_t position(MPI_Op operation) {
  size_t i = 0;
  while (i < count && operations[i] != operation) ++i;
  return i;
}

void lat_operation_made(MPI_Op operation) {
  lat_lock(&lock);
  if (count == capacity) {
    capacity = 2 * capacity + 8;
    operations = lat_allocate(operations, capacity * sizeof *operations);
  }
  operations[count++] = operation;
  lat_unlock(&lock);
}

void lat_operation_freed(MPI_Op operation) {
  lat_lock(&lock);
  const size_t i = position(operation);
  if (i < count) operations[i] = operations[--count];
  lat_unlock(&lock);
}

bool lat_operation_known(MPI_Op operation) {
  lat_lock(&lock);
  const bool known = position(operation) < count;
  lat_unlock(&lock);
  return known;
}
