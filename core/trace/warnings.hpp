#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/error.hpp"
#include "core/trace/event.hpp"

namespace latitude::trace {

/// This number of receives with wildcards match as recorded in the trace.
Warning wildcard_matches(std::uint64_t count);

/// This number of ranks measured computation by CPU time; `why` follows it.
Warning cpu_clock(std::uint64_t ranks, std::uint64_t of, const std::string& why);

/// For ranks in which several threads call MPI: the format does not record how these wait for each
/// other.
std::optional<Warning> thread_waits_unseen(std::span<const RankTrace> ranks);

}  // namespace latitude::trace
