#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/topology/topology.hpp"

namespace latitude::model {

/// Switches on a grid of any number of dimensions, p nodes each. The last dimension counts fastest,
/// as in MPI_Cart_create. Derived classes (Torus, HyperX) decide which switches along a dimension
/// are linked.
class Grid : public Topology {
 public:
  Grid(std::string name, std::vector<std::uint32_t> sides, std::uint32_t p, std::uint32_t nodes)
      : sides_(std::move(sides)), p_(p), nodes_(nodes), name_(std::move(name)) {}

  std::string describe() const final {
    std::string shape;
    for (const std::uint32_t side : sides_) {
      shape += (shape.empty() ? "" : " × ") + std::to_string(side);
    }
    return name_ + ", " + shape + ", " + std::to_string(nodes_) + " nodes";
  }

  std::uint32_t nodes() const final { return nodes_; }

 protected:
  std::vector<std::uint32_t> sides_;
  std::uint32_t p_;
  std::uint32_t nodes_;

 private:
  std::string name_;
};

}  // namespace latitude::model
