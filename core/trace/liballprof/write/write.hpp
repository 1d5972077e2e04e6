#pragma once

#include <string>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// Writes a trace as liballprof text, pmpi-trace-rank-N.txt in `directory`, which exists; `threads`
/// ranks at a time (0: one a core). Reading the text gives the same execution graph. What the
/// format does not know is said in what it does: MPI_Test* that completed something, and
/// completions of some of several requests, as the MPI_Wait* of these; persistent operations as
/// those that start them post; calls without part in the graph not at all, and their time with
/// them. Throws InputError that names the first call the format cannot express.
void write_liballprof(const Trace& trace, const std::string& directory, unsigned threads);

}  // namespace latitude::trace
