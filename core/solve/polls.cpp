#include "core/solve/polls.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <type_traits>
#include <unordered_set>
#include <utility>

namespace latitude::solve {

using graph::Dep;
using graph::DepKind;
using graph::Graph;
using graph::kNoVertex;
using graph::Poll;
using graph::PolledRequest;
using graph::VertexId;

namespace {

std::span<const PolledRequest> listed(const Graph& graph, const Poll& poll) {
  return std::span(graph.polled).subspan(poll.first, poll.count);
}

}  // namespace

Polls::Polls(const Graph& graph) : graph_(graph) {
  for (std::uint32_t i = 0; i < graph.polls.size(); ++i) poll_of_[graph.polls[i].vertex] = i;
  std::uint32_t requests = 0;
  for (const PolledRequest& each : graph.polled) requests = std::max(requests, each.number + 1);
  receives_.resize(requests);
  done_.resize(requests);
  spare_.resize(requests);
  taken_.assign(requests, kNobody);
  for (const PolledRequest& each : graph.polled) {
    receives_[each.number] = each.receives;
    done_[each.number] = each.vertex == kNoVertex;
    if (each.vertex != kNoVertex) number_of_[each.vertex] = each.number;
  }
}

std::optional<VertexId> Polls::done(VertexId v) {
  done_[number_of_.at(v)] = true;
  const auto found = waiting_.find(graph_.rank_of(v));
  if (found == waiting_.end()) return std::nullopt;
  const VertexId poll = found->second;
  waiting_.erase(found);
  return poll;
}

std::optional<VertexId> Polls::next(VertexId v) {
  const std::uint32_t poll = poll_of_.at(v);
  Play& play = plays_[poll];
  const auto wait = [&] {
    waiting_[graph_.rank_of(v)] = v;
    return std::nullopt;
  };
  if (!play.decided && !decide(poll, play)) return wait();
  while (play.at < play.chosen.size()) {
    const PolledRequest& request = play.chosen[play.at];
    if (!done_[request.number]) return wait();
    ++play.at;
    if (request.receives) return request.vertex;
  }
  return v;
}

bool Polls::leave(VertexId v) {
  const auto play = plays_.extract(poll_of_.at(v));
  return !play.mapped().chosen.empty();
}

std::optional<VertexId> Polls::stuck() const {
  if (waiting_.empty()) return std::nullopt;
  return std::ranges::min_element(waiting_)->second;
}

/// Decides which requests the poll completes; false while this cannot be decided.
bool Polls::decide(std::uint32_t poll, Play& play) {
  const Poll& call = graph_.polls[poll];
  std::vector<PolledRequest> active;
  for (const PolledRequest& each : listed(graph_, call)) {
    if (taken_[each.number] == kNobody) active.push_back(each);
  }
  const auto is_done = [&](const PolledRequest& each) { return bool{done_[each.number]}; };
  const auto by_then = [](const PolledRequest& each) { return each.by_then; };
  std::vector<PolledRequest>& chosen = play.chosen;
  switch (call.takes) {
    case Poll::Takes::some:
      std::ranges::copy_if(active, std::back_inserter(chosen), [&](const PolledRequest& each) {
        return each.by_then || is_done(each);
      });
      break;
    case Poll::Takes::all_or_none:
      if (std::ranges::any_of(active, by_then) || std::ranges::all_of(active, is_done)) {
        chosen = active;
      }
      break;
    case Poll::Takes::one:
      std::ranges::copy_if(active, std::back_inserter(chosen), by_then);
      if (chosen.empty()) {
        const auto first = std::ranges::find_if(active, is_done);
        if (first != active.end()) chosen.push_back(*first);
      }
      break;
  }
  const bool spared = call.waits && takes_spare(call);
  if (call.waits && !spared && chosen.empty() && !active.empty()) return false;
  for (const PolledRequest& each : chosen) {
    taken_[each.number] = poll;
    spare_[each.number] = true;
  }
  if (call.waits && !spared && !chosen.empty()) spare_[chosen.front().number] = false;
  play.decided = true;
  return true;
}

/// Whether this simulation has completed a request of the list earlier than the run did, and has
/// not counted it for another wait; counts it for this one.
bool Polls::takes_spare(const Poll& call) {
  for (const PolledRequest& each : listed(graph_, call)) {
    if (!spare_[each.number]) continue;
    spare_[each.number] = false;
    return true;
  }
  return false;
}

namespace {

/// Puts the vertices of a graph into another order, with other dependencies.
class Reordering {
 public:
  explicit Reordering(Graph graph) : old_(std::move(graph)), place_of_(old_.vertices.size()) {
    order_.reserve(old_.vertices.size());
    deps_.reserve(old_.vertices.size() + old_.deps.size());
  }

  const Graph& old() const { return old_; }

  /// The dependencies of `v` in the old graph, including the one on its chain.
  std::vector<Dep> deps_of(VertexId v) const {
    std::vector<Dep> deps(old_.deps_of(v).begin(), old_.deps_of(v).end());
    if (old_.vertices[v].chained) deps.push_back({v - 1, DepKind::released});
    return deps;
  }

  /// Adds the next vertex of the new graph, which has all vertices of the old one.
  void place(VertexId v, std::span<const Dep> deps) {
    place_of_[v] = static_cast<VertexId>(order_.size());
    order_.push_back(v);
    deps_.insert(deps_.end(), deps.begin(), deps.end());
    dep_end_.push_back(static_cast<std::uint32_t>(deps_.size()));
  }

  Graph build() && {
    Graph graph = std::move(old_);
    const auto there = [&](VertexId v) { return v == kNoVertex ? v : place_of_[v]; };
    const auto moved = [&](const auto& values) {
      std::remove_cvref_t<decltype(values)> result;
      result.reserve(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) result.push_back(values[order_[i]]);
      return result;
    };
    graph.vertices = moved(graph.vertices);
    graph.traced_ns = moved(graph.traced_ns);
    const graph::Marks completed_in = std::exchange(graph.completed_in, {});
    for (VertexId v = 0; v < order_.size(); ++v) {
      const std::uint32_t call = completed_in[order_[v]];
      if (call != graph::Marks::kNone) graph.completed_in.set(v, call);
    }
    graph.deps.clear();
    graph.dep_begin = graph::Offsets({0});
    for (VertexId v = 0; v < graph.vertices.size(); ++v) {
      graph::Vertex& vertex = graph.vertices[v];
      vertex.partner = there(vertex.partner);
      vertex.chained = false;
      for (std::uint32_t i = v == 0 ? 0 : dep_end_[v - 1]; i < dep_end_[v]; ++i) {
        const Dep dep{there(deps_[i].vertex), deps_[i].kind};
        if (dep.kind == DepKind::released && dep.vertex + 1 == v) {
          vertex.chained = true;
        } else {
          graph.deps.push_back(dep);
        }
      }
      graph.dep_begin.push_back(static_cast<std::uint32_t>(graph.deps.size()));
    }
    return graph;
  }

 private:
  Graph old_;
  std::vector<VertexId> order_;     ///< new → old
  std::vector<VertexId> place_of_;  ///< old → new
  std::vector<Dep> deps_;           ///< in the new order, by old vertex
  std::vector<std::uint32_t> dep_end_;
};

/// The receives that a poll completes come at its place, one after the other. Then the poll ends,
/// once the operations behind its other requests have ended.
void place_poll(Reordering& order, VertexId poll, const std::vector<PolledRequest>& requests) {
  std::vector<Dep> before = order.deps_of(poll);
  for (const PolledRequest& each : requests) {
    if (!each.receives) continue;
    std::vector<Dep> deps = before;
    const std::vector<Dep> own = order.deps_of(each.vertex);
    deps.insert(deps.end(), own.begin(), own.end());
    order.place(each.vertex, deps);
    before.assign(1, {each.vertex, DepKind::released});
  }
  for (const PolledRequest& each : requests) {
    if (!each.receives) before.push_back({each.vertex, DepKind::requires_end});
  }
  order.place(poll, before);
}

}  // namespace

Graph with_completions(Graph graph, const std::vector<std::uint32_t>& completed_by) {
  if (graph.polls.empty()) return graph;
  std::unordered_map<VertexId, std::uint32_t> call_of;                 // by receive
  std::unordered_map<VertexId, std::vector<PolledRequest>> completed;  // by poll
  std::unordered_set<VertexId> beside;
  for (std::uint32_t i = 0; i < graph.polls.size(); ++i) {
    const VertexId poll = graph.polls[i].vertex;
    std::vector<PolledRequest>& requests = completed[poll];
    for (const PolledRequest& each : listed(graph, graph.polls[i])) {
      if (each.receives) beside.insert(each.vertex);
      if (completed_by[each.number] != i) continue;
      graph.vertices[poll].value = 0;  // no failed test
      if (each.vertex != kNoVertex) requests.push_back(each);
      if (each.receives) call_of[each.vertex] = graph.vertices[poll].origin;
    }
  }
  const graph::Marks before = std::exchange(graph.completed_in, {});
  for (VertexId v = 0; v < graph.vertices.size(); ++v) {
    const auto polled = call_of.find(v);
    const std::uint32_t call = polled == call_of.end() ? before[v] : polled->second;
    if (call != graph::Marks::kNone) graph.completed_in.set(v, call);
  }
  graph.polls = {};
  graph.polled = {};
  Reordering order(std::move(graph));
  for (VertexId v = 0; v < order.old().vertices.size(); ++v) {
    if (beside.contains(v)) continue;
    const auto poll = completed.find(v);
    if (poll == completed.end()) {
      order.place(v, order.deps_of(v));
    } else {
      place_poll(order, v, poll->second);
    }
  }
  return std::move(order).build();
}

}  // namespace latitude::solve
