#include "core/model/topology/topology.hpp"

#include "core/error.hpp"
#include "core/model/topology/kinds.hpp"

namespace latitude::model {
namespace {

#define LATITUDE_ENTRY(MAKE, NAME, EXAMPLE, WHAT, NODES, HOPS) \
  TopologyKind{MAKE, NAME, EXAMPLE, WHAT, NODES, HOPS},
constexpr TopologyKind kKinds[] = {LATITUDE_TOPOLOGIES(LATITUDE_ENTRY)};
#undef LATITUDE_ENTRY
constexpr std::string_view kHopsFile = "hops";

}  // namespace

std::span<const TopologyKind> topology_kinds() { return kKinds; }

std::vector<std::uint16_t> Topology::hops_between(std::span<const std::uint32_t> chosen) const {
  for (const std::uint32_t node : chosen) {
    if (node >= nodes()) {
      throw InputError("node " + std::to_string(node) + " is beyond the " +
                       std::to_string(nodes()) + " nodes of the " + describe());
    }
  }
  std::vector<std::uint16_t> table;
  table.reserve(chosen.size() * chosen.size());
  for (const std::uint32_t a : chosen) {
    for (const std::uint32_t b : chosen) table.push_back(hops(a, b));
  }
  return table;
}

std::unique_ptr<Topology> topology_of(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
  if (name == kHopsFile) {
    if (rest.empty()) throw InputError("topology 'hops': give a file, hops:FILE");
    return read_hop_matrix(std::string(rest));
  }
  std::string known;
  for (const TopologyKind& kind : kKinds) {
    if (kind.name == name) {
      TopologySpec parameters(spec, rest, kind.example);
      std::unique_ptr<Topology> made = kind.make(parameters);
      parameters.finish();
      return made;
    }
    known += std::string(kind.example) + ", ";
  }
  throw InputError("unknown topology '" + std::string(spec) + "'; write it like " + known +
                   "or hops:FILE");
}

}  // namespace latitude::model
