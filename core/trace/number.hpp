#pragma once

#include <cstdint>
#include <limits>

namespace latitude::trace {

// Readers of one number at `p`. They return its end, or nullptr if it is missing or does not fit.
// They do not check for the end of input. A line in memory is always followed by a byte that is not
// a digit: its newline, or the terminating zero of a string.

inline const char* read_unsigned(const char* p, std::uint64_t& value) noexcept {
  const char* const begin = p;
  std::uint64_t result = 0;
  for (unsigned digit; (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10; ++p) {
    if (p - begin >= 19) {  // the 20th digit is the first that can overflow
      if (__builtin_mul_overflow(result, std::uint64_t{10}, &result) ||
          __builtin_add_overflow(result, std::uint64_t{digit}, &result)) {
        return nullptr;
      }
      continue;
    }
    result = result * 10 + digit;
  }
  value = result;
  return p == begin ? nullptr : p;
}

/// A handle: unsigned in C traces, a signed int in Fortran ones; both give the same 64 bits.
inline const char* read_handle(const char* p, std::uint64_t& value) noexcept {
  if (*p != '-') return read_unsigned(p, value);
  std::uint64_t magnitude = 0;
  p = read_unsigned(p + 1, magnitude);
  if (magnitude > std::uint64_t{1} << 63) return nullptr;
  value = 0 - magnitude;
  return p;
}

inline const char* read_int(const char* p, std::int32_t& value) noexcept {
  const bool negative = *p == '-';
  std::uint64_t magnitude = 0;
  p = read_unsigned(p + (negative ? 1 : 0), magnitude);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (p == nullptr || magnitude > kMax + (negative ? 1 : 0)) return nullptr;
  const auto wide = static_cast<std::int64_t>(magnitude);
  value = static_cast<std::int32_t>(negative ? -wide : wide);
  return p;
}

/// Microseconds, with or without decimals, as whole nanoseconds: exact up to three decimals,
/// rounded half up beyond.
inline const char* read_time(const char* p, std::int64_t& ns) noexcept {
  std::uint64_t us = 0;
  p = read_unsigned(p, us);
  constexpr std::uint64_t kMaxUs = std::numeric_limits<std::int64_t>::max() / 1000 - 1;
  if (p == nullptr || us > kMaxUs) return nullptr;
  auto result = static_cast<std::int64_t>(us) * 1000;
  if (*p == '.') {
    const char* const begin = ++p;
    std::int64_t weight = 100;
    for (unsigned digit; (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10; ++p) {
      result += weight * static_cast<std::int64_t>(digit);
      if (weight == 0 && p - begin == 3 && digit >= 5) ++result;
      weight /= 10;
    }
    if (p == begin) return nullptr;
  }
  ns = result;
  return p;
}

}  // namespace latitude::trace
