#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "core/bindings/register.hpp"
#include "core/solve/placement.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;
using solve::PlacementDag;
using solve::Placements;

using NodesOfRanks = Given<std::uint32_t, 2>;
using NodeOfRank = Given<std::uint32_t>;

Array<double> runtimes(Placements& self, const NodesOfRanks& placements, unsigned threads) {
  std::vector<double> result;
  {
    const nb::gil_scoped_release release;
    result = self.runtimes({placements.data(), placements.size()}, threads);
  }
  return to_array(std::move(result));
}

std::tuple<Array<std::uint32_t>, Array<std::uint32_t>, Array<double>, Array<double>> shares(
    Placements& self, const NodeOfRank& placement, double smoothing_ns) {
  std::vector<std::uint32_t> source;
  std::vector<std::uint32_t> destination;
  std::vector<double> latencies;
  std::vector<double> bytes;
  {
    const nb::gil_scoped_release release;
    const auto found = self.shares({placement.data(), placement.size()}, smoothing_ns);
    for (const PlacementDag::Pair& pair : found.pairs) {
      source.push_back(pair.source);
      destination.push_back(pair.destination);
    }
    for (const solve::PairShare& share : found.of_pair) {
      latencies.push_back(share.latencies);
      bytes.push_back(share.bytes);
    }
  }
  return {to_array(std::move(source)), to_array(std::move(destination)),
          to_array(std::move(latencies)), to_array(std::move(bytes))};
}

}  // namespace

void register_placement(nb::module_& module) {
  nb::class_<Placements>(
      module, "Placements",
      "T on any placement: the graph is compiled once for each combination of the messages' "
      "protocols, and the nodes of their ranks set the prices of messages.")
      .def(nb::init<const graph::Graph&, const model::Network&>(), "graph"_a, "network"_a,
           nb::keep_alive<1, 2>(),
           "With the network's parameters, link classes and class_of; its placement is not used.")
      .def_prop_ro("ranks", &Placements::ranks)
      .def_prop_ro("one_protocol", &Placements::one_protocol,
                   "whether each message has the same protocol on all placements")
      .def("runtimes", &runtimes, "placements"_a, "threads"_a = 0,
           "T (ns) of each row of `placements` (count, ranks): the node of every rank. Infinite if "
           "operations wait in a cycle.")
      .def("shares", &shares, "placement"_a, "smoothing_ns"_a = 0.0,
           "By pair of ranks that exchange messages: source, destination, and latencies (λ_ij) and "
           "bytes (λ_G,ij) on the critical path; smoothing counts a path that is d ns shorter with "
           "the weight exp(-d / smoothing). InputError if operations wait in a cycle.");
}

}  // namespace latitude::bindings
