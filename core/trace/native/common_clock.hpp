#pragma once

#include <string>
#include <vector>

#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// Trace::no_common_clock. The wall clock of one host is common to its ranks; those of several
/// hosts become that of rank 0's by RankTrace::common, where they were compared at both ends.
std::string find_common_clock(std::vector<RankLog>& logs);

/// Trace::one_wall_clock: of the ranks' wall times, whatever computation is measured by. After
/// find_common_clock.
bool one_wall_clock(const std::vector<RankLog>& logs);

}  // namespace latitude::trace::native
