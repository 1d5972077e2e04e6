#pragma once

#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// Puts the events of all threads into the order of RankLog::order, and sets the thread of each
/// event in RankTrace::threads. A thread's adjusted clock is set at its first event. The event is
/// as long after (or into) the last call of the thread that called MPI_Init as in the recording.
void merge_threads(RankLog& log);

}  // namespace latitude::trace::native
