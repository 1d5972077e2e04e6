#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/release.hpp"
#include "core/solve/key_table.hpp"

namespace latitude::solve {

/// A list of numbers with few different values, such as the message costs of a path's steps: two
/// bytes each, and every value once. With more than 65,536 values it is the plain list.
class Coded {
 public:
  void reserve(std::size_t size) {
    reserved_ = size;
    codes_.reserve(size);
  }

  void push_back(double value) {
    if (!is_coded_) {
      plain_.push_back(value);
      return;
    }
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (values_.empty() || bits != last_bits_) {  // neighbours are often equal
      const auto [code, fresh] =
          known_.try_emplace(bits, static_cast<std::uint32_t>(values_.size()));
      if (fresh) {
        if (values_.size() > std::numeric_limits<std::uint16_t>::max()) {
          decode();
          plain_.push_back(value);
          return;
        }
        values_.push_back(value);
      }
      last_bits_ = bits;
      last_code_ = static_cast<std::uint16_t>(code);
    }
    codes_.push_back(last_code_);
  }

  bool is_coded() const noexcept { return is_coded_; }
  /// If coded: the place of each number in values().
  const std::vector<std::uint16_t>& codes() const noexcept { return codes_; }
  const std::vector<double>& values() const noexcept { return values_; }
  /// If not coded: the numbers.
  const std::vector<double>& plain() const noexcept { return plain_; }

 private:
  void decode() {
    is_coded_ = false;
    plain_.reserve(reserved_);
    for (const std::uint16_t code : codes_) plain_.push_back(values_[code]);
    release(codes_);
    release(values_);
    known_ = {};
  }

  std::size_t reserved_ = 0;
  bool is_coded_ = true;
  std::vector<std::uint16_t> codes_;
  std::vector<double> values_;
  std::vector<double> plain_;
  KeyTable<std::uint32_t> known_;  ///< by bits: 0 and −0 are two numbers
  std::uint64_t last_bits_ = 0;
  std::uint16_t last_code_ = 0;
};

}  // namespace latitude::solve
