// Conjugate gradients: each iteration exchanges the edges of a vector with both neighbours of a
// ring and agrees on two sums with MPI_Allreduce of 8 bytes. Solves A x = b again and again, 20
// iterations each, A = tridiag(-1, 4, -1) on a ring, and compares x with the solution b was made
// of.
//
//   mpicc -O2 -o cg cg.c -lm && mpirun -n 8 ./cg --iterations 100 --compute 5ms --bytes 4096
#include <math.h>

#include "miniapp.h"

enum { OWN = 16, SOLVE = 20 };  // unknowns a rank; iterations a solution takes

typedef struct {
  miniapp_t app;
  int left, right;
  size_t bytes;
  double *out[2], *in[2];
} ring_t;

static double solution_at(int solve, int index) {
  return (double)(mix((uint64_t)solve << 32 | (uint64_t)index) >> 11) * 0x1p-53 - 0.5;
}

// An entry of b of solve number `solve`; `all` unknowns.
static double right_hand_side(int solve, int index, int all) {
  return 4 * solution_at(solve, index) - solution_at(solve, (index + all - 1) % all) -
         solution_at(solve, (index + 1) % all);
}

// y = A x, x's edges from the neighbours.
static void multiply(const ring_t* ring, const double* x, double* y) {
  MPI_Request requests[4];
  MPI_Status statuses[4];
  const int bytes = (int)ring->bytes;
  ring->out[0][0] = x[0];
  ring->out[1][0] = x[OWN - 1];
  MPI_Irecv(ring->in[0], bytes, MPI_BYTE, ring->left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(ring->in[1], bytes, MPI_BYTE, ring->right, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(ring->out[0], bytes, MPI_BYTE, ring->left, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(ring->out[1], bytes, MPI_BYTE, ring->right, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, statuses);
  for (int i = 0; i < OWN; ++i) {
    y[i] =
        4 * x[i] - (i > 0 ? x[i - 1] : ring->in[0][0]) - (i < OWN - 1 ? x[i + 1] : ring->in[1][0]);
  }
}

// What the error of x, in its largest entry, is at most after so many iterations: A's eigenvalues
// lie between 2 and 6, so conjugate gradients shrink it by (sqrt 3 - 1) / (sqrt 3 + 1) each time.
static double bound(int all, int iterations) {
  return sqrt(3.0 * all) * pow((sqrt(3) - 1) / (sqrt(3) + 1), iterations) + 1e-12;
}

static double dot(const double* a, const double* b) {
  double mine = 0, sum;
  for (int i = 0; i < OWN; ++i) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  ring_t ring = {
      .app = {.name = "cg", .iterations = 100, .compute_ns = 5000000, .bytes = 4096, .planes = 1}};
  miniapp_t* app = &ring.app;
  start(app, argc, argv);
  ring.left = (app->rank + app->ranks - 1) % app->ranks;
  ring.right = (app->rank + 1) % app->ranks;
  ring.bytes = (size_t)app->bytes;
  for (int side = 0; side < 2; ++side) {
    ring.out[side] = calloc(1, ring.bytes);
    ring.in[side] = calloc(1, ring.bytes);
  }

  const int all = app->ranks * OWN, first = app->rank * OWN;
  double x[OWN], r[OWN], p[OWN], q[OWN], rho = 0;
  int right = 1;
  const int64_t begin_ns = now_ns(CLOCK_MONOTONIC);
  for (int iteration = 0; iteration < app->iterations; ++iteration) {
    const int solve = iteration / SOLVE, done = iteration % SOLVE + 1;
    if (done == 1) {
      rho = 0;
      for (int i = 0; i < all; ++i) rho += pow(right_hand_side(solve, i, all), 2);
      for (int i = 0; i < OWN; ++i) {
        x[i] = 0;
        p[i] = r[i] = right_hand_side(solve, first + i, all);
      }
    }
    multiply(&ring, p, q);
    compute(app, iteration, 1);
    const double alpha = rho / dot(p, q);
    for (int i = 0; i < OWN; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(r, r);
    for (int i = 0; i < OWN; ++i) p[i] = r[i] + next / rho * p[i];
    rho = next;
    if (done == SOLVE || iteration + 1 == app->iterations) {
      for (int i = 0; i < OWN; ++i) {
        right &= fabs(x[i] - solution_at(solve, first + i)) <= bound(all, done);
      }
    }
  }

  int everywhere;
  MPI_Reduce(&right, &everywhere, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
  for (int side = 0; side < 2; ++side) {
    free(ring.out[side]);
    free(ring.in[side]);
  }
  return finish(app, begin_ns, app->rank != 0 || everywhere);
}
