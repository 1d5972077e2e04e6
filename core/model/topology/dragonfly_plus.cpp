#include <string>

#include "core/model/topology/global_cables.hpp"
#include "core/model/topology/kinds.hpp"

namespace latitude::model {
namespace {

/// Shpiner et al. (HiPINEB'17): groups (Marconi100's "islands") in which every leaf switch is
/// linked to every spine switch, with p nodes per leaf. Only spines have global cables: h per
/// spine, to the other groups in turn.
class DragonflyPlus final : public Topology {
 public:
  DragonflyPlus(std::uint32_t groups, std::uint32_t leaves, std::uint32_t spines, std::uint32_t p,
                std::uint32_t h, std::uint32_t nodes)
      : groups_(groups), leaves_(leaves), spines_(spines), p_(p), h_(h), nodes_(nodes) {}

  std::string describe() const override {
    return "dragonfly+, " + std::to_string(groups_) + " groups of " + std::to_string(leaves_) +
           " leaves and " + std::to_string(spines_) + " spines, " + std::to_string(nodes_) +
           " nodes";
  }

  std::uint32_t nodes() const override { return nodes_; }

  /// Any spine is one cable from any leaf of its group, so it does not matter which spine has the
  /// cable.
  std::uint16_t hops(std::uint32_t a, std::uint32_t b) const override {
    if (a == b) return 0;
    if (a / p_ == b / p_) return 1;
    return a / (p_ * leaves_) == b / (p_ * leaves_) ? 3 : 4;
  }

  std::vector<Cable> cables() const override {
    const std::uint32_t first_spine = nodes_ + groups_ * leaves_;
    std::vector<Cable> all;
    for (std::uint32_t n = 0; n < nodes_; ++n) all.emplace_back(n, nodes_ + n / p_);
    for (std::uint32_t leaf = 0; leaf < groups_ * leaves_; ++leaf) {
      for (std::uint32_t s = 0; s < spines_; ++s) {
        all.emplace_back(nodes_ + leaf, first_spine + leaf / leaves_ * spines_ + s);
      }
    }
    const std::uint32_t rounds = cables_between(groups_, spines_, h_);
    const auto spine = [&](std::uint32_t group, std::uint32_t other, std::uint32_t round) {
      return first_spine + group * spines_ + router_with_port(groups_, h_, group, other, round);
    };
    for (std::uint32_t group = 0; group < groups_; ++group) {
      for (std::uint32_t other = group + 1; other < groups_; ++other) {
        for (std::uint32_t round = 0; round < rounds; ++round) {
          all.emplace_back(spine(group, other, round), spine(other, group, round));
        }
      }
    }
    return all;
  }

 private:
  std::uint32_t groups_;
  std::uint32_t leaves_;
  std::uint32_t spines_;
  std::uint32_t p_;
  std::uint32_t h_;
  std::uint32_t nodes_;
};

}  // namespace

std::unique_ptr<Topology> make_dragonfly_plus(TopologySpec& spec) {
  const std::uint32_t groups = spec.number("groups");
  const std::uint32_t leaves = spec.number("leaves");
  const std::uint32_t spines = spec.number("spines");
  const std::uint32_t p = spec.number("p");
  const std::uint32_t h = global_cables(spec, groups, spines);
  spec.checked_nodes(std::uint64_t{groups} * spines);  // switches are counted in 32 bits too
  const std::uint64_t all_leaves = std::uint64_t{groups} * leaves;
  return std::make_unique<DragonflyPlus>(groups, leaves, spines, p, h,
                                         spec.checked_nodes(all_leaves * p));
}

}  // namespace latitude::model
