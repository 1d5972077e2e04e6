#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>
#include <vector>

#include "core/bindings/register.hpp"
#include "core/solve/planes.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;

using Rows = Given<double, 2>;

std::tuple<double, Array<double>> plane_at(solve::Planes& self, const model::Network& network,
                                           const Rows& rows) {
  const std::size_t classes = network.classes.size();
  if (rows.shape(1) != 4 * classes + 1) {
    throw InputError("a parameter needs four numbers per link class, and one more");
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
    found = self.at(network, parameters);
  }
  return {found.T_ns, to_array(std::move(found.slope))};
}

}  // namespace

void register_planes(nb::module_& module, ModelClass& model) {
  nb::class_<solve::Planes>(module, "Planes",
                            "T of one program and its slopes, on networks that differ in prices.")
      .def("at", &plane_at, "network"_a, "parameters"_a,
           "T (ns) on a network, and its slope along each parameter.\n\nnetwork: one that differs "
           "from the model's only in prices and in the factor on computation.\nparameters: "
           "(parameters, 4 · classes + 1) the amount that one more unit adds to a latency of each "
           "link class, to a byte, to an overhead and to g of each, and to the factor on "
           "computation.");
  model.def(
      "planes",
      [](const Model& self) {
        const nb::gil_scoped_release release;
        return solve::Planes(self.graph, self.network);
      },
      nb::keep_alive<0, 1>(),
      "Records the steps of the cost model once, to find T at many prices. InputError as in "
      "`runtime`.");
}

}  // namespace latitude::bindings
