#pragma once

#include <string>
#include <vector>

#include "core/trace/infer/normalise.hpp"
#include "core/trace/infer/rank_log.hpp"

namespace latitude::trace::infer {

/// The trace of a run of whose ranks `logs` hold what their files say: communicators, requests and
/// wildcards are resolved as far as that proves what they were, by `threads` threads (0: one a
/// core). `format` is what warnings call the files' format. What it does not prove of which calls
/// completed a request is left open (kOpen) with `leave_open`. Throws InputError where it proves
/// not enough.
Trace infer_trace(std::vector<RankLog> logs, std::string format, Mpi mpi, bool leave_open,
                  unsigned threads);

}  // namespace latitude::trace::infer
