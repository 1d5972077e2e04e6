#pragma once

#include <string>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// Of a run that did not end, keeps what all ranks together completed: of each rank the longest
/// beginning in which every message and collective has its other ends in what the other ranks keep.
/// What is kept ends with the release of open requests and MPI_Finalize. `complete[r]`: rank r's
/// events are all there and end with MPI_Finalize. Adds a warning that says what was left out.
///
/// A receive that was posted and not completed needs no message: without one it is left out.
///
/// InputError, which names one of `files` (one per rank), where nothing is kept of an incomplete
/// trace but calls that start and end MPI.
void keep_common_prefix(Trace& trace, const std::vector<bool>& complete,
                        const std::vector<std::string>& files);

}  // namespace latitude::trace
