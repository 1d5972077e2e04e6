#include "core/solve/slack_groups.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::solve {
namespace {

/// Sums by small keys, without a search for each message.
class GroupSums {
 public:
  void add(std::size_t key, double slack, double latency) {
    if (key >= of_.size()) of_.resize(key + 1);
    of_[key].add(slack, latency);
  }

  SlackGroups groups() const {
    SlackGroups groups;
    for (std::size_t key = 0; key < of_.size(); ++key) {
      if (of_[key].messages > 0) groups[static_cast<std::int64_t>(key)] = of_[key];
    }
    return groups;
  }

 private:
  std::vector<SlackSums> of_;
};

}  // namespace

std::vector<SlackGroups> slack_groups(const graph::Graph& graph, const MessageSlack& messages,
                                      double rounding, double latency) {
  GroupSums by_call;
  GroupSums by_communicator;
  GroupSums by_size;
  for (std::size_t i = 0; i < messages.receive.size(); ++i) {
    const graph::Vertex& receive = graph.vertices[messages.receive[i]];
    const double slack = messages.slack_ns[i] <= rounding ? 0 : messages.slack_ns[i];
    if (receive.origin == graph::kNoOrigin) {
      by_call.add(trace::kCallCount, slack, latency);
    } else {
      const graph::CallRecord& call = graph.calls.shared(receive.origin);
      by_call.add(static_cast<std::size_t>(call.call), slack, latency);
      by_communicator.add(call.comm, slack, latency);
    }
    by_size.add(size_class(static_cast<std::uint64_t>(receive.value)), slack, latency);
  }
  return {by_call.groups(), by_communicator.groups(), by_size.groups()};
}

}  // namespace latitude::solve
