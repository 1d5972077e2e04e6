#pragma once

#include <cstdint>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// Whether the messages of a run arrive after they have left, by the common clock of its ranks.
struct MessageOrder {
  std::uint64_t messages = 0;  ///< messages that were compared: see order_of_messages
  std::uint64_t reversed =
      0;  ///< messages that arrive before they leave, by more than the errors of both clocks
  /// The message with the largest difference, if any: the difference, ns, and its ranks.
  std::int64_t worst_ns = 0;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
};

/// Compares messages between different ranks. A message leaves when the call that sends or starts
/// it is entered, and has arrived when the call that completes its receive returns. It is reversed
/// if it arrives earlier than it leaves by more than the errors of both clocks together
/// (CommonClock::error_ns). The comparison leaves out messages inside collectives, partitioned
/// messages, messages whose receive no call completes, and messages with an unknown sender. The
/// trace must have been read by Clock::recorded, and have a common clock. InputError: a call names
/// a rank that does not exist.
MessageOrder order_of_messages(const Trace& trace, unsigned threads);

}  // namespace latitude::trace
