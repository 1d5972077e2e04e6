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

using Numbers = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>>;

Table hops(const NamedTopology& self, const Numbers& nodes) {
  auto* held = new std::vector<std::uint16_t>();
  const nb::capsule owner(
      held, [](void* p) noexcept { delete static_cast<std::vector<std::uint16_t>*>(p); });
  {
    const nb::gil_scoped_release release;
    *held = self.topology->hops_between({nodes.data(), nodes.size()});
  }
  return Table(held->data(), {nodes.size(), nodes.size()}, owner);
}

std::tuple<Array<std::uint32_t>, Array<std::uint32_t>> links(const NamedTopology& self) {
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
  nb::class_<NamedTopology>(module, "Topology")
      .def(
          "__init__",
          [](NamedTopology* self, const std::string& spec) {
            new (self) NamedTopology{spec, model::topology_of(spec)};
          },
          "spec"_a)
      .def_ro("spec", &NamedTopology::spec)
      .def_prop_ro("nodes", [](const NamedTopology& self) { return self.topology->nodes(); })
      .def("describe", [](const NamedTopology& self) { return self.topology->describe(); })
      .def("hops", &hops, "nodes"_a)
      .def("links", &links);
  nb::class_<model::TopologyKind>(module, "TopologyKind")
      .def_ro("name", &model::TopologyKind::name)
      .def_ro("example", &model::TopologyKind::example)
      .def_ro("what", &model::TopologyKind::what)
      .def_ro("nodes", &model::TopologyKind::nodes)
      .def_ro("hops", &model::TopologyKind::hops);
  module.def("topology_kinds", [] {
    const auto kinds = model::topology_kinds();
    return std::vector<model::TopologyKind>(kinds.begin(), kinds.end());
  });
}

}  // namespace latitude::bindings
