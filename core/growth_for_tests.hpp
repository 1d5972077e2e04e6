#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace latitude {

/// The ratio of the CPU times of `run(8 · size)` and `run(size)`: about 8 if time grows in
/// proportion, 64 if it grows with the square. Both are repeated until the clock resolves them, and
/// are the least of several times, because disturbances only add time.
template <class Run>
double growth(int size, Run run) {
  constexpr double kLongEnough_s = 2e-3;
  int repeats = 1;
  const auto least_s = [&](int of) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 5; ++i) {
      const std::clock_t begin = std::clock();
      for (int j = 0; j < repeats; ++j) run(of);
      least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return least;
  };
  double some = least_s(size);
  for (; some < kLongEnough_s; some = least_s(size)) repeats *= 2;
  return least_s(8 * size) / some;
}
inline constexpr double kMostGrowth = 24;  ///< ratio that counts as proportional on a busy machine

}  // namespace latitude
