#pragma once

#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// Puts the events of all threads into the order of RankLog::order, and says in
/// RankTrace::threads whose each is. A thread's adjusted clock is set where it shows up first: as
/// long after (or into) the last call of the thread that called MPI_Init as was recorded.
void merge_threads(RankLog& log);

}  // namespace latitude::trace::native
