#include "core/trace/message_ends.hpp"

#include <utility>

#include "core/flat_map.hpp"
#include "core/trace/messages.hpp"

namespace latitude::trace {
namespace {

class EndsOfRank {
 public:
  EndsOfRank(const Trace& trace, const RankTrace& rank) : trace_(trace), rank_(rank) {}

  RankEnds run() {
    std::uint32_t next = 0;  // the first event whose requests may still be completed
    for_each_end(trace_, rank_,
                 [&](const Event& event, const Event& by, bool receives, const Message& message,
                     std::int32_t world) {
                   complete_until(next, number_of(event));
                   post(event, by, receives, message, world);
                 });
    complete_until(next, static_cast<std::uint32_t>(rank_.events.size()));
    return std::move(ends_);
  }

 private:
  using Active = FlatMap<std::uint32_t, std::uint32_t>;  ///< requests to their ends

  void post(const Event& event, const Event& by, bool receives, const Message& message,
            std::int32_t world) {
    std::vector<MessageEnd>& ends = receives ? ends_.receives : ends_.sends;
    const auto number = static_cast<std::uint32_t>(ends.size());
    (receives ? ends_.postings.receives : ends_.postings.sends)
        .push_back({by.comm, world, message.tag, number});
    const CallClass kind = class_of(event.call);
    const bool blocking =
        kind == CallClass::send || kind == CallClass::recv || kind == CallClass::sendrecv;
    const std::uint32_t posted = number_of(event);
    ends.push_back({message.bytes, posted, blocking ? posted : MessageEnd::kNone, world, by.call});
    if (!blocking) (receives ? receiving_ : sending_)[number_of(by)] = number;
  }

  std::uint32_t number_of(const Event& event) const {
    return static_cast<std::uint32_t>(&event - rank_.events.data());
  }

  /// Marks the requests that the calls before `end` have completed.
  void complete_until(std::uint32_t& next, std::uint32_t end) {
    for (; next < end; ++next) {
      const Event& done = rank_.events[next];
      if (class_of(done.call) != CallClass::completion || (done.flags & kOpen) != 0) continue;
      for (const std::uint32_t request : requests_of(rank_, done)) {
        complete(receiving_, ends_.receives, request, next);
        complete(sending_, ends_.sends, request, next);
      }
    }
  }

  static void complete(Active& active, std::vector<MessageEnd>& ends, std::uint32_t request,
                       std::uint32_t event) {
    const std::uint32_t* const found = active.find(request);
    if (found == nullptr) return;
    ends[*found].completed = event;
    active.erase(request);
  }

  const Trace& trace_;
  const RankTrace& rank_;
  RankEnds ends_;
  Active receiving_;
  Active sending_;
};

}  // namespace

RankEnds message_ends(const Trace& trace, const RankTrace& rank) {
  return EndsOfRank(trace, rank).run();
}

}  // namespace latitude::trace
