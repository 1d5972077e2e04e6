#include "core/solve/slack_groups.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::solve {

std::vector<SlackGroups> slack_groups(const graph::Graph& graph, const MessageSlack& messages,
                                      double rounding, double latency) {
  std::vector<SlackGroups> groups(3);
  const auto add = [&](std::size_t by, std::int64_t key, double slack) {
    groups[by][key].add(slack, latency);
  };
  for (std::size_t i = 0; i < messages.receive.size(); ++i) {
    const graph::Vertex& receive = graph.vertices[messages.receive[i]];
    const double slack = messages.slack_ns[i] <= rounding ? 0 : messages.slack_ns[i];
    const auto bytes = static_cast<std::uint64_t>(graph.vertices[receive.partner].value);
    if (receive.origin == graph::kNoOrigin) {
      add(0, trace::kCallCount, slack);
    } else {
      const graph::CallRecord call = graph.calls[receive.origin];
      add(0, static_cast<std::int64_t>(call.call), slack);
      add(1, call.comm, slack);
    }
    add(2, size_class(bytes), slack);
  }
  return groups;
}

}  // namespace latitude::solve
