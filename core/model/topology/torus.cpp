#include <algorithm>
#include <string>

#include "core/model/topology/grid.hpp"
#include "core/model/topology/kinds.hpp"

namespace latitude::model {
namespace {

/// Switches on a grid in which every line closes to a ring.
class Torus final : public Grid {
 public:
  Torus(std::vector<std::uint32_t> sides, std::uint32_t p, std::uint32_t nodes)
      : Grid("torus", std::move(sides), p, nodes) {}

  std::uint16_t hops(std::uint32_t a, std::uint32_t b) const override {
    if (a == b) return 0;
    std::uint32_t from = a / p_;
    std::uint32_t to = b / p_;
    std::uint32_t switches = 1;
    for (auto side = sides_.rbegin(); side != sides_.rend(); ++side) {
      const std::uint32_t x = from % *side;
      const std::uint32_t y = to % *side;
      const std::uint32_t apart = x > y ? x - y : y - x;
      switches += std::min(apart, *side - apart);
      from /= *side;
      to /= *side;
    }
    return static_cast<std::uint16_t>(switches);
  }

  std::vector<Cable> cables() const override {
    std::vector<Cable> all;
    for (std::uint32_t n = 0; n < nodes_; ++n) all.emplace_back(n, nodes_ + n / p_);
    std::uint32_t stride = 1;
    for (auto side = sides_.rbegin(); side != sides_.rend(); ++side) {
      for (std::uint32_t s = 0; s < nodes_ / p_; ++s) {
        const std::uint32_t x = s / stride % *side;
        const bool last = x + 1 == *side;
        if (last && *side <= 2) continue;  // a ring of two is one cable, a ring of one has none
        all.emplace_back(nodes_ + s, nodes_ + s + stride - (last ? *side * stride : 0));
      }
      stride *= *side;
    }
    return all;
  }
};

}  // namespace

std::unique_ptr<Topology> make_torus(TopologySpec& spec) {
  std::vector<std::uint32_t> sides = spec.shape();
  const std::uint32_t p = spec.number_or("p", 1);
  constexpr std::uint32_t kLongest = 1U << 16;  // switches are counted in 16 bits
  std::uint64_t nodes = p;
  std::uint64_t around = 0;
  for (const std::uint32_t side : sides) {
    nodes = spec.checked_nodes(nodes * side);
    around += side;
  }
  if (around >= kLongest) spec.refuse("sides of " + std::to_string(around) + " in all");
  return std::make_unique<Torus>(std::move(sides), p, static_cast<std::uint32_t>(nodes));
}

}  // namespace latitude::model
