#pragma once

#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// Adds facts about the measurement of this run for the user: the clock of computation, and that
/// wildcard receives match as in the run.
void add_warnings(const std::vector<RankLog>& logs, Trace& trace);

}  // namespace latitude::trace::native
