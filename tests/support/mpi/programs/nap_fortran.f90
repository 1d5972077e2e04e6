! Rank r naps (r + 1) * 100 ms between MPI_Init and MPI_Finalize.
program nap
  use mpi
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function usleep(us) bind(c)
      import :: c_int
      integer(c_int), value :: us
    end function
  end interface
  integer :: rank, error
  integer(c_int) :: done
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  done = usleep(100000_c_int * (rank + 1))
  call MPI_Finalize(error)
end program
