! A ring: what the Fortran layers of an MPI make of calls, statuses, IN_PLACE and communicators.
program ring
  use mpi
  implicit none
  integer :: rank, ranks, next, ierr, x, y, sums(2), i
  integer :: requests(2)
  integer :: halves
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  next = mod(rank + 1, ranks)
  x = rank
  do i = 1, 3
    call MPI_Irecv(y, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, requests(1), ierr)  ! Irecv
    call MPI_Isend(x, 1, MPI_INTEGER, next, 5, MPI_COMM_WORLD, requests(2), ierr)  ! Isend
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)  ! Waitall
  end do
  call MPI_Barrier(MPI_COMM_WORLD, ierr)  ! Barrier
  call MPI_Send(x, 1, MPI_INTEGER, next, 6, MPI_COMM_WORLD, ierr)  ! Send
  call MPI_Recv(y, 1, MPI_INTEGER, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)  ! Recv
  sums = rank
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)  ! Allreduce
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, halves, ierr)  ! Comm_split
  call MPI_Bcast(x, 1, MPI_INTEGER, 0, halves, ierr)  ! Bcast
  call MPI_Comm_free(halves, ierr)
  print *, sums(1)
  call MPI_Finalize(ierr)
end program
