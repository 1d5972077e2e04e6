#pragma once

#include <cstdint>
#include <vector>

namespace latitude::model {

/// The field of q = pⁿ elements, by tables. Element e is the polynomial whose coefficients are e's
/// digits in base p; the powers of ξ are all elements but 0.
class GaloisField {
 public:
  /// InputError unless q is a power of a prime.
  explicit GaloisField(std::uint32_t q);

  std::uint32_t size() const noexcept { return q_; }
  std::uint32_t add(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t subtract(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t multiply(std::uint32_t a, std::uint32_t b) const {
    return a == 0 || b == 0 ? 0 : power_[(log_[a] + log_[b]) % (q_ - 1)];
  }
  /// ξ^i.
  std::uint32_t power(std::uint32_t i) const { return power_[i % (q_ - 1)]; }

 private:
  bool fill_powers(std::uint32_t lower);

  std::uint32_t q_;
  std::uint32_t p_;
  std::vector<std::uint32_t> power_;
  std::vector<std::uint32_t> log_;
};

}  // namespace latitude::model
