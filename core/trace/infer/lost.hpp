#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/infer/request_log.hpp"

namespace latitude::trace::infer {

/// A request that no call completes at the address at which it was posted. A call over copies of
/// the request has completed it, or a call that is not in the file.
struct LostRequest {
  std::uint32_t posted;  ///< the event that made it
  std::uint32_t since;   ///< the event that made it active: its posting, or its latest start
  std::uint32_t until;   ///< the event that uses its address again, or MPI_Finalize
};

/// The places of a call without an active request that was posted there. Each of these places holds
/// MPI_REQUEST_NULL, an inactive request, or a copy of a request.
struct FreePlaces {
  std::uint32_t event;
  std::uint32_t count;
  bool all;  ///< whether the call completes all of its requests, and has only such places
  RequestLog::ArrayCall array;  ///< of no places: no request was posted at the call's only place
};

inline constexpr std::uint32_t kNoCall = AddressMap::kNone;
inline constexpr std::uint32_t kOneOfSeveral = AddressMap::kNone - 1;

/// For each lost request, the call that completed a copy of it; kNoCall if no recorded call can
/// have done so, kOneOfSeveral if the numbers do not decide. Both lists are in program order.
/// `posted_into` tells whether the program posts a request in an array.
std::vector<std::uint32_t> calls_over_copies(
    std::span<const LostRequest> lost, std::span<const FreePlaces> places,
    const std::function<bool(const RequestLog::ArrayCall&)>& posted_into);

/// Adds tests to the rank's trace: between each two events, one of all lost requests that are
/// active there. The last test of a request has it completed by then; otherwise the tests are open
/// (kOpen). `lost` is in program order.
void add_tests(RankTrace& rank, std::span<const LostRequest> lost);

}  // namespace latitude::trace::infer
