! Sends whose requests are forgotten, as in SNAP: the array of requests is reset instead.
program left_open
  use mpi
  implicit none
  integer, parameter :: rounds = 12
  integer :: rank, round, error, requests(2)
  double precision :: out(4), in(4)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  out = rank
  do round = 1, rounds
    requests = MPI_REQUEST_NULL
    call MPI_Isend(out, 4, MPI_DOUBLE_PRECISION, 1 - rank, round, MPI_COMM_WORLD, requests(1), error) ! left
    call MPI_Recv(in, 4, MPI_DOUBLE_PRECISION, 1 - rank, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program left_open
