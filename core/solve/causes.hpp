#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/graph/graph.hpp"
#include "core/trace/event.hpp"

namespace latitude::solve {

/// The causes of a rank's waits for another rank (docs/explanation/waits.md).
enum class Cause : std::uint8_t {
  late_sender,     ///< a receive, until its send begins
  wrong_order,     ///< late_sender, if the message received next had been sent earlier
  late_receiver,   ///< a rendezvous send, until its receive is posted
  early_reduce,    ///< an N-to-1 collective, for members that have not entered it
  early_scan,      ///< a scan, for preceding ranks that have not entered it
  late_broadcast,  ///< a 1-to-N collective, until the root, or a member that passes data on, enters
                   ///< it
  n_to_n,          ///< an N-to-N collective, for members that have not entered it
  barrier,         ///< a barrier, for members that have not entered it
  other_thread,    ///< a thread, or another resource that runs operations, for another one of its
                   ///< rank
  completion,      ///< any collective, for members that have entered it but have not come far
                   ///< enough
  count_,
};

inline constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::count_);

/// "late_sender" and similar.
std::string_view name_of(Cause cause) noexcept;

/// The activity of a rank while another one waits for it.
enum class Activity : std::uint8_t { computation, overhead, transfer, count_ };

inline constexpr std::size_t kActivities = static_cast<std::size_t>(Activity::count_);

/// "computation" and similar.
std::string_view name_of(Activity activity) noexcept;

/// Whether all members of a communicator make such a call. False for count_, which means no call.
bool is_collective(trace::Call call) noexcept;

/// The cause for which a receive of such a call waits for its send, or a send for its receive;
/// count_: no call.
Cause cause_of(trace::Call call, graph::Kind kind) noexcept;

}  // namespace latitude::solve
