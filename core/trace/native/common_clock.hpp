#pragma once

#include <string>
#include <vector>

#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// Trace::no_common_clock: the wall clock of one host is common to its ranks; others are not.
std::string no_common_clock(const std::vector<RankLog>& logs);

/// Trace::one_wall_clock: of the ranks' wall times, whatever computation is measured by.
bool one_wall_clock(const std::vector<RankLog>& logs);

}  // namespace latitude::trace::native
