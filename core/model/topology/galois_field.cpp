#include "core/model/topology/galois_field.hpp"

#include <string>

#include "core/error.hpp"

namespace latitude::model {
namespace {

std::uint32_t smallest_divisor(std::uint32_t q) {
  for (std::uint32_t d = 2; d <= q / d; ++d) {
    if (q % d == 0) return d;
  }
  return q;
}

}  // namespace

GaloisField::GaloisField(std::uint32_t q) : q_(q), p_(smallest_divisor(q)) {
  std::uint32_t rest = q;
  while (rest % p_ == 0 && rest > 1) rest /= p_;
  if (q < 2 || rest != 1) {
    throw InputError(std::to_string(q) + " is not a power of a prime, so no such field exists");
  }
  // xⁿ = −lower for the first polynomial of which x is a primitive root; ξ is that x.
  std::uint32_t lower = 1;
  while (!fill_powers(lower)) ++lower;
}

std::uint32_t GaloisField::add(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t sum = 0;
  for (std::uint32_t digit = 1; digit < q_; digit *= p_) {
    sum += (a / digit + b / digit) % p_ * digit;
  }
  return sum;
}

std::uint32_t GaloisField::subtract(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t difference = 0;
  for (std::uint32_t digit = 1; digit < q_; digit *= p_) {
    difference += (a / digit % p_ + p_ - b / digit % p_) % p_ * digit;
  }
  return difference;
}

/// Fills power_ with the powers of x modulo xⁿ + lower; false if they repeat before all elements
/// have come.
bool GaloisField::fill_powers(std::uint32_t lower) {
  power_.assign(q_ - 1, 0);
  log_.assign(q_, q_);
  std::uint32_t element = 1;
  for (std::uint32_t i = 0; i + 1 < q_; ++i) {
    if (element == 0 || log_[element] != q_) return false;
    power_[i] = element;
    log_[element] = i;
    const std::uint32_t carry = element / (q_ / p_);
    element = element % (q_ / p_) * p_;
    for (std::uint32_t times = 0; times < carry; ++times) element = subtract(element, lower);
  }
  return true;
}

}  // namespace latitude::model
