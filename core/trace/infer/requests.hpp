#pragma once

#include <cstdint>
#include <string>

#include "core/trace/infer/rank_log.hpp"

namespace latitude::trace::infer {

/// MPI_Waitany calls of which the file does not tell what they completed.
struct Guesses {
  std::uint64_t count = 0;
  std::string first;  ///< "file:line"
};

/// Replaces request addresses by the events that posted them: sets Event::args of every call that
/// posts, starts, frees or completes requests. Throws InputError where a file does not tell.
Guesses resolve_requests(RankLog& log, RequestSize integer_size);

}  // namespace latitude::trace::infer
