// Four ranks: every communicator constructor, each used for one message or collective.
#include <mpi.h>
#include <stdlib.h>

static int rank;

static void use(MPI_Comm comm) {
  int x = 1;
  int sum;
  MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm a, b;
  for (int i = 0; i < 3; ++i) {  // handles are reused
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    use(a);
  }
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &a);
  use(a);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 3 ? MPI_UNDEFINED : rank % 2, -rank, &a);
  if (rank == 3) {
    if (a != MPI_COMM_NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  } else {
    use(a);
  }
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &a);
  use(a);

  MPI_Group world, some;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int members[3] = {3, 0, 1};  // neither sorted nor strided
  MPI_Group_incl(world, 3, members, &some);
  MPI_Comm_create(MPI_COMM_WORLD, some, &a);
  if (rank != 2) use(a);
  if (rank != 2) {
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 7, &a);
    MPI_Comm_split(a, 0, -rank, &b);  // from a derived communicator
    use(b);
    use(a);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&world);

  const int sizes[2] = {2, 2};
  const int open[2] = {0, 0};
  const int keep[2] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, open, 0, &a);
  MPI_Cart_sub(a, keep, &b);
  int below, above, got = -1;
  MPI_Cart_shift(b, 0, 1, &below, &above);
  MPI_Sendrecv(&rank, 1, MPI_INT, above, 0, &got, 1, MPI_INT, below, 0, b, MPI_STATUS_IGNORE);
  use(b);
  use(a);

  const int here[1] = {rank};
  const int degree[1] = {1};
  const int next[1] = {(rank + 1) % 4};
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, here, degree, next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &a);
  use(a);

  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &a);
  MPI_Intercomm_create(a, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &b);
  MPI_Comm merged;
  MPI_Intercomm_merge(b, rank < 2, &merged);
  use(merged);
  use(b);
  use(a);

  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &a, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use(a);
  use((MPI_Comm_dup(MPI_COMM_SELF, &a), a));
  MPI_Finalize();
  return EXIT_SUCCESS;
}
