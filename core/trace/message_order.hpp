#pragma once

#include <cstdint>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// Whether the messages of a run arrive after they have left, by the clock that its ranks have.
struct MessageOrder {
  std::uint64_t messages = 0;  ///< that were looked at: see order_of_messages
  std::uint64_t reversed = 0;  ///< that arrive earlier than that, by more than clocks may be off
  /// Of the one that is off by most, if one is: by how much, ns; and its ranks.
  std::int64_t worst_ns = 0;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
};

/// Looks at messages between different ranks: a message leaves when the call is entered that sends
/// or starts it, and has arrived when the call returns that completes its receive. It is reversed
/// where it arrives earlier than it leaves by more than the errors of both clocks together
/// (CommonClock::error_ns). Messages inside collectives, partitioned ones, those whose receive no
/// call completes and those whose sender is not known are not looked at. Of a trace read by
/// Clock::recorded, with a common clock. InputError: a call names a rank that does not exist.
MessageOrder order_of_messages(const Trace& trace, unsigned threads);

}  // namespace latitude::trace
