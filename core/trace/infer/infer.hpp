#pragma once

#include <string>
#include <vector>

#include "core/trace/infer/normalise.hpp"
#include "core/trace/infer/rank_log.hpp"

namespace latitude::trace::infer {

/// The trace of a run; `logs` hold the contents of its ranks' files. Communicators, requests and
/// wildcards are resolved as far as the files prove them, by `threads` threads (0: one per core).
/// `format` is the format's name in warnings. With `leave_open`, requests whose completing call is
/// not proven stay open (kOpen). Throws InputError if the proof does not suffice.
Trace infer_trace(std::vector<RankLog> logs, std::string format, Mpi mpi, bool leave_open,
                  unsigned threads);

}  // namespace latitude::trace::infer
