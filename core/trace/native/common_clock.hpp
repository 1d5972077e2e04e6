#pragma once

#include <string>
#include <vector>

#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// Returns Trace::no_common_clock. The wall clock of one host is common to its ranks.
/// RankTrace::common converts the clocks of several hosts to rank 0's, if they were compared at the
/// start and the end.
std::string find_common_clock(std::vector<RankLog>& logs);

/// Whether Trace::one_wall_clock is true: about the ranks' wall times, whatever clock measures
/// computation. Call this after find_common_clock.
bool one_wall_clock(const std::vector<RankLog>& logs);

}  // namespace latitude::trace::native
