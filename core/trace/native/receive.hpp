#pragma once

#include <cstdint>

#include "core/trace/event_args.hpp"
#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

enum class Settled : std::uint8_t {
  as_asked,     ///< nothing to change
  resolved,     ///< a wildcard is now the value in the trace
  contradicts,  ///< the status does not belong to this receive
};

/// Replaces the wildcards of a receive by the values that it got; a cancelled receive becomes one
/// from MPI_PROC_NULL.
Settled settle(const Received& received, std::int32_t size, Message& message);

}  // namespace latitude::trace::native
