#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/infer/request_log.hpp"

namespace latitude::trace::infer {

/// A request that no call completes by the address of its posting. A call over copies of the
/// request has completed it, or a call that is not in the file.
struct LostRequest {
  std::uint32_t posted;  ///< the event that made it
  std::uint32_t since;   ///< the event that made it active: its posting, or its latest start
  std::uint32_t until;   ///< the event that uses its address again, or MPI_Finalize
};

/// The lost requests of a rank, and the calls that may have completed copies. These calls have free
/// places: places where the program posted no request that is still active. A free place holds
/// MPI_REQUEST_NULL, an inactive request, or a copy.
class LostRequests {
 public:
  static constexpr std::uint32_t kNoCall = AddressMap::kNone;
  static constexpr std::uint32_t kUndecided = AddressMap::kNone - 1;
  using PostedInto = std::function<bool(const RequestLog::ArrayCall&)>;

  void add(const LostRequest& request) { requests_.push_back(request); }
  /// Notes a completion of one request whose place is free.
  void add_free_place(std::uint32_t event, Call call, bool posted_there);
  /// Notes a completion of the requests in an array, of which `active` were posted there.
  void add_free_places(std::uint32_t event, Call call, const RequestLog::ArrayCall& array,
                       std::size_t active);

  /// The requests in program order, after all calls are noted.
  std::span<const LostRequest> in_order();
  /// For each of them, the call that completed a copy; kNoCall if no recorded call can have, and
  /// kUndecided if the numbers do not decide. `posted_into` says whether the program posts a
  /// request in an array.
  std::vector<std::uint32_t> completing_calls(const PostedInto& posted_into) const;

 private:
  struct FreePlaces {
    std::uint32_t event;
    std::uint32_t count;
    bool all;  ///< whether the call completes each of its requests, and all its places are free
    RequestLog::ArrayCall array;  ///< without places if the call completes one request
  };

  std::vector<LostRequest> requests_;
  std::vector<FreePlaces> places_;  ///< in program order
};

/// Adds open tests (kOpen) to the rank's trace: before each event, one of all active requests among
/// `lost`. The last test of a request has completed the request by then. `lost` is in program
/// order.
void add_tests(RankTrace& rank, std::span<const LostRequest> lost);

}  // namespace latitude::trace::infer
