#include "core/trace/paraver/rank_calls.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/quote.hpp"

namespace latitude::trace::paraver {
namespace {

constexpr std::uint32_t kOthers = 50000003;  // the type of calls that neither send nor collect
constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

/// Most messages that a call can send.
std::size_t sends(Call call) {
  switch (class_of(call)) {
    case CallClass::send:
    case CallClass::isend:
    case CallClass::sendrecv:
      return 1;
    case CallClass::start:
      return call == Call::Startall ? kAny : 1;
    default:
      return 0;
  }
}

/// Most receives that a call can post.
std::size_t posts(Call call) {
  const CallClass kind = class_of(call);
  if (kind == CallClass::recv || kind == CallClass::irecv) return 1;
  return kind == CallClass::sendrecv || kind == CallClass::start ? sends(call) : 0;
}

/// Most receives, posted before a call, that it can complete.
std::size_t completes(Call call) {
  switch (call) {
    case Call::Wait:
    case Call::Waitany:
    case Call::Test:
    case Call::Testany:
      return 1;
    default:
      return class_of(call) == CallClass::completion ? kAny : 0;
  }
}

/// Assigns each of a task's messages, in order of their times, to the call in which it occurred.
class Walk {
 public:
  Walk(const std::vector<RawCall>& raw, const std::vector<Call>& calls)
      : raw_(raw), calls_(calls) {}

  template <class Capacity>
  std::uint32_t call_at(std::int64_t ns, Capacity capacity) {
    while (at_ < raw_.size() && (raw_[at_].leave_ns < ns || calls_[at_] == Call::count_ ||
                                 used_ >= capacity(calls_[at_]))) {
      ++at_;
      used_ = 0;
    }
    if (at_ == raw_.size() || raw_[at_].enter_ns > ns) return kNone;
    ++used_;
    return static_cast<std::uint32_t>(at_);
  }

 private:
  const std::vector<RawCall>& raw_;
  const std::vector<Call>& calls_;
  std::size_t at_ = 0;
  std::size_t used_ = 0;
};

class Resolver {
 public:
  Resolver(const Records& records, const Names& names) : records_(records), names_(names) {}

  Resolved run() {
    resolved_.tasks.resize(records_.tasks.size());
    resolved_.messages.resize(records_.messages.size());
    for (std::uint32_t m = 0; m < records_.messages.size(); ++m) {
      resolved_.tasks[records_.messages[m].source].sent.push_back(m);
      resolved_.tasks[records_.messages[m].destination].posted.push_back(m);
    }
    for (std::size_t task = 0; task < records_.tasks.size(); ++task) {
      ResolvedTask& own = resolved_.tasks[task];
      name_calls(records_.tasks[task], own);
      attribute(task, own.sent, &RawMessage::sent_ns, &MessageCalls::sent_in, "sent", sends);
      attribute(task, own.posted, &RawMessage::posted_ns, &MessageCalls::posted_in, "received",
                posts);
      complete(task, own);
    }
    leave_out_what_was_cut();
    return std::move(resolved_);
  }

 private:
  void name_calls(const RawTask& task, ResolvedTask& own) const {
    own.names.reserve(task.calls.size());
    own.calls.reserve(task.calls.size());
    for (const RawCall& raw : task.calls) {
      const std::string_view name = names_.call(raw.type, raw.value);
      const Call call = call_named(name);
      if (name.empty() || (call == Call::count_ && raw.type != kOthers)) {
        throw InputError(records_.source + ":" + std::to_string(raw.line) + ": " +
                         (name.empty() ? "no name is known"
                                       : quote(name) + " is not a call that Latitude knows") +
                         ", of number " + std::to_string(raw.value) + " of type " +
                         std::to_string(raw.type) +
                         (name.empty() ? "; put the trace's .pcf file next to it" : ""));
      }
      own.names.push_back(name);
      const bool local = call == Call::count_ || class_of(call) == CallClass::local;
      own.calls.push_back(local ? Call::count_ : call);
    }
  }

  template <class Capacity>
  void attribute(std::size_t task, std::vector<std::uint32_t>& messages,
                 std::int64_t RawMessage::* time, std::uint32_t MessageCalls::* in,
                 std::string_view what, Capacity capacity) {
    const auto key = [&](std::uint32_t m) { return records_.messages[m].*time; };
    std::ranges::stable_sort(messages, {}, key);
    Walk walk(records_.tasks[task].calls, resolved_.tasks[task].calls);
    for (const std::uint32_t m : messages) {
      const std::uint32_t call = walk.call_at(key(m), capacity);
      if (call == kNone) check_cut(task, m, key(m), what);
      resolved_.messages[m].*in = call;
    }
  }

  /// Checks that a message that no call explains was cut off with the start or end of the trace.
  void check_cut(std::size_t task, std::uint32_t m, std::int64_t ns, std::string_view what) const {
    const std::vector<RawCall>& calls = records_.tasks[task].calls;
    if (calls.empty() || ns <= calls.front().enter_ns || ns >= calls.back().leave_ns) return;
    throw InputError(records_.source + ":" + std::to_string(records_.messages[m].line) +
                     ": no call of task " + std::to_string(task + 1) +
                     " explains the message that is " + std::string(what) + " at " +
                     std::to_string(ns) + " ns; the trace is not whole");
  }

  /// Completes blocking receives at their posting.
  void complete(std::size_t task, ResolvedTask& own) {
    for (const std::uint32_t m : own.posted) {
      MessageCalls& in = resolved_.messages[m];
      if (in.posted_in == kNone) continue;
      const CallClass kind = class_of(own.calls[in.posted_in]);
      if (kind == CallClass::recv || kind == CallClass::sendrecv) {
        in.completed_in = in.posted_in;
      } else {
        own.completed.push_back(m);
      }
    }
    attribute(task, own.completed, &RawMessage::received_ns, &MessageCalls::completed_in,
              "received", completes);
  }

  void leave_out_what_was_cut() {
    for (MessageCalls& message : resolved_.messages) {
      if (message.sent_in != kNone && message.completed_in != kNone) continue;
      message = {};
      ++resolved_.cut_off;
    }
    if (resolved_.cut_off == 0) return;
    const auto cut = [&](std::uint32_t m) { return resolved_.messages[m].sent_in == kNone; };
    for (ResolvedTask& task : resolved_.tasks) {
      std::erase_if(task.sent, cut);
      std::erase_if(task.posted, cut);
      std::erase_if(task.completed, cut);
    }
  }

  const Records& records_;
  const Names& names_;
  Resolved resolved_;
};

}  // namespace

Resolved resolve(const Records& records, const Names& names) {
  return Resolver(records, names).run();
}

}  // namespace latitude::trace::paraver
