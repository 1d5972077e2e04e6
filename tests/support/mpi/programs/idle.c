// Linked to MPI, and never starts it.
#include <mpi.h>

int main(int argc, char** argv) { return argc > 1000 ? MPI_Init(&argc, &argv) : 0; }
