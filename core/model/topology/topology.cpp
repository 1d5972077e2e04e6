#include "core/model/topology/topology.hpp"

#include <array>

#include "core/error.hpp"
#include "core/model/topology/kinds.hpp"

namespace latitude::model {
namespace {

struct Kind {
  std::string_view name;
  std::string_view example;
  std::unique_ptr<Topology> (*make)(TopologySpec&);
};

constexpr std::array<Kind, 5> kKinds = {{
    {"fat-tree", "fat-tree:k=16,tiers=3", make_fat_tree},
    {"dragonfly", "dragonfly:g=9,a=4,p=2", make_dragonfly},
    {"dragonfly+", "dragonfly+:groups=4,leaves=6,spines=6,p=8", make_dragonfly_plus},
    {"torus", "torus:4x4x2,p=1", make_torus},
    {"slim-fly", "slim-fly:q=5,p=4", make_slim_fly},
}};
constexpr std::string_view kHopsFile = "hops";

}  // namespace

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
  for (const Kind& kind : kKinds) {
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
