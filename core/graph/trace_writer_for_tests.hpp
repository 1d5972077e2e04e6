#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/graph/from_trace.hpp"

namespace latitude::graph {

/// Traces of a few ranks; each event takes 1 ns and follows 99 ns of computation.
class TraceWriter {
 public:
  explicit TraceWriter(std::size_t ranks) : starts_ns_(ranks) {
    trace_.ranks.resize(ranks);
    std::vector<std::int32_t> world;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      world.push_back(static_cast<std::int32_t>(rank));
      trace_.ranks[rank].source = "trace." + std::to_string(rank);
      add(rank, {.call = trace::Call::Init});
    }
    trace_.communicators.push_back({world});
  }

  std::uint32_t communicator(std::vector<std::int32_t> group) {
    trace_.communicators.push_back({std::move(group)});
    return static_cast<std::uint32_t>(trace_.communicators.size() - 1);
  }

  /// All calls of `rank` come later by this time.
  void start(std::size_t rank, std::int64_t ns) {
    starts_ns_[rank] = ns;
    for (trace::Event& event : trace_.ranks[rank].events) {
      event.enter_ns += ns;
      event.leave_ns += ns;
    }
  }

  /// Returns the id of the event.
  std::int64_t add(std::size_t rank, trace::Event event, std::vector<std::int64_t> args = {}) {
    trace::RankTrace& to = trace_.ranks[rank];
    const auto id = static_cast<std::int64_t>(to.events.size());
    event.enter_ns = starts_ns_[rank] + id * 100;
    event.leave_ns = event.enter_ns + 1;
    event.position = static_cast<std::uint32_t>(id + 1);
    if (!args.empty()) {
      event.args = static_cast<std::uint32_t>(to.args.size());
      to.args.insert(to.args.end(), args.begin(), args.end());
    }
    to.events.push_back(event);
    return id;
  }

  std::int64_t message(std::size_t rank, trace::Call call, std::int32_t peer,
                       std::uint64_t bytes = 8, std::int32_t tag = 0,
                       std::uint32_t comm = trace::kWorld) {
    return add(rank, {.bytes = bytes, .peer = peer, .tag = tag, .comm = comm, .call = call});
  }

  trace::Trace& trace() { return trace_; }

  Graph build(const BuildOptions& options = {}) {
    for (std::size_t rank = 0; rank < trace_.ranks.size(); ++rank) {
      add(rank, {.call = trace::Call::Finalize});
    }
    return build_graph(trace_, options);
  }

  /// The graph with the times of the traced run; all ranks have one clock.
  Graph build_timed() {
    trace_.no_common_clock.clear();
    return build({.traced_times = true});
  }

 private:
  trace::Trace trace_;
  std::vector<std::int64_t> starts_ns_;
};

/// c, s or r for each vertex of a rank.
inline std::string kinds_of(const Graph& graph, std::uint32_t rank) {
  std::string text;
  for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
    text += "csr"[static_cast<int>(graph.vertices[v].kind)];
  }
  return text;
}

/// The error message of a failed build.
inline std::string error_of(TraceWriter& trace, const BuildOptions& options = {}) {
  try {
    trace.build(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace latitude::graph
