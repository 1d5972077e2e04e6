#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace::liballprof {

/// Bytes between two requests of an array.
inline constexpr std::uint64_t kRequestSize = 8;

/// Where each request lies that a rank posts, in the order of posting (a persistent one anew with
/// every start): the requests that one call completes side by side, in the order of completion.
/// Addresses are used again once free.
std::vector<std::uint64_t> place_requests(const RankTrace& rank);

}  // namespace latitude::trace::liballprof
