#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::solve {

/// What the polls of a graph complete, as a simulation goes through it: the rules of
/// core/solve/arrivals.hpp. Who simulates tells what is done and asks what comes next.
class Polls {
 public:
  static constexpr std::uint32_t kNobody = 0xffffffffU;

  explicit Polls(const graph::Graph& graph);

  /// A call that may complete requests.
  bool is_poll(graph::VertexId v) const { return poll_of_.contains(v); }
  /// The receive of a request, which some poll will take.
  bool is_receive(graph::VertexId v) const { return is_request(v) && receives_[number_of_.at(v)]; }
  /// What a request that is no receive waits for the end of.
  bool is_awaited(graph::VertexId v) const { return is_request(v) && !receives_[number_of_.at(v)]; }

  /// The message of a polled receive is there, or what a request waits for has ended. The poll of
  /// this rank that waited, if any: it is to be asked again.
  std::optional<graph::VertexId> done(graph::VertexId v);

  /// What the program does at a poll, time after time until that is the poll itself: a receive that
  /// it takes, or nothing, where it waits.
  std::optional<graph::VertexId> next(graph::VertexId poll);
  /// The program goes on behind a poll. Whether it has completed anything.
  bool leave(graph::VertexId poll);

  /// By request: what has completed it, in Graph::polls, or kNobody.
  const std::vector<std::uint32_t>& completed_by() const { return taken_; }
  /// A poll that waits in vain, when nothing more comes.
  std::optional<graph::VertexId> stuck() const;

 private:
  struct Play {
    std::vector<graph::PolledRequest> chosen;
    std::size_t at = 0;
    bool decided = false;
  };

  bool is_request(graph::VertexId v) const { return number_of_.contains(v); }
  bool decide(std::uint32_t poll, Play& play);
  bool takes_spare(const graph::Poll& poll);

  const graph::Graph& graph_;
  std::unordered_map<graph::VertexId, std::uint32_t> poll_of_;    ///< Graph::polls
  std::unordered_map<graph::VertexId, std::uint32_t> number_of_;  ///< request
  std::vector<bool> receives_;                                    ///< by request
  std::vector<bool> done_;
  std::vector<std::uint32_t> taken_;
  /// Completed here, and no wait that had to complete one has it for its own.
  std::vector<bool> spare_;
  std::unordered_map<std::uint32_t, Play> plays_;               ///< by poll
  std::unordered_map<std::uint32_t, graph::VertexId> waiting_;  ///< by rank: the poll
};

/// The graph with the receives and waits of requests where the polls that completed them are:
/// `completed_by` is Polls::completed_by.
graph::Graph with_completions(graph::Graph graph, const std::vector<std::uint32_t>& completed_by);

}  // namespace latitude::solve
