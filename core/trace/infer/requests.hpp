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
/// posts, starts, frees or completes requests. Throws InputError where a file does not tell; with
/// `leave_open` calls of which it does not tell what they completed stay open (kOpen) and nothing
/// is guessed.
Guesses resolve_requests(RankLog& log, RequestSize integer_size, bool leave_open);

}  // namespace latitude::trace::infer
