#pragma once

#include <cstdint>

#include "core/trace/event_args.hpp"
#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

enum class Settled : std::uint8_t {
  as_asked,     ///< nothing to change
  resolved,     ///< a wildcard is now what the trace saw
  contradicts,  ///< the status is not one of this receive
};

/// Puts what a receive got in the place of its wildcards; a cancelled one becomes MPI_PROC_NULL.
Settled settle(const Received& received, std::int32_t size, Message& message);

}  // namespace latitude::trace::native
