#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/infer/communicators.hpp"
#include "core/trace/infer/rank_log.hpp"

namespace latitude::trace::infer {

/// The MPI whose numbers for MPI_ANY_SOURCE and MPI_PROC_NULL a trace records.
enum class Mpi : std::uint8_t { detect, openmpi, mpich };

/// The MPI whose numbers for MPI_ANY_SOURCE and MPI_PROC_NULL a trace holds, from its handles:
/// MPICH's world is 0x44000000; pointers and small integers are Open MPI's.
Mpi detect_mpi(const std::vector<RankLog>& logs);

/// Turns comm, peer and wildcards of a rank's events into those of event.hpp. Throws InputError for
/// peers that do not exist.
void normalise_rank(RankLog& log, std::size_t rank, const Communicators& communicators, Mpi mpi);

}  // namespace latitude::trace::infer
