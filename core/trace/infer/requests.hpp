#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/infer/lost.hpp"
#include "core/trace/infer/rank_log.hpp"

namespace latitude::trace::infer {

/// Cases of one kind in a rank's file.
struct Cases {
  std::uint64_t count = 0;
  std::string first;  ///< "file:line"
};

/// The decisions about a rank's requests.
struct Resolution {
  Cases guesses;          ///< MPI_Waitany calls whose completed request is not in the file
  Cases copied;           ///< requests that calls over copies have completed
  Cases undecided;        ///< requests whose completing call is not known; the first with its name
  bool assumable = true;  ///< whether `leave_open` would decide all of them
  Cases tested;           ///< requests that tests outside the file have completed
  std::vector<LostRequest> open;  ///< the tested requests, for add_tests
};

/// Replaces request addresses by the events that posted them: sets Event::args of every call that
/// posts, starts, frees or completes requests. Throws InputError if a call leaves this unknown.
/// With `leave_open`, calls whose completions are unknown stay open (kOpen), and nothing is
/// assumed. Tests have then completed each request that no recorded call can have completed.
Resolution resolve_requests(RankLog& log, RequestSize integer_size, bool leave_open);

}  // namespace latitude::trace::infer
