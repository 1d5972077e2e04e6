// Two ranks: MPI-IO of each kind on the given file. Prints "right" if the data read are those
// written.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 8 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int out[N], in[N];
  for (int i = 0; i < N; ++i) out[i] = 10 * rank + i;
  const MPI_Offset place = (MPI_Offset)(rank * sizeof out);

  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  MPI_File_write_at_all(file, place, out, N, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, (MPI_Offset)((1 - rank) * sizeof out), in, N, MPI_INT, MPI_STATUS_IGNORE);
  wrong += in[3] != 10 * (1 - rank) + 3;

  MPI_Request request;
  MPI_File_iread_at(file, place, in, N, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong += in[5] != 10 * rank + 5;
  MPI_File_iwrite_at(file, place, out, N, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_File_set_view(file, place, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, out, N, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, in, N, MPI_INT, MPI_STATUS_IGNORE);
  wrong += in[7] != 10 * rank + 7;
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_write(file, out, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read(file, in, 2, MPI_INT, MPI_STATUS_IGNORE);
  wrong += in[1] != 10 * rank + 3;
  MPI_File_write_at_all_begin(file, 0, out, N, MPI_INT);
  MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
  MPI_File_close(&file);

  int sum;
  MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(sum == 0 ? "right" : "wrong");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
