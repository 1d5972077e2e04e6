#pragma once

#include <cstdint>
#include <string>

#include "core/model/topology/spec.hpp"

namespace latitude::model {

// The wiring of groups of `routers` switches, each with h cables to other groups. The ports of a
// group, switch by switch, go to the other groups in turn (the "absolute" arrangement), in as many
// rounds as the ports allow for all of them.

/// Number of cables between each two of `groups`.
inline std::uint32_t cables_between(std::uint32_t groups, std::uint32_t routers, std::uint32_t h) {
  if (groups < 2) return 0;
  return static_cast<std::uint32_t>(std::uint64_t{routers} * h / (groups - 1));
}

/// The switch of `group` that has cable number `round` to `other`.
inline std::uint32_t router_with_port(std::uint32_t groups, std::uint32_t h, std::uint32_t group,
                                      std::uint32_t other, std::uint32_t round) {
  const std::uint32_t turn = other < group ? other : other - 1;
  return static_cast<std::uint32_t>((std::uint64_t{round} * (groups - 1) + turn) / h);
}

/// The parameter h. If h is not given, the smallest h that links every two groups; InputError for a
/// smaller h.
inline std::uint32_t global_cables(TopologySpec& spec, std::uint32_t groups,
                                   std::uint32_t routers) {
  const std::uint32_t fewest = groups < 2 ? 1 : (groups - 1 + routers - 1) / routers;
  const std::uint32_t h = spec.number_or("h", fewest);
  if (h < fewest) {
    spec.refuse("with h = " + std::to_string(h) + " not all groups are linked; with " +
                std::to_string(fewest) + " they are");
  }
  return h;
}

}  // namespace latitude::model
