#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/error.hpp"
#include "core/trace/event.hpp"

namespace latitude::trace {

/// So many receives with wildcards match as the trace has recorded it.
Warning wildcard_matches(std::uint64_t count);

/// So many of the ranks compute by CPU time; `why` goes on behind it.
Warning cpu_clock(std::uint64_t ranks, std::uint64_t of, const std::string& why);

/// Where ranks have several threads that call MPI: nobody records how these wait for each other.
std::optional<Warning> thread_waits_unseen(std::span<const RankTrace> ranks);

}  // namespace latitude::trace
