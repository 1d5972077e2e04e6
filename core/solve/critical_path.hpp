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

/// One vertex on the critical path, from where the path enters it (or its message) to where it
/// leaves, for another message that its own holds up too. The rest is what that stretch consists
/// of: counts, and what they cost. Latencies and bytes are those of the vertex' own message.
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

/// A longest path of the graph at one network, in time order, with what it consists of.
/// T = calc + recorded + overhead + latency + gap, and with one link class overhead = o ·
/// overheads, latency = L · latencies and gap = G · bytes, so `latencies` is λ_L, `bytes` λ_G and
/// `overheads` λ_o ([S] §II.B) of this path; where paths tie, of the one found.
struct CriticalPath {
  double T_ns = 0;
  double calc_ns = 0;
  double overhead_ns = 0;
  double recorded_ns = 0;  ///< of calls, as long as they took
  double latency_ns = 0;
  double gap_ns = 0;
  double latencies = 0;
  double overheads = 0;
  double bytes = 0;
  std::vector<PathStep> steps;
  std::vector<double> rank_end_ns;
  /// Of each rank, how long its lines (graph::RankLines) last, all of them together.
  std::vector<double> rank_lines_ns;
};

/// Steps go to `take`, in time order, and not to the path: of a long run they take more memory than
/// the graph.
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
  double least_ns;  ///< of the pair's tightest message
  double mean_ns;
  double path_latencies;  ///< latencies of the pair on the critical path: its λ_ij
  double path_bytes;      ///< bytes of the pair on the critical path: its λ_G,ij
};

struct MessageSlack {
  std::vector<graph::VertexId> receive;    ///< of each message
  std::vector<std::uint32_t> source;       ///< of each message: the rank that sends it
  std::vector<std::uint32_t> destination;  ///< of each message: the rank that receives it
  std::vector<double> slack_ns;            ///< of each message
  /// Different ranks with messages, by source, then destination; none until they are added.
  std::vector<PairSlack> pairs;
  /// Of each of Graph::sites: the least of the messages sent or received there; infinite if none.
  std::vector<double> site_least_ns;
};

/// InputError as compile(). `messages`: of that graph.
MessageSlack message_slack(const graph::Graph& graph, const model::Network& network);
MessageSlack message_slack(const graph::Graph& graph, const model::Network& network,
                           MessageGraph messages);

/// What pairs of ranks have on a path.
class PairsOnPath {
 public:
  explicit PairsOnPath(const graph::Graph& graph) : graph_(graph) {}

  /// Steps come in time order.
  void add(const PathStep& step);

 private:
  friend void add_pairs(MessageSlack& slack, const graph::Graph& graph, const PairsOnPath& path);

  struct Pair {
    double latencies = 0;
    double bytes = 0;
  };

  const graph::Graph& graph_;
  std::unordered_map<std::uint64_t, Pair> pairs_;  ///< by source and destination
};

/// Adds the pairs, with what they have on a path. Where all ranks talk to all, they take as much
/// memory as all else that is known of the messages.
void add_pairs(MessageSlack& slack, const graph::Graph& graph, const PairsOnPath& path);

inline MessageSlack message_slack(const graph::Graph& graph, const model::Network& network,
                                  const CriticalPath& path) {
  MessageSlack slack = message_slack(graph, network);
  PairsOnPath pairs(graph);
  for (const PathStep& step : path.steps) pairs.add(step);
  add_pairs(slack, graph, pairs);
  return slack;
}

}  // namespace latitude::solve
