#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/paraver/names.hpp"
#include "core/trace/paraver/records.hpp"

namespace latitude::trace::paraver {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// The calls to which the ends of a message belong.
struct MessageCalls {
  std::uint32_t sent_in = kNone;
  std::uint32_t posted_in = kNone;
  std::uint32_t completed_in = kNone;
};

/// A task's calls with their meanings, and the messages that they send and receive.
struct ResolvedTask {
  std::vector<std::string_view> names;  ///< name of each call, from the given Names
  std::vector<Call> calls;              ///< Call::count_: a call without an event
  // Messages, in the order of the calls and times:
  std::vector<std::uint32_t> sent;
  std::vector<std::uint32_t> posted;
  std::vector<std::uint32_t>
      completed;  ///< messages completed in calls other than their posting calls
};

struct Resolved {
  std::vector<ResolvedTask> tasks;
  std::vector<MessageCalls> messages;
  /// Messages whose other end was cut off with the start or end of the trace. They are ignored.
  std::uint64_t cut_off = 0;
};

/// InputError names file and line of a call without a name, or of a message that no call explains.
Resolved resolve(const Records& records, const Names& names);

}  // namespace latitude::trace::paraver
