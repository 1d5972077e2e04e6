#pragma once

#include <cstdlib>

namespace latitude {

/// The number of random programs in a long test: `few` in `make test`; `all` if the environment has
/// LATITUDE_AT_LENGTH, as in `make test-all`.
inline int drawn(int few, int all) {
  return std::getenv("LATITUDE_AT_LENGTH") == nullptr ? few : all;
}

}  // namespace latitude
