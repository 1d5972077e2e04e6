module solver
contains
  subroutine step(id)
    integer, intent(in) :: id
    call call(id)  ! 1
  end subroutine step
end module solver

subroutine exchange(id)
  integer, intent(in) :: id
  call call(id)  ! 2
end subroutine exchange

program heat
  use solver
  integer :: i
  call step(1)
  call exchange(2)
  call inside(3)
  i = 4
  call call(i)  ! 4
contains
  subroutine inside(id)
    integer, intent(in) :: id
    call call(id)  ! 3
  end subroutine inside
end program heat
