#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace::liballprof {

/// Bytes between two requests of an array.
inline constexpr std::uint64_t kRequestSize = 8;

/// The address of each request that a rank posts, in posting order (a persistent request gets a new
/// address at every start). Requests that one call completes are side by side, in the order of
/// completion. Addresses are reused once free.
std::vector<std::uint64_t> place_requests(const RankTrace& rank);

}  // namespace latitude::trace::liballprof
