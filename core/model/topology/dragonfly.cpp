#include <algorithm>
#include <string>

#include "core/model/topology/global_cables.hpp"
#include "core/model/topology/kinds.hpp"

namespace latitude::model {
namespace {

/// Kim et al. (ISCA'08): g groups of a routers, all linked within a group, with p nodes and h
/// global cables per router. The global ports of a group, router by router, go to the other groups
/// in turn ("absolute" arrangement), in as many rounds as the ports allow for all of them.
class Dragonfly final : public Topology {
 public:
  Dragonfly(std::uint32_t g, std::uint32_t a, std::uint32_t p, std::uint32_t h, std::uint32_t nodes)
      : g_(g), a_(a), p_(p), h_(h), nodes_(nodes), rounds_(cables_between(g, a, h)) {}

  std::string describe() const override {
    return "dragonfly, " + std::to_string(g_) + " groups of " + std::to_string(a_) +
           " routers, h = " + std::to_string(h_) + ", " + std::to_string(nodes_) + " nodes";
  }

  std::uint32_t nodes() const override { return nodes_; }

  /// Minimal routing takes one global cable, between the routers at its two ends.
  std::uint16_t hops(std::uint32_t from, std::uint32_t to) const override {
    if (from == to) return 0;
    const std::uint32_t source = from / p_;
    const std::uint32_t target = to / p_;
    if (source == target) return 1;
    const std::uint32_t group = source / a_;
    const std::uint32_t other = target / a_;
    if (group == other) return 2;
    std::uint16_t least = 4;
    for (std::uint32_t round = 0; round < rounds_ && least > 2; ++round) {
      int switches = 2;
      if (gateway(group, other, round) != source) ++switches;
      if (gateway(other, group, round) != target) ++switches;
      least = std::min(least, static_cast<std::uint16_t>(switches));
    }
    return least;
  }

  std::vector<Cable> cables() const override {
    std::vector<Cable> all;
    for (std::uint32_t n = 0; n < nodes_; ++n) all.emplace_back(n, nodes_ + n / p_);
    for (std::uint32_t group = 0; group < g_; ++group) {
      for (std::uint32_t i = 0; i < a_; ++i) {
        for (std::uint32_t j = i + 1; j < a_; ++j) {
          all.emplace_back(nodes_ + group * a_ + i, nodes_ + group * a_ + j);
        }
      }
      for (std::uint32_t other = group + 1; other < g_; ++other) {
        for (std::uint32_t round = 0; round < rounds_; ++round) {
          all.emplace_back(nodes_ + gateway(group, other, round),
                           nodes_ + gateway(other, group, round));
        }
      }
    }
    return all;
  }

 private:
  /// The router of `group` that has its cable to `other`.
  std::uint32_t gateway(std::uint32_t group, std::uint32_t other, std::uint32_t round) const {
    return group * a_ + router_with_port(g_, h_, group, other, round);
  }

  std::uint32_t g_;
  std::uint32_t a_;
  std::uint32_t p_;
  std::uint32_t h_;
  std::uint32_t nodes_;
  std::uint32_t rounds_;  ///< cables between each two groups
};

}  // namespace

std::unique_ptr<Topology> make_dragonfly(TopologySpec& spec) {
  const std::uint32_t g = spec.number("g");
  const std::uint32_t a = spec.number("a");
  const std::uint32_t p = spec.number("p");
  const std::uint32_t h = global_cables(spec, g, a);
  const std::uint64_t routers = std::uint64_t{g} * a;
  return std::make_unique<Dragonfly>(g, a, p, h, spec.checked_nodes(routers * p));
}

}  // namespace latitude::model
