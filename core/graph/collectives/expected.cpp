#include "core/graph/collectives/expected.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace latitude::graph {
namespace {

constexpr std::uint64_t kBytes = 8;
constexpr std::uint64_t kMostMembers = 64;                    ///< ranks whose parts are requested
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 18;  ///< approximate sum of their steps

int mean_size(const trace::Trace& trace) {
  std::uint64_t members = 0;
  for (const trace::Communicator& each : trace.communicators) members += each.group.size();
  return static_cast<int>(members / std::max<std::size_t>(1, trace.communicators.size()));
}

/// Number of sends and receives of a mean member.
double operations_of(trace::Call call, int size, const Selection& selection) {
  const auto ranks = static_cast<std::uint64_t>(size);
  const std::vector<std::int64_t> blocks(ranks, kBytes);
  Collective collective;
  collective.call = call;
  collective.size = size;
  collective.bytes = kBytes;
  collective.element = kBytes;
  collective.send_bytes = blocks;
  collective.recv_bytes = blocks;
  const NamedAlgorithm algorithm = selection.choose(collective);
  const std::uint64_t asked =
      std::min(ranks, std::clamp<std::uint64_t>(kMostSteps / ranks, 1, kMostMembers));
  std::uint64_t operations = 0;
  Steps steps;
  for (std::uint64_t i = 0; i < asked; ++i) {
    // Far apart, and not only powers of two: a member's work depends on both.
    collective.rank = static_cast<int>(asked == ranks ? i : i * 2654435761U % ranks);
    steps.clear();
    algorithm.run(collective, steps);
    operations += static_cast<std::uint64_t>(std::ranges::count_if(
        steps.view(), [](const Step& step) { return step.op < Step::Op::wait; }));
  }
  return static_cast<double>(operations) / static_cast<double>(asked);
}

}  // namespace

double expected_operations(const trace::Trace& trace, const Selection& selection) {
  std::array<std::uint64_t, trace::kCallCount> calls{};
  for (const trace::RankTrace& rank : trace.ranks) {
    for (const auto& [name, count] : rank.call_counts) {
      const trace::Call call = trace::call_named(name);
      if (call == trace::Call::count_) continue;
      const trace::CallClass kind = trace::class_of(call);
      if (kind != trace::CallClass::collective && kind != trace::CallClass::icollective) continue;
      calls[static_cast<std::size_t>(trace::blocking_form(call))] += count;
    }
  }
  const int size = mean_size(trace);
  double operations = 0;
  for (std::size_t code = 0; code < calls.size(); ++code) {
    if (calls[code] == 0 || size < 2) continue;
    operations += static_cast<double>(calls[code]) *
                  operations_of(static_cast<trace::Call>(code), size, selection);
  }
  return operations;
}

}  // namespace latitude::graph
