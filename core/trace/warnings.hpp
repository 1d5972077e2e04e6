#pragma once

#include <cstdint>
#include <string>

#include "core/error.hpp"

namespace latitude::trace {

/// So many receives with wildcards match as the trace has recorded it.
Warning wildcard_matches(std::uint64_t count);

/// So many of the ranks compute by CPU time; `why` goes on behind it.
Warning cpu_clock(std::uint64_t ranks, std::uint64_t of, const std::string& why);

}  // namespace latitude::trace
