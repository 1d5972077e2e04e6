#include "core/model/topology/grid.hpp"
#include "core/model/topology/kinds.hpp"

namespace latitude::model {
namespace {

/// Switches on a grid; along each dimension, all switches are linked to each other (Ahn et al.,
/// SC'09).
class HyperX final : public Grid {
 public:
  HyperX(std::vector<std::uint32_t> sides, std::uint32_t p, std::uint32_t nodes)
      : Grid("HyperX", std::move(sides), p, nodes) {}

  std::uint16_t hops(std::uint32_t a, std::uint32_t b) const override {
    if (a == b) return 0;
    std::uint32_t from = a / p_;
    std::uint32_t to = b / p_;
    std::uint16_t switches = 1;
    for (auto side = sides_.rbegin(); side != sides_.rend(); ++side) {
      if (from % *side != to % *side) ++switches;
      from /= *side;
      to /= *side;
    }
    return switches;
  }

  std::vector<Cable> cables() const override {
    std::vector<Cable> all;
    for (std::uint32_t n = 0; n < nodes_; ++n) all.emplace_back(n, nodes_ + n / p_);
    std::uint32_t stride = 1;
    for (auto side = sides_.rbegin(); side != sides_.rend(); ++side) {
      for (std::uint32_t s = 0; s < nodes_ / p_; ++s) {
        for (std::uint32_t x = s / stride % *side + 1; x < *side; ++x) {
          all.emplace_back(nodes_ + s, nodes_ + s + (x - s / stride % *side) * stride);
        }
      }
      stride *= *side;
    }
    return all;
  }
};

}  // namespace

std::unique_ptr<Topology> make_hyperx(TopologySpec& spec) {
  std::vector<std::uint32_t> sides = spec.shape();
  const std::uint32_t p = spec.number_or("p", 1);
  std::uint64_t nodes = p;
  for (const std::uint32_t side : sides) nodes = spec.checked_nodes(nodes * side);
  return std::make_unique<HyperX>(std::move(sides), p, static_cast<std::uint32_t>(nodes));
}

}  // namespace latitude::model
