// Two ranks: every way to complete a request.
#include <mpi.h>
#include <stdlib.h>

static void need(int condition, int code) {
  if (!condition) MPI_Abort(MPI_COMM_WORLD, code);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  const MPI_Comm world = MPI_COMM_WORLD;
  enum { N = 100 };
  int data[N][16];
  MPI_Request requests[N];
  MPI_Status statuses[N];
  int indices[N];
  int index, flag, count;

  // Small sends share one handle, which is complete from the start.
  for (int i = 0; i < N / 2; ++i) {
    MPI_Irecv(data[i], 16, MPI_INT, MPI_ANY_SOURCE, i, world, &requests[i]);
  }
  for (int i = 0; i < N / 2; ++i) {
    MPI_Isend(data[N / 2 + i], 4, MPI_INT, other, i, world, &requests[N / 2 + i]);
  }
  MPI_Waitall(N, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < N; ++i) need(requests[i] == MPI_REQUEST_NULL, 1);
  MPI_Waitall(N, requests, statuses);  // nothing

  // One after the other, whichever has arrived.
  for (int i = 0; i < 4; ++i) MPI_Irecv(data[i], 16, MPI_INT, other, i, world, &requests[i]);
  for (int i = 0; i < 4; ++i) MPI_Send(data[9], 4 + i, MPI_INT, other, i, world);
  for (int i = 0; i < 4; ++i) {
    MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    need(index >= 0 && index < 4, 2);
  }
  MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
  need(index == MPI_UNDEFINED, 3);

  for (int i = 0; i < 4; ++i) MPI_Irecv(data[i], 16, MPI_INT, other, i, world, &requests[i]);
  for (int i = 0; i < 4; ++i) MPI_Send(data[9], 4, MPI_INT, other, i, world);
  for (int left = 4; left > 0; left -= count) {
    MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
  }
  MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
  need(count == MPI_UNDEFINED, 4);

  // The same order by polling.
  for (int i = 0; i < 4; ++i) MPI_Irecv(data[i], 16, MPI_INT, other, i, world, &requests[i]);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(world);
  for (int i = 0; i < 4; ++i) MPI_Send(data[9], 4, MPI_INT, other, i, world);
  for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
  for (count = 0; count == 0;) {
    MPI_Testsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
  }
  for (flag = 0; !flag;) MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Test(&requests[0], &flag, &statuses[0]);
  need(flag, 5);
  MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
  need(flag && index == MPI_UNDEFINED, 6);

  // Persistent: requests stay, and are inactive in between.
  MPI_Recv_init(data[0], 16, MPI_INT, MPI_ANY_SOURCE, 5, world, &requests[0]);
  MPI_Send_init(data[1], 4, MPI_INT, other, 5, world, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);  // nothing
  }
  MPI_Startall(2, requests);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);

  MPI_Barrier(world);
  MPI_Irecv(data[0], 16, MPI_INT, other, 99, world, &requests[0]);  // never sent
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Isend(data[0], 1, MPI_INT, other, 100, world, &requests[0]);
  MPI_Recv(data[1], 1, MPI_INT, other, 100, world, MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
