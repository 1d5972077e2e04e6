#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/dumpi/log.hpp"

namespace latitude::trace {

/// The number of the run's ranks in a .meta file. InputError if it has none.
std::uint32_t ranks_in_meta(const std::string& name, std::string_view text);

/// The trace of a run; `logs` hold the contents of its ranks' files. Uses `threads` threads (0: one
/// per core). `ranks` is the number in the .meta file; without one, a rank's MPI_Comm_size must
/// give it. InputError if the files are not those of one whole run, or do not prove the partners of
/// messages.
Trace assemble_dumpi(std::vector<dumpi::Log> logs, std::optional<std::uint32_t> ranks,
                     unsigned threads);

}  // namespace latitude::trace
