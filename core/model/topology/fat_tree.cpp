#include <string>

#include "core/model/topology/kinds.hpp"

namespace latitude::model {
namespace {

/// Leiserson's tree of equal switches with k ports, in the folded-Clos form of Al-Fares et al.
/// (SIGCOMM'08). Two tiers: k leaves under k/2 spines. Three: k pods of k/2 edge and k/2
/// aggregation switches under (k/2)² core switches. Every edge switch carries k/2 nodes.
class FatTree final : public Topology {
 public:
  FatTree(std::uint32_t k, std::uint32_t tiers, std::uint32_t nodes)
      : half_(k / 2), tiers_(tiers), nodes_(nodes) {}

  std::string describe() const override {
    return "fat tree, k = " + std::to_string(2 * half_) + ", " + std::to_string(tiers_) +
           " tiers, " + std::to_string(nodes_) + " nodes";
  }

  std::uint32_t nodes() const override { return nodes_; }

  std::uint16_t hops(std::uint32_t a, std::uint32_t b) const override {
    if (a == b) return 0;
    if (a / half_ == b / half_) return 1;
    if (tiers_ == 2 || a / (half_ * half_) == b / (half_ * half_)) return 3;
    return 5;
  }

  std::vector<Cable> cables() const override {
    const std::uint32_t edges = nodes_ / half_;
    const std::uint32_t first_edge = nodes_;
    const std::uint32_t first_above = first_edge + edges;
    std::vector<Cable> all;
    for (std::uint32_t n = 0; n < nodes_; ++n) all.emplace_back(n, first_edge + n / half_);
    for (std::uint32_t edge = 0; edge < edges; ++edge) {
      const std::uint32_t pod = tiers_ == 2 ? 0 : edge / half_;
      for (std::uint32_t up = 0; up < half_; ++up) {
        all.emplace_back(first_edge + edge, first_above + pod * half_ + up);
      }
    }
    if (tiers_ == 2) return all;
    const std::uint32_t first_core = first_above + edges;  // as many aggregation switches as edges
    for (std::uint32_t above = 0; above < edges; ++above) {
      for (std::uint32_t up = 0; up < half_; ++up) {
        all.emplace_back(first_above + above, first_core + above % half_ * half_ + up);
      }
    }
    return all;
  }

 private:
  std::uint32_t half_;
  std::uint32_t tiers_;
  std::uint32_t nodes_;
};

}  // namespace

std::unique_ptr<Topology> make_fat_tree(TopologySpec& spec) {
  const std::uint32_t k = spec.number("k", 2);
  const std::uint32_t tiers = spec.number_or("tiers", 3, 2);
  if (k % 2 != 0) spec.refuse("k = " + std::to_string(k) + " ports do not halve");
  if (tiers > 3) spec.refuse("tiers = " + std::to_string(tiers) + " is neither 2 nor 3");
  const std::uint64_t under_edges = std::uint64_t{k} * (k / 2);
  return std::make_unique<FatTree>(
      k, tiers, spec.checked_nodes(tiers == 2 ? under_edges : under_edges * (k / 2)));
}

}  // namespace latitude::model
