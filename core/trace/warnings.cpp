#include "core/trace/warnings.hpp"

namespace latitude::trace {

Warning wildcard_matches(std::uint64_t count) {
  return {"wildcard-matches", std::to_string(count) +
                                  " receives from any source or with any tag match as they did in "
                                  "this run"};
}

Warning cpu_clock(std::uint64_t ranks, std::uint64_t of, const std::string& why) {
  return {"cpu-clock", "computation of " + std::to_string(ranks) + " of " + std::to_string(of) +
                           " ranks is measured by CPU time" + why};
}

}  // namespace latitude::trace
