#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/dumpi/log.hpp"

namespace latitude::trace {

/// How many ranks a .meta file says that the run had. InputError where it says none.
std::uint32_t ranks_in_meta(const std::string& name, std::string_view text);

/// The trace of a run of whose ranks `logs` hold what their files say, by `threads` threads (0: one
/// a core). `ranks` is what the .meta file says; without one, a rank's MPI_Comm_size must.
/// InputError where the files are not of one whole run, or do not prove who is meant.
Trace assemble_dumpi(std::vector<dumpi::Log> logs, std::optional<std::uint32_t> ranks,
                     unsigned threads);

}  // namespace latitude::trace
