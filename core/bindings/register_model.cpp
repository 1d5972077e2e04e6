#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "core/bindings/register.hpp"
#include "core/model/loggps.hpp"
#include "core/model/topology/kinds.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;

struct NamedTopology {
  std::string spec;
  std::unique_ptr<model::Topology> topology;
};

using Table = nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>>;

Table topology_hops(const NamedTopology& self, const Given<std::uint32_t>& nodes) {
  auto* held = new std::vector<std::uint16_t>();
  const nb::capsule owner(
      held, [](void* p) noexcept { delete static_cast<std::vector<std::uint16_t>*>(p); });
  {
    const nb::gil_scoped_release release;
    *held = self.topology->hops_between({nodes.data(), nodes.size()});
  }
  return Table(held->data(), {nodes.size(), nodes.size()}, owner);
}

std::tuple<Array<std::uint32_t>, Array<std::uint32_t>> topology_links(const NamedTopology& self) {
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  {
    const nb::gil_scoped_release release;
    for (const model::Cable& cable : self.topology->cables()) {
      a.push_back(cable.first);
      b.push_back(cable.second);
    }
  }
  return {to_array(std::move(a)), to_array(std::move(b))};
}

}  // namespace

void register_model(nb::module_& module) {
  module.attr("RENDEZVOUS") = nb::tuple(nb::cast(model::rendezvous_names()));
  module.attr("GAPS") = nb::tuple(nb::cast(model::gap_names()));
  nb::class_<NamedTopology>(
      module, "Topology",
      "Switches between nodes on minimal routes (docs/reference/networks.md). `spec` is like the "
      "example of one of topology_kinds(), or hops:FILE; anything else is an InputError.")
      .def(
          "__init__",
          [](NamedTopology* self, const std::string& spec) {
            new (self) NamedTopology{spec, model::topology_of(spec)};
          },
          "spec"_a)
      .def_ro("spec", &NamedTopology::spec)
      .def_prop_ro("nodes", [](const NamedTopology& self) { return self.topology->nodes(); })
      .def(
          "describe", [](const NamedTopology& self) { return self.topology->describe(); },
          "\"fat tree, k = 16, 3 tiers, 1024 nodes\".")
      .def("hops", &topology_hops, "nodes"_a,
           "(n, n) switches on a minimal route between each two of `nodes`; 0 for the same node.")
      .def("links", &topology_links,
           "Both ends of every cable; nodes are 0 … nodes − 1, switches follow. InputError for a "
           "hop matrix, which has no cables.");
  nb::class_<model::TopologyKind>(module, "TopologyKind", "A kind of topology, with a description.")
      .def_ro("name", &model::TopologyKind::name)
      .def_ro("example", &model::TopologyKind::example, "An example of a `spec`.")
      .def_ro("what", &model::TopologyKind::what)
      .def_ro("nodes", &model::TopologyKind::nodes, "Number of nodes, as a formula.")
      .def_ro("hops", &model::TopologyKind::hops, "Switches between two different nodes.");
  module.def("topology_kinds", [] {
    const auto kinds = model::topology_kinds();
    return std::vector<model::TopologyKind>(kinds.begin(), kinds.end());
  });
}

}  // namespace latitude::bindings
