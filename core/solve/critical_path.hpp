#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/message_dag.hpp"
#include "core/solve/schedule.hpp"

namespace latitude::solve {

/// A stretch of the critical path at one vertex. It begins where the path enters the vertex (or its
/// message). It ends where the path leaves for another message that this vertex' own message delays
/// too. The other fields are the parts of this stretch: counts, and their costs. Latencies and
/// bytes are those of the vertex' own message.
struct PathStep {
  graph::VertexId vertex = graph::kNoVertex;
  double start_ns = 0;
  double end_ns = 0;
  double calc_ns = 0;
  double latency_ns = 0;
  double gap_ns = 0;
  double overhead_ns = 0;
  double latencies = 0;
  double overheads = 0;
  double bytes = 0;
};

/// A longest path of the graph at one network, in time order, with its parts. T = calc + recorded +
/// overhead + latency + gap. With one link class overhead = o · overheads, latency = L · latencies
/// and gap = G · bytes, so `latencies` is λ_L, `bytes` λ_G and `overheads` λ_o (Shen et al. 2024,
/// §II.B) of this path; if paths tie, of the one found.
struct CriticalPath {
  double T_ns = 0;
  double calc_ns = 0;
  double overhead_ns = 0;
  double recorded_ns = 0;  ///< recorded durations of calls
  double latency_ns = 0;
  double gap_ns = 0;
  double latencies = 0;
  double overheads = 0;
  double bytes = 0;
  std::vector<PathStep> steps;
  std::vector<double> rank_end_ns;
  /// For each rank, the total duration of its lines (graph::RankLines).
  std::vector<double> rank_lines_ns;
};

/// Passes the steps to `take`, in time order, instead of adding them to the path, because the steps
/// of a long run take more memory than the graph.
CriticalPath critical_path(const Schedule& schedule,
                           const std::function<void(const PathStep&)>& take);
CriticalPath critical_path(const Schedule& schedule);
inline CriticalPath critical_path(const graph::Graph& graph, const model::Network& network) {
  return critical_path(Schedule(graph, network));
}

/// Extra latency that single messages of a rank pair can take, on each of their latencies, before T
/// grows.
struct PairSlack {
  std::int64_t source;
  std::int64_t destination;
  std::int64_t messages;
  std::int64_t bytes;
  double least_ns;  ///< slack of the pair's tightest message
  double mean_ns;
  double path_latencies;  ///< latencies of the pair on the critical path: its λ_ij
  double path_bytes;      ///< bytes of the pair on the critical path: its λ_G,ij
};

struct MessageSlack {
  std::vector<graph::VertexId> receive;    ///< vertex that receives each message
  std::vector<std::uint32_t> source;       ///< for each message: the sending rank
  std::vector<std::uint32_t> destination;  ///< for each message: the receiving rank
  std::vector<double> slack_ns;            ///< slack of each message
  /// Pairs of different ranks with messages, by source, then destination. If all ranks talk to all,
  /// these take as much memory as all other data on the messages.
  std::vector<PairSlack> pairs;
  /// For each of Graph::sites: the least slack of the messages sent or received there; infinite if
  /// none.
  std::vector<double> site_least_ns;
};

/// The pairs have no parts of a path yet. InputError as in compile(). `messages`: the messages of
/// that graph.
MessageSlack message_slack(const graph::Graph& graph, const model::Network& network);
MessageSlack message_slack(const graph::Graph& graph, const model::Network& network,
                           MessageGraph messages);

/// The parts of a path that belong to pairs of ranks.
class PairsOnPath {
 public:
  explicit PairsOnPath(const graph::Graph& graph) : graph_(graph) {}

  /// Steps come in time order.
  void add(const PathStep& step);

 private:
  friend void add_path(MessageSlack& slack, const PairsOnPath& path);

  struct Pair {
    double latencies = 0;
    double bytes = 0;
  };

  const graph::Graph& graph_;
  std::unordered_map<std::uint64_t, Pair> pairs_;  ///< by source and destination
};

/// Sets the parts of a path that belong to the pairs.
void add_path(MessageSlack& slack, const PairsOnPath& path);

inline MessageSlack message_slack(const graph::Graph& graph, const model::Network& network,
                                  const CriticalPath& path) {
  MessageSlack slack = message_slack(graph, network);
  PairsOnPath pairs(graph);
  for (const PathStep& step : path.steps) pairs.add(step);
  add_path(slack, pairs);
  return slack;
}

}  // namespace latitude::solve
