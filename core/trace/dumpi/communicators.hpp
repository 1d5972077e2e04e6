#pragma once

#include <vector>

#include "core/trace/dumpi/log.hpp"

namespace latitude::trace::dumpi {

/// Finds the members of the communicators that the ranks' calls made, from these calls, the groups,
/// and the results of MPI_Comm_rank. Sets Comm::known_as and Comm::place. Returns the
/// communicators; the first one is MPI_COMM_WORLD. InputError if the ranks' records of one
/// collective call differ.
std::vector<Communicator> resolve_communicators(std::vector<Log>& logs);

}  // namespace latitude::trace::dumpi
