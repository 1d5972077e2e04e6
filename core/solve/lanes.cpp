#include "core/solve/lanes.hpp"

#include <array>
#include <atomic>
#include <string>

#include "core/error.hpp"

namespace latitude::solve {
namespace {

constexpr std::array kUnits{Unit::baseline, Unit::avx2, Unit::avx512};

bool is_here(Unit unit) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  if (unit == Unit::avx2) return avx2;
  if (unit == Unit::avx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  }
#endif
  return unit == Unit::baseline;
}

std::atomic<Unit>& in_use() {
  static std::atomic<Unit> unit = units_here().back();
  return unit;
}

}  // namespace

std::string_view name_of(Unit unit) noexcept {
  constexpr std::array<std::string_view, kUnits.size()> kNames{"baseline", "avx2", "avx512"};
  return kNames[static_cast<std::size_t>(unit)];
}

std::vector<Unit> units_here() {
  std::vector<Unit> result;
  for (const Unit unit : kUnits) {
    if (is_here(unit)) result.push_back(unit);
  }
  return result;
}

Unit unit_in_use() { return in_use(); }

void use_unit(std::string_view name) {
  std::string known;
  for (const Unit unit : units_here()) {
    if (name_of(unit) == name) {
      in_use() = unit;
      return;
    }
    known += (known.empty() ? "" : ", ") + std::string(name_of(unit));
  }
  throw InputError("'" + std::string(name) +
                   "' is not a vector unit of this processor, which has: " + known);
}

}  // namespace latitude::solve
