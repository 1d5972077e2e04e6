#pragma once

#include <cstdint>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// Polls of any kind (MPI_Test, MPI_Iprobe) that failed between two calls of a thread, as one
/// event. The event is a completion without requests, at the time at which the first poll had
/// failed.
struct FailedPolls {
  std::uint64_t count = 0;
  std::int32_t each_ns = 0;  ///< cost of one of them; 0: not known
  bool found = false;        ///< a later poll found a message, and is not an event
};

// Flags in addition to those of EventFlag.
inline constexpr std::uint16_t kPolls = 64;
inline constexpr std::uint16_t kFound = 128;

inline void set_polls(Event& event, const FailedPolls& polls) noexcept {
  event.call = Call::Test;
  event.bytes = polls.count;
  event.tag = polls.each_ns;
  event.flags = polls.found ? kPolls | kFound : kPolls;
}

/// Whether the event stands for several polls.
inline bool of_polls(const Event& event) noexcept { return (event.flags & kPolls) != 0; }

inline FailedPolls polls_of(const Event& event) noexcept {
  return {event.bytes, event.tag, (event.flags & kFound) != 0};
}

/// Calls that check for a completion or a message, and return at once.
inline bool polls(Call call) noexcept {
  switch (call) {
    case Call::Test:
    case Call::Testall:
    case Call::Testany:
    case Call::Testsome:
    case Call::Improbe:
      return true;
    default:
      return false;
  }
}

}  // namespace latitude::trace
