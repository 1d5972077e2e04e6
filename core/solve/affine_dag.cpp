#include "core/solve/affine_dag.hpp"

#include "core/error.hpp"

namespace latitude::solve {

void throw_too_many_joins() {
  throw InputError("the graph has more than 4294967294 joins; analyse a shorter run");
}

}  // namespace latitude::solve
