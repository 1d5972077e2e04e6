#include <array>
#include <string>

#include "core/error.hpp"
#include "core/model/topology/galois_field.hpp"
#include "core/model/topology/kinds.hpp"

namespace latitude::model {
namespace {

/// Besta and Hoefler (SC'14) on the graphs of McKay, Miller and Širáň (1998), in Hafner's form
/// (2004): 2q² routers (half, x, y) over the field of q = 4w + δ elements. Any two routers are at
/// most two cables apart.
class SlimFly final : public Topology {
 public:
  SlimFly(std::uint32_t q, std::uint32_t p, std::uint32_t nodes)
      : field_(q), p_(p), nodes_(nodes), near_{std::vector<bool>(q), std::vector<bool>(q)} {
    const std::uint32_t pairs = q % 4 == 3 ? (q + 1) / 4 : q / 2;
    for (std::uint32_t i = 0; i < 2 * pairs; ++i) {
      near_[i % 2][field_.power(i)] = true;
      near_[i % 2][field_.subtract(0, field_.power(i))] = true;
    }
  }

  std::string describe() const override {
    const std::uint32_t q = field_.size();
    return "slim fly, q = " + std::to_string(q) + ", " + std::to_string(2 * q * q) +
           " routers of " + std::to_string(p_) + " nodes, " + std::to_string(nodes_) + " nodes";
  }

  std::uint32_t nodes() const override { return nodes_; }

  std::uint16_t hops(std::uint32_t a, std::uint32_t b) const override {
    if (a == b) return 0;
    if (a / p_ == b / p_) return 1;
    return linked(a / p_, b / p_) ? 2 : 3;
  }

  std::vector<Cable> cables() const override {
    const std::uint32_t routers = nodes_ / p_;
    std::vector<Cable> all;
    for (std::uint32_t n = 0; n < nodes_; ++n) all.emplace_back(n, nodes_ + n / p_);
    for (std::uint32_t i = 0; i < routers; ++i) {
      for (std::uint32_t j = i + 1; j < routers; ++j) {
        if (linked(i, j)) all.emplace_back(nodes_ + i, nodes_ + j);
      }
    }
    return all;
  }

 private:
  bool linked(std::uint32_t i, std::uint32_t j) const {
    const std::uint32_t q = field_.size();
    const std::uint32_t half = i / (q * q);
    const std::uint32_t other = j / (q * q);
    const std::uint32_t x = i / q % q;
    const std::uint32_t m = j / q % q;
    const std::uint32_t y = i % q;
    const std::uint32_t c = j % q;
    if (half == other) return x == m && near_[half][field_.subtract(y, c)];
    const std::uint32_t shift = field_.multiply(m, x);
    return half == 0 ? y == field_.add(shift, c) : c == field_.add(shift, y);
  }

  GaloisField field_;
  std::uint32_t p_;
  std::uint32_t nodes_;
  /// Differences y − y′ at which routers with the same x are linked, ±ξ²ⁱ and ±ξ²ⁱ⁺¹, by half.
  std::array<std::vector<bool>, 2> near_;
};

}  // namespace

std::unique_ptr<Topology> make_slim_fly(TopologySpec& spec) {
  const std::uint32_t q = spec.number("q", 3);
  constexpr std::uint32_t kLargest = 101;  // 20,402 routers
  if (q % 4 == 2 || q > kLargest) {
    spec.refuse("q = " + std::to_string(q) + " is not a power of a prime from 3 to " +
                std::to_string(kLargest));
  }
  const std::uint32_t degree = (3 * q + 1) / 2 - (q % 4 == 1 ? 1 : 0);
  const std::uint32_t p = spec.number_or("p", (degree + 1) / 2);  // balanced: SC'14 §II.B.2
  const std::uint32_t nodes = spec.checked_nodes(std::uint64_t{2} * q * q * p);
  try {
    return std::make_unique<SlimFly>(q, p, nodes);
  } catch (const InputError& error) {
    spec.refuse(error.what());
  }
}

}  // namespace latitude::model
