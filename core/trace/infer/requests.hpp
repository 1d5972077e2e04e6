#pragma once

#include <cstdint>
#include <string>

#include "core/trace/infer/rank_log.hpp"

namespace latitude::trace::infer {

/// MPI_Waitany calls whose completed request is not in the file.
struct Guesses {
  std::uint64_t count = 0;
  std::string first;  ///< "file:line"
};

/// Replaces request addresses by the events that posted them: sets Event::args of every call that
/// posts, starts, frees or completes requests. Throws InputError if a file leaves this unknown.
/// With `leave_open`, calls whose completions are unknown stay open (kOpen), and nothing is
/// assumed.
Guesses resolve_requests(RankLog& log, RequestSize integer_size, bool leave_open);

}  // namespace latitude::trace::infer
