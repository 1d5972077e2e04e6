// Two ranks: every way to send and to receive one message. Rank 0 sends, rank 1 receives.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  int data[100] = {0};
  int more[100] = {0};
  MPI_Status status;
  MPI_Request request;
  MPI_Message message;
  static char attached[4096];

  MPI_Datatype pairs;  // 2 of 3 ints, 10 times: 80 bytes
  MPI_Type_vector(10, 2, 3, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);

  if (rank == 0) {
    MPI_Send(data, 3, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Ssend(data, 4, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Buffer_attach(attached, sizeof attached);
    MPI_Bsend(data, 5, MPI_INT, 1, 3, MPI_COMM_WORLD);
    void* detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
    MPI_Recv(data, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(data, 6, MPI_INT, 1, 4, MPI_COMM_WORLD);
    MPI_Send(data, 1, pairs, 1, 5, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD);
    MPI_Send(data, 7, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
    for (int tag = 8; tag < 11; ++tag) MPI_Send(data, tag, MPI_INT, 1, tag, MPI_COMM_WORLD);
    MPI_Isend(data, 11, MPI_INT, 1, 11, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(data, 3, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // as asked
    MPI_Recv(data, 100, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);          // shorter
    MPI_Recv(data, 5, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(data, 6, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
    MPI_Send(data, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(data, 1, pairs, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(data, 7, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status);
    if (status.MPI_SOURCE != MPI_PROC_NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG != 8) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Recv(data, 8, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(data, 100, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (int found = 0; !found;) {
      MPI_Improbe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    }
    MPI_Imrecv(data, 100, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int found = 0; !found;) MPI_Iprobe(0, 11, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Recv(data, 11, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Sendrecv(data, 12, MPI_INT, other, 12 + rank, more, 50, MPI_INT, MPI_ANY_SOURCE, 12 + other,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(data, 13, MPI_INT, other, 14, MPI_ANY_SOURCE, 14, MPI_COMM_WORLD, &status);
  if (status.MPI_SOURCE != other) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Type_free(&pairs);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
