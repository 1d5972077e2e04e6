#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::solve {

/// The completions that the polls of a graph make, as a simulation proceeds: the rules of
/// core/solve/arrivals.hpp. The simulation reports completed operations and asks for the next
/// action.
class Polls {
 public:
  static constexpr std::uint32_t kNobody = 0xffffffffU;

  explicit Polls(const graph::Graph& graph);

  /// Whether v is a call that may complete requests.
  bool is_poll(graph::VertexId v) const { return poll_of_.contains(v); }
  /// Whether v is the receive of a request, which some poll will complete.
  bool is_receive(graph::VertexId v) const { return is_request(v) && receives_[number_of_.at(v)]; }
  /// Whether v is the operation for whose end a request other than a receive waits.
  bool is_awaited(graph::VertexId v) const { return is_request(v) && !receives_[number_of_.at(v)]; }

  /// The message of a polled receive has arrived, or the operation behind a request has ended.
  /// Returns the waiting poll of this rank, if any, for which `next` must be called again.
  std::optional<graph::VertexId> done(graph::VertexId v);

  /// The next action of the program at a poll: a receive that the poll completes, and after all of
  /// these the poll itself. None while the poll waits.
  std::optional<graph::VertexId> next(graph::VertexId poll);
  /// The program continues after a poll. Returns whether the poll has completed anything.
  bool leave(graph::VertexId poll);

  /// By request: the poll that completed it, in Graph::polls, or kNobody.
  const std::vector<std::uint32_t>& completed_by() const { return taken_; }
  /// A poll that waits forever, once nothing more comes.
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
  /// By request: completed in this simulation, and not yet assigned to a wait that had to complete
  /// one.
  std::vector<bool> spare_;
  std::unordered_map<std::uint32_t, Play> plays_;               ///< by poll
  std::unordered_map<std::uint32_t, graph::VertexId> waiting_;  ///< by rank: the poll
};

/// The graph with the receives and waits of requests at the polls that completed them:
/// `completed_by` is Polls::completed_by.
graph::Graph with_completions(graph::Graph graph, const std::vector<std::uint32_t>& completed_by);

}  // namespace latitude::solve
