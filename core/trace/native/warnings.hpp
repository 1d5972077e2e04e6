#pragma once

#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// What a user should know about how this run was measured: which clock computation has, and that
/// wildcard receives match as they did in the run.
void add_warnings(const std::vector<RankLog>& logs, Trace& trace);

}  // namespace latitude::trace::native
