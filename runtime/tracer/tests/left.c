// left: each rank leaves MPI calls by longjmp from an error handler, which calls MPI itself: from
// the function that continues, and from far below it. A ring of messages follows each time.
#include <mpi.h>
#include <setjmp.h>
#include <string.h>

static int rank, size;
static jmp_buf back;

static void leave(MPI_Comm* comm, int* code, ...) {
  int class = 0;
  (void)comm;
  MPI_Error_class(*code, &class);
  longjmp(back, 1);
}

static void fail(void) {
  int x = 0;
  MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
}

static void fail_below(void) {
  volatile char room[5000];
  room[0] = room[4999] = 1;
  fail();
  room[1] = room[0];
}

/// Sends a ring of messages, and leaves most of its room unwritten, which still holds the frames
/// that were left.
static void ring(void) {
  volatile char room[9000];
  int x = 0;
  room[0] = room[8999] = 1;
  for (int i = 0; i < 10; ++i) {
    MPI_Sendrecv_replace(&x, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  room[1] = room[0];
}

int main(int argc, char** argv) {
  MPI_Errhandler handler;
  int x = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (!setjmp(back)) MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  ring();
  if (!setjmp(back)) fail();
  ring();
  if (!setjmp(back)) fail_below();
  MPI_Barrier(MPI_COMM_WORLD);
  if (!setjmp(back)) fail_below();
  ring();
  if (!setjmp(back)) fail();
  MPI_Finalize();
  return 0;
}
