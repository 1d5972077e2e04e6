"""Open MPI and MPICH on this host, for tests."""
