#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace latitude {

/// How many times as much CPU time `run(8 · size)` takes as `run(size)`: about 8 where time grows
/// in proportion, 64 where it grows with the square. Both are repeated until the clock can tell,
/// and are the least of several such times: what disturbs a run only adds.
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
inline constexpr double kMostGrowth = 24;  ///< that counts as in proportion on a busy machine

}  // namespace latitude
