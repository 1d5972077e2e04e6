#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#define LATITUDE_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#define LATITUDE_AVX2 __attribute__((target("avx2,bmi2")))
#define LATITUDE_AVX512 __attribute__((target("avx2,bmi2,avx512f,avx512vl,avx512dq,avx512bw")))
#endif

namespace latitude::solve {

/// The vector units for which a kernel is compiled. The bits of a result do not depend on them.
enum class Unit : std::uint8_t {
  baseline,  ///< present in every processor of the architecture: SSE2, NEON
  avx2,
  avx512,
};

std::string_view name_of(Unit unit) noexcept;

/// The units of this processor, the widest last.
std::vector<Unit> units_here();

/// The unit of all kernels from now on: the widest, unless another was requested.
Unit unit_in_use();

/// Requests a unit by its name, for comparisons. InputError if this processor lacks it.
void use_unit(std::string_view name);

template <int W>
struct VectorOf {
  typedef double type
      __attribute__((vector_size(W * sizeof(double)), aligned(alignof(double)), may_alias));
};
template <>
struct VectorOf<1> {
  using type = double;
};

/// W doubles that are added, multiplied and compared at once. The next step reads a stored vector
/// as one: a store of two halves would have to reach the cache first.
template <int W>
using Vector = typename VectorOf<W>::type;

/// The W doubles at an address. (By reference: the caller's vector unit decides where a returned
/// vector is.)
template <int W>
LATITUDE_INLINE Vector<W>& at(double* address) noexcept {
  return *reinterpret_cast<Vector<W>*>(address);
}
template <int W>
LATITUDE_INLINE const Vector<W>& at(const double* address) noexcept {
  return *reinterpret_cast<const Vector<W>*>(address);
}

template <int W>
LATITUDE_INLINE double get(const Vector<W>& vector, [[maybe_unused]] int lane) noexcept {
  if constexpr (W == 1) {
    return vector;
  } else {
    return vector[lane];
  }
}

template <int W>
LATITUDE_INLINE void set(Vector<W>& vector, [[maybe_unused]] int lane, double value) noexcept {
  if constexpr (W == 1) {
    vector = value;
  } else {
    vector[lane] = value;
  }
}

/// Bit k is set if lane k of `a` is greater.
template <int W>
LATITUDE_INLINE unsigned greater(const Vector<W>& a, const Vector<W>& b) noexcept {
  if constexpr (W == 1) {
    return a > b ? 1 : 0;
  } else if constexpr (W == 8) {
    typedef std::int8_t Bytes __attribute__((vector_size(W)));
    const Bytes bytes = __builtin_convertvector(a > b, Bytes);
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes, sizeof word);
    // The product brings the lowest bit of byte k to bit 56 + k.
    return static_cast<unsigned>((word & 0x0101010101010101U) * 0x0102040810204080U >> 56U);
  } else {
    auto lanes = a > b;
    for (int k = 0; k < W; ++k) lanes[k] &= 1LL << k;
    unsigned bits = 0;
    for (int k = 0; k < W; ++k) bits |= static_cast<unsigned>(lanes[k]);
    return bits;
  }
}

namespace on_unit {

template <class Kernel, class... Arguments>
void baseline(Arguments... arguments) {
  Kernel::template run<2>(arguments...);
}

#if defined(__x86_64__)
template <class Kernel, class... Arguments>
LATITUDE_AVX2 void avx2(Arguments... arguments) {
  Kernel::template run<4>(arguments...);
}

template <class Kernel, class... Arguments>
LATITUDE_AVX512 void avx512(Arguments... arguments) {
  Kernel::template run<8>(arguments...);
}
#endif

}  // namespace on_unit

/// `Kernel::run<W>(arguments)`, always inlined, as compiled for a unit with its vectors of W
/// doubles.
template <class Kernel, class... Arguments>
auto compiled_for([[maybe_unused]] Unit unit) -> void (*)(Arguments...) {
#if defined(__x86_64__)
  if (unit == Unit::avx512) return on_unit::avx512<Kernel, Arguments...>;
  if (unit == Unit::avx2) return on_unit::avx2<Kernel, Arguments...>;
#endif
  return on_unit::baseline<Kernel, Arguments...>;
}

}  // namespace latitude::solve
