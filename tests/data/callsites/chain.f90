! Each rank receives from the one before, then sends to the next.
program chain
  use mpi_f08
  implicit none
  integer :: rank, ranks, token
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  token = rank
  call pass_on()
  call MPI_Finalize()
contains
  subroutine pass_on()
    if (rank > 0) then
      call MPI_Recv(token, 1, MPI_INTEGER, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)  ! receive
    end if
    if (rank < ranks - 1) then
      call MPI_Send(token, 1, MPI_INTEGER, rank + 1, 0, MPI_COMM_WORLD)  ! send
    end if
  end subroutine pass_on
end program chain
