#pragma once

#include <algorithm>
#include <ctime>

namespace latitude {

/// How many times as much CPU time `run(8 · size)` takes as `run(size)`: about 8 where time grows
/// in proportion, 64 where it grows with the square.
template <class Run>
double growth(int size, Run run) {
  const auto seconds = [&](int of) {
    const std::clock_t begin = std::clock();
    run(of);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double some = std::min({seconds(size), seconds(size), seconds(size)});
  return seconds(8 * size) / some;
}
inline constexpr double kMostGrowth = 24;  ///< that counts as in proportion on a busy machine

}  // namespace latitude
