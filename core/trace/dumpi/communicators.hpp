#pragma once

#include <vector>

#include "core/trace/dumpi/log.hpp"

namespace latitude::trace::dumpi {

/// Finds the members of the communicators that the ranks' calls made, as far as the calls, groups
/// and what MPI_Comm_rank showed say: sets Comm::known_as and Comm::place. Returns the
/// communicators, [0] the world. InputError where what is one collective call differs by rank.
std::vector<Communicator> resolve_communicators(std::vector<Log>& logs);

}  // namespace latitude::trace::dumpi
