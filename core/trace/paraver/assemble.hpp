#pragma once

#include <cstdint>

#include "core/trace/event.hpp"
#include "core/trace/paraver/names.hpp"
#include "core/trace/paraver/records.hpp"

namespace latitude::trace::paraver {

/// The definition of computation.
enum class Computation : std::uint8_t {
  between_calls,  ///< from MPI_Init to MPI_Finalize, between calls that communicate
  outside_mpi,    ///< outside all of MPI's calls, from the start of the trace to its end
};

/// The trace of a file's records, by up to `threads` threads (0: one per core). InputError names
/// file and line.
Trace assemble(const Records& records, const Names& names, Computation computation,
               unsigned threads);

}  // namespace latitude::trace::paraver
