#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>
#include <vector>

#include "core/bindings/register.hpp"
#include "core/solve/tangent.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;

using Rows = Given<double, 2>;

/// Parameters in the rows: what one more unit of each adds to a latency of each link class, to a
/// byte, to an overhead and to g of each, and to the factor on computation.
std::tuple<double, Array<double>> tangent(const Model& self, const Rows& rows) {
  const std::size_t classes = self.network.classes.size();
  if (rows.shape(1) != 4 * classes + 1) {
    throw InputError("a parameter needs four numbers a link class, and one more");
  }
  std::vector<solve::Parameter> parameters;
  for (std::size_t k = 0; k < rows.shape(0); ++k) {
    const double* const row = rows.data() + k * rows.shape(1);
    parameters.push_back({{row, row + classes},
                          {row + classes, row + 2 * classes},
                          {row + 2 * classes, row + 3 * classes},
                          {row + 3 * classes, row + 4 * classes},
                          row[4 * classes]});
  }
  solve::Plane found;
  {
    const nb::gil_scoped_release release;
    found = solve::tangent(self.graph, self.network, parameters);
  }
  return {found.T_ns, to_array(std::move(found.slope))};
}

}  // namespace

void register_tangent(ModelClass& model) {
  model.def("tangent", &tangent, "parameters"_a,
            "T (ns) on the network as it is, and its slope along each of up to eight "
            "parameters.\n\nparameters: (parameters, 4 · classes + 1) what one more unit adds to a "
            "latency of each link class, to a byte, to an overhead and to g of each, and to the "
            "factor on computation. InputError as of `runtime`.");
}

}  // namespace latitude::bindings
