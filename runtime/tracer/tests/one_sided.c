// Two ranks: windows of each kind, transfers of each kind, epochs of each kind. Prints "right" if
// the data put, added and read are right.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 16 };

static int wrong;

static void expect(int value, int wanted) { wrong += value != wanted; }

static void fences(int other) {
  int mine[N] = {0}, got[N] = {0};
  int out[N];
  for (int i = 0; i < N; ++i) out[i] = i;
  MPI_Win window;
  MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, 4, MPI_INT, other, 0, 4, MPI_INT, window);
  MPI_Accumulate(out, 3, MPI_INT, other, 8, 3, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Get(got, 4, MPI_INT, other, 0, 4, MPI_INT, window);
  MPI_Win_fence(0, window);
  expect(mine[3], 3);
  expect(mine[10], 2);
  expect(got[3], 3);
  MPI_Win_free(&window);
}

static void groups(int rank) {
  int* mine;
  MPI_Win window;
  MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  mine[0] = 0;
  const int other = 1 - rank;
  MPI_Group world, peer;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &other, &peer);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const int seven = 7;
    MPI_Win_start(peer, 0, window);
    MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
  } else {
    MPI_Win_post(peer, 0, window);
    MPI_Win_wait(window);
    expect(mine[0], 7);
  }
  MPI_Group_free(&peer);
  MPI_Group_free(&world);
  MPI_Win_free(&window);
}

static void locks(int rank) {
  int* mine;
  MPI_Win window;
  MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  for (int i = 0; i < N; ++i) mine[i] = 100 * rank;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    int one = 1, old = -1, next = 5, before[2];
    int pair[2] = {2, 3};
    MPI_Request request;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_flush(1, window);
    MPI_Win_unlock(1, window);
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(&one, &old, MPI_INT, 1, 0, MPI_SUM, window);
    MPI_Win_flush_local(1, window);
    expect(old, 1);
    int two = 2;
    MPI_Compare_and_swap(&next, &two, &old, MPI_INT, 1, 0, window);
    MPI_Win_flush_all(window);
    expect(old, 2);
    MPI_Get_accumulate(pair, 2, MPI_INT, before, 2, MPI_INT, 1, 4, 2, MPI_INT, MPI_SUM, window);
    MPI_Win_flush_local_all(window);
    expect(before[1], 100);
    MPI_Rput(pair, 2, MPI_INT, 1, 6, 2, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush(1, window);
    MPI_Rget(before, 2, MPI_INT, 1, 6, 2, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(before[1], 3);
    MPI_Raccumulate(pair, 2, MPI_INT, 1, 8, 2, MPI_INT, MPI_SUM, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_sync(window);
    MPI_Win_unlock_all(window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    expect(mine[0], 5);
    expect(mine[9], 103);
    MPI_Win_unlock(1, window);
  }
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fences(1 - rank);
  groups(rank);
  locks(rank);
  int sum;
  MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(sum == 0 ? "right" : "wrong");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
