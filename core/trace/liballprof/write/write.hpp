#pragma once

#include <string>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// Writes a trace as liballprof text, pmpi-trace-rank-N.txt in `directory`, which exists; `threads`
/// ranks at a time (0: one per core). A reader of the text gets the same execution graph. Calls
/// that the format lacks are replaced. MPI_Test* that completed something, and completions of some
/// of several requests, become the MPI_Wait* of these requests. Persistent operations become the
/// operations that their starts post. Calls outside the graph are left out, with their time. Throws
/// InputError that names the first call that the format cannot express.
void write_liballprof(const Trace& trace, const std::string& directory, unsigned threads);

}  // namespace latitude::trace
