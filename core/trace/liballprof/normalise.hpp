#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/liballprof/communicators.hpp"
#include "core/trace/liballprof/liballprof.hpp"
#include "core/trace/liballprof/rank_reader.hpp"

namespace latitude::trace::liballprof {

/// Whose numbers for MPI_ANY_SOURCE and MPI_PROC_NULL a trace holds, from its handles: MPICH's
/// world is 0x44000000; pointers and small integers are Open MPI's.
Mpi detect_mpi(const std::vector<RankLog>& logs);

/// Turns comm, peer and wildcards of a rank's events into those of event.hpp. Throws InputError for
/// peers that do not exist.
void normalise_rank(RankLog& log, std::size_t rank, const Communicators& communicators, Mpi mpi);

}  // namespace latitude::trace::liballprof
