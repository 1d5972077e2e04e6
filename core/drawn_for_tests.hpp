#pragma once

#include <cstdlib>

namespace latitude {

/// How many random programs a long test draws: `few` in `make test`, `all` where the environment
/// has LATITUDE_AT_LENGTH, as in `make test-all`.
inline int drawn(int few, int all) {
  return std::getenv("LATITUDE_AT_LENGTH") == nullptr ? few : all;
}

}  // namespace latitude
