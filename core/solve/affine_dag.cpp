#include "core/solve/affine_dag.hpp"

#include "core/error.hpp"

namespace latitude::solve {

Ref DagBuilder::keep(Ref a, Ref b) {
  if (dag_.nodes.size() >= kNowhere - 1) {
    throw InputError("the graph has more than 4294967294 joins; analyse a shorter run");
  }
  dag_.nodes.push_back(
      {{a.node, b.node}, {a.weight.constant, b.weight.constant}, {a.weight.slope, b.weight.slope}});
  return {size(), {}};
}

}  // namespace latitude::solve
