#pragma once

#include <string>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// For a run that did not end, keeps the part that all ranks together completed. From each rank it
/// keeps the longest beginning in which every message and collective has its other ends in the kept
/// parts of the other ranks. The kept part ends with the release of open requests and MPI_Finalize.
/// `complete[r]`: rank r's events are all present and end with MPI_Finalize. Adds a warning with
/// the left-out part.
///
/// A receive that was posted and not completed needs no message; without a message it is left out.
///
/// InputError, which names one of `files` (one per rank), if only calls that start and end MPI
/// remain of an incomplete trace.
void keep_common_prefix(Trace& trace, const std::vector<bool>& complete,
                        const std::vector<std::string>& files);

}  // namespace latitude::trace
