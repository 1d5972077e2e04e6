#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "core/bindings/register.hpp"
#include "core/solve/placement.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;
using solve::PlacementDag;

using Placements = Given<std::uint32_t, 2>;
using Placement = Given<std::uint32_t>;

Array<double> runtimes(const PlacementDag& self, const Placements& placements, unsigned threads) {
  std::vector<double> result;
  {
    const nb::gil_scoped_release release;
    result = self.runtimes({placements.data(), placements.size()}, threads);
  }
  return to_array(std::move(result));
}

std::tuple<Array<double>, Array<double>> shares(const PlacementDag& self,
                                                const Placement& placement, double smoothing_ns) {
  std::vector<double> latencies;
  std::vector<double> bytes;
  {
    const nb::gil_scoped_release release;
    const auto found = self.shares({placement.data(), placement.size()}, smoothing_ns);
    for (const solve::PairShare& share : found) {
      latencies.push_back(share.latencies);
      bytes.push_back(share.bytes);
    }
  }
  return {to_array(std::move(latencies)), to_array(std::move(bytes))};
}

template <auto Member>
auto pair_column() {
  return [](const PlacementDag& self) {
    std::vector<std::uint32_t> values;
    for (const PlacementDag::Pair& pair : self.pairs()) values.push_back(pair.*Member);
    return to_array(std::move(values));
  };
}

}  // namespace

void register_placement(nb::module_& module, ModelClass& model) {
  nb::class_<PlacementDag>(
      module, "PlacementDag",
      "T on any placement: the graph compiled once, messages priced by the nodes of their ranks.")
      .def_prop_ro("ranks", &PlacementDag::ranks)
      .def_prop_ro("nodes", &PlacementDag::nodes, "joins in the DAG")
      .def_prop_ro("pair_source", pair_column<&PlacementDag::Pair::source>(), kOwned,
                   "(pairs,) ordered pairs of ranks that exchange messages")
      .def_prop_ro("pair_destination", pair_column<&PlacementDag::Pair::destination>(), kOwned)
      .def("runtimes", &runtimes, "placements"_a, "threads"_a = 0,
           "T (ns) of each row of `placements` (count, ranks): the node of every rank.")
      .def("shares", &shares, "placement"_a, "smoothing_ns"_a = 0.0,
           "By pair: latencies (λ_ij) and bytes (λ_G,ij) on the critical path; smoothing counts a "
           "path that is d ns shorter with the weight exp(-d / smoothing).");
  model.def(
      "placements", [](const Model& self) { return PlacementDag(self.graph, self.network); },
      nb::call_guard<nb::gil_scoped_release>(),
      "With the network's parameters, link classes and class_of; its placement is not used.");
}

}  // namespace latitude::bindings
