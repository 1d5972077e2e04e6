#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/graph/graph.hpp"
#include "core/trace/event.hpp"

namespace latitude::solve {

/// Why a rank waits for another one (docs/explanation/waits.md).
enum class Cause : std::uint8_t {
  late_sender,     ///< a receive, for its send to begin
  wrong_order,     ///< the same, while a message that is received right after it has been sent
  late_receiver,   ///< a rendezvous send, for its receive to be posted
  early_reduce,    ///< an N-to-1 collective, for members that have not entered it
  early_scan,      ///< a scan, for ranks before this one that have not entered it
  late_broadcast,  ///< a 1-to-N collective, for the root, or who passes on, to enter it
  n_to_n,          ///< an N-to-N collective, for members that have not entered it
  barrier,         ///< the same of a barrier
  other_thread,    ///< a thread, or what else runs operations, for another one of its rank
  completion,      ///< any collective, for members that are in it and not that far
  count_,
};

inline constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::count_);

/// "late_sender" and so on.
std::string_view name_of(Cause cause) noexcept;

/// What a rank does while another one waits for it.
enum class Activity : std::uint8_t { computation, overhead, transfer, count_ };

inline constexpr std::size_t kActivities = static_cast<std::size_t>(Activity::count_);

/// "computation" and so on.
std::string_view name_of(Activity activity) noexcept;

/// Whether all members of a communicator make such a call. count_, of what is of no call, is none.
bool is_collective(trace::Call call) noexcept;

/// Why a receive of such a call waits for its send, or a send for its receive; count_: of no call.
Cause cause_of(trace::Call call, graph::Kind kind) noexcept;

}  // namespace latitude::solve
